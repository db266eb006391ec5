//! `report`: the same figures in every form, whatever the names are; unfinished solutions; what the forms promise.

use super::common::lacking::lacking;
use super::common::stored::store;
use super::common::{game, program, shipped};
use super::plain_store::{Layered, write_folder};
use super::{run, stored, texts, without_values_before};
use game::reward::OpponentModel;
use num_bigint::BigUint;
use serde_json::{Value, json};
use solving::solve::{Algorithm, SolveOptions};
use solving::store::RunRecord;
use solving::store::manifest::{Manifest, Progress};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// One player goes to one of three ends, at once or by a detour.
const WAYS: &str = "
    (role you) (init (at in)) (way in a) (way in b) (way b c) (way b d)
    (<= (legal you (go ?y)) (true (at ?x)) (way ?x ?y))
    (<= (next (at ?y)) (does you (go ?y)))
    (<= moving (true (at ?x)) (way ?x ?y)) (<= terminal (not moving))
    (<= (goal you 40) (true (at a))) (<= (goal you 90) (true (at c)))
    (<= (goal you 0) (not (true (at a))) (not (true (at c))))";

fn solved(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ggs");
    let ground = game(&program("game", text.as_bytes()));
    let layered = Layered::new(&ground, OpponentModel::MaxOwn, 1000).unwrap();
    write_folder(&path, text.as_bytes(), &ground, OpponentModel::MaxOwn, &layered);
    (folder, path)
}

/// A change of a manifest, as a run makes it.
fn change(path: &Path, change: impl FnOnce(&mut Manifest)) {
    let mut manifest = Manifest::load(path).unwrap();
    change(&mut manifest);
    manifest.save(path).unwrap();
}

/// A record of a run that does not depend on the machine.
fn a_run() -> RunRecord {
    serde_json::from_value(json!({
        "version": "1.2.3", "options": {"opponent_model": "max-own"}, "engine": "symbolic", "threads": 2,
        "memory_limit_bytes": 1 << 30, "time_s": {"forward": 1.5, "backward": 2.25, "total": 4.0},
        "peak_memory_bytes": 5 << 20, "machine": "a processor", "finished": true
    }))
    .unwrap()
}

fn report(path: &Path, arguments: &[&str]) -> (i32, String, String) {
    texts(run(&[&["report", path.to_str().unwrap()], arguments].concat(), ""))
}

/// The report in a form, of a solution that is finished.
fn form(path: &Path, arguments: &[&str]) -> String {
    let (code, text, errors) = report(path, &[&["--to"], arguments].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}");
    text
}

fn golden(name: &str, text: &str) {
    let version = format!("ggsolve {}", env!("CARGO_PKG_VERSION"));
    insta::assert_snapshot!(name, text.replace(&version, "ggsolve VERSION"));
}

#[test]
fn what_roles_can_force_is_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ggs");
    let rules = shipped("tictactoe3.gdl");
    let arguments =
        ["solve", rules.to_str().unwrap(), "--guarantee", "xplayer,yplayer", "--ties", "-o", path.to_str().unwrap()];
    let (code, _, errors) = texts(run(&arguments, ""));
    assert_eq!(code, 0, "{errors}");
    let csv = form(&path, &["csv", "--table", "guarantees"]);
    let rows = rows(&csv);
    assert_eq!(rows[0], ["role", "forces", "states", "share"]);
    assert!(rows[1..].iter().any(|row| row[0] == "xplayer") && rows[1..].iter().any(|row| row[0] == "yplayer"));
    let json: Value = serde_json::from_str(&form(&path, &["json"])).unwrap();
    for role in ["xplayer", "yplayer"] {
        let of_role = |row: &&Vec<&str>| row[0] == role;
        let expected = json["guarantees"][role]["buckets"].as_array().unwrap();
        for (row, bucket) in rows[1..].iter().filter(of_role).zip(expected) {
            assert_eq!(
                (row[1], row[2]),
                (bucket["rewards"][0].to_string().as_str(), bucket["states"].to_string().as_str())
            );
        }
        assert_eq!(rows[1..].iter().filter(of_role).count(), expected.len());
    }
    assert!(csv.contains("--guarantee xplayer,yplayer") && csv.contains("--ties"), "{csv}");
    for to in ["md", "tex", "html"] {
        let text = form(&path, &[to]);
        assert!(text.contains("States by what a role can force against all others"), "{text}");
        assert!(text.contains("xplayer can force 33 against all others together."), "{text}");
        assert!(text.contains("In 0 states a tie decides: "), "{text}");
    }
    without_values_before(2, &path.join("guarantee-0"));
    change(&path.join("guarantee-0"), |manifest| manifest.forced = None);
    let json: Value = serde_json::from_str(&form(&path, &["json"])).unwrap();
    assert_eq!(json["unfinished_guarantees"], json!(["xplayer"]));
    assert!(json["guarantees"]["xplayer"].is_null() && !json["guarantees"]["yplayer"].is_null(), "{json}");
    for text in ["md", "tex", "html"].map(|to| form(&path, &[to])) {
        assert!(text.contains("What a role can force is not solved to the end: xplayer;"), "{text}");
    }
}

/// The lines of a table in CSV, without those that say where it comes from.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect()).collect()
}

#[test]
fn every_form_has_every_figure() {
    let (folder, path) = stored("clobber_1x6");
    change(&path, |manifest| manifest.runs = vec![a_run()]);
    for to in ["md", "tex", "html"] {
        golden(to, &form(&path, &[to]));
    }
    let tables = ["layers", "values", "buckets", "matrix", "runs"];
    let all = tables.map(|table| form(&path, &["csv", "--table", table]));
    assert_eq!(form(&path, &["csv"]), all[0]);
    golden("csv", &all.join("\n"));
    // Into a file, and all tables into a folder.
    let file = folder.path().join("report.csv");
    assert_eq!(form(&path, &["csv", "-o", file.to_str().unwrap()]), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), all[0]);
    // A name that ends in a slash is a folder that is made.
    for tables_folder in [folder.path().to_owned(), folder.path().join("new/tables/")] {
        assert_eq!(form(&path, &["csv", "-o", tables_folder.to_str().unwrap()]), "");
        for (table, text) in tables.iter().zip(&all) {
            assert_eq!(&std::fs::read_to_string(tables_folder.join(format!("{table}.csv"))).unwrap(), text);
        }
    }
    // Every value is one of a state of the layer.
    let layers = rows(&all[0]);
    for layer in &layers[1..] {
        let values = rows(&all[1]).into_iter().filter(|row| row[0] == layer[0]);
        let sum: u64 = values.map(|row| row[3].parse::<u64>().unwrap()).sum();
        assert_eq!(sum.to_string(), layer[1], "{layer:?}");
    }
    assert_eq!(rows(&all[3])[0][0], "white \\ black");
}

#[test]
fn one_player_endless_play_and_three_roles_are_told() {
    let (_folder, path) = solved(WAYS);
    golden("one player", &form(&path, &["md"]));
    let (code, _, errors) = report(&path, &["--to", "csv", "--table", "matrix"]);
    assert_eq!(code, 2);
    assert!(errors.contains("this solution has no matrix; it has layers, values, buckets"), "{errors}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ggs");
    let options = SolveOptions { algorithm: Some(Algorithm::Global), ..SolveOptions::default() };
    store(include_str!("endless.gdl"), &path, &options, usize::MAX).unwrap();
    change(&path, |manifest| manifest.runs.clear());
    golden("endless", &form(&path, &["md"]));
    let text = form(&path, &["csv", "--table", "buckets"]);
    let endless = rows(&text).into_iter().find(|row| row[0].is_empty()).expect("a line for endless play");
    assert_eq!(endless[1], "", "{text}");

    let (_folder, path) = stored("clobber_1x6");
    change(&path, |manifest| {
        manifest.roles.push("third".to_owned());
        let buckets = manifest.layers.iter_mut().flat_map(|layer| layer.buckets.iter_mut().flatten());
        buckets.filter_map(|bucket| bucket.rewards.as_mut()).for_each(|rewards| rewards.push(7));
        manifest.rewards.iter_mut().for_each(|rewards| rewards.push(7));
    });
    let text = form(&path, &["md"]);
    assert!(text.contains("| third | states |") && !text.contains("matrix") && text.contains("100/0/7"), "{text}");
}

/// Names that are markup in one form or another, and letters of other scripts.
const HOSTILE: [&str; 3] =
    ["<script>alert('1')</script>&amp;\"", "a|b_c$d%e{f}\\g^h~i#[j]*k", "\u{4e2d}\u{1}é\u{202e}--``"];

fn hostile(path: &Path) {
    change(path, |manifest| {
        manifest.game = HOSTILE.join(" ");
        manifest.roles.iter_mut().zip(HOSTILE).for_each(|(role, name)| *role = name.to_owned());
        manifest.runs = vec![RunRecord { machine: HOSTILE.join("\n"), ..a_run() }];
    });
}

#[test]
fn pages_are_well_formed_and_hold_all_they_need() {
    let mut pages = Vec::new();
    for game in ["tictactoe", "clobber_3x4", "nim40"] {
        let Some((_folder, path)) = shipped(&format!("{game}.gdl")).is_file().then(|| stored(game)) else { continue };
        pages.push(form(&path, &["html"]));
        hostile(&path);
        pages.push(form(&path, &["html"]));
    }
    assert!(pages.len() >= 4);
    for page in &pages {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document =
            roxmltree::Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}\n{page}"));
        let named = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
        assert_eq!([named("svg"), named("script"), named("html"), named("link"), named("img")], [2, 0, 1, 0, 0]);
        assert!(named("table") >= 3 && named("polyline") >= 2);
        let ids = document.descendants().flat_map(|node| node.attributes().collect::<Vec<_>>());
        for attribute in ids {
            assert!(
                !attribute.name().starts_with("on") && !["src", "href"].contains(&attribute.name()),
                "{attribute:?}"
            );
        }
        assert!(!page.contains("url(") && !page.contains("@import"));
        // Coordinates are numbers.
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{page}");
    }
    assert!(pages[1].contains("&lt;script&gt;alert(&#39;1&#39;)"));
}

/// What makes a PDF of a LaTeX document, and how it is asked to stop at an error.
const COMPILERS: [(&str, &[&str]); 4] = [
    ("pdflatex", &["-halt-on-error", "-interaction=nonstopmode"]),
    ("lualatex", &["-halt-on-error", "-interaction=nonstopmode"]),
    ("xelatex", &["-halt-on-error", "-interaction=nonstopmode"]),
    ("tectonic", &["--only-cached"]),
];

#[test]
fn latex_compiles_where_it_is_installed() {
    let is_installed = |name: &str| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let Some((compiler, options)) = COMPILERS.into_iter().find(|(name, _)| is_installed(name)) else {
        lacking("pdflatex", "Debian: texlive-latex-base texlive-latex-recommended");
        return;
    };
    // Two players, as it is and with names of all kinds; one player, a table wider than a page; distances; three players
    // and what they can force; endless play.
    let scene = tempfile::tempdir().unwrap();
    let written = |name: &str, text: &str| {
        let path = scene.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    type Case<'a> = (PathBuf, &'a [&'a str], fn(&Path));
    let cases: [Case; 7] = [
        (shipped("tictactoe.gdl"), &[], |_| {}),
        (shipped("tictactoe.gdl"), &[], hostile),
        (shipped("hanoi.gdl"), &[], |_| {}),
        (shipped("clobber_1x6.gdl"), &["--distances"], |_| {}),
        (shipped("tictactoe3.gdl"), &["--guarantee", "all", "--ties"], |_| {}),
        (written("ways.gdl", WAYS), &[], hostile),
        (written("endless.gdl", include_str!("endless.gdl")), &["--distances"], |_| {}),
    ];
    for (number, (rules, options_of_run, change)) in cases.into_iter().enumerate() {
        let folder = scene.path().join(number.to_string());
        let path = folder.join("a.ggs");
        std::fs::create_dir(&folder).unwrap();
        let solve = ["solve", rules.to_str().unwrap(), "-o", path.to_str().unwrap()];
        let (code, _, errors) = texts(run(&[&solve[..], options_of_run].concat(), ""));
        assert_eq!(code, 0, "{errors}");
        change(&path);
        let file = folder.join("report.tex");
        form(&path, &["tex", "-o", file.to_str().unwrap()]);
        let is_wide = rules.ends_with("hanoi.gdl");
        assert!(!is_wide || std::fs::read_to_string(&file).unwrap().contains(", part 2 of 2"));
        let mut latex = Command::new(compiler);
        latex.args(options).arg("report.tex").current_dir(&folder);
        let output = latex.stdin(Stdio::null()).output().unwrap();
        let log = String::from_utf8_lossy(&output.stdout);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && file.with_extension("pdf").is_file(), "{}: {log}{told}", rules.display());
        assert!(!is_wide || !log.contains("Overfull"), "{log}");
    }
}

#[test]
fn the_json_is_that_of_solve_from_disk() {
    let scene = tempfile::tempdir().unwrap();
    let rules = scene.path().join("game.gdl");
    for (number, text) in [WAYS, include_str!("endless.gdl")].into_iter().enumerate() {
        std::fs::write(&rules, text).unwrap();
        let folder = scene.path().join(number.to_string());
        let solve = ["solve", rules.to_str().unwrap(), "-o", folder.to_str().unwrap(), "--format", "json"];
        assert_eq!(texts(run(&solve, "")).0, 0);
        let mut again: Value = serde_json::from_str(&texts(run(&solve, "")).1).unwrap();
        let mut told: Value = serde_json::from_str(&form(&folder, &["json"])).unwrap();
        // Findings name the file that the rules are in, which is the one in the folder here.
        let diagnostics = [&mut again, &mut told].map(|value| value.as_object_mut().unwrap().remove("diagnostics"));
        let messages = diagnostics.map(|found| {
            let found = found.unwrap();
            found.as_array().unwrap().iter().map(|finding| finding["message"].clone()).collect::<Vec<_>>()
        });
        assert_eq!(messages[0], messages[1]);
        assert_eq!(told, again);
        assert_eq!(told["from_disk"], true);
    }
}

#[test]
fn unfinished_and_counted_solutions_are_reported_as_such() {
    let (_folder, path) = stored("tictactoe");
    change(&path, |manifest| {
        manifest.phase = Progress::Backward;
        manifest.layers[..7].iter_mut().for_each(|layer| (layer.values_file, layer.buckets) = (None, None));
    });
    let note = "note: the solution is unfinished: the states of 10 layers are stored, the values of 3 so far\n";
    for to in ["md", "html", "tex", "csv", "json"] {
        let (code, text, errors) = report(&path, &["--to", to]);
        assert_eq!((code, errors.as_str()), (0, note), "{to}");
        assert!(to == "json" || text.contains("unfinished: the states of 10 layers are stored"), "{text}");
        assert_eq!(
            ["md", "html", "tex"].contains(&to),
            text.contains("To go on from there: ggsolve solve GAME"),
            "{text}"
        );
    }
    let json: Value = serde_json::from_str(&report(&path, &["--to", "json"]).1).unwrap();
    assert_eq!([&json["finished"], &json["phase"], &json["states"]], [&json!(false), &json!("backward"), &json!(5478)]);
    assert_eq!(json["layers"][6].get("buckets"), None);
    assert_eq!(json["layers"][9]["buckets"].as_array().unwrap().len(), 2);
    assert_eq!(json.get("value"), None);
    let sum: BigUint =
        json["buckets"].as_array().unwrap().iter().map(|bucket| bucket["states"].as_u64().unwrap()).sum();
    assert_eq!(sum, (1140u32 + 390 + 78).into());
    // What is not known is empty, what is known to be none is 0.
    let text = report(&path, &["--to", "csv"]).1;
    assert_eq!([rows(&text)[7].join(","), rows(&text)[10].join(",")].map(|row| row.ends_with(",,,")), [true, false]);
    assert_eq!(rows(&text)[10][4], "0", "{text}");

    change(&path, |manifest| {
        manifest.phase = Progress::Forward;
        manifest.layers.truncate(4);
        manifest.layers.iter_mut().for_each(|layer| (layer.values_file, layer.buckets) = (None, None));
        (manifest.states, manifest.terminal_states, manifest.opponent_model) = (None, None, None);
        (manifest.progress_measure, manifest.alternating) = (None, None);
    });
    let (code, text, _) = report(&path, &["--to", "md"]);
    assert_eq!(code, 0);
    assert!(text.contains("- reachable states: not known yet") && text.contains("- layers so far: 4"), "{text}");
    let json: Value = serde_json::from_str(&report(&path, &["--to", "json"]).1).unwrap();
    assert_eq!([&json["states"], &json["layer_states"]], [&Value::Null, &json!(1 + 9 + 72 + 252)]);

    let scene = tempfile::tempdir().unwrap();
    let rules = scene.path().join("game.gdl");
    std::fs::write(&rules, WAYS).unwrap();
    let counted = scene.path().join("counted");
    assert_eq!(texts(run(&["count", rules.to_str().unwrap(), "-o", counted.to_str().unwrap()], "")).0, 0);
    let text = form(&counted, &["md"]);
    assert!(text.contains("only states are counted") && !text.contains("Reward"), "{text}");
    let json: Value = serde_json::from_str(&form(&counted, &["json"])).unwrap();
    assert_eq!([&json["command"], &json["states"]], [&json!("count"), &json!(5)]);
}

/// A game that never ends has no rewards and no plies.
#[test]
fn a_game_that_never_ends_has_an_empty_table_of_plies() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, path) = (folder.path().join("round.gdl"), folder.path().join("round.ggs"));
    let text = "(role a) (role b) (init (at 0)) (legal a go) (legal b go)
        (<= (next (at 0)) (true (at 1))) (<= (next (at 1)) (true (at 0)))
        (<= terminal (true (at 2))) (<= (goal ?r 50) (role ?r))";
    std::fs::write(&rules, text).unwrap();
    let [rules, out] = [&rules, &path].map(|path| path.to_str().unwrap());
    let (code, text, errors) = texts(run(&["solve", rules, "--distances", "-o", out], ""));
    assert!(code == 0 && text.contains("  endless: ") && !text.contains("States by rewards"), "{text}{errors}");
    let table = form(&path, &["csv", "--table", "plies"]);
    assert_eq!(table.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>(), ["plies"], "{table}");
    assert!(!form(&path, &["md"]).contains("plies to the end"));
}

#[test]
fn what_cannot_be_reported_is_told() {
    let (folder, path) = stored("clobber_1x6");
    let nowhere = folder.path().join("no/such/file");
    for (arguments, code, expected) in [
        (&["--to", "html", "--table", "layers"][..], 2, "only --to csv is one table"),
        (&["--to", "pdf"], 2, "invalid value 'pdf'"),
        (&[], 2, "--to <TO>"),
        (&["--to", "csv", "--table", "moves"], 2, "invalid value 'moves'"),
        (&["--to", "csv", "--table", "runs"], 2, "this solution has no runs; it has layers"),
        (&["--to", "md", "-o", nowhere.to_str().unwrap()], 1, "no/such/file"),
        (&["--to", "md", "-o", "no such folder/"], 1, "it is a folder\n  name a file in it\n"),
    ] {
        let (found, output, errors) = report(&path, arguments);
        assert_eq!((found, output.as_str()), (code, ""), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
    assert_eq!(report(Path::new("no such folder"), &["--to", "md"]).0, 1);
    let rules = path.join("rules.gdl");
    let text = std::fs::read_to_string(&rules).unwrap();
    std::fs::write(&rules, text + " ").unwrap();
    assert_eq!(report(&path, &["--to", "md"]).0, 5);
    std::fs::write(path.join("manifest.json"), "{}").unwrap();
    assert_eq!(report(&path, &["--to", "md"]).0, 5);
}
