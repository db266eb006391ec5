//! What is told of slips in a text, and that nothing else is.

use super::program;
use crate::diagnostic::{Finding, Source};
use crate::syntax::lexer::UNEXPECTED;
use crate::syntax::tree::UNCLOSED;

const DOMAIN: &str = "(define (domain robots)
  (:requirements :adl)
  (:types room robot)
  (:predicates (at ?r - robot ?a - room) (door ?a ?b - room) (lit ?a - room))
  (:action move
    :parameters (?r - robot ?a ?b - room)
    :precondition (and (at ?r ?a) (door ?a ?b))
    :effect (and (not (at ?r ?a)) (at ?r ?b)))
  (:action light
    :parameters (?r - robot ?a - room)
    :precondition (and (at ?r ?a) (not (lit ?a)))
    :effect (lit ?a))
)
";

const PROBLEM: &str = "(define (problem one)
  (:domain robots)
  (:objects hall cellar - room bob - robot)
  (:init (at bob hall) (door hall cellar))
  (:goal (lit cellar))
)
";

fn told(text: &str) -> Vec<Finding> {
    let source = Source::new("test", text.as_bytes());
    program(&source).1.iter().map(|diagnostic| Finding::new(&source, diagnostic)).collect()
}

/// What is told of the domain and the problem, of which `from` is replaced.
fn changed(from: &str, to: &str) -> Vec<(&'static str, String, String)> {
    let text = format!("{DOMAIN}{PROBLEM}");
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let told = told(&text.replace(from, to)).into_iter();
    told.map(|finding| {
        (finding.code, format!("{}:{}", finding.line, finding.column), finding.advice.unwrap_or_default())
    })
    .collect()
}

/// The only finding after a change: its code, its place and a part of its advice.
fn assert_told(from: &str, to: &str, code: &str, place: &str, advice: &str) {
    let told = changed(from, to);
    assert_eq!(told.len(), 1, "{from} to {to}: {told:?}");
    assert_eq!((told[0].0, told[0].1.as_str()), (code, place), "{from} to {to}: {told:?}");
    assert!(told[0].2.contains(advice), "{from} to {to}: {told:?}");
}

#[test]
fn the_text_itself_has_no_findings() {
    assert_eq!(told(&format!("{DOMAIN}{PROBLEM}")), []);
}

#[test]
fn the_list_that_lacks_its_parenthesis_is_told() {
    assert_told("(domain robots)", "(domain robots", UNCLOSED, "1:9", "(:requirements");
    assert_told("(:types room robot)", "(:types room robot", UNCLOSED, "3:3", "(:predicates");
    assert_told("(lit ?a - room))", "(lit ?a - room)", UNCLOSED, "4:3", "(:action");
    assert_told("(at ?r ?b)))", "(at ?r ?b))", UNCLOSED, "5:3", "(:action");
    // The last sections of both.
    assert_told(":effect (lit ?a))", ":effect (lit ?a)", UNCLOSED, "9:3", "in line 13");
    assert_told("(:goal (lit cellar))", "(:goal (lit cellar)", UNCLOSED, "18:3", "in line 19");
    assert_told("(:goal (lit cellar))\n)", "(:goal (lit cellar))", UNCLOSED, "14:1", "(:goal");
    assert_told("(:init (at bob hall)", "(:init (at bob hall", UNCLOSED, "17:3", "(:goal");
}

#[test]
fn a_list_in_an_action_that_lacks_its_parenthesis_is_told() {
    assert_told("(door ?a ?b))", "(door ?a ?b)", UNCLOSED, "7:19", ":effect");
    assert_told("?a ?b - room)\n    :pre", "?a ?b - room\n    :pre", UNCLOSED, "6:17", ":precondition");
    assert_told("(not (lit ?a)))", "(not (lit ?a))", UNCLOSED, "11:19", ":effect");
    // Only in the wrong place.
    let told = changed("(door ?a ?b))\n    :effect (and", "(door ?a ?b)\n    :effect (and)");
    assert!(told.iter().all(|(code, ..)| *code != UNCLOSED), "{told:?}");
}

#[test]
fn forgotten_marks_and_foreign_signs_have_their_remedy() {
    assert_told("(lit ?a))\n)", "(lit a))\n)", "unknown-object", "12:18", "is `?a` meant?");
    assert_told("?a ?b - room)\n    :pre", "?a, ?b - room)\n    :pre", UNEXPECTED, "6:31", "no commas");
    assert_told("hall cellar - room", "hall, cellar - room", UNEXPECTED, "16:17", "no commas");
    assert_told("(door ?a ?b))", "(door ?a ?b) (== ?a ?b))", "unknown-predicate", "7:49", "is `=` meant?");
    assert_told("(door ?a ?b))", "(door ?a ?b) (!= ?a ?b))", "unknown-predicate", "7:49", "(not (= ?x ?y))");
}

#[test]
fn a_function_with_other_arguments_is_told_like_a_predicate() {
    let functions = "(:types room robot) (:functions (total-cost) (len ?a ?b - room))";
    let text = format!("{DOMAIN}{PROBLEM}").replace("(:types room robot)", functions);
    let text = text.replace("(:requirements :adl)", "(:requirements :adl :action-costs)");
    let text = text.replace("(at ?r ?b)))", "(at ?r ?b) (increase (total-cost) (len ?a))))");
    let found = told(&text.replace("(lit cellar))", "(lit cellar)) (:metric minimize (total-cost))"));
    let codes: Vec<_> = found.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["arity-mismatch"]);
    assert_eq!(found[0].message, "`len` has 1 argument here, 2 in its declaration");
}

#[test]
fn a_second_definition_is_told_with_both_names() {
    let second = "(define (problem two) (:domain robots) (:init))";
    let found = told(&format!("{DOMAIN}{PROBLEM}{second}"));
    let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["a second problem, `two`, beside `one`"]);
}

#[test]
fn an_unknown_type_is_told_once() {
    assert_told("?b - room)\n    :pre", "?b - rom)\n    :pre", "unknown-type", "6:37", "`room`");
    assert_told("hall cellar - room", "hall cellar - rom", "unknown-type", "16:27", "`room`");
    assert_told("door ?a ?b - room", "door ?a ?b - rom", "unknown-type", "4:56", "`room`");
    assert_eq!(changed("(:types room robot)", "(:types robot)").len(), 1);
}

#[test]
fn what_has_no_use_is_told() {
    assert_told("?a ?b - room)\n    :pre", "?a ?b ?c - room)\n    :pre", "single-variable", "6:35", "remove it");
    assert_told("(lit ?a - room))", "(lit ?a - room) (dark))", "unused-relation", "4:78", "remove it");
    assert_told("(door hall cellar)", "", "unknown-fluent", "7:35", "`:init`");
    let found = changed(":effect (lit ?a))", ":effect (and))");
    assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), ["no-effect", "unknown-fluent"]);
    // What is asked for not to hold may be so always.
    assert_eq!(changed("(door ?a ?b))", "(door ?a ?b) (not (door ?b ?b)))"), []);
    // The problem is missing.
    let found = told(&DOMAIN.replace("(lit ?a - room))", "(lit ?a - room) (dark))"));
    assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), ["missing-definition"]);
}

#[test]
fn gains_of_another_type_than_role_are_told() {
    let gains = "  (:gain (?r - robot) 100 (exists (?a - room) (at ?r ?a)))\n  (:gain (?r - robot) 0 (exists (?a - room) (lit ?a)))\n)\n";
    let text = format!("{}{PROBLEM}", DOMAIN.strip_suffix(")\n").unwrap().to_owned() + gains);
    let lines = |text: &str| {
        let found = told(text).into_iter().filter(|found| found.code == "ordinary-role");
        found.map(|found| found.line).collect::<Vec<_>>()
    };
    assert!(lines(&text).is_empty());
    assert_eq!(lines(&text.replace("(lit ?a - room))", "(lit ?a - room) (control ?r - robot))")), [13]);
}
