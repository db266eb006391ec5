//! The games that are shipped in both languages have the same solution.

use crate::common::compare::solve;
use crate::{common, game};
use game::diagnostic::Source;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solve::{Outcome, SolveOptions};

/// States, terminal states and values of every layer; gives the number of states. The figures of the games in GDL are compared with published ones in
/// `tests/solve/shipped.rs`.
fn assert_same(name: &str) -> BigUint {
    let text = std::fs::read(common::shipped(&format!("{name}.gddl"))).expect("the game can be read");
    let gddl = game(&Source::new(name, &text));
    let gdl = common::ground_file(&common::shipped(&format!("{name}.gdl")));
    assert_eq!(gddl.roles, gdl.roles, "{name}");
    let mut states = BigUint::ZERO;
    for opponent_model in OpponentModel::ALL.into_iter().take(gdl.roles.len()) {
        let options = SolveOptions { opponent_model, ..SolveOptions::default() };
        let [one, other] =
            [&gdl, &gddl].map(|game| solve(game, &options).unwrap_or_else(|error| panic!("{name}: {error}")));
        let layers = |outcome: &Outcome| -> Vec<_> {
            let layer = |layer: &solving::solve::LayerOutcome| {
                let buckets = layer.buckets.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone()));
                (layer.states.clone(), layer.terminal.clone(), buckets.collect::<Vec<_>>())
            };
            outcome.layers.iter().map(layer).collect()
        };
        assert_eq!(layers(&one), layers(&other), "{name} under {}", opponent_model.name());
        let value = |outcome: Outcome| outcome.solution.expect("values were asked for").value;
        assert_eq!((&one.states, &one.terminal_states), (&other.states, &other.terminal_states), "{name}");
        states.clone_from(&one.states);
        assert_eq!(value(one), value(other), "{name}");
    }
    states
}

#[test]
fn small_games() {
    assert_same("tictactoe");
    assert_same("clobber_1x6");
    assert_same("clobber_3x4");
    assert_same("nim40");
    assert_same("hanoi");
}

#[test]
fn connect_four() {
    assert_same("connect4_4x4");
}

#[test]
#[ignore = "takes minutes"]
fn large_games() {
    assert_same("connect4_5x5");
    assert_same("clobber");
}

/// The states are those that a public rulesheet of the same puzzle has.
#[test]
#[ignore = "takes minutes"]
fn eight_puzzle() {
    assert_eq!(assert_same("eightpuzzle"), BigUint::from(3_590_984u32));
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn peg() {
    assert_same("peg");
}
