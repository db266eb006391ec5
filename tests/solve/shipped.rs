//! The shipped games against published and recomputed results.

use crate::common::compare::{assert_algorithms_agree, assert_algorithms_agree_within, solve};
use crate::common::layers::{CLOBBER_4X5, PEG, PEG_REWARDS};
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solve::{Algorithm, ExpansionChoice, Order, Outcome, SolveOptions};

fn outcome(name: &str, options: SolveOptions) -> Outcome {
    let file = crate::common::shipped(&format!("{name}.gdl"));
    solve(&crate::common::ground_file(&file), &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All algorithms, with lines of play, against brute force; under both models. Gives the names of those that took it.
fn algorithms(name: &str) -> Vec<&'static str> {
    let file = crate::common::shipped(&format!("{name}.gdl"));
    let game = crate::common::ground_file(&file);
    let took = OpponentModel::ALL.map(|model| assert_algorithms_agree_within(20_000, name, &game, model, 1));
    assert_eq!(took[0], took[1], "{name}: a model decides who takes it");
    took[0].iter().copied().collect()
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

/// Nodes of all layers with the order that the search finds over those with the order of the rules.
fn nodes_by_search(name: &str) -> f64 {
    let nodes = |order: Order| -> u64 {
        let outcome = outcome(name, SolveOptions { count_only: true, order, ..SolveOptions::default() });
        outcome.layers.iter().map(|layer| layer.nodes).sum()
    };
    nodes(Order::Search) as f64 / nodes(Order::Rules) as f64
}

#[test]
fn the_order_that_is_found_is_hardly_worse_than_that_of_the_rules() {
    for (name, most) in [("clobber", 0.75), ("connect4_5x5", 0.8), ("connect4_5x4", 0.8), ("connect4_7x4", 1.05)] {
        let ratio = nodes_by_search(name);
        assert!(ratio <= most, "{name}: {ratio:.3} of the nodes");
    }
}

/// A minute: what is best in the first layers is worse by half in all of them.
#[test]
#[ignore = "takes a minute"]
fn the_order_of_the_first_layers_is_not_that_of_a_large_game() {
    let ratio = nodes_by_search("connect4_7x5");
    assert!(ratio <= 1.05, "{ratio:.3} of the nodes");
}

/// Three players: states, value, brute force by every engine and algorithm under both models.
#[test]
fn games_of_three_players() {
    for (name, states, value) in
        [("nim3", 332u32, [100, 0, 0]), ("nim3_ranked", 1508, [0, 50, 100]), ("clobber3_3x3", 1039, [50, 100, 0])]
    {
        let outcome = outcome(name, SolveOptions::default());
        let solution = outcome.solution.as_ref().expect("values were asked for");
        assert_eq!((&outcome.states, &solution.value), (&states.into(), &Some(value.to_vec())), "{name}");
        assert!(outcome.turn_taking && outcome.alternating, "{name}");
        let game = crate::common::ground_file(&crate::common::shipped(&format!("{name}.gdl")));
        for model in OpponentModel::ALL {
            // The reward matrix may start over for longer than a test waits.
            let took = assert_algorithms_agree(name, &game, model, 1);
            assert!(took.contains("global") && took.contains("layered"), "{name}: {took:?}");
        }
    }
    for (name, states, value) in [("tictactoe3", 26_930u32, [33, 33, 33]), ("clobber3_3x4", 29_041, [100, 0, 50])] {
        let game = crate::common::ground_file(&crate::common::shipped(&format!("{name}.gdl")));
        for model in OpponentModel::ALL {
            let options = SolveOptions { opponent_model: model, ..SolveOptions::default() };
            let expected = crate::common::explicit::solve(&game, model, 100_000).unwrap();
            for expansion in [ExpansionChoice::Relations, ExpansionChoice::States] {
                let outcome = outcome(name, SolveOptions { expansion, ..options.clone() });
                assert_eq!(outcome.states, states.into(), "{name}");
                let solution = outcome.solution.as_ref().expect("values were asked for");
                let found: Vec<_> = (solution.buckets.iter())
                    .map(|bucket| (bucket.rewards.clone().expect("play ends"), bucket.states.clone()))
                    .collect();
                let histogram: Vec<_> =
                    expected.histogram().into_iter().map(|(value, states)| (value, states.into())).collect();
                assert_eq!(found, histogram, "{name}, {expansion:?}");
                assert_eq!(solution.value.as_deref(), Some(expected.initial_value()), "{name}");
                assert!(model != OpponentModel::MaxOwn || solution.value == Some(value.to_vec()), "{name}");
            }
        }
    }
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
    let own = assert_solved("clobber", 26_787_440, Some(356_493), [30, 0]);
    assert_eq!(layers(&own), CLOBBER_4X5);
    let difference = SolveOptions { opponent_model: OpponentModel::MaxDiff, ..SolveOptions::default() };
    assert_eq!(outcome("clobber", difference).solution.expect("values were asked for").value, Some(vec![30, 0]));
}

#[test]
#[ignore = "takes minutes"]
fn peg_by_best_reward() {
    let outcome = outcome("peg", SolveOptions::default());
    assert_eq!(outcome.states, BigUint::from(187_636_299u32));
    assert_eq!(outcome.terminal_states, BigUint::from(162_352u32));
    assert_eq!(layers(&outcome), PEG);
    let buckets = outcome.solution.expect("values were asked for").buckets;
    let buckets: Vec<(u64, u64)> = buckets
        .iter()
        .map(|b| (b.rewards.as_ref().expect("play is finite")[0].into(), u64::try_from(&b.states).expect("small")))
        .collect();
    assert_eq!(buckets, PEG_REWARDS);
}

/// Values where layers may overlap: the layered states are counted apart.
fn assert_value(outcome: &Outcome, states: u64, layer_states: u64, value: &[u8]) {
    assert_eq!(outcome.states, BigUint::from(states));
    assert_eq!(outcome.layer_states, BigUint::from(layer_states));
    assert_eq!(outcome.solution.as_ref().expect("values were asked for").value.as_deref(), Some(value));
}

fn solved(name: &str) -> Outcome {
    outcome(name, SolveOptions::default())
}

#[test]
fn all_algorithms_agree_on_small_games() {
    // Not `nim40`: its moves repay only after many others, for which the matrix takes hours.
    for name in ["clobber_1x6", "tictactoe"] {
        assert_eq!(algorithms(name), ["classic", "global", "layered", "matrix"], "{name}");
    }
    for name in ["blocks", "hanoi"] {
        assert_eq!(algorithms(name), ["global", "layered", "matrix"], "{name} has one player");
    }
    assert_eq!(algorithms("chomp_8x7"), ["classic", "global", "layered"], "too large for the matrix");
    assert_eq!(algorithms("clobber_3x4"), ["global", "layered"], "general rewards, too large for the matrix");
}

#[test]
#[ignore = "the matrix takes a minute"]
fn all_algorithms_agree_on_minichess() {
    assert_eq!(algorithms("minichess"), ["classic", "global", "layered", "matrix"]);
}

#[test]
fn blocks_world() {
    assert_value(&solved("blocks"), 16, 16, &[100]);
}

#[test]
fn minichess() {
    assert_solved("minichess", 4576, Some(1527), [100, 0]);
}

#[test]
fn chomp_and_nim_in_overlapping_layers() {
    let chomp = solved("chomp_8x7");
    assert_value(&chomp, 12_868, 162_591, &[100, 0]);
    assert_eq!(chomp.layers.len(), 57);
    let layered = SolveOptions { algorithm: Some(Algorithm::Layered), ..SolveOptions::default() };
    let nim = outcome("nim4", layered);
    assert_value(&nim, 149_042, 2_179_905, &[0, 100]);
    assert_eq!(nim.layers.len(), 65);
}

#[test]
fn states_that_relations_find_in_many_layers_are_solved_once() {
    for (name, states, value, distances) in [("nim4", 149_042, [0, 100], 6), ("chomp_10x10", 369_510, [100, 0], 12)] {
        let all = solved(name);
        assert_value(&all, states, states, &value);
        assert_eq!((all.algorithm, all.layers.len(), all.cycle.is_some()), (Algorithm::Global, distances, false));
        let diagrams = SolveOptions { count_only: true, ..SolveOptions::default() };
        assert_eq!(outcome(name, diagrams).algorithm, Algorithm::Layered, "{name}: counts need no values");
    }
}

#[test]
fn catch_a_mouse() {
    let outcome = assert_solved("catchamouse", 551_257_781_148, Some(279_701_687_823), [100, 0]);
    assert_eq!(layers(&outcome)[..7], [1, 49, 98, 2352, 4800, 73_696, 115_150]);
}

#[test]
#[ignore = "takes a minute"]
fn large_chomp() {
    let layered = SolveOptions { algorithm: Some(Algorithm::Layered), ..SolveOptions::default() };
    let chomp = outcome("chomp_10x10", layered);
    assert_value(&chomp, 369_510, 8_498_776, &[100, 0]);
    assert_eq!(chomp.layers.len(), 101);
}

#[test]
#[ignore = "takes a minute"]
fn number_tictactoe() {
    let outcome = assert_solved("numbertictactoe", 9_003_966, Some(2_240_200), [100, 0]);
    assert_eq!(layers(&outcome), [1, 45, 1440, 20160, 181440, 907200, 2372736, 3550400, 1646472, 324072]);
}

#[test]
#[ignore = "takes a minute"]
fn sheep_and_wolf() {
    let outcome = assert_solved("sheepandwolf", 783_163, Some(76_718), [0, 100]);
    assert_eq!(outcome.layers.len(), 55);
}

#[test]
#[ignore = "takes minutes"]
fn chinese_checkers_by_difference() {
    let options = SolveOptions { opponent_model: OpponentModel::MaxDiff, ..SolveOptions::default() };
    let outcome = outcome("chinesecheckers2", options);
    assert_value(&outcome, 94_092_010, 94_092_010, &[50, 50]);
    assert_eq!((outcome.layers.len(), layers(&outcome)[39]), (40, 3_479_190));
}

#[test]
#[ignore = "takes a minute"]
fn fifteen_puzzle() {
    assert_value(&solved("fifteenpuzzle"), 4_662_850, 4_662_850, &[100]);
}

#[test]
#[ignore = "takes half an hour"]
fn the_full_board_is_counted() {
    assert_eq!(count("connect4_7x6").states, BigUint::from(4_531_985_219_092u64));
}
