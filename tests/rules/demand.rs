//! Grounding by demand against grounding without: the same fluents, moves and values, on random rulesheets with
//! recursive relations and negation, and on ones written by hand.

use crate::common::explicit::solve;
use crate::common::sample::random_recursive_game;
use base::limits::Limits;
use game::ground::{Demand, GroundOptions, Grounding, ground};
use game::propositional::Game;
use game::reward::OpponentModel;
use game::rules::Program;
use std::fmt::Write;

fn grounded(program: &Program, options: &GroundOptions) -> Grounding {
    ground(program, &Limits::unlimited(), options).expect("the program can be grounded")
}

fn with(demand: Demand) -> GroundOptions {
    GroundOptions { demand, ..GroundOptions::default() }
}

/// Fluents, those that hold initially, and moves.
fn outline(game: &Game) -> (Vec<String>, Vec<bool>, Vec<String>) {
    let moves = game.moves.iter().map(|m| format!("{} {} {}", m.role.index(), m.term, m.cost));
    (game.fluents.iter().map(ToString::to_string).collect(), game.init.clone(), moves.collect())
}

/// Compares a program grounded without demand, with all of it, and by a strategy whose rules exceed their budget at once.
/// Returns the first two.
fn compare(name: &str, program: &Program) -> (Grounding, Grounding) {
    let (without, all) = (grounded(program, &with(Demand::None)), grounded(program, &with(Demand::All)));
    let tried = grounded(program, &GroundOptions { budget: 40, ..GroundOptions::default() });
    let expected = solve(&without.game, OpponentModel::MaxOwn, 100_000);
    for (how, other) in [("all", &all), ("tried", &tried)] {
        assert_eq!(outline(&without.game), outline(&other.game), "{name}, {how}");
        assert_eq!(without.constant, other.constant, "{name}, {how}");
        match (&expected, solve(&other.game, OpponentModel::MaxOwn, 100_000)) {
            (Ok(expected), Ok(found)) => {
                assert_eq!(expected.layer_states(), found.layer_states(), "{name}, {how}");
                assert_eq!(expected.histogram(), found.histogram(), "{name}, {how}");
            }
            (Err(expected), Err(found)) => assert_eq!(format!("{expected:?}"), format!("{found:?}"), "{name}, {how}"),
            _ => panic!("{name}, {how}: one of them cannot be solved"),
        }
    }
    (without, all)
}

#[test]
fn random_rulesheets_are_the_same_with_and_without_demand() {
    let (mut restricted, mut fewer, mut negated) = (0, 0, 0);
    for seed in 0..1000 {
        let text = random_recursive_game(seed);
        let program = crate::common::program(&format!("recursive{seed}.gdl"), text.as_bytes());
        let (without, all) = compare(&text, &program);
        restricted += usize::from(!all.statistics.restricted.is_empty());
        fewer += usize::from(all.statistics.instances < without.statistics.instances);
        negated += usize::from(text.contains("(not (r"));
    }
    println!("{restricted} restricted, {fewer} with fewer instances, {negated} with negated relations");
    assert!(restricted > 800 && fewer > 500 && negated > 500);
}

/// A counter over a chain of points, as nine men's morris has one: its numbers are bound where it is used, and no rule
/// binds them within.
fn counter(points: usize, numbers: usize) -> String {
    let mut text = String::from(
        "(role a) (init (at p0)) (<= (legal a (flip ?x)) (point ?x)) (<= (flipped ?x) (does a (flip ?x)))
         (<= (next (at ?x)) (flipped ?x)) (<= (next (at ?x)) (true (at ?x)) (not (flipped ?x)))
         (<= terminal (count 3 ?b)) (<= (goal a 100) (count 3 ?b)) (<= (goal a 0) (not (count 3 0)))
         (<= (count ?w ?b) (loop p0 0 0 ?w ?b))
         (<= (loop ?x ?w1 ?b1 ?w ?b) (one ?x ?w1 ?b1 ?w ?b) (last ?x))
         (<= (loop ?x ?w1 ?b1 ?w ?b) (one ?x ?w1 ?b1 ?w2 ?b2) (after ?x ?y) (loop ?y ?w2 ?b2 ?w ?b))
         (<= (one ?x ?w1 ?b ?w ?b) (true (at ?x)) (succ ?w1 ?w) (number ?b))
         (<= (one ?x ?w ?b1 ?w ?b) (not (true (at ?x))) (point ?x) (succ ?b1 ?b) (number ?w))\n",
    );
    for point in 0..points {
        text += &format!("(point p{point}) (after p{point} p{})\n", point + 1);
    }
    text += &format!("(last p{})\n", points - 1);
    for number in 0..numbers {
        text += &format!("(number {number}) (succ {number} {})\n", number + 1);
    }
    text
}

#[test]
fn a_counter_is_made_for_the_numbers_that_are_asked() {
    let small = crate::common::program("counter.kif", counter(5, 8).as_bytes());
    let (without, all) = compare("counter", &small);
    assert!(4 * all.statistics.instances < without.statistics.instances);
    let restricted = &all.statistics.restricted;
    let counted = restricted.iter().find(|relation| relation.name == "loop").expect("it is restricted");
    assert_eq!(counted.bound, [true, true, true, true, false], "all uses count to 3");
    assert!(counted.demanded > 0 && counted.made > 0);

    let large = crate::common::program("counter.kif", counter(16, 40).as_bytes());
    // By its budget, or as the bound is reached before.
    for budget in [20_000, GroundOptions::default().budget] {
        let limited = GroundOptions { instances: 50_000, budget, ..GroundOptions::default() };
        let found = grounded(&large, &limited).statistics;
        assert!(found.restarts > 0 && found.instances < 10_000, "{found:?}");
    }
    let limited = GroundOptions { instances: 50_000, ..GroundOptions::default() };
    let error = ground(&large, &Limits::unlimited(), &GroundOptions { demand: Demand::None, ..limited }).unwrap_err();
    let finding = error.finding().expect("a rule is to blame");
    assert!(finding.message.contains("values in") && finding.message.contains("atoms of one"), "{}", finding.message);
    assert!(finding.advice.expect("there is a way out").contains("bind ?"));
}

/// A row of cells that is good if it has each digit once. Whether it does is told by relations over all digits of the row,
/// which do not depend on the state.
fn row(cells: usize) -> String {
    let mut text = String::from(
        "(role a) (<= (legal a (put ?c ?d)) (index ?c) (index ?d) (not (filled ?c))) (<= (filled ?c) (true (cell ?c ?d)))
         (<= (next (cell ?c ?d)) (does a (put ?c ?d))) (<= (next (cell ?c ?d)) (true (cell ?c ?d)))
         (<= open (index ?c) (not (filled ?c))) (<= terminal (not open)) (<= (goal a 100) good) (<= (goal a 0) (not good))\n",
    );
    let digits: Vec<String> = (1..=cells).map(|cell| format!("?d{cell}")).collect();
    let all = digits.join(" ");
    text += "(<= good (first 1 ?d1) (distinct ?d1 7) (not (true (cell 1 7)))";
    for cell in 2..=cells {
        write!(text, " (true (cell {cell} ?d{cell}))").unwrap();
    }
    (1..=cells).for_each(|digit| write!(text, " (once {digit} {all})").unwrap());
    text += ") (<= (first ?c ?d) (true (cell ?c ?d)))\n";
    for place in 0..cells {
        let mut moved = digits.clone();
        let first = moved.remove(place);
        writeln!(text, "(<= (once ?d {all}) (here ?d {first} {}))", moved.join(" ")).unwrap();
    }
    write!(text, "(<= (here ?d {all}) (same ?d ?d1)").unwrap();
    (2..=cells).for_each(|cell| write!(text, " (index ?d{cell}) (not (same ?d ?d{cell}))").unwrap());
    text += ")\n";
    (1..=cells).for_each(|digit| writeln!(text, "(index {digit}) (same {digit} {digit})").unwrap());
    text
}

#[test]
fn large_relations_that_do_not_depend_on_the_state_become_diagrams() {
    for cells in [3, 4] {
        let program = crate::common::program("row.kif", row(cells).as_bytes());
        compare(&format!("a row of {cells}"), &program);
        let tried = grounded(&program, &GroundOptions { budget: 40, ..GroundOptions::default() });
        assert_eq!(tried.statistics.folded, ["here", "once"]);
        assert_eq!(tried.warnings.len(), 0, "{:?}", tried.warnings);
    }
    // The relation `here` has 9 times as many atoms as there are rows of 9 digits, 387,420,489, less those with two.
    let large = crate::common::program("row.kif", row(9).as_bytes());
    let few = GroundOptions { instances: 10_000, budget: 5_000, ..GroundOptions::default() };
    let grounding = grounded(&large, &few);
    assert_eq!((grounding.game.fluents.len(), grounding.game.moves.len()), (81, 81));
    assert!(grounding.statistics.instances > 1 << 9, "a node for each set of digits");
}

#[test]
fn rules_that_nobody_asks_are_not_called_idle() {
    // The second rule of `near` is never asked, as no use binds its first argument to what it is about.
    let text = "(role a) (init (at 1)) (<= (legal a stay) (near 1 ?x)) (<= (next (at ?x)) (true (at ?x)))
        (<= (near 1 ?x) (true (at ?x))) (<= (near 2 ?x) (true (at ?x))) (<= terminal (near 1 1)) (<= (goal a 100) (role a))";
    let program = crate::common::program("asked.kif", text.as_bytes());
    let (without, all) = compare(text, &program);
    assert_eq!(without.warnings.len(), 0);
    assert_eq!(format!("{:?}", all.warnings), format!("{:?}", without.warnings));
}
