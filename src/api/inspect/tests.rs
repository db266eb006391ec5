use super::*;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::rules::{Language, gdl};

fn inspect(text: &str) -> (Vec<String>, Verdict) {
    let source = Source::new("test.kif", text.as_bytes());
    let (checked, diagnostics) = gdl::program(&source);
    let checked = checked.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let (inspection, _) = program(&checked, &Limits::unlimited()).expect("no limit");
    let findings = inspection
        .diagnostics
        .iter()
        .map(|finding| format!("{}:{} {}", finding.code, source.slice(finding.span), finding.message));
    (findings.collect(), inspection.verdict)
}

fn squares(keep: &str, rest: &str) -> String {
    format!(
        "(role r) (square 1) (square 2) (square 3) (square 4)
        (<= (init (at ?s empty)) (square ?s))
        (<= (legal r (put ?s)) (true (at ?s empty)))
        (<= (next (at ?s stone)) (does r (put ?s)))
        {keep}
        (<= open (true (at ?s empty)))
        (<= (goal r 100) (true (at 1 stone)))
        (<= (goal r 0) (not (true (at 1 stone))))
        {rest}"
    )
}

const KEEP: &str = "(<= (next (at ?s ?c)) (true (at ?s ?c)) (does r (put ?t)) (distinct ?s ?t))";
const END: &str = "(<= terminal (not open))";

#[test]
fn a_sound_game_is_taken_without_a_word() {
    let (findings, verdict) = inspect(&squares(KEEP, END));
    assert!(findings.is_empty(), "{findings:?}");
    assert!(matches!(verdict, Verdict::Taken { roles: 1, .. }), "{verdict:?}");
}

#[test]
fn two_contents_of_a_place_are_shown_with_a_path() {
    let (findings, _) =
        inspect(&squares("(<= (next (at ?s ?c)) (true (at ?s ?c)))", "(<= terminal (true (at 1 stone)))"));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("two-contents:(<= (next (at ?s ?c)) (true (at ?s ?c))) "), "{findings:?}");
    assert!(
        ["empty)", "stone)", " hold together after (put "].iter().all(|part| findings[0].contains(part)),
        "{findings:?}"
    );
}

#[test]
fn contents_that_no_rule_keeps_are_shown_with_a_path() {
    let more = "(square 5) (square 6) (square 7) (square 8)";
    let rest = format!("{more} (legal r pass) (<= terminal (true (at 1 stone)))");
    let (findings, _) = inspect(&squares("", &rest));
    let found = findings.iter().find(|finding| finding.starts_with("no-content:")).expect("a finding");
    assert!(found.contains(" is gone after ") && found.contains("with nothing in its place"), "{found}");
    // Blanks are kept, stones are not.
    let keep = "(<= (next (at ?s empty)) (true (at ?s empty)) (does r (put ?t)) (distinct ?s ?t))";
    let (findings, _) = inspect(&squares(keep, &format!("{more} {END}")));
    assert!(findings.iter().any(|finding| finding.contains("stone) is gone after (put ")), "{findings:?}");
    // A stone burns what is beside it, and is burnt itself.
    let burns = "(beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (beside 5 6) (beside 6 7) (beside 7 8)
        (<= (next (at ?t stone)) (true (at ?s stone)) (beside ?s ?t))";
    let (findings, _) = inspect(&squares(&format!("{keep} {burns}"), &format!("{more} {END}")));
    assert!(findings.iter().all(|finding| !finding.contains("stone) is gone")), "{findings:?}");
    // A bite leaves many squares without a content, and most as they are.
    let bites = "(role r) (square 1) (square 2) (square 3) (square 4) (square 5) (square 6) (square 7) (square 8)
        (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8)
        (<= (beyond ?s ?t) (after ?s ?t)) (<= (beyond ?s ?u) (after ?s ?t) (beyond ?t ?u))
        (<= (init (at ?s food)) (square ?s))
        (<= (legal r (bite ?s)) (true (at ?s food)))
        (<= (next (at ?s food)) (true (at ?s food)) (does r (bite ?t)) (beyond ?s ?t))
        (<= food (true (at 1 food))) (<= terminal (not food)) (goal r 100)";
    let (findings, _) = inspect(bites);
    assert!(findings.iter().all(|finding| !finding.contains("no-content")), "{findings:?}");
}

#[test]
fn a_game_that_is_over_before_it_begins_is_told() {
    let (findings, _) = inspect(&squares(KEEP, "(<= terminal (true (at 1 empty)))"));
    assert!(findings.iter().any(|finding| finding.starts_with("terminal-at-once:(<= terminal ")), "{findings:?}");
}

/// The end does not hold by its fluents, but because nothing can be done.
#[test]
fn a_task_whose_start_is_a_dead_end_is_told_as_that() {
    let text = "(define (domain d) (:predicates (p) (q)) (:action go :parameters () :precondition (p) :effect (q)))
        (define (problem t) (:domain d) (:init) (:goal (q)))";
    let source = Source::new("t.gddl", text.as_bytes());
    let program = Language::Gddl.program(&source).0.unwrap();
    let game = ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
    let found = over_at_once(&program, &game).expect("play is over");
    assert!(found.advice.as_deref().is_some_and(|advice| advice.starts_with("no move is legal there")), "{found:?}");
}

/// Initially every column has one square of each kind, so that a reading with rows as contents is possible, too.
#[test]
fn a_relation_is_a_board_while_one_of_its_readings_holds() {
    let moved = |keep: &str| {
        format!(
            "(role r) (column 1) (column 2) (column 3) (column 4)
            (<= (init (cell ?c 1 w)) (column ?c)) (<= (init (cell ?c 2 empty)) (column ?c))
            (<= (legal r (up ?c)) (true (cell ?c 2 empty)))
            (<= (kept ?c 2 ?d) (column ?c) (column ?d))
            (<= (kept ?c 1 ?d) (column ?c) (column ?d) (distinct ?c ?d))
            (<= (next (cell ?c 2 w)) (does r (up ?c)))
            (<= (next (cell ?c 1 empty)) (does r (up ?c)))
            (<= (next (cell ?c ?y ?x)) (true (cell ?c ?y ?x)) {keep})
            (<= terminal (true (cell 1 2 w)) (true (cell 2 2 w)) (true (cell 3 2 w)))
            (goal r 100)"
        )
    };
    let (findings, _) = inspect(&moved("(does r (up ?d)) (distinct ?c ?d)"));
    assert!(findings.is_empty(), "{findings:?}");
    let (findings, _) = inspect(&moved("(does r (up ?d)) (kept ?c ?y ?d)"));
    assert!(findings.len() == 1 && findings[0].starts_with("two-contents:"), "{findings:?}");
    assert!(findings[0].contains("(cell 1 2 w)") || findings[0].contains(" 2 empty)"), "{findings:?}");
}

/// Initially every column has one lamp that is lit, by chance.
#[test]
fn lamps_are_no_contents() {
    let lamps = "(role r) (row a) (row b) (column 1) (column 2) (column 3) (column 4)
        (init (lit a 1)) (init (lit b 2)) (init (lit a 3)) (init (lit b 4))
        (<= (legal r (press ?x ?y)) (row ?x) (column ?y))
        (<= (next (lit ?x ?y)) (does r (press ?x ?y)) (not (true (lit ?x ?y))))
        (<= (next (lit ?x ?y)) (true (lit ?x ?y)) (not (does r (press ?x ?y))))
        (<= on (true (lit ?x ?y))) (<= terminal (not on))
        (<= (goal r 100) (not on)) (<= (goal r 0) on)";
    let (findings, _) = inspect(lamps);
    assert!(findings.iter().all(|finding| !finding.contains("two-contents")), "{findings:?}");
}

#[test]
fn an_end_that_never_comes_is_told() {
    let (findings, _) = inspect(&squares(KEEP, "(<= terminal (true (at 5 stone)))"));
    let codes: Vec<&str> = findings.iter().filter_map(|finding| finding.split(' ').next()).collect();
    assert_eq!(codes, ["never-holds:(true", "never-terminal:(<="], "{findings:?}");
}

#[test]
fn conditions_that_only_fail_together_are_told() {
    let rest = format!("{END}(a 1)(b 2)(<= (goal r 50) (a ?x) (b ?x) (not open))");
    let (findings, _) = inspect(&squares(KEEP, &rest));
    assert_eq!(
        findings,
        ["never-applies:(<= (goal r 50) (a ?x) (b ?x) (not open)) this rule applies in no reachable state"]
    );
}

#[test]
fn what_follows_from_another_finding_is_not_told_again() {
    let rest = format!("{END}(<= (lost ?s) (true (at ?s water)))(<= (goal r 50) (lost 1))");
    let (findings, _) = inspect(&squares(KEEP, &rest));
    assert_eq!(findings, ["never-holds:(true (at ?s water)) this condition holds in no reachable state"]);
}

#[test]
fn games_out_of_turn_are_told_with_a_path() {
    let both = "(role a)(role b)(init s)(<= (legal ?r x) (role ?r))(<= (legal ?r y) (role ?r))
        (<= (next e) (true s))(<= terminal (true e))(<= (goal ?r 50) (role ?r))";
    let (_, verdict) = inspect(both);
    let Verdict::Taken { needs, roles: 2, .. } = verdict else { panic!("{verdict:?}") };
    assert!(needs.joint && needs.constant_sum && !needs.chance);
    assert!(verdict.to_string().contains("2 roles that choose at the same time, with a constant sum"), "{verdict}");
}
