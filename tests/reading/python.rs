//! The example reader, written from the page of the format, against brute force, and against `query` where there are
//! distances.

use super::common::lacking::lacking;
use super::common::ranked::copy_ranked;
use super::common::{game, program};
use super::plain_store::Layered;
use super::{run, stored, texts};
use game::reward::OpponentModel;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn reader() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/read_solution.py")
}

/// Whether the reader ended well, and what it printed on both channels.
fn read(folder: &Path, fluents: &str) -> (bool, String, String) {
    let output = Command::new("python3").args([reader().as_path(), folder]).arg(fluents).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        lacking("python3", "Debian: python3");
    }
    found
}

#[test]
fn the_reader_in_python_tells_distances() {
    if !has_python() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("a.ggs");
    let (mut known, mut endless) = (0, 0);
    let marks = ["", "(mark 1 1)", "(mark 1 1) (mark 1 2)", "(mark 1 1) (mark 1 2) (mark 2 2) (mark 3 3) (mark 3 1)"];
    // The second one can be played for ever.
    for (rules, lines) in
        [("games/tictactoe.gdl", marks), ("tests/reading/endless.gdl", ["", "right", "left", "right right"])]
    {
        let (rules, folder) = (root.join(rules), folder.to_str().unwrap());
        let arguments = ["solve", rules.to_str().unwrap(), "--distances", "--force", "-o", folder];
        let (code, _, errors) = texts(run(&arguments, ""));
        assert_eq!(code, 0, "{errors}");
        for line in lines {
            let (_, answer, _) = texts(run(&["query", folder, "--format", "json", "--moves", line], ""));
            let answer: Value = serde_json::from_str(&answer).unwrap();
            let state: Vec<&str> = answer["state"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let (ok, told, errors) = read(Path::new(folder), &state.join(" "));
            if errors.starts_with("these values need Python 3.14") {
                println!("skipped: this Python has no Zstandard");
                return;
            }
            assert!(ok, "{errors}");
            match answer["value"].as_array() {
                None => {
                    assert_eq!(told, format!("layer {}: endless\n", answer["layer"]));
                    endless += 1;
                }
                Some(value) => {
                    let roles = answer["roles"].as_array().unwrap().iter().filter_map(Value::as_str);
                    let rewards: Vec<String> = roles.zip(value).map(|(role, own)| format!("{role} {own}")).collect();
                    assert!(told.starts_with(&format!("layer {}: {}", answer["layer"], rewards.join(", "))), "{told}");
                    assert!(told.ends_with(&format!(", {} plies to the end\n", answer["plies"])), "{told}");
                    known += 1;
                }
            }
        }
    }
    assert!(known == 6 && endless == 2, "{known} {endless}");
}

#[test]
fn the_reader_in_python_agrees() {
    if !has_python() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(std::fs::read_to_string(reader()).unwrap().lines().count() < 200);
    let (mut unread, mut all) = (0, 0);
    for (name, ranked) in [("tictactoe", false), ("clobber_3x4", false), ("tictactoe", true), ("clobber_3x4", true)] {
        let (folder, mut path) = stored(name);
        if ranked {
            let by_rank = folder.path().join("ranked.ggs");
            copy_ranked(&path, &by_rank, 1, 0, |layer| layer > 0);
            path = by_rank;
        }
        let rules = std::fs::read(root.join("games").join(format!("{name}.gdl"))).unwrap();
        let ground = game(&program(name, &rules));
        let layered = Layered::new(&ground, OpponentModel::MaxOwn, 20_000).unwrap();
        for (layer, ids) in layered.layers.iter().enumerate() {
            for &id in ids.iter().step_by(1 + ids.len() / 2) {
                let (ok, output, errors) = read(&path, &layered.state(id).names(&ground).join(" "));
                let value = layered.solution.value(id);
                let roles = ground.roles.iter().zip(value).map(|(role, reward)| format!("{role} {reward}"));
                all += 1;
                if errors.starts_with("these values need Python 3.14") {
                    unread += 1;
                    continue;
                }
                let expected = format!("layer {layer}: {}\n", roles.collect::<Vec<_>>().join(", "));
                assert_eq!((ok, output, errors), (true, expected, String::new()));
            }
        }
        assert!(read(&path, "(cell 1 1 nothing)").2.contains("unknown fluent (cell 1 1 nothing)"));
        assert!(read(&path, "(control nobody)").2.contains("unknown fluent"));
        assert!(!read(&path, "").0);
    }
    if unread > 0 {
        println!("skipped: {unread} of {all} values, for which this Python has no Zstandard");
    }
}
