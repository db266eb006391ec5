//! What constructs mean, on smallest games.

use crate::common::compare::solve;
use crate::common::naive::Naive;
use crate::{game, program};
use base::limits::Limits;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::propositional::Game;
use game::rules::{Language, Program};
use solving::solve::{SolveError, SolveOptions};
use std::collections::BTreeSet;

/// A game of one player from declarations, an action's parts, and the initial state.
fn puzzle(domain: &str, init: &str) -> Program {
    let text = format!(
        "(define (domain d) {domain}) (define (problem p) (:objects a b c - thing) (:init {init}) (:goal (never)))"
    );
    program(&Source::new("p.gddl", text.as_bytes()))
}

/// By the name of each legal move of the only role, the fluents that hold after it: straight from the rules, as the
/// propositional game leaves out what never changes.
fn successors(program: &Program) -> Vec<(String, BTreeSet<String>)> {
    let naive = Naive::new(program);
    let initial = naive.initial();
    let (_, legal) = naive.look(&initial);
    let mut found: Vec<_> = legal[0]
        .iter()
        .map(|(role, action)| {
            let state = naive.successor(&initial, &[(role.clone(), action.clone())]);
            (naive.show(action), state.iter().map(|fluent| naive.show(fluent)).collect())
        })
        .collect();
    found.sort();
    found
}

/// The fluents after the one legal move.
fn after(domain: &str, init: &str) -> Vec<String> {
    let found = successors(&puzzle(domain, init));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].1.iter().cloned().collect()
}

const TYPES: &str = "(:types thing) (:predicates (p ?x - thing) (q ?x - thing) (r ?x ?y - thing) (s) (never)) ";

fn act(parts: &str) -> String {
    format!("{TYPES} (:action act {parts})")
}

#[test]
fn what_is_not_mentioned_stays() {
    assert_eq!(after(&act(":effect (and (not (p a)) (q b))"), "(p a) (p b) (q a)"), ["(p b)", "(q a)", "(q b)"]);
}

/// A thing wins if it is marked, or if all that it points to win. Least fixpoint: things on a cycle do not.
#[test]
fn derived_predicates_may_depend_on_themselves_for_all_objects() {
    let bodies = [
        "(or (p ?x) (forall (?y - thing) (imply (r ?x ?y) (win ?y))))",
        "(or (p ?x) (not (exists (?y - thing) (and (r ?x ?y) (not (win ?y))))))",
        "(or (p ?x) (forall (?y ?z - thing) (or (not (r ?x ?y)) (not (= ?z ?y)) (win ?z))))",
        "(or (p ?x) (forall (?y - thing) (imply (r ?x ?y) (exists (?z - thing) (and (= ?y ?z) (win ?z))))))",
        "(or (p ?x) (forall (?y - thing) (imply (r ?x ?y) (forall (?z - thing) (imply (= ?y ?z) (win ?z))))))",
    ];
    for body in bodies {
        let types = TYPES.replace("(never)", "(never) (win ?x - thing)");
        let domain = format!(
            "{types} (:derived (win ?x - thing) {body})
             (:action act :parameters (?x - thing) :precondition (win ?x) :effect (and (q ?x) (not (r a b)) (p ?x)))"
        );
        let winning = |init: &str| -> Vec<String> {
            successors(&puzzle(&domain, init)).into_iter().map(|(action, _)| action).collect()
        };
        assert_eq!(winning("(r a b) (r b c)"), ["(act a)", "(act b)", "(act c)"], "{body}");
        assert_eq!(winning("(r a b) (r b a)"), ["(act c)"], "{body}");
        assert_eq!(winning("(r a b) (r b a) (r c a) (p a)"), ["(act a)", "(act b)", "(act c)"], "{body}");
        assert_eq!(winning("(r a b) (r b c) (r c c) (r c b) (p b)"), ["(act a)", "(act b)"], "{body}");
    }
}

#[test]
fn a_negation_in_a_cycle_is_still_refused() {
    let types = TYPES.replace("(never)", "(never) (win ?x - thing)");
    let text = format!(
        "(define (domain d) {types} (:derived (win ?x - thing) (forall (?y - thing) (not (win ?y))))
         (:action act :parameters (?x - thing) :precondition (win ?x) :effect (p ?x)))
         (define (problem p) (:objects a - thing) (:init) (:goal (never)))"
    );
    let (program, found) = Language::Gddl.program(&Source::new("p.gddl", text.as_bytes()));
    assert!(program.is_none());
    assert!(found.iter().any(|finding| finding.code == "unstratified"), "{found:?}");
}

/// Beyond a number of conditions a quantifier in a cycle is no longer written for each object.
#[test]
fn too_many_objects_in_a_cycle_are_refused_at_the_quantifier() {
    let types = TYPES.replace("(never)", "(never) (win ?x - thing)");
    let objects: String = (0..257).map(|object| format!(" o{object}")).collect();
    let derived = "(:derived (win ?x - thing) (or (p ?x) (forall (?y ?z - thing) (imply (r ?y ?z) (win ?y)))))";
    let text = format!(
        "(define (domain d) {types} {derived} (:action act :parameters (?x - thing) :precondition (win ?x) :effect (p ?x)))
         (define (problem p) (:objects{objects} - thing) (:init (r o0 o1)) (:goal (never)))"
    );
    let (program, found) = Language::Gddl.program(&Source::new("p.gddl", text.as_bytes()));
    let program = program.unwrap_or_else(|| panic!("{found:?}"));
    let refused = ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap_err();
    let finding = refused.finding().unwrap();
    assert_eq!(finding.code, "unstratified");
    let place = &text[finding.span.start as usize..finding.span.end as usize];
    assert!(place.starts_with("(forall ") || place == derived, "{place}");
}

#[test]
fn what_is_deleted_and_added_holds() {
    assert_eq!(after(&act(":effect (and (p a) (not (p a)) (not (p b)))"), "(p a) (p b)"), ["(p a)"]);
}

#[test]
fn conditions_of_effects_are_those_before() {
    let effect = ":effect (and (when (p a) (and (not (p a)) (p b))) (when (p b) (p c)) (when (not (p a)) (q a)))";
    assert_eq!(after(&act(effect), "(p a)"), ["(p b)"]);
    let effect = ":effect (forall (?x - thing) (when (p ?x) (forall (?y - thing) (when (not (p ?y)) (r ?x ?y)))))";
    assert_eq!(after(&act(effect), "(p a) (p b)"), ["(r a c)", "(r b c)"]);
}

/// More effects than are written with their circumstances each.
#[test]
fn shared_circumstances() {
    let condition = "(and (or (p ?x) (p a)) (or (p ?x) (p b)) (or (p ?x) (p c)) (or (p ?x) (q ?x)) (not (q ?x)))";
    let effect = format!(":effect (forall (?x - thing) (when {condition} (and (not (p ?x)) (q ?x) (r ?x ?x))))");
    assert_eq!(after(&act(&effect), "(p a) (p c) (q c)"), ["(p c)", "(q a)", "(q c)", "(r a a)"]);
}

#[test]
fn conditions_mean_what_they_say() {
    let holds = |condition: &str, init: &str| {
        let game = puzzle(
            &act(&format!(":precondition {condition} :effect (and (s) (not (p a)) (not (q a)) (not (r a a)))")),
            init,
        );
        match successors(&game).len() {
            0 => false,
            1 => true,
            more => panic!("{more} moves"),
        }
    };
    for (condition, init, expected) in [
        ("()", "", true),
        ("(and)", "", true),
        ("(or)", "", false),
        ("(not (or))", "", true),
        ("(= a a)", "", true),
        ("(= a b)", "", false),
        ("(not (= a b))", "", true),
        ("(imply (p a) (p b))", "", true),
        ("(imply (p a) (p b))", "(p a)", false),
        ("(not (imply (p a) (p b)))", "(p a)", true),
        ("(exists (?x - thing) (and (p ?x) (q ?x)))", "(p a) (q b)", false),
        ("(exists (?x - thing) (and (p ?x) (q ?x)))", "(p a) (q b) (q a)", true),
        ("(not (exists (?x - thing) (p ?x)))", "(p b)", false),
        ("(not (exists (?x - thing) (p ?x)))", "", true),
        ("(forall (?x - thing) (p ?x))", "(p a) (p b)", false),
        ("(forall (?x - thing) (p ?x))", "(p a) (p b) (p c)", true),
        ("(not (forall (?x - thing) (p ?x)))", "(p a)", true),
        ("(forall (?x - thing) (exists (?y - thing) (r ?x ?y)))", "(r a b) (r b b) (r c a)", true),
        ("(forall (?x - thing) (exists (?y - thing) (r ?x ?y)))", "(r a b) (r b b)", false),
        ("(exists (?y - thing) (forall (?x - thing) (r ?x ?y)))", "(r a b) (r b b) (r c a)", false),
        ("(exists (?y - thing) (forall (?x - thing) (r ?x ?y)))", "(r a b) (r b b) (r c b)", true),
        ("(exists (?x - thing) (and (p ?x) (forall (?x - thing) (or (q ?x) (= ?x a)))))", "(p a) (q b) (q c)", true),
        ("(forall (?x ?y - thing) (imply (r ?x ?y) (r ?y ?x)))", "(r a b) (r b a) (r c c)", true),
        ("(forall (?x ?y - thing) (imply (r ?x ?y) (r ?y ?x)))", "(r a b)", false),
    ] {
        assert_eq!(holds(condition, init), expected, "{condition} with {init}");
    }
}

#[test]
fn derived_predicates_may_be_recursive() {
    let domain = format!(
        "{TYPES} (:predicates (path ?x ?y - thing) (apart ?x ?y - thing))
         (:derived (path ?x ?y) (or (r ?x ?y) (exists (?z - thing) (and (r ?x ?z) (path ?z ?y)))))
         (:derived (apart ?x ?y) (not (path ?x ?y)))
         (:action mark :effect (forall (?x ?y - thing) (when (apart ?x ?y) (and (r ?y ?x) (not (r a b))))))"
    );
    let found = after(&domain, "(r a b) (r b c)");
    let expected = ["(r a a)", "(r a b)", "(r a c)", "(r b b)", "(r b c)", "(r c c)"];
    assert_eq!(found, expected);
}

#[test]
fn types_bound_parameters() {
    let text = "(define (domain d)
        (:types tool box - thing hammer - tool thing)
        (:constants h - hammer t - tool x - (either tool box) b - box)
        (:predicates (done ?x) (never))
        (:action use :parameters (?x - tool) :effect (done ?x))
        (:action open :parameters (?x - box) :effect (done ?x))
        (:action take :parameters (?x - (either hammer box)) :effect (done ?x))
        (:action look :parameters (?x) :effect (done ?x)))
      (define (problem p) (:init) (:goal (never)))";
    let program = program(&Source::new("p.gddl", text.as_bytes()));
    let moves: Vec<String> = successors(&program).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "(look b)", "(look h)", "(look t)", "(look x)", "(open b)", "(open x)", "(take b)", "(take h)", "(take x)",
        "(use h)", "(use t)", "(use x)",
    ];
    assert_eq!(moves, expected);
}

/// A game of two players from its actions and gains.
fn duel(rest: &str, goal: &str) -> Game {
    let text = format!(
        "(define (domain d) (:types role) (:constants x o - role)
           (:predicates (control ?p - role) (won ?p - role) (over)) {rest})
         (define (problem p) (:init (control x)) (:goal {goal}))"
    );
    game(&Source::new("p.gddl", text.as_bytes()))
}

const GAINS: &str = "(:gain ?p - role 100 (won ?p)) (:gain (?p - role) 0 (not (won ?p)))";

#[test]
fn actions_belong_to_the_role_with_control() {
    let game = duel(
        &format!(
            "(:action win :parameters (?p - role) :precondition (control ?p) :effect (won ?p))
             (:action give :parameters (?q - role) :precondition (and (control x) (= ?q o)) :effect (won ?q))
             (:action pass :effect (and (when (control x) (and (control o) (not (control x))))
                                        (when (control o) (over)))) {GAINS}"
        ),
        "(or (over) (won x) (won o))",
    );
    let moves: Vec<String> = game.moves.iter().map(|action| format!("{} {}", action.role.0, action.term)).collect();
    assert_eq!(moves, ["0 (give o)", "0 noop", "0 pass", "0 win", "1 noop", "1 pass", "1 win"]);
    let outcome = solve(&game, &SolveOptions::default()).expect("the players take turns");
    assert_eq!(outcome.solution.expect("values were asked for").value, Some(vec![100, 0]));
}

#[test]
fn a_word_for_waiting_is_found() {
    let game = duel(&format!("(:action noop :precondition (control x) :effect (over)) {GAINS}"), "(over)");
    let moves: Vec<String> = game.moves.iter().map(|action| action.term.to_string()).collect();
    assert_eq!(moves, ["noop", "noop1"]);
}

#[test]
fn ill_formed_games_are_refused_with_a_state() {
    let act = "(:action act :precondition (control x) :effect (over))";
    for (rest, goal, code) in [
        (
            format!("(:action act :precondition (control x) :effect (and (not (control x)) (control o))) {GAINS}"),
            "(won o)",
            "no-legal-move",
        ),
        (format!("{act} (:gain (?p - role) 100 (won ?p))"), "(over)", "goals"),
        (format!("{act} {GAINS} (:gain (?p - role) 50 (over))"), "(over)", "goals"),
    ] {
        let refusal = match solve(&duel(&rest, goal), &SolveOptions::default()) {
            Err(SolveError::Refused(refusal)) => refusal,
            other => panic!("{rest}: {:?}", other.map(|outcome| outcome.states)),
        };
        assert_eq!(refusal.code, code, "{rest}");
        assert!(!refusal.state.is_empty(), "{rest}");
    }
}

/// Nothing hangs on the name of a predicate: without roles `control` is one like any other.
#[test]
fn turns_need_the_type_of_players() {
    for (types, control, objects) in [
        ("", "(control ?d)", "a"),
        ("(:types device)", "(control ?d - device)", "a - device"),
        ("(:types role)", "(control ?d)", "a"),
        ("(:types role)", "(control ?d)", "a - role"),
        ("(:types role)", "(control ?d ?e)", "a b - role"),
        ("(:types role device)", "(control ?d - device)", "a - device b c - role"),
    ] {
        let text = format!(
            "(define (domain d) {types} (:predicates {control} (open ?d)) (:action act :parameters (?d) :effect (open ?d)))
             (define (problem p) (:objects {objects}) (:init) (:goal (open a)))"
        );
        let game = game(&Source::new("p.gddl", text.as_bytes()));
        assert_eq!(game.roles.len(), 1, "{text}");
        let outcome = solve(&game, &SolveOptions::default()).expect("a plan");
        assert_eq!(outcome.solution.expect("values were asked for").value, Some(vec![100]), "{text}");
    }
}

/// With several roles and gains it says who is to blame.
#[test]
fn players_without_turns_are_refused() {
    for (control, code) in
        [("", "missing-control"), ("(control ?p ?q)", "control-arity"), ("(control)", "control-arity")]
    {
        let text = format!(
            "(define (domain d) (:types role) (:constants x o - role) (:predicates (over) {control})
               (:action act :effect (over)) (:gain (?p - role) 50 (over)))
             (define (problem p) (:domain d) (:init) (:goal (over)))"
        );
        let (_, findings) = game::rules::gddl::program(&Source::new("p.gddl", text.as_bytes()));
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&code), "{text}: {codes:?}");
    }
}

/// Predicates of one name with other numbers of arguments, and actions of one name, stay apart.
#[test]
fn what_shares_a_name_stays_apart() {
    let text = "(define (domain d) (:predicates (at ?x) (at ?x ?y) (never))
        (:action go :parameters (?x) :precondition (at ?x) :effect (and (not (at ?x)) (at ?x ?x)))
        (:action go :parameters (?x) :precondition (at ?x) :effect (at ?x b)))
      (define (problem p) (:objects a b) (:init (at a) (at a b)) (:goal (never)))";
    let program = program(&Source::new("p.gddl", text.as_bytes()));
    let found: Vec<(String, Vec<String>)> =
        successors(&program).into_iter().map(|(name, after)| (name, after.into_iter().collect())).collect();
    let expected = [("(go a)", vec!["(at a a)", "(at a b)"]), ("(go-2 a)", vec!["(at a b)", "(at a)"])];
    let expected = expected.map(|(name, after)| (name.to_owned(), after.into_iter().map(str::to_owned).collect()));
    assert_eq!(found, expected);
}

#[test]
fn an_owner_may_have_two_names_but_there_is_one() {
    let game = |precondition: &str| {
        format!(
            "(define (domain d) (:requirements :adl) (:types role) (:constants red blue - role)
               (:predicates (control ?r - role) (done))
               (:action go :parameters (?r - role) :precondition (and {precondition}) :effect (done))
               (:gain (?r - role) 50 (done)))
             (define (problem p) (:domain d) (:init (control red)) (:goal (done)))"
        )
    };
    let codes = |precondition: &str| -> Vec<&str> {
        let text = game(precondition);
        let (_, diagnostics) = game::rules::Language::Gddl.program(&Source::new("p.gddl", text.as_bytes()));
        diagnostics.iter().map(|finding| finding.code).filter(|&code| code == "two-owners").collect()
    };
    assert!(codes("(control ?r) (= ?r red) (control red)").is_empty());
    assert!(codes("(control red) (= red ?r) (control ?r)").is_empty());
    assert_eq!(codes("(control ?r) (= ?r red) (control blue)"), ["two-owners"]);
    assert_eq!(codes("(control ?r) (control red)"), ["two-owners"]);
}

/// The conditions of a derived predicate that is divided, and those of the goal, have names of their own.
#[test]
fn parts_of_conditions_have_names_that_nothing_else_has() {
    let letters = ["a", "b", "c", "d"].map(|letter| [1, 2, 3].map(|number| format!("({letter}{number})")).join(" "));
    let derived = |name: &str| {
        let parts: String = letters.iter().map(|letters| format!("(or {letters})")).collect();
        format!("(:derived ({name}) (and {parts}))")
    };
    let switch = "(:action switch :precondition (not (b1)) :effect (b1))";
    let part = "(:action part :precondition (not (d1)) :effect (and (a1) (when (not (exists (?y) (w ?y))) (d2))))";
    for name in ["reached", "some", "other"] {
        for (actions, states, ends) in
            [(switch.to_owned(), 2u32, true), (format!("{part} {}", switch.replace("(b1)", "(c1)")), 4, false)]
        {
            let text = format!(
                "(define (domain d) (:requirements :adl :derived-predicates)
                   (:predicates {} (w ?x) (never) ({name})) {} {actions})
                 (define (problem p) (:domain d) (:goal (never)))",
                letters.join(" "),
                derived(name)
            );
            let found = solve(&game(&Source::new("p.gddl", text.as_bytes())), &SolveOptions::default()).unwrap();
            let value = found.solution.expect("it is small").value;
            // Nothing reaches the goal: play ends where no action is possible, or goes on.
            assert_eq!((found.states, value), (states.into(), ends.then(|| vec![0])), "{name}, {actions}");
        }
    }
}

#[test]
fn equal_conditions_of_a_rule_are_one() {
    let conditions = "(at a) ".repeat(1000) + "(not (at b)) (not (at b))";
    let text = format!(
        "(define (domain d) (:requirements :adl) (:predicates (at ?x))
           (:action go :precondition (and {conditions}) :effect (at b)))
         (define (problem p) (:domain d) (:objects a b) (:init (at a)) (:goal (at b)))"
    );
    let program = program(&Source::new("p.gddl", text.as_bytes()));
    let found = ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().statistics;
    assert!(found.rules.iter().all(|rule| rule.steps < 20), "{:?}", found.rules);
}

/// In a planning task, a type `role` and a predicate `control` may have their names by chance.
#[test]
fn without_gains_control_is_a_predicate_like_any_other() {
    let text = "(define (domain d) (:requirements :strips :typing) (:types role room) (:constants a b - room)
        (:predicates (control ?x - role) (in ?r - room))
        (:action grab :parameters (?x - role) :precondition (in a) :effect (control ?x))
        (:action go :parameters (?a ?b - room) :precondition (in ?a) :effect (and (in ?b) (not (in ?a)))))
      (define (problem p) (:domain d) (:objects boss - role) (:init (in a)) (:goal (and (control boss) (in b))))";
    let (found, diagnostics) = Language::Gddl.program(&Source::new("p.gddl", text.as_bytes()));
    assert!(diagnostics.iter().any(|finding| finding.code == "ordinary-role"), "{diagnostics:?}");
    let names: Vec<String> = successors(&found.unwrap()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["(go a a)", "(go a b)", "(grab boss)"]);
    let found = solve(&game(&Source::new("p.gddl", text.as_bytes())), &SolveOptions::default()).unwrap();
    assert_eq!(found.solution.unwrap().value, Some(vec![100]));
}
