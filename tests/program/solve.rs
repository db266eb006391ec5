//! `solve`, `classify` and `count` from the command line: published results, JSON keys, refusals, limits.

use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};

/// A run that may keep its solution on disk.
fn storing(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).stdin(Stdio::null());
    command
}

fn ggsolve(arguments: &[&str]) -> Command {
    let mut command = storing(arguments);
    command.arg("--no-store");
    command
}

fn output(arguments: &[&str]) -> Output {
    ggsolve(arguments).output().unwrap()
}

fn json_of(arguments: &[&str]) -> Value {
    let output = output(&[arguments, &["--format", "json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{arguments:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn layer_counts(report: &Value, key: &str) -> Vec<u64> {
    report["layers"].as_array().unwrap().iter().map(|layer| layer[key].as_u64().unwrap()).collect()
}

/// Solves rules given as text; exit code, standard output, standard error.
fn run_rules(rules: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.gdl");
    std::fs::write(&path, rules).unwrap();
    let output = output(&[&[path.to_str().unwrap()], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn ranks_that_were_asked_for_and_are_not_used_are_told() {
    let ring = |roles: usize| {
        let names: String =
            (0..roles).map(|role| format!("(role r{role}) (after r{role} r{})\n", (role + 1) % roles)).collect();
        names
            + "(init (turn r0))
            (<= (legal ?p pass) (true (turn ?p)))
            (<= (legal ?p stop) (true (turn ?p)))
            (<= (legal ?q wait) (role ?q) (true (turn ?p)) (distinct ?p ?q))
            (<= (next (turn ?q)) (does ?p pass) (after ?p ?q))
            (<= (next (over ?p)) (does ?p stop))
            (<= terminal (true (over ?p)))
            (<= (goal ?p 100) (true (over ?p)))
            (<= (goal ?q 0) (role ?q) (true (over ?p)) (distinct ?p ?q))"
    };
    let notes = |roles: usize, engine: &str| {
        let (code, _, errors) = run_rules(&ring(roles), &["--engine", engine]);
        assert_eq!(code, Some(0), "{errors}");
        errors
    };
    let told = "no rounds by rank: there are no relations of moves, or more than 7 roles; another engine is used\n";
    assert_eq!(notes(8, "hybrid"), told);
    for (roles, engine) in [(7, "hybrid"), (8, "auto"), (8, "symbolic")] {
        assert_eq!(notes(roles, engine), "", "{roles} roles, {engine}");
    }
    let (code, _, errors) = run_rules(&ring(2), &["--algorithm", "classic", "--engine", "hybrid"]);
    assert_eq!((code, errors.as_str()), (Some(0), "no rounds by rank: the algorithm classic uses diagrams\n"));
}

#[test]
fn tictactoe_is_solved_as_published() {
    let report = json_of(&["games/tictactoe.gdl"]);
    assert_eq!(report["game"], "tictactoe");
    assert_eq!(report["command"], "solve");
    assert_eq!(report["roles"], json!(["xplayer", "oplayer"]));
    assert_eq!(report["value"], json!([50, 50]));
    assert_eq!((&report["states"], &report["layer_states"]), (&json!(5478), &json!(5478)));
    assert_eq!(report["terminal_states"], json!(958));
    for key in ["progress_measure", "turn_taking", "alternating"] {
        assert_eq!(report[key], json!(true), "{key}");
    }
    assert_eq!(layer_counts(&report, "states"), [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    let buckets = report["buckets"].as_array().unwrap();
    let total: u64 = buckets.iter().map(|bucket| bucket["states"].as_u64().unwrap()).sum();
    assert_eq!(total, 5478);
    assert_eq!(report["encoding"]["fluents"], 29);
    for key in ["parse", "ground", "encode", "forward", "backward", "total"] {
        assert!(report["time_s"][key].is_number(), "{key}");
    }
    assert!(report["peak_memory_bytes"].is_number());
}

#[test]
fn small_connect_four_is_solved_as_published() {
    let report = json_of(&["games/connect4_4x4.gdl", "--threads", "2", "--opponent-model", "max-diff"]);
    assert_eq!((&report["value"], &report["states"]), (&json!([50, 50]), &json!(161_029)));
    assert_eq!(report["opponent_model"], "max-diff");
}

#[test]
fn count_gives_no_values() {
    let report = json_of(&["count", "games/connect4_4x4.gdl", "--order", "rules"]);
    assert_eq!(report["states"], json!(161_029));
    assert!(report.get("value").is_none() && report.get("buckets").is_none());
    assert!(report["layers"][0].get("buckets").is_none());
}

#[test]
fn text_reports_tell_the_value_in_words() {
    let text = |arguments: &[&str]| String::from_utf8(output(arguments).stdout).unwrap();
    let report = text(&["games/tictactoe.gdl"]);
    assert!(report.contains("a draw, 50 for xplayer and 50 for oplayer"), "{report}");
    assert!(report.contains("5,478 reachable states, 958 of them terminal, in 10 layers"), "{report}");
    let report = text(&["games/clobber_1x6.gdl"]);
    assert!(report.contains("a win for black, 100 to 0"), "{report}");
}

#[test]
fn one_state_is_told_in_the_singular_and_as_query_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, out) = (folder.path().join("one.gdl"), folder.path().join("one.ggs"));
    let text = "(role a)(init (p 1))(legal a x)(<= (next (p 1)) (true (p 1)))(<= terminal (true (p 1)))(goal a 10)";
    std::fs::write(&rules, text).unwrap();
    let [rules, out] = [&rules, &out].map(|path| path.to_str().unwrap());
    let report = String::from_utf8(storing(&[rules, "--distances", "-o", out]).output().unwrap().stdout).unwrap();
    assert!(report.contains("  1 reachable state, 1 of them terminal, in 1 layer\n"), "{report}");
    assert!(report.contains("from 1 state (the first in layer 0), such as\n    (p 1)\n"), "{report}");
    let arguments = [rules, "--distances", "--ties", "--no-store"];
    let unstored = String::from_utf8(storing(&arguments).output().unwrap().stdout).unwrap();
    assert!(unstored.contains("(the first in layer 0), such as\n    (p 1)\n"), "{unstored}");
    let page = String::from_utf8(storing(&["report", out, "--to", "md"]).output().unwrap().stdout).unwrap();
    assert!(page.contains("(the first in layer 0), such as (p 1).\n"), "{page}");
}

#[test]
fn what_is_left_out_for_many_values_is_told_with_the_command_that_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("many.ggs");
    let out = out.to_str().unwrap();
    let arguments = ["games/clobber_3x4.gdl", "--distances", "-o", out];
    let report = String::from_utf8(storing(&arguments).output().unwrap().stdout).unwrap();
    let told = format!(
        "  The table of layers leaves out the 7 values, and there is none of their states by plies to the end; \
         `ggsolve report {out} --to md` has them\n"
    );
    assert!(report.contains(&told), "{report}");
    let page = String::from_utf8(storing(&["report", out, "--to", "md"]).output().unwrap().stdout).unwrap();
    assert!(page.contains("## States by plies to the end") && !page.contains("leaves out"), "{page}");
}

#[test]
fn progress_and_log_show_stages_and_layers() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let output = output(&["games/clobber_1x6.gdl", "--progress", "always", "-vv", "--log", log.to_str().unwrap()]);
    let (errors, log) = (String::from_utf8(output.stderr).unwrap(), std::fs::read_to_string(log).unwrap());
    for text in [errors, log] {
        for line in ["ground: ", "forward layer 4: ", "backward layer 0: "] {
            assert!(text.contains(line), "{text}");
        }
    }
}

/// How many rounds there will be is not known, so that nothing may be said of what is left.
#[test]
fn rounds_and_restarts_are_progress() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let options = ["--progress", "always", "-vv", "--log", log.to_str().unwrap()];
    let output = output(&[&["games/tictactoe3.gdl", "--algorithm", "matrix"], &options[..]].concat());
    let (errors, log) = (String::from_utf8(output.stderr).unwrap(), std::fs::read_to_string(log).unwrap());
    assert!(errors.contains("\nround 0\n") && !errors.contains("backward layer"), "{errors}");
    for line in ["round 0: ", "round 1: ", "restart 1\n"] {
        assert!(log.contains(line), "{log}");
    }
}

#[test]
fn an_order_file_must_name_fluents_of_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("order");
    std::fs::write(&path, "; centre first\n(cell 2 2 x)\n\n(control oplayer)\n").unwrap();
    let report = json_of(&["games/tictactoe.gdl", "--order", path.to_str().unwrap()]);
    assert_eq!(report["states"], json!(5478));
    std::fs::write(&path, "(cell 4 4 x)\n").unwrap();
    assert_eq!(output(&["games/tictactoe.gdl", "--order", path.to_str().unwrap()]).status.code(), Some(2));
    assert_eq!(output(&["games/tictactoe.gdl", "--order", "no/such/order"]).status.code(), Some(1));
}

/// Both roles choose in the initial state.
const SIMULTANEOUS: &str = "
    (role a) (role b)
    (init start)
    (<= (legal ?r left) (role ?r))
    (<= (legal ?r right) (role ?r))
    (<= (next (chose ?r ?m)) (does ?r ?m))
    (<= terminal (not (true start)))
    (<= same (true (chose a ?m)) (true (chose b ?m)))
    (<= (goal a 100) same) (<= (goal a 0) (not same))
    (goal b 50)";

#[test]
fn choices_without_a_single_value_are_refused_with_a_state() {
    let (code, stdout, stderr) = run_rules(SIMULTANEOUS, &[]);
    assert_eq!((code, stdout.as_str()), (Some(3), ""));
    assert!(stderr.contains("state: start") && stderr.contains("--guarantee"), "{stderr}");
    assert!(stderr.contains("0 and 50") && stderr.contains("100 and 50"), "{stderr}");
    let (code, stdout, _) = run_rules(SIMULTANEOUS, &["--format", "json"]);
    assert_eq!(code, Some(3));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["error"]["state"], json!(["start"]));
    assert_eq!(report["error"]["path"], json!([]));
}

#[test]
fn a_role_without_a_move_is_refused_with_a_shortest_path() {
    let rules = "
        (role a)
        (init (at 1)) (succ 1 2) (succ 2 3)
        (<= (legal a go) (true (at ?x)) (distinct ?x 3))
        (<= (next (at ?y)) (true (at ?x)) (does a go) (succ ?x ?y))
        (<= terminal (true never))
        (<= (goal a 0) (true (at ?x)))";
    let (code, _, stderr) = run_rules(rules, &[]);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("(at 3)") && stderr.contains("go"), "{stderr}");
}

#[test]
fn a_limit_ends_with_4() {
    let output = output(&["games/connect4_6x5.gdl", "--memory", "1M"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(errors.contains("--memory"), "{errors}");
    assert!(errors.contains("the bound is too small for the decision diagrams of the rules"), "{errors}");
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_with_130() {
    let child = ggsolve(&["count", "games/connect4_7x6.gdl"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_of_a_query_ends_with_130() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("a.ggs");
    let folder = folder.to_str().unwrap();
    assert!(storing(&["games/connect4_5x4.gdl", "-o", folder]).output().unwrap().status.success());
    let asked = ["query", folder, "--distance", "--why", "--nodes", "1000000000"];
    let mut child = storing(&asked).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
    let code = child.wait().unwrap().code();
    // A quick machine may have answered before.
    assert!(matches!(code, Some(130 | 0)), "{code:?}");
}

/// The program waits for its rules, so that it cannot stop before the second signal.
#[cfg(unix)]
#[test]
fn an_interruption_that_takes_a_while_says_what_happens() {
    use std::io::{BufRead, BufReader};
    let mut command = ggsolve(&["count", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // `wait` would close it, so that the rules would end at the time of the second signal.
    let _rules = child.stdin.take().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let id = child.id().to_string();
    let interrupt = || assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    interrupt();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "interrupted: it stops as soon as what is finished is safe; a second Ctrl-C ends it at once\n");
    interrupt();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// A walk between three places: the player may go round for ever, or end at a place for its reward.
const WALK: &str = "
    (role a)
    (init (at 1)) (way 1 2) (way 2 1) (way 2 3) (way 3 1) (way 3 home)
    (<= (legal a (go ?y)) (true (at ?x)) (way ?x ?y))
    (<= (next (at ?y)) (does a (go ?y)))
    (<= terminal (true (at home)))
    (<= (goal a 70) (true (at home)))
    (<= (goal a 0) (not (true (at home))))";

#[test]
fn a_game_that_can_go_on_for_ever_is_solved_globally() {
    let (code, stdout, stderr) = run_rules(WALK, &["--format", "json", "--line"]);
    assert_eq!(code, Some(0), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["algorithm"], &report["value"]), (&json!("global"), &json!([70])));
    assert!(report["algorithm_reason"].as_str().unwrap().contains("for ever"));
    assert_eq!(report["line"], json!(["(go 2)", "(go 3)", "(go home)"]));
    assert_eq!(layer_counts(&report, "states"), [1, 1, 1, 1]);
    assert_eq!((&report["states"], &report["layer_states"]), (&json!(4), &json!(4)));
    let (code, _, stderr) = run_rules(WALK, &["--algorithm", "layered"]);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("for ever"), "{stderr}");
    let (code, stdout, _) = run_rules(WALK, &["--line"]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("algorithm global: play can go on for ever"), "{stdout}");
    assert!(stdout.contains("   3  a  (go home)"), "{stdout}");
}

#[test]
fn what_endless_play_means_is_told() {
    let rules =
        WALK.replace("(way 3 home)", "").replace("(<= terminal (true (at home)))", "(<= terminal (true never))");
    let (code, stdout, stderr) = run_rules(&rules, &["--line"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("play can go on for ever"), "{stdout}");
    let (code, stdout, _) = run_rules(&rules, &["--format", "json", "--line"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["value"]), (Some(0), &Value::Null));
    assert_eq!(report["buckets"][0]["rewards"], Value::Null);
    assert!(report.get("line").is_none());
}

/// From 1 play goes to 2, and then to 3 and back, because `x` does not go where it loses.
const ROUND: &str = "
    (role x) (role y) (init (at 1)) (init (turn x)) (o x y) (o y x) (e 1 2) (e 2 3) (e 3 2) (e 3 4)
    (<= (legal ?p (to ?b)) (true (turn ?p)) (true (at ?a)) (e ?a ?b))
    (<= (legal ?p noop) (o ?p ?q) (true (turn ?q)))
    (<= (next (at ?b)) (does ?p (to ?b)))
    (<= (next (turn ?q)) (true (turn ?p)) (o ?p ?q))
    (<= terminal (true (at 4))) (<= (goal x 0) (true (at 4))) (<= (goal y 100) (true (at 4)))";

#[test]
fn a_line_that_goes_on_for_ever_says_where_it_comes_back() {
    let (code, stdout, stderr) = run_rules(ROUND, &["--line"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains("  A line of best play, 3 moves; then play is where it was after move 1\n"), "{stdout}");
    let (_, stdout, _) = run_rules(ROUND, &["--format", "json", "--line"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["value"], &report["line_repeats"]), (&Value::Null, &json!(1)));
    assert_eq!((&report["line"], report.get("line_exact")), (&json!(["(to 2)", "(to 3)", "(to 2)"]), None));
    let (_, stdout, _) = run_rules(&ROUND.replace("(init (at 1))", "(init (at 3))"), &["--line"]);
    assert!(stdout.contains("  A line of best play, 2 moves; then play is where it began\n"), "{stdout}");
    let (_, _, stderr) = run_rules(ROUND, &["--line", "--algorithm", "classic"]);
    assert!(
        stderr.contains("a line that goes on for ever follows stored values; the algorithm classic has"),
        "{stderr}"
    );
}

#[test]
fn algorithms_can_be_asked_for_and_tell_what_they_store() {
    for algorithm in ["global", "classic", "matrix"] {
        let folder = tempfile::tempdir().unwrap();
        let game = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games/clobber_1x6.gdl");
        let mut command = storing(&[game.to_str().unwrap(), "--algorithm", algorithm, "--format", "json", "--line"]);
        let output = command.current_dir(folder.path()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["algorithm"], &report["value"]), (&json!(algorithm), &json!([0, 100])));
        assert!(!report["line"].as_array().unwrap().is_empty());
        let stores = algorithm == "global";
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), usize::from(stores), "{algorithm}");
        assert_eq!(report["stored"].is_null(), !stores, "{algorithm}");
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("x.ggs");
    let arguments = ["games/clobber_1x6.gdl", "--algorithm", "classic", "-o", folder.to_str().unwrap()];
    let refused = storing(&arguments).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("stores nothing"));
    let output = output(&["games/clobber_3x4.gdl", "--algorithm", "classic"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("one way to win"));
}

#[test]
fn algorithms_for_turns_are_wrong_options_for_other_games() {
    for (game, kind) in
        [("pig_8", "without chance"), ("rock_paper_scissors", "in which one role at a time has a choice")]
    {
        for algorithm in ["layered", "matrix"] {
            let output = output(&[&format!("games/{game}.gdl"), "--algorithm", algorithm]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{errors}");
            assert!(errors.contains(&format!("is for games {kind}; leave it out for this one\n")), "{errors}");
            // The state is told in a line of its own, where one is to blame.
            assert_eq!(errors.lines().count(), if game == "pig_8" { 1 } else { 2 }, "{errors}");
        }
    }
}

#[test]
fn a_line_is_found_in_layers_stored_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("x.ggs");
    let stored = || -> Value {
        let arguments = ["games/clobber_1x6.gdl", "--line", "--format", "json", "-o", folder.to_str().unwrap()];
        let output = storing(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (first, again) = (stored(), stored());
    let unstored = json_of(&["games/clobber_1x6.gdl", "--line"]);
    assert!(first["line"].as_array().is_some_and(|line| line.len() > 1));
    let query = storing(&["query", folder.to_str().unwrap(), "--distance", "--format", "json"]).output().unwrap();
    let query: Value = serde_json::from_slice(&query.stdout).unwrap();
    assert_eq!(first["line_length"], query["distance"]["plies"]);
    assert_eq!((&first["line"], &first["line"]), (&again["line"], &unstored["line"]));
}

#[test]
fn a_solution_of_either_language_answers_and_is_verified() {
    let scene = tempfile::tempdir().unwrap();
    for language in ["gdl", "gddl"] {
        let folder = scene.path().join(format!("{language}.ggs"));
        let folder = folder.to_str().unwrap();
        let done = |arguments: &[&str]| {
            let output = storing(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        done(&[&format!("games/tictactoe.{language}"), "--out", folder]);
        let answer: Value = serde_json::from_slice(&done(&["query", folder, "--format", "json"])).unwrap();
        assert_eq!((&answer["value"], answer["moves"].as_array().map(Vec::len)), (&json!([50, 50]), Some(9)));
        done(&["verify", folder]);
    }
}

/// The problem's name is that of the game and of its folder.
#[test]
fn a_planning_task_has_the_name_of_its_problem() {
    let folder = tempfile::tempdir().unwrap();
    let planning = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gddl/planning");
    std::fs::copy(format!("{planning}/gripper.pddl"), folder.path().join("p01")).unwrap();
    let output = storing(&["p01", "--format", "json"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["game"], json!("gripper-2"));
    assert!(folder.path().join("gripper-2.ggs/manifest.json").exists());
}

/// Two rewards of ends: the goal, and where no energy is left.
#[test]
fn a_shortest_plan_and_the_ends_of_play_are_told() {
    let domain = "tests/gddl/planning/gripper.pddl";
    let report = json_of(&[domain, "--line"]);
    assert_eq!(report["line_length"], json!(5));
    assert_eq!(report["line"].as_array().unwrap().len(), 5);
    let last = report["layers"].as_array().unwrap().last().unwrap();
    let ends = last["ends"].as_array().unwrap();
    assert_eq!(ends.iter().map(|end| end["rewards"].clone()).collect::<Vec<_>>(), [json!([0]), json!([100])]);
    let states: u64 = ends.iter().map(|end| end["states"].as_u64().unwrap()).sum();
    assert_eq!(json!(states), last["terminal"]);
    let text = String::from_utf8(output(&[domain, "--line"]).stdout).unwrap();
    assert!(text.contains("A shortest line of best play, 5 moves"), "{text}");
    assert!(text.contains("end 0  end 100"), "{text}");
}

#[test]
fn the_ends_of_play_are_told_from_disk_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("gripper.ggs");
    let report = || -> Value {
        let arguments = ["tests/gddl/planning/gripper.pddl", "-o", out.to_str().unwrap(), "--format", "json"];
        serde_json::from_slice(&storing(&arguments).output().unwrap().stdout).unwrap()
    };
    let ends = |report: &Value| -> Vec<Value> {
        report["layers"].as_array().unwrap().iter().map(|layer| layer["ends"].clone()).collect()
    };
    let (first, again) = (report(), report());
    assert_eq!((&first["from_disk"], &again["from_disk"]), (&json!(false), &json!(true)));
    assert!(ends(&first).iter().any(|ends| ends.as_array().unwrap().len() == 2));
    assert_eq!(ends(&first), ends(&again));
    // What was stored before ends were is read as it is.
    let path = out.join("manifest.json");
    let mut manifest = solving::store::Manifest::load(&out).unwrap();
    manifest.layers.iter_mut().for_each(|layer| layer.ends = None);
    manifest.save(&out).unwrap();
    assert!(!std::fs::read_to_string(&path).unwrap().contains("\"ends\""));
    let old = report();
    assert_eq!((&old["value"], &old["layers"][0]["ends"]), (&first["value"], &Value::Null));
}
