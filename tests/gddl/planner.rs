//! The command line as planners are called: a domain and a problem in any order, and a file for the plan.

use crate::pddl::Task;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gddl/planning");

fn file(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// Exit code, standard output, standard error of a run in a folder.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let output = command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

fn json_of(folder: &Path, arguments: &[&str]) -> Value {
    let (code, output, errors) = run(folder, &[arguments, &["--format", "json"]].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}: {output}");
    serde_json::from_str(&output).unwrap()
}

fn task(domain: &str, problem: &str) -> Task {
    let [domain, problem] = [domain, problem].map(|name| std::fs::read_to_string(file(name)).unwrap());
    Task::new(&domain, &problem)
}

#[test]
fn the_order_of_domain_and_problem_is_found() {
    let place = tempfile::tempdir().unwrap();
    let [domain, problem] = ["transport.pddl", "transport-3.pddl"].map(file);
    for (number, [first, second]) in [[&domain, &problem], [&problem, &domain]].into_iter().enumerate() {
        let plan = format!("plan-{number}");
        let report = json_of(place.path(), &[first, second, "--no-store", "--plan", &plan, "--plans"]);
        assert_eq!((&report["game"], &report["value"]), (&json!("transport-3"), &json!([100])));
        assert_eq!((&report["cost"], &report["plan_length"], &report["plans"]), (&json!(39), &json!(6), &json!(2)));
        assert!(report.get("line").is_none(), "it was not asked for");
        let text = std::fs::read_to_string(place.path().join(plan)).unwrap();
        assert!(text.ends_with("\n; cost = 39 (general cost)\n"), "{text}");
        assert_eq!(task("transport.pddl", "transport-3.pddl").validate(&text), Ok((39, 6)), "{text}");
        for command in ["solve", "classify", "count"] {
            let report = json_of(place.path(), &[command, first, second, "--no-store"]);
            assert_eq!(report["states"], json!(46), "{command}");
        }
        for command in ["check", "ground"] {
            json_of(place.path(), &[command, first, second]);
        }
        let (code, text, errors) = run(place.path(), &["plan", first, second]);
        assert_eq!((code, text.contains("states repeat")), (0, true), "{text}{errors}");
        let (code, text, errors) = run(place.path(), &["translate", first, second, "--to", "gdl"]);
        assert_eq!(code, 0, "{errors}");
        assert!(text.contains(";;; the costs of moves are left out") && text.contains("(role player)"), "{text}");
        assert!(errors.contains("the costs of moves are left out, for which GDL has no place"), "{errors}");
    }
}

/// In GDL, where a relation has one number of arguments: static, derived and fluent predicates, and what is deleted.
#[test]
fn predicates_of_one_name_are_translated_apart() {
    let place = tempfile::tempdir().unwrap();
    let text = "(define (domain d) (:requirements :adl :derived-predicates)
        (:predicates (s) (s ?x) (p) (p ?x) (d) (d ?x))
        (:derived (d) (exists (?x) (d ?x)))
        (:derived (d ?x) (p ?x))
        (:action take :parameters (?x) :precondition (and (s) (s ?x) (p ?x)) :effect (not (p ?x)))
        (:action end :precondition (and (p) (not (d))) :effect (not (p))))
      (define (problem p) (:domain d) (:objects a b c) (:init (s) (s a) (s b) (p) (p a) (p b)) (:goal (not (p))))";
    std::fs::write(place.path().join("names.gddl"), text).unwrap();
    let (code, _, errors) = run(place.path(), &["translate", "names.gddl", "--to", "gdl", "-o", "names.gdl"]);
    assert!(code == 0 && !errors.contains("error"), "{errors}");
    for game in ["names.gddl", "names.gdl"] {
        let (code, text, errors) = run(place.path(), &[game, "--no-store", "--plans", "--format", "json"]);
        assert_eq!(code, 0, "{game}: {errors}");
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&report["states"], &report["plans"], &report["plan_length"]), (&json!(5), &json!(2), &json!(3)));
    }
}

/// No option helps against it, so the report says all else.
#[test]
fn a_plan_that_costs_too_much_is_told() {
    let place = tempfile::tempdir().unwrap();
    let largest = "(increase (total-cost) (* 4294967295 4294967295))";
    let text = format!(
        "(define (domain d) (:requirements :action-costs) (:predicates (p) (q)) (:functions (total-cost))
            (:action a :effect (and (p) {largest}))
            (:action b :precondition (p) :effect (and (q) {largest})))
          (define (problem p) (:domain d) (:init) (:goal (and (p) (q))) (:metric minimize (total-cost)))"
    );
    std::fs::write(place.path().join("dear.gddl"), text).unwrap();
    for options in [&["--plans"][..], &[]] {
        let (code, text, errors) = run(place.path(), &[&["dear.gddl", "--no-store"], options].concat());
        assert_eq!(code, 0, "{errors}");
        assert!(errors.contains("no plan is told: ") && errors.contains("the cost of a plan"), "{errors}");
        assert!(text.contains("3 reachable states"), "{text}");
    }
}

#[test]
fn two_files_that_are_no_domain_and_problem_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let [domain, problem, both] = ["blocks.pddl", "blocks-3.pddl", "gripper.pddl"].map(file);
    let gdl = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.gdl");
    let other = file("transport.pddl");
    let third = file("transport-3.pddl");
    let cases: [(&[&str], i32, &str); 10] = [
        (&[&domain, &other], 2, "both define a domain; one of them has to be the problem"),
        (&[&problem, &third], 2, "both define a problem; one of them has to be the domain"),
        (&[&both, &problem], 2, "both define a problem; one of them has to be the domain"),
        (&[&domain, &domain], 2, "blocks.pddl is named twice"),
        (&[gdl, &problem], 2, "tictactoe.gdl is a game in GDL, which is one file"),
        (&[&domain, gdl], 2, "tictactoe.gdl is a game in GDL, which is one file"),
        (&[&domain, "--problem", gdl], 2, "--problem: "),
        (&["-", "-"], 2, "standard input can be read only once"),
        (&[&domain, FOLDER], 1, "planning"),
        (&[&domain, "missing.pddl"], 1, "missing.pddl"),
    ];
    for (arguments, expected, told) in cases {
        for command in ["solve", "count", "check"] {
            let (code, output, errors) = run(place.path(), &[&[command], arguments].concat());
            assert_eq!((code, output.as_str()), (expected, ""), "{command} {arguments:?}: {errors}");
            assert!(errors.contains(told), "{command} {arguments:?}: {errors}");
        }
    }
    let (code, _, errors) = run(place.path(), &["solve", &domain, &problem, "--problem", &problem]);
    assert_eq!(code, 2, "{errors}");
}

#[test]
fn a_stored_solution_gives_the_same_plan() {
    let place = tempfile::tempdir().unwrap();
    let [domain, problem] = ["elevators.pddl", "elevators-3.pddl"].map(file);
    let first = json_of(place.path(), &[&domain, &problem, "--plan", "one", "--plans"]);
    let again = json_of(place.path(), &[&domain, &problem, "--plan", "two", "--plans", "--line"]);
    let [one, two] = ["one", "two"].map(|name| std::fs::read_to_string(place.path().join(name)).unwrap());
    assert_eq!(one, two);
    for key in ["cost", "plan_length", "plans"] {
        assert_eq!(first[key], again[key], "{key}");
    }
    assert_eq!(again["line_length"], again["plan_length"]);
    assert_eq!((&again["from_disk"], again["runs"].as_array().unwrap().len()), (&json!(true), 1));
    let found = task("elevators.pddl", "elevators-3.pddl").validate(&one);
    assert_eq!(found.map(|(cost, _)| json!(cost)), Ok(first["cost"].clone()));
    // Without a word about plans, costs are told as well.
    let plain = json_of(place.path(), &[&domain, &problem]);
    assert_eq!((&plain["cost"], plain.get("plans"), &plain["from_disk"]), (&first["cost"], None, &json!(true)));
    let counted = json_of(place.path(), &[&domain, &problem, "--plans"]);
    assert_eq!((&counted["plans"], &counted["from_disk"]), (&first["plans"], &json!(true)));
    let (_, text, _) = run(place.path(), &[&domain, &problem, "--line", "--plans"]);
    assert!(text.contains("A cheapest line of best play") && text.contains("A cheapest plan costs"), "{text}");
    // Queries: the start, and the best moves there.
    let query = json_of(place.path(), &["query", "elevators-3.ggs", "--plans"]);
    assert_eq!((&query["cost"], &query["plans"]), (&first["cost"], &first["plans"]));
    let moves = query["moves"].as_array().unwrap();
    assert_eq!(moves[0]["cost"], first["cost"]);
    assert!(moves.iter().all(|option| option["cost"].as_u64() >= first["cost"].as_u64()), "{query}");
    let (_, text, _) = run(place.path(), &["query", "elevators-3.ggs"]);
    assert!(text.contains("a cheapest plan costs") && text.contains("cost"), "{text}");
    // Other costs are another task.
    let dearer =
        std::fs::read_to_string(&problem).unwrap().replace("(travel ground first) 2", "(travel ground first) 9");
    std::fs::write(place.path().join("dearer.pddl"), dearer).unwrap();
    let (code, _, errors) = run(place.path(), &[&domain, "dearer.pddl"]);
    assert_eq!(code, 5, "{errors}");
}

#[test]
fn a_game_in_gdl_of_one_player_has_plans() {
    let place = tempfile::tempdir().unwrap();
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/games/hanoi.gdl");
    let report = json_of(place.path(), &[game, "--no-store", "--plan", "plan", "--line", "--plans"]);
    let line: Vec<&str> = report["line"].as_array().unwrap().iter().map(|action| action.as_str().unwrap()).collect();
    let text = std::fs::read_to_string(place.path().join("plan")).unwrap();
    assert_eq!(text, format!("{}\n; cost = {} (unit cost)\n", line.join("\n"), line.len()));
    assert_eq!((&report["cost"], &report["plan_length"]), (&json!(line.len()), &json!(line.len())));
    assert_eq!(report["plans"], json!(1));
}

/// Where there is no plan, no file is written and no old one is changed.
#[test]
fn no_plan_is_told() {
    let place = tempfile::tempdir().unwrap();
    let plan: PathBuf = place.path().join("plan");
    for (domain, problem) in [("blocks.pddl", "blocks-impossible.pddl"), ("transport.pddl", "transport-cut.pddl")] {
        let [domain, problem] = [domain, problem].map(file);
        let arguments = [&domain, &problem, "--no-store", "--plan", "plan", "--plans"];
        let (code, output, errors) = run(place.path(), &arguments);
        assert!(code == 0 && errors.ends_with("note: there is no plan: plan is not written\n"), "{code}: {errors}");
        assert!(output.contains("There is no plan"), "{output}");
        assert!(!plan.exists());
        let (_, output, _) = run(place.path(), &[&arguments[..], &["--format", "json"]].concat());
        let report: Value = serde_json::from_str(&output).unwrap();
        assert_eq!((&report["plans"], &report["cost"]), (&json!(0), &json!(null)));
    }
}

/// A file that cannot be written is told before anything is solved.
#[test]
fn where_a_plan_cannot_be_written_is_told_first() {
    let place = tempfile::tempdir().unwrap();
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/games/hanoi.gdl");
    std::fs::create_dir(place.path().join("folder")).unwrap();
    std::fs::write(place.path().join("file"), "old").unwrap();
    for (plan, reason) in [
        ("none/plan", "there is no such file or folder"),
        ("folder", "cannot be written to a folder"),
        ("new/", "it is a folder"),
        ("file/plan", "a part of the path is a file and not a folder"),
    ] {
        let (code, output, errors) = run(place.path(), &[game, "--plan", plan, "-o", "out"]);
        assert_eq!((code, output.as_str()), (1, ""), "{plan}: {errors}");
        assert!(errors.starts_with(&format!("error: {plan}: the plan cannot be written")), "{errors}");
        assert!(errors.contains(reason) && !place.path().join("out").exists(), "{errors}");
    }
    // An old file stays if no plan replaces it, and a device is no plain file.
    let task = ["blocks.pddl", "blocks-impossible.pddl"].map(file);
    assert_eq!(run(place.path(), &[&task[0], &task[1], "--no-store", "--plan", "file"]).0, 0);
    assert_eq!(std::fs::read_to_string(place.path().join("file")).unwrap(), "old");
    assert_eq!(run(place.path(), &[game, "--no-store", "--plan", "/dev/null"]).0, 0);
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 2, "nothing else is left");
}

#[test]
fn plans_are_of_one_player() {
    let place = tempfile::tempdir().unwrap();
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.gdl");
    for arguments in [&["--plan", "plan"][..], &["--plans"]] {
        let (code, output, errors) = run(place.path(), &[&[game, "--no-store"], arguments].concat());
        assert_eq!((code, output.as_str()), (2, ""));
        assert!(errors.contains("a plan is of one player, and this game has 2"), "{errors}");
        let (code, _, errors) = run(place.path(), &[&["count", game], arguments].concat());
        assert_eq!(code, 2, "{errors}");
    }
}
