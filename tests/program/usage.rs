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
        assert!(arguments == ["--version"] || output.contains("  man  "), "{output}");
    }
}

#[test]
fn count_offers_no_option_that_it_refuses() {
    let [solve, count] = ["solve", "count"].map(|command| run(&[command, "--help"], b"").1);
    for option in ["--guarantee=all", "--ties", "--distances", "--line", "--plan=plan", "--plans"] {
        let name = option.split('=').next().unwrap();
        assert_eq!((solve.contains(name), count.contains(name)), (true, false), "{name}");
        assert_eq!(run(&["count", "games/tictactoe.gdl", option], b"").0, 2, "{name}");
    }
    for option in ["--orbits", "--no-store", "--force", "--algorithm=classic", "--engine=hybrid"] {
        assert!(count.contains(option.split('=').next().unwrap()), "{option}");
        assert_eq!(run(&["count", "games/clobber_1x6.gdl", option], b"").0, 0, "{option}");
    }
}

#[test]
fn wrong_usage_is_2() {
    let cases: [&[&str]; 9] = [
        &[],
        &["solve"],
        &["count", "games/tictactoe.gdl", "--line"],
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

/// Runs the program in a folder of its own; exit code and standard error.
fn said(folder: &std::path::Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("ggsolve").unwrap();
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    (output.status.code().expect("no signal ends it"), String::from_utf8(output.stderr).unwrap())
}

const NIM: &str = "(role a) (role b) (init (left 2)) (init (turn a))
    (succ 1 2) (succ 0 1) (next_player a b) (next_player b a)
    (<= (legal ?r take) (true (turn ?r)) (true (left ?n)) (distinct ?n 0))
    (<= (legal ?r take_two) (true (turn ?r)) (true (left 2)))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n) (does ?r take))
    (<= (next (left 0)) (does ?r take_two))
    (<= (next (turn ?s)) (true (turn ?r)) (next_player ?r ?s))
    (<= terminal (true (left 0)))
    (<= (goal ?r 0) (true (turn ?r))) (<= (goal ?r 100) (role ?r) (not (true (turn ?r))))";

#[test]
fn a_hyphen_is_no_file_to_write() {
    for arguments in [&["report", "a.ggs", "--to", "csv"][..], &["export", "a.ggs", "--to", "csv"]] {
        let output = ggsolve(&[arguments, &["-o", "-"]].concat()).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("/dev/stdout"), "{errors}");
    }
}

#[test]
fn options_stand_before_the_command_and_their_values_are_not_the_command() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nim.gdl"), NIM).unwrap();
    for arguments in [
        &["--log", "check", "check", "nim.gdl"][..],
        &["--log=count", "check", "nim.gdl"],
        &["-vv", "--log", "it", "check", "nim.gdl"],
        &["--out", "ground", "nim.gdl"],
        &["-o", "query", "--threads", "1", "nim.gdl"],
        &["--memory", "1G", "count", "nim.gdl"],
        &["--format", "json", "query", "ground"],
    ] {
        assert_eq!(said(folder.path(), arguments), (0, String::new()), "{arguments:?}");
    }
    assert!(folder.path().join("ground/manifest.json").exists() && folder.path().join("query/manifest.json").exists());
    assert!(std::fs::read_to_string(folder.path().join("it")).unwrap().is_empty());
}

#[test]
fn what_is_not_what_a_command_wants_is_told_with_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(NIM.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let files: [(&str, &[u8]); 10] = [
        ("nim.gdl", NIM.as_bytes()),
        ("other.gdl", NIM.as_bytes()),
        ("wide.gdl", &wide),
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\n"),
        ("nim.gdl.gz", b"\x1f\x8b\x08\0\0\0"),
        ("nim.zip", b"PK\x03\x04\x14\0"),
        ("program", b"\x7fELF\x02\x01\x01\0"),
        ("board.png", b"\x89PNG\r\n\x1a\n"),
        ("empty.gdl", b""),
        ("noise", b"\0\x01\x02\x03\x04\x05"),
    ];
    for (name, bytes) in files {
        std::fs::write(at.join(name), bytes).unwrap();
    }
    std::fs::create_dir(at.join("plain")).unwrap();
    assert_eq!(said(at, &["nim.gdl"]).0, 0);
    let cases: [(&[&str], i32, &str); 39] = [
        (
            &["query", "nim.ggs", "--nodes", "1"],
            2,
            "error: --nodes bounds the searches of --distance, --plans and --why, and those for costs; this query makes none\n",
        ),
        (&["generate", "shipped"], 2, "error: `shipped` takes the folder to write to, and nothing else\n"),
        (&["nim.gdl", "--disk", "-1G"], 2, "error: --disk: `-1G` is not a size above 0, such as "),
        (&["nim.gdl", "--disk", "0"], 2, "error: --disk: `0` is not a size above 0, such as "),
        (&["nim.gdl", "--memory", "0"], 2, "error: --memory: `0` is not a size above 0, such as "),
        (&["nim.gdl", "--time", "0"], 2, "error: --time: `0` is not a time such as "),
        (&["chek"], 2, "error: there is no command and no file `chek`; did you mean `check`?\n"),
        (&["chek", "nim.gdl"], 2, "error: there is no command and no file `chek`; did you mean `check`?\n"),
        (&["-v", "Qeury", "nim.ggs"], 2, "error: there is no command and no file `Qeury`; did you mean `query`?\n"),
        (
            &["frob", "nim.gdl"],
            2,
            "error: there is no command and no file `frob`\n  commands: solve, classify, count, ",
        ),
        (
            &["check", "nin.gdl"],
            1,
            "error: nin.gdl: the rules cannot be read: there is no such file or folder\n  did you mean nim.gdl?\n",
        ),
        (&["nim"], 1, "error: nim: the rules cannot be read: there is no such file or folder\n  did you mean nim.g"),
        (
            &["check", "far/away.gdl"],
            1,
            "error: far/away.gdl: the rules cannot be read: there is no such file or folder\n  there is no folder far\n",
        ),
        (&["check", "plain"], 1, "error: plain: the rules cannot be read: this is a folder\n  name a file of rules\n"),
        (
            &["nim.ggs"],
            1,
            "error: nim.ggs: the rules cannot be read: this is the folder of a stored solution\n  `ggsolve query nim.ggs` looks up positions in it, `ggsolve play nim.ggs` plays against it\n",
        ),
        (
            &["count", "."],
            1,
            "error: .: the rules cannot be read: this is a folder\n  name a file in it, such as ./empty.gdl, ./nim.gdl, ./other.gdl\n",
        ),
        (
            &["nim.gdl", "-o", "other.gdl"],
            1,
            "error: other.gdl: this is a file, and a solution is stored in a folder\n  choose another name with -o\n",
        ),
        (
            &["query", "nim.gdl"],
            1,
            "error: nim.gdl: these are rules, and a stored solution is wanted\n  its solution seems to be in nim.ggs: name that folder\n",
        ),
        (
            &["play", "other.gdl"],
            1,
            "error: other.gdl: these are rules, and a stored solution is wanted\n  solve it first: `ggsolve other.gdl`; then name the folder other.ggs\n",
        ),
        (
            &["query", "paper.pdf"],
            1,
            "error: paper.pdf: this is a file, and a solution is a folder\n  `ggsolve GAME` solves a game and makes the folder GAME.ggs\n",
        ),
        (
            &["verify", "nim.ggs/manifest.json"],
            1,
            "error: nim.ggs/manifest.json: this is a file of a solution\n  name the folder that it lies in\n",
        ),
        (
            &["verify", "plain"],
            1,
            "error: plain: this folder holds no solution\n  `ggsolve GAME -o FOLDER` solves a game and stores the solution\n",
        ),
        (
            &["query", "."],
            1,
            "error: .: this folder holds no solution\n  name the folder of a solution, such as ./nim.ggs\n",
        ),
        (
            &["query", "nim.gsg"],
            1,
            "error: nim.gsg: there is no such solution: there is no such file or folder\n  did you mean nim.ggs?\n",
        ),
        // The rules of the same name lie beside it.
        (
            &["query", "nim"],
            1,
            "error: nim: there is no such solution: there is no such file or folder\n  did you mean nim.ggs?\n",
        ),
        (
            &["generate", "morris", "six", "fly"],
            2,
            "error: these are no sizes of morris; it takes: ggsolve generate morris three|six|nine [flying]\n",
        ),
        (&["generate", "moris", "six"], 2, "error: unknown game moris; did you mean morris?\n"),
        (
            &["review", "nim.ggs", "board.png"],
            2,
            "error: board.png: the match cannot be read: it is a picture, not a text\n  name a plain text file\n",
        ),
        (
            &["review", "nim.ggs", "none.txt"],
            1,
            "error: none.txt: the match cannot be read: there is no such file or folder\n  check the path\n",
        ),
        (
            &["nim.gdl", "--order", "none.txt"],
            1,
            "error: none.txt: the order of the variables cannot be read: there is no such file or folder\n  check the path\n",
        ),
        (
            &["translate", "nim.gdl", "--to", "gdl", "-o", "far/away.gdl"],
            1,
            "error: far/away.gdl: the translation cannot be written: there is no such file or folder\n  make its folder first, or choose another place\n",
        ),
        (
            &["translate", "nim.gdl", "--to", "gdl", "-o", "plain"],
            1,
            "error: plain: the translation cannot be written to a folder\n  name a file in it\n",
        ),
        (
            &["check", "nim.gdl", "--log", "far/log"],
            1,
            "error: far/log: the log cannot be written: there is no such file or folder\n  make its folder first, or choose another place\n",
        ),
        (
            &["solve", "wide.gdl"],
            3,
            "wide.gdl:1:1: error[no-text]: no rules can be read here: it is a text in UTF-16, which is not read\n  = save it as UTF-8, or convert it with `iconv -f UTF-16 -t UTF-8`\n",
        ),
        (
            &["solve", "paper.pdf"],
            3,
            "paper.pdf:1:1: error[no-text]: no rules can be read here: it is a PDF document, not a plain text\n  = copy its text to a plain text file\n",
        ),
        (
            &["solve", "nim.gdl.gz"],
            3,
            "nim.gdl.gz:1:1: error[no-text]: no rules can be read here: it is a compressed file\n  = unpack it first, with `gunzip`\n",
        ),
        (
            &["solve", "program"],
            3,
            "program:1:1: error[no-text]: no rules can be read here: it is a program, not a text\n  = name a plain text file\n",
        ),
        (
            &["solve", "empty.gdl"],
            3,
            "empty.gdl:1:1: error[no-text]: no rules can be read here: nothing is in it\n  = name a file with a text in it\n",
        ),
        (
            &["solve", "noise"],
            3,
            "noise:1:1: error[no-text]: no rules can be read here: it is no text: it has bytes that no text has\n  = name a plain text file\n",
        ),
    ];
    for (arguments, code, expected) in cases {
        let (found, errors) = said(at, arguments);
        assert_eq!(found, code, "{arguments:?}: {errors}");
        assert!(errors.starts_with(expected), "{arguments:?}: {errors}");
        assert!(!errors.contains("os error"), "{errors}");
    }
    let output = ggsolve(&[]).current_dir(at).args(["check", "nim.zip", "--format", "json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["ok"], &report["diagnostics"][0]["code"]), (&Value::Bool(false), &"no-text".into()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_told_once_and_changes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nim.gdl"), NIM).unwrap();
    std::fs::write(folder.path().join("bad.gdl"), "(role x").unwrap();
    let warning = "warning: /dev/full: the log cannot be written: the disk is full\n  the work goes on without it\n";
    assert_eq!(said(folder.path(), &["-vv", "--log", "/dev/full", "nim.gdl", "--no-store"]), (0, warning.to_owned()));
    let (code, errors) = said(folder.path(), &["-vv", "--log", "/dev/full", "bad.gdl"]);
    assert_eq!((code, errors.matches("/dev/full").count() <= 1), (3, true), "{errors}");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command_line = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let output = command_line.current_dir(folder.path()).args(["check", "nim.gdl"]).stdout(full).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), errors.as_str()),
        (
            Some(1),
            "error: standard output: the report cannot be written: the disk is full\n  make room, or choose a place on another disk\n"
        )
    );
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
        // A note says that roles choose at the same time.
        let found = report["diagnostics"].as_array().unwrap();
        assert!(found.iter().all(|finding| finding["severity"] == "note"), "{output}");
        let mixed = report["needs"]["joint"] == true;
        assert_eq!(found.is_empty(), !mixed, "{output}");
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
    let (code, output, errors) = run(&["classify", back, "--no-store", "--format", "json"], b"");
    assert_eq!(code, 0, "{errors}");
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&report["value"], &report["states"]), (&serde_json::json!([0, 100]), &serde_json::json!(28)));
    assert_eq!(run(&["translate", "games/clobber_1x6.gdl", "--to", "gdl", "-o", "no/such/folder/file"], b"").0, 1);
    // A game without parameters that was not asked for is told.
    for (more, told) in [(&[][..], true), (&["--ground"], false)] {
        let (code, _, errors) = run(&[&["translate", "games/dodgem_3.gdl", "--to", "gddl"], more].concat(), b"");
        assert_eq!((code, errors.contains("the grounded game is written\n  the reason: ")), (0, told), "{errors}");
    }
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
    assert_eq!(report["constant"], serde_json::json!([]));
    let (_, text, _) = run(&["ground", "games/tictactoe.gdl"], b"");
    assert!(text.contains("(control xplayer)"), "{text}");
    // What holds in every state is no fluent of the game, but not left out.
    let rules = b"(role r) (init (a 0)) (init lit) (s 0 1) (<= (legal r go) (true lit)) (<= (next lit) (true lit))
        (<= (next (a ?y)) (true (a ?x)) (s ?x ?y)) (<= terminal (true (a 1)) (true lit)) (goal r 100)";
    let (_, output, _) = run(&["ground", "-", "--format", "json"], rules);
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!([&report["init"], &report["constant"]], [&serde_json::json!(["(a 0)"]), &serde_json::json!(["lit"])]);
    let (_, text, _) = run(&["ground", "-"], rules);
    assert!(text.contains("\nFluents that hold in every state (1)\n  lit\n"), "{text}");
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

/// Exit code and standard error where nobody reads standard output.
#[cfg(unix)]
fn unread(arguments: &[&str]) -> (Option<i32>, String) {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_ggsolve"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    assert_eq!(unread(&["ground", "games/connect4_7x6.gdl", "--format", "json"]), (Some(0), String::new()));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_hides_no_failure() {
    let simultaneous = "(role a)(role b)(init s)(<= (legal ?r x) (role ?r))(<= (legal ?r y) (role ?r))
        (<= (next e) (true s))(<= (next f) (does a ?m) (does b ?m))(<= terminal (true e))
        (<= (goal a 100) (true f))(<= (goal a 0) (not (true f)))(goal b 50)";
    let (_folder, refused) = temporary("both.kif", simultaneous.as_bytes());
    let refused = refused.to_str().unwrap();
    let bad = "tests/diagnostics/bad.kif";
    let commands: [&[&str]; 6] = [
        &["check", bad],
        &["check", bad, "--format", "json"],
        &["solve", bad, "--no-store", "--format", "json"],
        &["ground", bad, "--format", "json"],
        &["solve", refused, "--no-store", "--format", "json"],
        &["translate", refused, "--to", "gddl"],
    ];
    for arguments in commands {
        assert_eq!(unread(arguments).0, Some(3), "{arguments:?}");
    }
}
