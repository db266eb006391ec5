//! Slips in texts in GDDL: each is told at its place, with what to write.

use game::diagnostic::{Finding, Source};
use ggsolve::session::Session;

/// What `check` says of a text, with the code and the part of the text that is marked.
fn told(text: &str) -> Vec<(String, Finding)> {
    let source = Source::new("g.gddl", text.as_bytes());
    let session = Session::default();
    let findings = session.check(&session.load(source)).expect("no limit").findings.diagnostics;
    let marked = |finding: &Finding| {
        let line = text.lines().nth(finding.line - 1).expect("a line of the text");
        let end = if finding.end_line == finding.line { finding.end_column - 1 } else { line.chars().count() };
        line.chars().take(end).skip(finding.column - 1).collect::<String>()
    };
    findings.into_iter().map(|finding| (format!("{} {}", finding.code, marked(&finding)), finding)).collect()
}

/// The advice of the finding with this code and place.
fn advice(text: &str, place: &str) -> String {
    let told = told(text);
    let found = told.iter().find(|(found, _)| found == place);
    let (_, finding) = found.unwrap_or_else(|| panic!("{place} is not in {told:#?}"));
    format!("{}: {}", finding.message, finding.advice.as_deref().unwrap_or_default())
}

const TASK: &str = "(define (domain d) (:requirements :adl) (:types place truck)
    (:predicates (at ?t - truck ?x - place) (done))
    (:action go :parameters (?t - truck ?x - place) :precondition (at ?t ?x) :effect (done)))
    (define (problem p) (:domain d) (:objects t1 - truck x1 x2 - place) (:init (at t1 x1)) (:goal (done)))";

fn task(replaced: &str, by: &str) -> String {
    assert!(TASK.contains(replaced), "{replaced}");
    TASK.replacen(replaced, by, 1)
}

#[test]
fn forms_at_another_place_have_their_remedy() {
    assert_eq!(told(TASK).len(), 0, "{:?}", told(TASK));
    for (replaced, by, place, part) in [
        (
            ":effect (done)",
            ":effect (or (done) (at ?t ?x))",
            "wrong-form or",
            "effects have no `or`: what an action does",
        ),
        (":effect (done)", ":effect (imply (done) (done))", "wrong-form imply", "`(when condition effect)`"),
        (
            ":precondition (at ?t ?x)",
            ":precondition (when (done) (done))",
            "wrong-form when",
            "`(imply condition condition)`",
        ),
        ("(at t1 x1)", "(and (at t1 x1) (at t1 x2))", "wrong-form and", "`:init` holds facts, and no `and`: "),
        (":adl", ":adl :typng", "unknown-requirement :typng", "is `:typing` meant?"),
        ("(:goal", "(:gaol", "unknown-section :gaol", "is `:goal` meant?"),
        ("(:goal (done))", "(:goal (done)) (:gian 100 (done))", "unknown-section :gian", "is `:gain` meant?"),
        (":precondition", ":precondtion", "wrong-form :precondtion", "is `:precondition` meant?"),
        ("(:requirements", "(requirements", "wrong-form requirements", "is `:requirements` meant?"),
        ("(:domain d) ", "", "missing-domain p", "write `(:domain d)` into it"),
        ("x1 x2 - place", "x1 place x2 - place", "object-like-type place", "is `-` missing before it?"),
        (
            "(at ?t ?x) :effect",
            "(at ?x ?t) :effect",
            "type-mismatch ?x",
            "`?x` is of type `place`, here type `truck` is wanted",
        ),
    ] {
        let found = advice(&task(replaced, by), place);
        assert!(found.contains(part), "{by}: {found}");
    }
}

#[test]
fn types_without_objects_are_told() {
    let text = task("place truck)", "place truck ghost)");
    assert_eq!(told(&text).len(), 0, "{:?}", told(&text));
    for never in ["(exists (?y - ghost) (done))", "(not (forall (?y - ghost) (at t1 x2)))"] {
        let goal = format!("(:goal {never})");
        let found = advice(&text.replace("(:goal (done))", &goal), &format!("unreachable-goal {goal}"));
        assert!(found.contains("no object is of type `ghost`"), "{found}");
    }
    let effect = text.replace(":effect (done)", ":effect (when (exists (?y - ghost) (at ?t ?x)) (done))");
    assert!(advice(&effect, "never-applies (done)").contains("no object is of type `ghost`"));
}

fn shipped(replaced: &str, by: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.gddl");
    let text = std::fs::read_to_string(path).expect("a shipped game");
    assert!(text.contains(replaced), "{replaced}");
    text.replacen(replaced, by, 1)
}

/// What play shows is told at effects and gains, in words of GDDL.
#[test]
fn play_is_told_in_words_of_the_language() {
    let undeleted = shipped("      (not (cell ?m ?n b))\n", "");
    let found = advice(&undeleted, "two-contents (cell ?m ?n ?t)");
    assert!(found.contains("has to delete the other, here by `(not (cell ") && found.contains(" b))`"), "{found}");
    let found = advice(&shipped("      (not (control ?player))\n", ""), "two-contents (cell ?m ?n ?t)");
    assert!(found.contains("let one action be possible at a time"), "{found}");
    let paid = shipped("(not (exists (?t - tok) (line ?t)))", "(exists (?t - tok) (marks ?player ?t))");
    let found = advice(&paid, "goals (:gain (?player - role) 50");
    assert!(found.starts_with("`xplayer` gains 50 and 100 in a reachable end of play: "), "{found}");
    assert!(told(&paid).iter().any(|(_, found)| found.message == "the condition of this gain of 100 holds there, too"));
}

/// Without the turn nobody can act, and play goes on for ever.
#[test]
fn a_turn_that_is_not_handed_on_is_told() {
    let text = shipped("(control ?next)))", "))");
    let found = advice(&text, "standstill (:action mark");
    assert!(found.contains("no role can change the state any more: (cell r1 c1 "), "{found}");
    let text = "(role r) (init (at 0)) (step 0 1) (step 0 2) (<= (legal r (go ?y)) (true (at ?x)) (step ?x ?y))
        (<= (legal r wait) (true (at 2))) (<= (next (at ?y)) (does r (go ?y)))
        (<= (next (at 2)) (does r wait)) (<= terminal (true (at 1))) (<= (goal r 100) (true (at 1)))";
    let session = Session::default();
    let found = |text: &str| {
        let report = session.check(&session.load(Source::new("g.kif", text.as_bytes()))).expect("no limit");
        report.findings.diagnostics.into_iter().find(|found| found.code == "standstill")
    };
    // A single player is at a dead end.
    assert_eq!(found(text), None);
    let of_two = found(&format!("{text} (role s) (legal s wait) (goal s 0)")).expect("a finding");
    assert!(of_two.message.contains("after (go 2), move 1, no role"), "{}", of_two.message);
    // The move of the role that made it is blamed, also where another role has one of the same name.
    let text = "(role a) (role b) (init (at 0)) (init (turn a)) (step 0 1) (step 0 2) (step 1 3) (step 1 4) (step 2 4)
        (step 2 5) (<= (legal a (go ?y)) (true (turn a)) (true (at ?x)) (step ?x ?y))
        (<= (legal b (go ?y)) (true (turn b)) (true (at ?x)) (step ?x ?y)) (<= can (true (at ?x)) (step ?x ?y))
        (<= (legal ?r wait) (role ?r) (not can)) (<= (legal ?r wait) (role ?r) can (not (true (turn ?r))))
        (<= (next (at ?y)) (does ?r (go ?y))) (<= (next (at ?x)) (true (at ?x)) (not can))
        (<= (next (turn b)) (true (turn a))) (<= (next (turn b)) (true (turn b)))
        (<= terminal (true (at 5))) (goal a 50) (goal b 50)";
    let of_black = found(text).expect("a finding");
    assert_eq!(of_black.line, 3, "{of_black:?}");
    for path in ["tictactoe", "eightpuzzle", "hanoi", "peg", "clobber_3x4"] {
        let path = format!("{}/games/{path}.gddl", env!("CARGO_MANIFEST_DIR"));
        let source = Source::new(&*path, &std::fs::read(&path).expect("a shipped game"));
        let report = session.check(&session.load(source)).expect("no limit");
        assert_eq!(report.findings.diagnostics.len(), 0, "{path}: {}", report.findings);
    }
}

#[test]
fn a_term_that_should_differ_from_itself_is_told() {
    let text = "(role r) (init (at 0)) (<= (legal r go) (true (at ?x))) (<= (next (at 1)) (does r go))
        (<= terminal (true (at 1))) (goal r 100) (<= (goal r 0) (true (at ?x)) (distinct ?x ?x))";
    let session = Session::default();
    let report = session.check(&session.load(Source::new("g.kif", text.as_bytes()))).expect("no limit");
    let found: Vec<_> =
        report.findings.diagnostics.iter().map(|found| (found.code, found.line, found.column)).collect();
    let column = text.lines().nth(1).unwrap().find("(distinct").unwrap() + 1;
    assert_eq!(found, [("never-holds", 2, column)], "{}", report.findings);
}
