//! The games that are shipped in both languages have the same solution.

use crate::common::compare::solve;
use crate::{common, game};
use ggsolve::diagnostic::Source;
use ggsolve::reward::OpponentModel;
use ggsolve::solve::{Outcome, SolveOptions};
use num_bigint::BigUint;
use std::path::{Path, PathBuf};

fn file(name: &str, extension: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension(extension)
}

/// States, terminal states and values of every layer, and the value of the game.
fn assert_same(name: &str, states: u64, value: &[u8]) {
    let text = std::fs::read(file(name, "gddl")).expect("the game can be read");
    let gddl = game(&Source::new(name, &text));
    let gdl = common::ground_file(&file(name, "gdl"));
    assert_eq!(gddl.roles, gdl.roles, "{name}");
    for opponent_model in OpponentModel::ALL.into_iter().take(gdl.roles.len()) {
        let options = SolveOptions { opponent_model, ..SolveOptions::default() };
        let [one, other] =
            [&gdl, &gddl].map(|game| solve(game, &options).unwrap_or_else(|error| panic!("{name}: {error}")));
        let layers = |outcome: &Outcome| -> Vec<_> {
            let layer = |layer: &ggsolve::solve::LayerOutcome| {
                let buckets = layer.buckets.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone()));
                (layer.states.clone(), layer.terminal.clone(), buckets.collect::<Vec<_>>())
            };
            outcome.layers.iter().map(layer).collect()
        };
        assert_eq!(layers(&one), layers(&other), "{name} under {}", opponent_model.name());
        assert_eq!((&one.states, &other.states), (&BigUint::from(states), &BigUint::from(states)), "{name}");
        for outcome in [one, other] {
            assert_eq!(outcome.solution.expect("values were asked for").value.as_deref(), Some(value), "{name}");
        }
    }
}

#[test]
fn small_games() {
    assert_same("tictactoe", 5_478, &[50, 50]);
    assert_same("clobber_1x6", 28, &[0, 100]);
    assert_same("clobber_3x4", 13_343, &[0, 40]);
    assert_same("nim40", 80, &[0, 100]);
    assert_same("hanoi", 2_753, &[100]);
}

#[test]
fn connect_four() {
    assert_same("connect4_4x4", 161_029, &[50, 50]);
}

#[test]
#[ignore = "takes minutes"]
fn large_games() {
    assert_same("connect4_5x5", 69_763_700, &[50, 50]);
    assert_same("clobber", 26_787_440, &[30, 0]);
}

/// The states are those that a public rulesheet of the same puzzle has.
#[test]
#[ignore = "takes minutes"]
fn eight_puzzle() {
    assert_same("eightpuzzle", 3_590_984, &[100]);
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn peg() {
    assert_same("peg", 187_636_299, &[100]);
}
