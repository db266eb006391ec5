//! Grounding by demand against grounding without: the same fluents, moves and values, on random rulesheets with
//! recursive relations and negation, and on ones written by hand.

mod common;

use base::limits::Limits;
use common::explicit::solve;
use common::sample::random_recursive_game;
use game::ground::{Demand, GroundOptions, Grounding, ground};
use game::propositional::Game;
use game::reward::OpponentModel;
use game::rules::Program;

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
        let program = common::program(&format!("recursive{seed}.gdl"), text.as_bytes());
        let (without, all) = compare(&text, &program);
        restricted += usize::from(!all.statistics.restricted.is_empty());
        fewer += usize::from(all.statistics.instances < without.statistics.instances);
        negated += usize::from(text.contains("(not (r"));
    }
    println!("{restricted} restricted, {fewer} with fewer instances, {negated} with negated relations");
    assert!(restricted > 800 && fewer > 500 && negated > 500);
}
