//! `export` on the command line: every row equals what a query says of its position.

use super::{run, texts};
use crate::common::shipped;
use base::limits::Limits;
use serde_json::{Value, json};
use solving::solution::{Among, ExactSolution, Position, Solution, terms};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The solution of a shipped game, by the program.
fn solved(game: &str, options: &[&str]) -> (TempDir, PathBuf) {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("solution.ggs");
    let file = shipped(&format!("{game}.gdl"));
    let arguments = ["solve", file.to_str().unwrap(), "-o", folder.to_str().unwrap()];
    let (code, _, errors) = texts(run(&[&arguments, options].concat(), ""));
    assert_eq!(code, 0, "{errors}");
    (scene, folder)
}

/// Exit code and standard error.
fn export(folder: &Path, to: &str, out: &Path, options: &[&str]) -> (i32, String) {
    let arguments = ["export", folder.to_str().unwrap(), "--to", to, "-o", out.to_str().unwrap()];
    let (code, _, errors) = texts(run(&[&arguments, options].concat(), ""));
    (code, errors)
}

/// The metadata and the rows of a table of JSON lines.
fn rows(folder: &Path, options: &[&str]) -> (Value, Vec<Value>) {
    let out = folder.with_extension("jsonl");
    assert_eq!(export(folder, "jsonl", &out, options), (0, String::new()));
    let text = std::fs::read_to_string(&out).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let metadata = lines.next().unwrap()["metadata"].clone();
    (metadata, lines.collect())
}

fn list(value: &Value) -> Vec<String> {
    let mut texts: Vec<String> =
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

/// What a row says that a query says as well; moves sorted.
fn said(row: &Value) -> Value {
    json!({"state": list(&row["state"]), "to_move": row["to_move"], "terminal": row["terminal"], "value": row["value"],
        "value_float": row["value_float"], "plies": row["plies"], "legal": list(&row["legal"]), "best": list(&row["best"])})
}

/// The same of the JSON of a query.
fn queried(query: &Value) -> Value {
    let moves = query["moves"].as_array().unwrap();
    let named = |best: bool| {
        let meant = moves.iter().filter(|option| !best || option["optimal"] == true);
        Value::from(list(&meant.map(|option| option["move"].clone()).collect()))
    };
    json!({"state": list(&query["state"]), "to_move": query["to_move"], "terminal": query["terminal"],
        "value": query["value"], "value_float": query["value_float"], "plies": query["plies"],
        "legal": named(false), "best": named(true)})
}

fn fluents(row: &Value) -> String {
    list(&row["state"]).join(" ")
}

/// Compares rows with queries; how many are terminal.
fn compare(folder: &Path, rows: &[Value]) -> usize {
    let solution = Solution::open(folder, &Limits::unlimited()).unwrap();
    for row in rows {
        let state = solution.position(&terms(&fluents(row)).unwrap()).unwrap().state;
        let layer = row["layer"].as_u64().unwrap() as u32;
        assert!(solution.values().contains(layer, &state).unwrap(), "{row}");
        let query = solution.query(&Position { layer, state }, None).unwrap();
        assert_eq!(said(row), queried(&serde_json::to_value(&query).unwrap()));
    }
    rows.iter().filter(|row| row["terminal"] == true).count()
}

/// A table of comma-separated values: by row the fields by column.
fn fields(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().skip_while(|line| line.starts_with('#')).map(|line| line.split(','));
    let names: Vec<&str> = lines.next().unwrap().collect();
    let row = |line: std::str::Split<'_, char>| {
        let fields: Vec<&str> = line.collect();
        assert_eq!(fields.len(), names.len());
        names.iter().zip(fields).map(|(name, field)| ((*name).to_owned(), field.to_owned())).collect()
    };
    lines.map(row).collect()
}

/// A row of the one form as one of the other.
fn from_fields(fields: &BTreeMap<String, String>, metadata: &Value, players: usize) -> Value {
    let number = |name: &str| match fields.get(name).map(String::as_str) {
        None | Some("") => Value::Null,
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    };
    let roles: Vec<&str> = metadata["players"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(roles.len(), players);
    let value: Vec<Value> = roles.iter().map(|role| number(&format!("value_{role}"))).collect();
    let float = |text: &String| Value::from(text.parse::<f64>().unwrap());
    let floats =
        roles.iter().map(|role| fields.get(&format!("value_{role}_float")).map_or(Value::Null, float)).collect();
    let each = |values: Vec<Value>| if values.contains(&Value::Null) { Value::Null } else { Value::from(values) };
    let mut state = list(&metadata["fluents"]);
    state.retain(|name| fields[name] == "1");
    let moves = |name: &str| Value::from(terms(&fields[name]).unwrap_or_default());
    let mover = Some(fields["to_move"].as_str()).filter(|name| !name.is_empty());
    said(&json!({"state": state, "to_move": mover, "terminal": fields["terminal"] == "true", "value": each(value),
        "value_float": each(floats), "plies": number("plies"), "legal": moves("legal"), "best": moves("best")}))
}

/// Both forms have the same rows.
fn compare_forms(folder: &Path, options: &[&str], players: usize) {
    let (metadata, rows) = rows(folder, options);
    let out = folder.with_extension("csv");
    assert_eq!(export(folder, "csv", &out, options), (0, String::new()));
    let lines = fields(&out);
    assert_eq!(lines.len(), rows.len());
    for (line, row) in lines.iter().zip(&rows) {
        let mut row = said(row);
        // What holds in every state has no column.
        let columns = list(&metadata["fluents"]);
        row["state"] = list(&row["state"]).into_iter().filter(|name| columns.contains(name)).collect();
        assert_eq!(from_fields(line, &metadata, players), row);
    }
}

#[test]
fn rows_of_4x4_connect_four_are_queries() {
    let (_scene, folder) = solved("connect4_4x4", &["--distances"]);
    let (metadata, drawn) = rows(&folder, &["--sample", "1500", "--seed", "7"]);
    assert_eq!((drawn.len(), &metadata["sample"]["seed"]), (1500, &json!(7)));
    assert!(compare(&folder, &drawn) > 0);
    compare_forms(&folder, &["--sample", "300", "--seed", "7"], 2);
    // All of a layer, each once.
    let (_, layer) = rows(&folder, &["--layer", "5"]);
    let states: BTreeSet<String> = layer.iter().map(fluents).collect();
    let solution = Solution::open(&folder, &Limits::unlimited()).unwrap();
    let number = solution.states_among(5, Among::All).unwrap();
    assert_eq!((layer.len().into(), states.len()), (number, layer.len()));
}

#[test]
fn rows_of_all_layers_are_all_positions() {
    let (_scene, folder) = solved("tictactoe", &[]);
    let (metadata, all) = rows(&folder, &[]);
    assert_eq!((all.len(), compare(&folder, &all)), (5478, 958));
    assert_eq!(all.iter().map(fluents).collect::<BTreeSet<_>>().len(), 5478);
    assert_eq!((&metadata["game"], &metadata["roles"]), (&json!("tictactoe"), &json!(["xplayer", "oplayer"])));
    assert_eq!(metadata["rules_sha256"].as_str().unwrap().len(), 64);
    // The board has a plane for each content, and each cell of each plane is a fluent.
    let board = &metadata["board"];
    assert_eq!(board["contents"], json!(["b", "o", "x"]));
    assert_eq!((board["fluents"].as_array().unwrap().len(), &board["rows"]), (27, &json!(["1", "2", "3"])));
    for place in board["fluents"].as_array().unwrap() {
        let at = |index: usize| place[index].as_u64().unwrap() as usize;
        let name = metadata["fluents"][at(0)].as_str().unwrap();
        let (content, row, column) = (&board["contents"][at(1)], &board["rows"][at(2)], &board["columns"][at(3)]);
        let expected = [column, row, content].map(|part| part.as_str().unwrap());
        assert_eq!(name, format!("(cell {})", expected.join(" ")));
    }
    compare_forms(&folder, &[], 2);
}

#[test]
fn one_of_each_orbit_is_kept() {
    let (_scene, folder) = solved("tictactoe", &[]);
    // The number of positions up to rotation and reflection is well known.
    let (metadata, kept) = rows(&folder, &["--symmetric"]);
    assert_eq!((kept.len(), &metadata["symmetries"]), (765, &json!(8)));
    compare(&folder, &kept);
    let least: BTreeSet<String> = kept.iter().map(fluents).collect();
    let (_, drawn) = rows(&folder, &["--symmetric", "--sample", "400", "--seed", "1"]);
    assert!(drawn.len() == 400 && drawn.iter().all(|row| least.contains(&fluents(row))));
    let told = |folder: &Path| {
        let (path, out) = (folder.to_str().unwrap(), folder.with_extension("csv"));
        texts(run(&["export", path, "--to", "csv", "-o", out.to_str().unwrap(), "--symmetric"], "")).1
    };
    assert!(told(&folder).contains("\n  one of each set of up to 8 that are alike\n"), "{}", told(&folder));
    let (_scene, folder) = solved("nim40", &[]);
    let text = told(&folder);
    assert!(text.contains("\n  all of them: no symmetry keeps the first position and every role\n"), "{text}");
}

#[test]
fn rows_of_endless_single_player_and_exact_games_are_queries() {
    let (_scene, folder) = solved("morris_three", &["--distances"]);
    let (_, all) = rows(&folder, &[]);
    assert_eq!(all.len(), 5390);
    assert!(compare(&folder, &all) > 0);
    compare_forms(&folder, &["--sample", "500", "--seed", "2"], 2);
    assert!(all.iter().any(|row| row["value"].is_null()), "there is endless play");

    let (_scene, folder) = solved("hanoi", &[]);
    let (_, all) = rows(&folder, &["--sample", "1000", "--seed", "3"]);
    assert!(compare(&folder, &all) > 0);
    compare_forms(&folder, &[], 1);

    let (_scene, folder) = solved("goofspiel_4_random", &[]);
    let (_, all) = rows(&folder, &["--sample", "500", "--seed", "4"]);
    let solution = ExactSolution::open(&folder, &Limits::unlimited()).unwrap();
    let mut mixed = 0;
    for row in &all {
        let position = solution.position(&fluents(row)).unwrap();
        let query = serde_json::to_value(solution.query(&position).unwrap()).unwrap();
        assert_eq!(said(row), queried(&query));
        mixed += usize::from(row["value"].as_array().unwrap().iter().any(Value::is_string));
    }
    assert!(mixed > 0 && all.iter().any(|row| row["to_move"] == "random"));
    compare_forms(&folder, &["--sample", "300", "--seed", "5"], 2);
    let refused = export(&folder, "csv", &folder.with_extension("csv"), &["--sample", "3", "--over", "values"]);
    assert_eq!(refused.0, 2, "{}", refused.1);
}

#[test]
fn draws_are_uniform_over_states_or_values_and_depend_on_the_seed() {
    let (_scene, folder) = solved("tictactoe", &[]);
    let count = |rows: &[Value]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry(row["value"].to_string()).or_default() += 1);
        ["[0,100]", "[50,50]", "[100,0]"].map(|value| counts[value])
    };
    // Of 3,000 draws so many have each value, give or take five standard deviations.
    let near = |counts: [usize; 3], shares: [f64; 3]| {
        counts.iter().zip(shares).all(|(&count, share)| {
            (count as f64 - 3000.0 * share).abs() < 5.0 * (3000.0 * share * (1.0 - share)).sqrt()
        })
    };
    let options = |over, seed| ["--sample", "3000", "--over", over, "--seed", seed];
    let (_, states) = rows(&folder, &options("states", "1"));
    let (_, values) = rows(&folder, &options("values", "1"));
    let shares = [1474.0, 1068.0, 2936.0].map(|states| states / 5478.0);
    assert!(near(count(&states), shares) && !near(count(&states), [1.0 / 3.0; 3]), "{:?}", count(&states));
    assert!(near(count(&values), [1.0 / 3.0; 3]) && !near(count(&values), shares), "{:?}", count(&values));
    assert_eq!(rows(&folder, &options("states", "1")).1, states);
    assert_ne!(rows(&folder, &options("states", "2")).1, states);
}

#[test]
fn nothing_is_left_of_a_table_that_cannot_be_written() {
    let (scene, folder) = solved("tictactoe", &[]);
    let place = scene.path().join("tables");
    std::fs::create_dir(&place).unwrap();
    let left = || std::fs::read_dir(&place).unwrap().count();
    for to in ["csv", "jsonl", "npz"] {
        let out = place.join("table");
        let (code, errors) = export(&folder, to, &out, &["--time", "0.000001s"]);
        assert_eq!((code, left()), (4, 0), "{to}: {errors}");
        let (code, errors) = export(&folder, to, &out, &["--layer", "10"]);
        assert_eq!((code, left()), (2, 0), "{to}: {errors}");
        assert!(errors.contains("the layers 0 to 9"), "{errors}");
        let (code, errors) = export(&folder, to, &place.join("none/table"), &[]);
        assert_eq!((code, left()), (1, 0), "{to}: {errors}");
        // A disk with room for a few blocks.
        let words = ["ulimit -f 2; \"$0\" export \"$1\" --to \"$2\" -o \"$3\"", env!("CARGO_BIN_EXE_ggsolve")];
        let mut shell = Command::new("sh");
        shell.arg("-c").args(words).arg(&folder).arg(to).arg(&out);
        let (code, _, errors) = texts(shell.output().unwrap());
        assert_eq!((code, left()), (1, 0), "{to}: {errors}");
        assert!(errors.starts_with("error: ") && errors.contains("larger than is allowed here"), "{to}: {errors}");
    }
    // What was there stays until the new table is whole.
    let out = place.join("table");
    std::fs::write(&out, "before").unwrap();
    assert_eq!(export(&folder, "csv", &out, &["--layer", "10"]).0, 2);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "before");
    let words = ["ulimit -f 2; \"$0\" report \"$1\" --to html -o \"$2\"", env!("CARGO_BIN_EXE_ggsolve")];
    let (code, _, errors) = texts(Command::new("sh").arg("-c").args(words).arg(&folder).arg(&out).output().unwrap());
    assert!(code == 1 && errors.contains("larger than is allowed here"), "{errors}");
    assert_eq!((std::fs::read_to_string(&out).unwrap().as_str(), left()), ("before", 1));
}

#[test]
fn devices_pipes_and_links_stay_what_they_are() {
    let (scene, folder) = solved("tictactoe", &[]);
    let (plain, pipe, link) = (scene.path().join("plain"), scene.path().join("pipe"), scene.path().join("link"));
    assert_eq!(export(&folder, "csv", &plain, &["--layer", "2"]).0, 0);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = pipe.clone();
    let read = std::thread::spawn(move || std::fs::read(reader).unwrap());
    assert_eq!(export(&folder, "csv", &pipe, &["--layer", "2"]).0, 0);
    assert_eq!(read.join().unwrap(), std::fs::read(&plain).unwrap());
    assert!(!pipe.metadata().unwrap().is_file());
    std::os::unix::fs::symlink(&plain, &link).unwrap();
    assert_eq!(export(&folder, "csv", &link, &["--layer", "1"]).0, 0);
    assert!(link.is_symlink() && fields(&plain).len() == 9);
    let output = run(&["export", folder.to_str().unwrap(), "--to", "npz", "-o", "/dev/stdout"], "");
    let (code, _, errors) = texts(output);
    assert!(code == 1 && errors.contains("it is a pipe") && errors.contains("name a file"), "{errors}");
    let (code, errors) = export(&folder, "csv", scene.path(), &["--layer", "2"]);
    assert!(code == 1 && errors.contains("folder"), "{errors}");
}

#[test]
fn a_table_on_standard_output_stands_alone_there() {
    let (_scene, folder) = solved("tictactoe", &[]);
    let path = folder.to_str().unwrap();
    for format in ["text", "json"] {
        let words = ["export", path, "--to", "jsonl", "--layer", "9", "--format", format, "-o", "/dev/stdout"];
        let (code, rows, errors) = texts(run(&words, ""));
        // The first line tells of the others.
        assert_eq!((code, rows.lines().count()), (0, 79), "{errors}");
        rows.lines().for_each(|row| _ = serde_json::from_str::<Value>(row).expect(row));
        let bytes = format!("\"bytes\": {}", rows.len());
        assert!(errors.contains(if format == "text" { "78 positions of layer 9" } else { &bytes }), "{errors}");
    }
    let both = folder.with_extension("both");
    let script = "echo one; \"$0\" export \"$1\" --to csv --layer 2 -o /dev/stdout; \"$0\" export \"$1\" --to csv --layer 2 \
                  -o /dev/stdout; \"$0\" export \"$1\" --to npz -o /dev/stdout; echo two";
    let into =
        |append: bool| File::options().create(true).write(true).append(append).truncate(!append).open(&both).unwrap();
    let lines = |append: bool| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_ggsolve"), path]).stdout(into(append));
        let errors = texts(shell.output().unwrap()).2;
        assert!(errors.contains("name a file"), "a form that is not written from front to back: {errors}");
        let text = std::fs::read_to_string(&both).unwrap();
        text.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let written = lines(false);
    let plain = folder.with_extension("plain");
    assert_eq!(export(&folder, "csv", &plain, &["--layer", "2"]).0, 0);
    let table = std::fs::read_to_string(plain).unwrap().lines().count();
    assert_eq!(written.len(), 2 + 2 * table, "{written:?}");
    assert_eq!((&*written[0], &*written[written.len() - 1]), ("one", "two"));
    assert_eq!(lines(true), [&*written, &*written].concat());
}

#[test]
fn files_of_a_solution_are_not_replaced() {
    let (_scene, folder) = solved("tictactoe", &[]);
    for name in ["manifest.json", "layer-00001.states", "rules.gdl"] {
        let own = folder.join(name);
        let before = std::fs::read(&own).unwrap();
        let (code, errors) = export(&folder, "csv", &own, &["--layer", "1"]);
        assert!(code == 1 && errors.contains("a file of a stored solution"), "{code}, {errors}");
        assert_eq!(std::fs::read(&own).unwrap(), before);
    }
    assert_eq!(export(&folder, "csv", &folder.join("table.csv"), &["--layer", "1"]).0, 0);
    // Another file of that name makes no solution of a folder.
    let web = tempfile::tempdir().unwrap();
    std::fs::write(web.path().join("manifest.json"), "{\"name\": \"mine\"}").unwrap();
    for name in ["rules.gdl", "rules.gdl", "manifest.json"] {
        assert_eq!(export(&folder, "csv", &web.path().join(name), &["--layer", "1"]).0, 0);
    }
}

/// As for what is printed on standard output.
#[test]
fn a_reader_that_closes_a_pipe_is_no_error() {
    let (_scene, folder) = solved("tictactoe", &[]);
    let folder = folder.to_str().unwrap();
    let commands = ["csv", "jsonl", "parquet"].map(|form| ["export", folder, "--to", form]);
    let others = [["report", folder, "--to", "html"], ["translate", "games/tictactoe.gdl", "--to", "gddl"]];
    let built = |command: &[&str; 4]| cfg!(feature = "parquet") || command[3] != "parquet";
    for arguments in commands.into_iter().chain(others).filter(built) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args(["-o", "/dev/stdout"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn parquet_is_written_where_it_is_built_in() {
    let (_scene, folder) = solved("tictactoe", &[]);
    let out = folder.with_extension("parquet");
    let (code, errors) = export(&folder, "parquet", &out, &[]);
    if cfg!(feature = "parquet") {
        // The tests of the Python module read it back.
        let bytes = std::fs::read(&out).unwrap();
        assert!(code == 0 && bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{errors}");
    } else {
        assert!(code == 2 && errors.contains("npz, csv and jsonl") && !out.exists(), "{errors}");
    }
}
