//! `ggsolve explore` as people start it.

use crate::client::Client;
use crate::process::{Process, output};
use std::path::PathBuf;

fn shipped(game: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("games").join(game).display().to_string()
}

#[test]
fn rules_are_solved_first_and_folders_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path(), &[&shipped("tictactoe.gdl"), "--port", "0"]);
    assert!(process.line.starts_with("listening on http://127.0.0.1:"), "{}", process.line);
    assert_eq!(Client::new(process.address).get("/api/solutions/tictactoe/position").status, 200);
    let (status, said) = process.interrupt("-INT");
    assert!(status.success(), "{status} {said}");
    assert!(said.contains("solving it first, into tictactoe.ggs") && said.contains("a draw"), "{said}");
    // The folder is there now, and twice the same has two names.
    let rules = shipped("tictactoe.gdl");
    let process = Process::start(folder.path(), &["tictactoe.ggs", &rules, "tictactoe.ggs/", "--port", "0"]);
    let text = Client::new(process.address).get("/api/solutions").text();
    for name in ["\"tictactoe\"", "\"tictactoe-2\"", "\"tictactoe-3\""] {
        assert!(text.contains(&format!("{{\"name\":{name}")), "{text}");
    }
    let (status, said) = process.interrupt("-TERM");
    assert!(status.success() && said.contains("read from tictactoe.ggs"), "{status} {said}");
}

#[test]
fn a_stored_solution_is_shown_with_its_distances_and_model() {
    let folder = tempfile::tempdir().unwrap();
    let rules = shipped("nim3.gdl");
    let mut solve = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let solve = solve.args([&rules, "--distances", "--opponent-model", "max-diff"]).current_dir(folder.path());
    assert!(solve.output().unwrap().status.success());
    let process = Process::start(folder.path(), &[&rules, "--port", "0"]);
    let position = Client::new(process.address).get("/api/solutions/nim3/position").text();
    assert!(position.contains("\"plies\""), "{position}");
    let (status, said) = process.interrupt("-TERM");
    assert!(status.success() && said.contains("read from nim3.ggs"), "{status} {said}");
}

#[test]
fn what_cannot_be_served_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let first = Process::start(folder.path(), &[&shipped("blocks.gdl"), "--port", "0"]);
    let port = first.address.port().to_string();
    std::fs::write(folder.path().join("broken.gdl"), "(role a) (").unwrap();
    for (arguments, code, said) in [
        (vec!["blocks.ggs", "--port", &port], 1, "is in use by another program\n  `--port 0` takes a free port"),
        (vec!["none.ggs", "--port", "0"], 1, "there is no such solution"),
        (vec![".", "--port", "0"], 1, "this folder holds no solution"),
        (vec!["broken.gdl", "--port", "0"], 3, "never closed"),
        (vec!["blocks.ggs", "--bind", "nowhere.invalid"], 2, "--bind: nowhere.invalid is no address of this machine"),
        (vec!["blocks.ggs", "--port", "70000"], 2, "70000"),
        (vec![], 2, "SOLUTION"),
    ] {
        let output = output(folder.path(), &arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(said) && output.stdout.is_empty(), "{arguments:?}: {text}");
    }
}

#[test]
fn a_damaged_solution_answers_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    drop(Process::start(folder.path(), &[&shipped("tictactoe.gdl"), "--port", "0"]));
    let solution = folder.path().join("tictactoe.ggs");
    for entry in std::fs::read_dir(&solution).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "values") {
            std::fs::write(&path, b"nothing").unwrap();
        }
    }
    let process = Process::start(folder.path(), &["tictactoe.ggs", "--port", "0"]);
    let mut client = Client::new(process.address);
    let list = client.get("/api/solutions");
    assert_eq!(list.status, 200);
    let answer = client.get("/api/solutions/tictactoe/position");
    assert!(answer.status == 410 && answer.text().contains("\"code\":\"damaged\""), "{}", answer.text());
}
