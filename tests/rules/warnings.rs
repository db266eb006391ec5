//! The warnings of `check` reach whoever solves, classifies, counts, grounds or translates, in both languages, from files
//! and standard input, and also where nothing is left to compute.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A game of one move with four relations that nothing uses, one of them misspelt.
const GDL: &str = "(role r) (init here) (option a) (option b)
(<= (legal r (go ?x)) (option ?x))
(<= (next gone) (does r (go a)))
(<= (next lost) (does r (go b)))
(<= terminal (true gone)) (<= terminal (true lost))
(<= (goal r 100) (true gone)) (<= (goal r 0) (not (true gone)))
(one a)
(two a)
(three a)
(four a)
";

/// A game in GDDL that does not announce its types.
const GDDL: &str = "(define (domain small) (:requirements :strips)
  (:predicates (at ?x - object) (open ?x - object))
  (:action leave :parameters (?x - object) :precondition (and (at ?x) (open ?x)) :effect (not (at ?x)))
  (:action go :parameters (?x - object) :precondition (at ?x) :effect (and (at far) (not (at ?x)))))
(define (problem small-1) (:domain small) (:objects near far) (:init (at near)) (:goal (at far)))
";

struct Told {
    code: i32,
    output: String,
    errors: String,
}

fn run(folder: &Path, arguments: &[&str], input: &str) -> Told {
    let mut command = Command::cargo_bin("ggsolve").unwrap();
    let output = command.current_dir(folder).args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().expect("no signal ends it");
    Told { code, output: text(output.stdout), errors: text(output.stderr) }
}

fn diagnostics(text: &str) -> Value {
    let report: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    report["diagnostics"].clone()
}

fn folder_with(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let path = folder.path().to_owned();
    (folder, path)
}

/// What every command says of the game with four warnings.
fn assert_four(errors: &str, name: &str, check: &str) {
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines[0], format!("{name}: 4 warnings, `{check}` shows more"), "{errors}");
    for (line, number) in [(1, 7), (2, 8), (3, 9)] {
        assert!(lines[line].starts_with(&format!("  {name}:{number}:1: ")), "{errors}");
    }
    assert_eq!(lines[4..], ["  and 1 more"], "{errors}");
}

#[test]
fn every_command_tells_the_warnings() {
    let (_guard, folder) = folder_with("a game.gdl", GDL);
    let known = diagnostics(&run(&folder, &["check", "a game.gdl", "--format", "json"], "").output);
    assert_eq!(known.as_array().unwrap().len(), 4, "{known}");
    let check = "ggsolve check 'a game.gdl'";
    for command in ["solve", "classify", "count"] {
        let told = run(&folder, &[command, "a game.gdl", "--no-store", "--format", "json"], "");
        assert_eq!(told.code, 0, "{}", told.errors);
        assert_four(&told.errors, "a game.gdl", check);
        assert_eq!(diagnostics(&told.output), known, "{command}");
    }
    let told = run(&folder, &["ground", "a game.gdl", "--format", "json"], "");
    assert_four(&told.errors, "a game.gdl", check);
    assert_eq!(diagnostics(&told.output), known);
    for language in ["gdl", "gddl"] {
        let told = run(&folder, &["translate", "a game.gdl", "--to", language], "");
        assert_eq!(told.code, 0, "{}", told.errors);
        assert_four(&told.errors, "a game.gdl", check);
    }
    for arguments in [&["solve", "-", "--no-store"][..], &["ground", "-"], &["translate", "-", "--to", "gdl"]] {
        assert_four(&run(&folder, arguments, GDL).errors, "stdin", "ggsolve check -");
    }
}

#[test]
fn a_finished_folder_hides_no_warning() {
    let (_guard, folder) = folder_with("game.gdl", GDL);
    let solve = ["solve", "game.gdl", "--format", "json"];
    let first = run(&folder, &solve, "");
    let second = run(&folder, &solve, "");
    for told in [&first, &second] {
        assert_eq!(told.code, 0, "{}", told.errors);
        assert_four(&told.errors, "game.gdl", "ggsolve check game.gdl");
    }
    assert_eq!(diagnostics(&first.output), diagnostics(&second.output));
    // The same game in another form: places are those of the text that is given.
    std::fs::write(folder.join("game.gdl"), GDL.replace("(one a)", "; a comment\n\n(one a)")).unwrap();
    for extra in [None, Some("--line")] {
        let arguments: Vec<&str> = solve.into_iter().chain(extra).collect();
        let told = run(&folder, &arguments, "");
        assert!(told.errors.contains("  game.gdl:9:1: "), "{}", told.errors);
        assert!(!told.errors.contains("game.gdl:7:1"), "{}", told.errors);
    }
}

#[test]
fn warnings_of_gddl_are_told_as_well() {
    let (_guard, folder) = folder_with("small.gddl", GDDL);
    let check = run(&folder, &["check", "small.gddl", "--format", "json"], "");
    let known = diagnostics(&check.output);
    let first = &known[0];
    assert_eq!(first["severity"], "warning", "{}", check.output);
    let place = format!("  small.gddl:{}:{}: ", first["line"], first["column"]);
    for arguments in [
        &["solve", "small.gddl", "--no-store"][..],
        &["count", "small.gddl"],
        &["ground", "small.gddl"],
        &["translate", "small.gddl", "--to", "gdl"],
        &["translate", "small.gddl", "--to", "gddl"],
    ] {
        let told = run(&folder, arguments, "");
        assert_eq!(told.code, 0, "{}", told.errors);
        assert!(told.errors.contains(&place) && told.errors.contains("ggsolve check small.gddl"), "{}", told.errors);
    }
}

#[test]
fn a_refused_game_keeps_its_warnings() {
    let both = GDL.replace("(role r)", "(role r) (role s) (<= (legal s (go ?x)) (option ?x)) (goal s 50)");
    let both = both.replace("(does r (go a))", "(does r (go ?x)) (does s (go ?x))");
    let both =
        both.replace("(next lost) (does r (go b))", "(next lost) (does r (go ?x)) (does s (go ?y)) (distinct ?x ?y)");
    let (_guard, folder) = folder_with("both.gdl", &both);
    let told = run(&folder, &["solve", "both.gdl", "--no-store", "--format", "json"], "");
    assert_eq!(told.code, 3);
    assert!(told.errors.contains("4 warnings") && told.errors.contains("no-single-value"), "{}", told.errors);
    let found = diagnostics(&told.output);
    let of =
        |severity: &str| found.as_array().unwrap().iter().filter(|finding| finding["severity"] == severity).count();
    assert_eq!((of("warning"), of("error")), (4, 0), "{}", told.output);
}

#[test]
fn sound_rules_are_silent() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for game in ["games/tictactoe.gdl", "games/clobber_1x6.gddl", "games/hanoi.gddl"] {
        for arguments in [
            &["solve", game, "--no-store"][..],
            &["count", game],
            &["ground", game],
            &["translate", game, "--to", "gdl"],
            &["translate", game, "--to", "gddl"],
            &["check", game],
        ] {
            let told = run(root, arguments, "");
            assert_eq!((told.code, told.errors.as_str()), (0, ""), "{arguments:?}");
        }
    }
}

/// Whether the solver takes a game is said without solving it.
#[test]
fn check_says_whether_solve_takes_the_game() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let solvable = |rules: &str| {
        let told = run(root, &["check", "-", "--format", "json"], rules);
        serde_json::from_str::<Value>(&told.output).unwrap()
    };
    assert_eq!(solvable(GDL)["solvable"], true);
    let both = GDL.replace("(role r)", "(role r) (role s) (<= (legal s (go ?x)) (option ?x)) (goal s 50)");
    let both = both.replace("(does r (go a))", "(does r (go ?x)) (does s (go ?x))");
    let both =
        both.replace("(next lost) (does r (go b))", "(next lost) (does r (go ?x)) (does s (go ?y)) (distinct ?x ?y)");
    let report = solvable(&both);
    // There may be no single value.
    assert_eq!((&report["solvable"], &report["needs"]["joint"]), (&Value::Null, &true.into()));
    assert_eq!(report["needs"]["constant_sum"], false);
    let notes = report["diagnostics"].as_array().unwrap().iter().filter(|found| found["severity"] == "note");
    assert!(notes.into_iter().any(|note| note["code"] == "not-turn-taking"), "{report}");
    assert_eq!(solvable("(role r")["solvable"], false);
    // A token goes round by the throws of a coin; a player who may wait may wait for ever.
    let round = |choice: &str| {
        format!(
            "(role a) (role b) (role random) (init (at 0)) (legal random heads) (legal random tails) (legal b wait)
             (legal a wait) {choice} (<= (next (at 0)) (true (at 0)) (does random tails))
             (<= (next (at 1)) (true (at 0)) (does random heads)) (<= terminal (true (at 1)))
             (goal a 100) (goal b 0)"
        )
    };
    let reports = ["", "(legal a rest)"].map(|choice| solvable(&round(choice)));
    assert_eq!(reports.each_ref().map(|report| report["solvable"].clone()), [true.into(), Value::Null]);
    assert!(reports.iter().all(|report| report["needs"]["round"] == true), "{reports:?}");
    let text = run(root, &["check", "-"], &both);
    assert!(text.output.contains("`solve --guarantee` what each role can force"), "{}", text.output);
    assert_eq!(text.code, 0);
    let text = run(root, &["check", "games/tictactoe.gdl"], "");
    assert!(text.output.contains("`solve` will take it: 2 roles in turns"), "{}", text.output);
}
