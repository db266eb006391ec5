//! The shipped games against published and recomputed results.

mod common;

use common::compare::solve;
use ggsolve::reward::OpponentModel;
use ggsolve::solve::{Outcome, SolveOptions};
use num_bigint::BigUint;
use std::path::Path;

fn outcome(name: &str, options: SolveOptions) -> Outcome {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("gdl");
    solve(&common::ground_file(&file), &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn count(name: &str) -> Outcome {
    outcome(name, SolveOptions { count_only: true, ..SolveOptions::default() })
}

/// States of each layer.
fn layers(outcome: &Outcome) -> Vec<u64> {
    outcome.layers.iter().map(|layer| u64::try_from(&layer.states).expect("a small layer")).collect()
}

/// Distinct states, terminal states and value; layers are disjoint and players alternate.
fn assert_solved(name: &str, states: u64, terminal: Option<u64>, value: [u8; 2]) -> Outcome {
    let outcome = outcome(name, SolveOptions::default());
    assert_eq!(outcome.states, BigUint::from(states), "{name}: states");
    assert_eq!(outcome.layer_states, outcome.states, "{name}: disjoint layers");
    assert!(outcome.progress_measure && outcome.turn_taking && outcome.alternating, "{name}");
    if let Some(terminal) = terminal {
        assert_eq!(outcome.terminal_states, BigUint::from(terminal), "{name}: terminal states");
    }
    let solution = outcome.solution.as_ref().expect("values were asked for");
    assert_eq!(solution.value, Some(value.to_vec()), "{name}: value");
    assert_eq!(solution.buckets.iter().map(|b| &b.states).sum::<BigUint>(), outcome.states, "{name}: buckets");
    outcome
}

#[test]
fn tictactoe() {
    let outcome = assert_solved("tictactoe", 5478, Some(958), [50, 50]);
    assert_eq!(layers(&outcome), [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
}

#[test]
fn clobber_of_one_row() {
    let outcome = assert_solved("clobber_1x6", 28, Some(11), [0, 100]);
    assert_eq!(layers(&outcome), [1, 5, 12, 6, 4]);
}

#[test]
fn clobber_of_three_rows() {
    let outcome = assert_solved("clobber_3x4", 13_343, Some(996), [0, 40]);
    assert_eq!(layers(&outcome), [1, 17, 204, 794, 2232, 3219, 3655, 1990, 998, 173, 60]);
}

#[test]
fn small_connect_four() {
    assert_solved("connect4_4x4", 161_029, None, [50, 50]);
    assert_solved("connect4_4x5", 1_706_255, None, [50, 50]);
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn connect_four_up_to_five_columns_and_rows() {
    assert_solved("connect4_5x4", 3_945_711, None, [50, 50]);
    assert_solved("connect4_5x5", 69_763_700, None, [50, 50]);
    assert_solved("connect4_6x4", 94_910_577, None, [0, 100]);
}

#[test]
#[ignore = "takes minutes"]
fn connect_four_of_billions_of_states() {
    assert_solved("connect4_5x6", 1_044_334_437, None, [50, 50]);
    assert_solved("connect4_6x5", 2_818_972_642, None, [50, 50]);
    assert_solved("connect4_7x4", 2_265_792_710, None, [50, 50]);
}

#[test]
#[ignore = "takes a minute"]
fn clobber_of_four_rows_under_both_models() {
    let expected = [
        1, 31, 790, 7937, 64672, 275550, 1001484, 2246304, 4422566, 5542585, 5930954, 3987558, 2210054, 792819, 242120,
        51468, 9187, 1256, 96, 8,
    ];
    let own = assert_solved("clobber", 26_787_440, Some(356_493), [30, 0]);
    assert_eq!(layers(&own), expected);
    let difference = SolveOptions { opponent_model: OpponentModel::MaxDiff, ..SolveOptions::default() };
    assert_eq!(outcome("clobber", difference).solution.expect("values were asked for").value, Some(vec![30, 0]));
}

#[test]
#[ignore = "takes minutes"]
fn peg_by_best_reward() {
    let outcome = outcome("peg", SolveOptions::default());
    assert_eq!(outcome.states, BigUint::from(187_636_299u32));
    assert_eq!(outcome.terminal_states, BigUint::from(162_352u32));
    let expected = [
        1, 4, 12, 60, 296, 1338, 5648, 21842, 77559, 249690, 717788, 1834379, 4138302, 8171208, 14020166, 20773236,
        26482824, 28994876, 27286330, 22106348, 15425572, 9274496, 4792664, 2120101, 800152, 255544, 68236, 14727,
        2529, 334, 32, 5,
    ];
    assert_eq!(layers(&outcome), expected);
    let buckets = outcome.solution.expect("values were asked for").buckets;
    let buckets: Vec<(u8, u64)> = buckets
        .iter()
        .map(|b| (b.rewards.as_ref().expect("play is finite")[0], u64::try_from(&b.states).expect("small")))
        .collect();
    let expected = [
        (0, 116_057),
        (10, 228_492),
        (20, 572_871),
        (30, 1_305_817),
        (40, 3_169_848),
        (50, 7_233_160),
        (60, 12_869_577),
        (70, 41_976_387),
        (80, 39_688_157),
        (90, 67_047_807),
        (99, 4),
        (100, 13_428_122),
    ];
    assert_eq!(buckets, expected);
}

#[test]
#[ignore = "takes half an hour"]
fn the_full_board_is_counted() {
    assert_eq!(count("connect4_7x6").states, BigUint::from(4_531_985_219_092u64));
}
