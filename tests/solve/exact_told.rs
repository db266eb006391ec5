//! What is told of solutions with exact values: reports, tables of positions, and damage.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// No single value.
const DILEMMA: &str = "
    (role ann) (role bob) (init (at start)) (unasked 1)
    (<= (legal ?r (be ?m)) (role ?r) (mood ?m)) (mood kind) (mood hard)
    (<= (next (at (end ?a ?b))) (does ann (be ?a)) (does bob (be ?b))) (<= terminal (true (at (end ?a ?b))))
    (pays kind kind 60) (pays kind hard 0) (pays hard kind 100) (pays hard hard 20)
    (<= (goal ann ?r) (true (at (end ?a ?b))) (pays ?a ?b ?r))
    (<= (goal bob ?r) (true (at (end ?a ?b))) (pays ?b ?a ?r))";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ggsolve")).args(arguments).current_dir(folder).output().unwrap()
}

fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&told(folder, arguments)).unwrap()
}

fn solved(text: &str, options: &[&str]) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("game.gdl"), text).unwrap();
    let output = run(folder.path(), &[&["game.gdl", "-o", "game.ggs"], options].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, output)
}

#[test]
fn a_solution_without_a_single_value_says_so_wherever_it_is_told_of() {
    let (folder, output) = solved(DILEMMA, &["--guarantee", "all", "--format", "json"]);
    let (folder, first): (_, Value) = (folder.path(), serde_json::from_slice(&output.stdout).unwrap());
    // Warnings on the rules are told once, and the reason is not told beside the report.
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.matches("`unasked`").count(), 1, "{errors}");
    assert!(!errors.contains("no single value"), "{errors}");
    let report = json(folder, &["report", "game.ggs", "--to", "json"]);
    for key in ["command", "no_value", "guarantees", "layers"] {
        assert_eq!(report[key], first[key], "{key}");
    }
    assert_eq!((&report["command"], &report["no_value"]["state"][0]), (&"solve".into(), &"(at start)".into()));
    for key in ["value", "buckets"] {
        assert_eq!((report.get(key), first.get(key)), (Some(&Value::Null), Some(&Value::Null)), "{key}");
    }
    for form in ["md", "html", "tex"] {
        let text = told(folder, &["report", "game.ggs", "--to", form]);
        assert!(text.contains("there is no single value; what roles can force is told below"), "{form}: {text}");
        assert!(text.contains("ann and bob choose at the same time") && text.contains("(at start)"), "{form}: {text}");
    }
    let verified = told(folder, &["verify", "game.ggs"]);
    assert!(verified.contains("there are no values: no single value: ann and bob"), "{verified}");
    assert!(!verified.contains("unfinished") && !verified.contains("no values yet"), "{verified}");
    let verified = json(folder, &["verify", "game.ggs", "--format", "json"]);
    assert_eq!((&verified["complete"], &verified["no_value"]), (&true.into(), &report["no_value"]["message"]));
    // To count again is to count.
    let counted = json(folder, &["count", "game.gdl", "-o", "game.ggs", "--format", "json"]);
    assert_eq!((&counted["command"], counted.get("no_value")), (&"count".into(), None));
    assert_eq!((counted.get("value"), counted.get("buckets")), (None, None));
    // Who asks for the value is refused as before.
    assert_eq!(run(folder, &["game.gdl", "-o", "game.ggs"]).status.code(), Some(3));
}

#[test]
fn a_guarantee_without_its_manifest_is_damage() {
    let (folder, _) = solved(DILEMMA, &["--guarantee", "all"]);
    let own = folder.path().join("game.ggs/guarantee-1");
    let manifest = std::fs::read(own.join("manifest.json")).unwrap();
    std::fs::remove_file(own.join("manifest.json")).unwrap();
    for arguments in [
        &["verify", "game.ggs"] as &[&str],
        &["query", "game.ggs"],
        &["report", "game.ggs", "--to", "md"],
        &["game.gdl", "-o", "game.ggs", "--guarantee", "all"],
    ] {
        let output = run(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{arguments:?}: {errors}");
        assert!(errors.contains("guarantee-1") && errors.contains("is missing"), "{errors}");
    }
    std::fs::write(own.join("manifest.json"), manifest).unwrap();
    assert!(told(folder.path(), &["verify", "game.ggs"]).contains("everything that was checked is right"));
    // What a run left that was killed before it began to solve is no damage.
    for file in std::fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "states") {
            std::fs::remove_file(file).unwrap();
        }
    }
    let query = json(folder.path(), &["query", "game.ggs", "--format", "json"]);
    assert!(query["guarantees"].get("ann").is_some() && query["guarantees"].get("bob").is_none(), "{query}");
}

#[test]
fn states_are_counted_by_one_rule_in_all_layers() {
    let rules = |cards: &str| told(Path::new("."), &["generate", "goofspiel", cards, "rising", "win"]);
    let (folder, _) = solved(&rules("5"), &[]);
    let folder = folder.path();
    let report = json(folder, &["report", "game.ggs", "--to", "json"]);
    assert_eq!(report["buckets_by"], "range");
    let layers = report["layers"].as_array().unwrap();
    let of_layers = || layers.iter().flat_map(|layer| layer["buckets"].as_array().unwrap());
    assert!(of_layers().all(|bucket| bucket["range"].is_array()), "{report}");
    let states = |bucket: &Value| bucket["states"].as_u64().unwrap();
    assert_eq!(of_layers().map(states).sum::<u64>(), report["layer_states"].as_u64().unwrap());
    let page = told(folder, &["report", "game.ggs", "--to", "md"]);
    assert!(page.contains("| layer | states | terminal | joint | chance | nodes |"), "{page}");
    assert!(page.contains("| 10 to 20 |") && page.contains("| 90 to 100 |"), "{page}");
    let table = |name: &str| told(folder, &["report", "game.ggs", "--to", "csv", "--table", name]);
    assert!(table("buckets").contains("first_from,first_to,states"), "{}", table("buckets"));
    let values = table("values");
    assert!(values.contains("\nlayer,first_from,first_to,states\n") && values.contains("\n5,90,100,"), "{values}");
    // Few values are told as such, in all layers.
    let (folder, _) = solved(&rules("3"), &[]);
    let report = json(folder.path(), &["report", "game.ggs", "--to", "json"]);
    assert_eq!(report["buckets_by"], "value");
    assert!(report["layers"].as_array().unwrap().iter().all(|layer| layer["buckets"][0]["rewards"].is_array()));
}

#[test]
fn a_position_is_written_as_a_table() {
    let (folder, _) = solved(&told(Path::new("."), &["generate", "goofspiel", "3", "random", "win"]), &[]);
    let folder = folder.path();
    let query = json(folder, &["query", "game.ggs", "--moves", "(turn 2)", "--format", "json"]);
    let table = told(folder, &["translate", "game.ggs", "--to", "nfg", "--moves", "(turn 2)"]);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("NFG 1 R \"game\" { \"first\" \"second\" }"));
    let name = |mixed: &Value| format!("\"{}\"", mixed["move"].as_str().unwrap());
    let names = |role: &str| {
        let names: Vec<String> = query["strategies"][role].as_array().unwrap().iter().map(name).collect();
        format!("{{ {} }}", names.join(" "))
    };
    assert_eq!(lines.next().unwrap(), format!("{{ {} {} }}", names("first"), names("second")));
    let shown = |number: &Value| number.as_str().map_or_else(|| number.to_string(), str::to_owned);
    let matrix = query["matrix"].as_array().unwrap();
    for column in 0..matrix[0].as_array().unwrap().len() {
        for row in matrix {
            let payoffs: Vec<String> = row[column].as_array().unwrap().iter().map(shown).collect();
            assert_eq!(lines.by_ref().find(|line| !line.is_empty()).unwrap(), payoffs.join(" "));
        }
    }
    assert_eq!(lines.next(), None);
    let code = |arguments: &[&str]| run(folder, arguments).status.code();
    assert_eq!(code(&["translate", "game.ggs", "--to", "efg"]), Some(2));
    assert_eq!(code(&["translate", "game.ggs", "--to", "nfg", "--moves", "(turn 9)"]), Some(2));
    assert_eq!(code(&["translate", "game.gdl", "--to", "nfg", "--moves", "(turn 2)"]), Some(1));
    let (turns, _) = solved(&told(Path::new("."), &["generate", "nim", "1", "2"]), &[]);
    assert_eq!(run(turns.path(), &["translate", "game.ggs", "--to", "nfg"]).status.code(), Some(2));
    let (open, _) = solved(DILEMMA, &["--guarantee", "ann"]);
    assert_eq!(run(open.path(), &["translate", "game.ggs", "--to", "nfg"]).status.code(), Some(2));
}

#[test]
fn numbers_of_one_are_told_as_one() {
    let told = |arguments: &[&str]| told(Path::new("."), arguments);
    assert!(told(&["generate", "duel", "1", "1", "1"]).contains("A duel of 1 step.\n"));
    assert!(told(&["generate", "race", "1"]).contains("A race over 1 step with"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("game.gdl"), DILEMMA).unwrap();
    let output = run(folder.path(), &["game.gdl", "--no-store", "--memory", "2"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("1 byte of 2 bytes in use"), "{errors}");
}

#[test]
fn options_of_searches_are_refused_where_there_is_no_search() {
    let (folder, _) = solved(&told(Path::new("."), &["generate", "duel", "1", "1", "1"]), &[]);
    for option in [&["--nodes", "5"][..], &["--distance"], &["--plans"]] {
        let output = run(folder.path(), &[&["query", "game.ggs"], option].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        let expected = format!("{} is not for games with chance or choices at the same time", option[0]);
        assert!(output.status.code() == Some(2) && errors.contains(&expected), "{errors}");
    }
}

/// Nothing is left to be solved, and no command advises to go on.
#[test]
fn a_solution_of_guarantees_alone_is_finished() {
    let (folder, _) = solved(DILEMMA, &["--guarantee", "all"]);
    for arguments in [&["export", "game.ggs", "--to", "csv", "-o", "table.csv"][..], &["puzzles", "game.ggs"]] {
        let output = run(folder.path(), arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("no single values") && !errors.contains("goes on"), "{errors}");
    }
    assert!(!folder.path().join("table.csv").exists());
}

/// A die is thrown, then a player takes what it shows or leaves it.
const DIE: &str = "
    (role ann) (role random) (init (at start)) (side 1) (side 2) (side 3)
    (<= (legal random (die side ?n)) (true (at start)) (side ?n)) (<= (legal ann wait) (true (at start)))
    (<= (legal random rest) (true (at ?n)) (side ?n)) (<= (legal ann take) (true (at ?n)) (side ?n))
    (<= (legal ann leave) (true (at ?n)) (side ?n))
    (<= (next (at ?n)) (does random (die side ?n))) (<= (next (end ?n)) (does ann take) (true (at ?n)) (side ?n))
    (<= (next (end 2)) (does ann leave)) (<= terminal (true (end ?n))) (<= (goal ann ?n) (true (end ?n)))";

#[test]
fn a_single_move_of_chance_needs_no_parentheses() {
    let (folder, _) = solved(DIE, &[]);
    let query = |moves: &str| told(folder.path(), &["query", "game.ggs", "--moves", moves, "--format", "json"]);
    assert_eq!(query("die side 3"), query("(die side 3)"));
    let output = run(folder.path(), &["query", "game.ggs", "--moves", "die side 4"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("die side 4"), "{errors}");
}
