//! The command line apart from solving: usage, exit codes, refusals, bad inputs.

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

fn ggsolve(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("ggsolve").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
    command
}

/// Exit code, standard output and standard error.
fn run(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let output = ggsolve(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal ends it"), text(output.stdout), text(output.stderr))
}

fn temporary(name: &str, text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn help_and_version_go_to_standard_output() {
    for arguments in [["--help"], ["--version"], ["-h"]] {
        let (code, output, _) = run(&arguments, b"");
        assert_eq!(code, 0);
        assert!(output.contains("ggsolve"), "{output}");
    }
}

#[test]
fn wrong_usage_is_2() {
    let cases: [&[&str]; 8] = [
        &[],
        &["solve"],
        &["games/tictactoe.gdl", "extra"],
        &["games/tictactoe.gdl", "--opponent-model", "kind"],
        &["games/tictactoe.gdl", "--memory", "much"],
        &["games/tictactoe.gdl", "--threads", "0"],
        &["games/tictactoe.gdl", "--engine", "explicit"],
        &["completions", "no-shell"],
    ];
    for arguments in cases {
        let (code, output, errors) = run(arguments, b"");
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}");
        assert!(!errors.is_empty(), "{arguments:?}");
    }
}

#[test]
fn missing_files_are_1() {
    for command in ["solve", "classify", "count", "check", "ground"] {
        let (code, output, errors) = run(&[command, "no/such/file.gdl"], b"");
        assert_eq!((code, output.as_str()), (1, ""));
        assert!(errors.contains("no/such/file.gdl"), "{errors}");
    }
    assert_eq!(run(&["check", "games"], b"").0, 1);
    assert_eq!(run(&["check", "games/tictactoe.gdl", "--log", "no/such/folder/log"], b"").0, 1);
}

#[test]
fn check_accepts_the_shipped_games_without_a_finding() {
    let mut games: Vec<_> = std::fs::read_dir(format!("{}/games", env!("CARGO_MANIFEST_DIR"))).unwrap().collect();
    let is_game = |extension: &std::ffi::OsStr| extension == "gdl" || extension == "gddl";
    games.retain(|entry| entry.as_ref().unwrap().path().extension().is_some_and(is_game));
    assert!(games.len() >= 29);
    for entry in games {
        let path = entry.unwrap().path();
        let (code, output, errors) = run(&["check", path.to_str().unwrap(), "--format", "json"], b"");
        let report: Value = serde_json::from_str(&output).unwrap();
        assert_eq!((code, errors.as_str()), (0, ""), "{}", path.display());
        assert_eq!(report["ok"], true);
        assert_eq!(report["diagnostics"].as_array().unwrap().len(), 0, "{output}");
    }
}

#[test]
fn check_tells_every_finding_with_its_place() {
    let text = b"(role x)\n(<= (p ?a)\n  (not (q ?a)))\n(init (f 1)\n";
    let (_folder, path) = temporary("broken.kif", text);
    let path = path.to_str().unwrap();
    let (code, output, _) = run(&["check", path, "--format", "json"], b"");
    assert_eq!(code, 3);
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(report["ok"], false);
    let diagnostics = report["diagnostics"].as_array().unwrap();
    assert!(!diagnostics.is_empty());
    for finding in diagnostics {
        for key in ["severity", "code", "message", "file", "line", "column"] {
            assert!(finding.get(key).is_some(), "{finding}");
        }
        assert_eq!(finding["file"], path);
    }
    let (code, output, _) = run(&["check", path], b"");
    assert_eq!(code, 3);
    assert!(output.contains(&format!("{path}:")), "{output}");
}

#[test]
fn every_command_refuses_broken_rules() {
    for command in ["solve", "classify", "count", "check", "ground"] {
        for text in [&b"(role x"[..], b")", b"", b"\xff\xfe\x00", b"(role x) (legal x)", b"(define (domain d))"] {
            let (code, _, errors) = run(&[command, "-"], text);
            assert_eq!(code, 3, "{command} on {text:?}: {errors}");
        }
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let open = "(".repeat(100_000);
    let closed = format!("(role {}x{})", open, ")".repeat(100_000));
    for text in [open.as_str(), closed.as_str()] {
        assert_eq!(run(&["check", "-"], text.as_bytes()).0, 3);
    }
}

#[test]
fn languages_are_told_apart_by_extension_and_content() {
    let text = std::fs::read(format!("{}/games/clobber_1x6.gddl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (_folder, path) = temporary("game", &text);
    assert_eq!(run(&["check", path.to_str().unwrap()], b"").0, 0);
    assert_eq!(run(&["check", "-"], &text).0, 0);
    let (_folder, path) = temporary("game.gdl", &text);
    assert_eq!(run(&["check", path.to_str().unwrap()], b"").0, 3);
    let (code, _, errors) = run(&["games/tictactoe.gdl", "--problem", "games/tictactoe.gddl"], b"");
    assert_eq!(code, 2);
    assert!(errors.contains("--problem"), "{errors}");
}

#[test]
fn a_domain_and_its_problem_are_one_game() {
    let folder = "tests/gddl/planning";
    let domain = format!("{folder}/blocks.pddl");
    let problem = format!("{folder}/blocks-3.pddl");
    let (code, output, errors) = run(&["ground", &domain, "--problem", &problem, "--format", "json"], b"");
    assert_eq!(code, 0, "{errors}");
    assert!(output.contains("(stack a b)"), "{output}");
    let (code, output, _) = run(&["check", &domain], b"");
    assert_eq!(code, 3);
    assert!(output.contains("missing-definition") && output.contains("--problem"), "{output}");
    let (code, output, _) = run(&["check", &problem], b"");
    assert_eq!(code, 3);
    assert!(output.contains("a problem without its domain") && output.contains("1 error"), "{output}");
    // The wrong way round is no mistake.
    let (code, output, errors) = run(&["ground", &problem, "--problem", &domain, "--format", "json"], b"");
    assert_eq!((code, output.contains("(stack a b)")), (0, true), "{errors}");
    // A finding in the second file has its name and its line.
    let (_folder, path) =
        temporary("second.gddl", b"(define (problem p) (:domain blocks)\n (:init (onn a))\n (:goal ()))");
    let (code, output, _) = run(&["check", &domain, "--problem", path.to_str().unwrap()], b"");
    assert_eq!(code, 3);
    assert!(output.contains("second.gddl:2:10: error[unknown-predicate]"), "{output}");
}

#[test]
fn translations_go_to_standard_output_or_a_file() {
    let (code, gddl, errors) = run(&["translate", "games/clobber_1x6.gdl", "--to", "gddl"], b"");
    assert_eq!((code, errors.as_str()), (0, ""));
    let (code, report, errors) = run(&["check", "-"], gddl.as_bytes());
    assert_eq!((code, errors.as_str()), (0, ""), "{report}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("back.gdl");
    let back = path.to_str().unwrap();
    assert_eq!(run(&["translate", "-", "--to", "gdl", "-o", back], gddl.as_bytes()), (0, String::new(), String::new()));
    let (code, output, errors) = run(&["classify", back, "--format", "json"], b"");
    assert_eq!(code, 0, "{errors}");
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&report["value"], &report["states"]), (&serde_json::json!([0, 100]), &serde_json::json!(28)));
    assert_eq!(run(&["translate", "games/clobber_1x6.gdl", "--to", "gdl", "-o", "no/such/folder/file"], b"").0, 1);
}

#[test]
fn simultaneous_games_are_not_translated_to_gddl() {
    let rules = b"(role a) (role b) (init here) (<= (next there) (true here))
        (legal a x) (legal a y) (legal b x) (legal b y) (<= (next won) (does a x) (does b y))
        (<= terminal (true there)) (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won))) (goal b 50)";
    let (code, output, errors) = run(&["translate", "-", "--to", "gddl"], rules);
    assert_eq!((code, output.as_str()), (3, ""));
    assert!(errors.contains("not-turn-taking") && errors.contains("state: here"), "{errors}");
}

#[test]
fn ground_follows_the_contract() {
    let (code, output, errors) = run(&["ground", "games/tictactoe.gdl", "--format", "json"], b"");
    assert_eq!(code, 0, "{errors}");
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(report["roles"], serde_json::json!(["xplayer", "oplayer"]));
    assert_eq!(report["fluents"].as_array().unwrap().len(), 29);
    assert_eq!(report["init"].as_array().unwrap().len(), 10);
    assert_eq!(report["groups"].as_array().unwrap().len(), 10);
    assert_eq!(report["bits"], 19);
    assert_eq!(report["moves"]["xplayer"].as_array().unwrap().len(), 10);
    assert!(report["rules"].as_u64().unwrap() > 0);
    let (_, text, _) = run(&["ground", "games/tictactoe.gdl"], b"");
    assert!(text.contains("(control xplayer)"), "{text}");
}

#[test]
fn standard_input_is_read_and_results_do_not_depend_on_the_run() {
    let rules = std::fs::read(format!("{}/games/clobber_1x6.gdl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let run_once = || {
        let (code, output, _) = run(&["ground", "-", "--format", "json"], &rules);
        assert_eq!(code, 0);
        let mut report: Value = serde_json::from_str(&output).unwrap();
        report.as_object_mut().unwrap().remove("time_s");
        report
    };
    assert_eq!(run_once(), run_once());
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, output, _) = run(&["completions", shell], b"");
        assert_eq!(code, 0);
        assert!(output.contains("classify"), "{shell}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_ggsolve"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["ground", "games/connect4_7x6.gdl", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}
