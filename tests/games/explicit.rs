//! Shipped and generated games by brute force: state counts, layers and values as published.

use super::common::explicit::{self, ExplicitSolution};
use super::common::layers::{CLOBBER_4X5, PEG};
use super::games;
use base::limits::Limits;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::interpreter::{Interpreter, State};
use game::propositional::Game;
use game::reward::OpponentModel;
use game::rules::gdl;
use std::collections::BTreeSet;

/// The propositional form of a rulesheet.
fn grounded(name: &str, rules: &[u8]) -> Game {
    let source = Source::new(name.to_owned(), rules);
    // The smallest boards have warnings: some of their relations are empty.
    let (program, diagnostics) = gdl::program(&source);
    let program = program.unwrap_or_else(|| panic!("{name}: {diagnostics:?}"));
    ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().game
}

/// The propositional form of what the generator prints.
pub fn game(arguments: &str) -> Game {
    grounded(arguments, games::shipped(arguments).unwrap().as_bytes())
}

/// The propositional form of a shipped file.
fn shipped(file: &str) -> Game {
    grounded(file, &std::fs::read(super::folder().join(file)).unwrap())
}

fn solve_game(game: &Game) -> ExplicitSolution {
    explicit::solve(game, OpponentModel::MaxOwn, 1_000_000).unwrap()
}

fn solve(arguments: &str) -> ExplicitSolution {
    solve_game(&game(arguments))
}

fn states_by_layer(solution: &ExplicitSolution) -> Vec<u64> {
    solution.layers.iter().map(|(count, _)| count.states).collect()
}

/// Sizes of the first layers.
fn first_layers(game: &Game, layers: usize) -> Vec<u64> {
    let interpreter = Interpreter::new(game);
    let mut layer: BTreeSet<State> = BTreeSet::from([interpreter.initial()]);
    let mut sizes = Vec::new();
    while sizes.len() < layers {
        sizes.push(layer.len() as u64);
        let mut next = BTreeSet::new();
        for state in &layer {
            let situation = interpreter.situation(state);
            if !situation.terminal {
                next.extend(situation.joint_moves().map(|moves| interpreter.successor(state, &moves)));
            }
        }
        layer = next;
    }
    sizes
}

#[test]
fn tictactoe() {
    let solution = solve("tictactoe 3 3 3");
    assert_eq!((solution.exploration.len(), solution.exploration.terminal_states()), (5478, 958));
    assert_eq!(solution.initial_value(), [50, 50]);
}

#[test]
fn clobber() {
    let solution = solve("clobber 1 6 zero-sum");
    assert_eq!(states_by_layer(&solution), [1, 5, 12, 6, 4]);
    assert_eq!((solution.exploration.terminal_states(), solution.initial_value()), (11, &[0, 100][..]));
    let solution = solve("clobber 3 4 20");
    assert_eq!(states_by_layer(&solution), [1, 17, 204, 794, 2232, 3219, 3655, 1990, 998, 173, 60]);
    assert_eq!((solution.exploration.terminal_states(), solution.initial_value()), (996, &[0, 40][..]));
    assert_eq!(solve("clobber 3 4 zero-sum").initial_value(), [0, 100]);
    assert_eq!(first_layers(&game("clobber 4 5 10"), 4), CLOBBER_4X5[..4]);
}

/// Whether the first player wins on one row of 2, 3, … cells.
#[test]
fn clobber_on_one_row() {
    for (columns, first_wins) in (2..).zip([true, true, true, false, false, false, true, true, true, false]) {
        let solution = solve(&format!("clobber 1 {columns} zero-sum"));
        let expected = if first_wins { [100, 0] } else { [0, 100] };
        assert_eq!(solution.initial_value(), expected, "{columns} cells");
    }
}

#[test]
fn peg() {
    assert_eq!(first_layers(&game("peg english"), 8), PEG[..8]);
    assert_eq!(solve("peg 3x3").initial_value(), [30]);
    assert_eq!(solve("peg 1x2").initial_value(), [99]);
}

/// Rewards on a square, compared with a count of the pegs that does not use the rules.
#[test]
fn peg_rewards_count_the_pegs() {
    let game = game("peg 4x4");
    assert_eq!(game.fluents.len(), 16, "every hole can change");
    let solution = explicit::solve(&game, OpponentModel::MaxOwn, 1_000_000).unwrap();
    let centre = game.fluents.iter().position(|fluent| fluent.to_string() == "(peg 2 2)").unwrap();
    for id in solution.exploration.ids().filter(|id| solution.exploration.terminal(*id)) {
        let pegs: Vec<usize> = solution.exploration.state(id).fluents().map(|fluent| fluent.index()).collect();
        let expected = match pegs.len() {
            1 if pegs == [centre] => 100,
            1 => 99,
            many => 110usize.saturating_sub(10 * many),
        };
        assert_eq!(usize::from(solution.value(id)[0]), expected);
    }
}

#[test]
fn connect_four() {
    let solution = solve("connect4 4 4");
    assert_eq!((solution.exploration.len(), solution.initial_value()), (161_029, &[50, 50][..]));
    assert!(solution.disjoint_layers && solution.alternating);
    // One row of three columns: only the order of the discs matters, and nobody can win.
    assert_eq!(solve("connect4 3 1").initial_value(), [50, 50]);
}

#[test]
fn nim_is_won_unless_the_sum_is_zero() {
    for heaps in [&[1][..], &[2, 2], &[1, 2, 3], &[1, 2, 4], &[3, 4, 5], &[1, 3, 5, 7]] {
        let sizes: Vec<String> = heaps.iter().map(|heap| heap.to_string()).collect();
        let solution = solve(&format!("nim {}", sizes.join(" ")));
        let expected = if heaps.iter().fold(0, |sum, heap| sum ^ heap) == 0 { [0, 100] } else { [100, 0] };
        assert_eq!(solution.initial_value(), expected, "{heaps:?}");
    }
}

#[test]
fn taking_matches_is_lost_on_multiples() {
    for matches in 1..=12 {
        let expected = if matches % 4 == 0 { [0, 100] } else { [100, 0] };
        assert_eq!(solve(&format!("take {matches} 3")).initial_value(), expected, "{matches} matches");
    }
    assert_eq!(solve("take 40 3").exploration.len(), 80);
}

#[test]
fn chomp_is_won_by_the_first_player() {
    assert_eq!(solve("chomp 1 1").initial_value(), [0, 100]);
    for size in ["1 3", "2 3", "3 4"] {
        assert_eq!(solve(&format!("chomp {size}")).initial_value(), [100, 0], "{size}");
    }
    let solution = solve("chomp 8 7");
    assert_eq!((solution.exploration.len(), solution.layer_states(), solution.layers.len()), (12_868, 162_591, 57));
}

#[test]
fn hex_is_won_by_the_first_player() {
    for size in 1..=3 {
        assert_eq!(solve(&format!("hex {size}")).initial_value(), [100, 0], "{size}");
    }
}

#[test]
fn cubi_cup() {
    // The colours of three cubes do not matter: the second player places the fourth one.
    let solution = solve("cubicup 2");
    assert_eq!((states_by_layer(&solution), solution.initial_value()), (vec![1, 3, 6, 3, 3], &[0, 100][..]));
    let solution = solve("cubicup 3");
    assert_eq!(states_by_layer(&solution), [1, 6, 30, 60, 99, 141, 182, 174, 162, 102, 102]);
    assert_eq!(solution.initial_value(), [0, 100]);
    assert!(solution.disjoint_layers);
    // As many layers as the public rules for an edge of six cubes agree with theirs.
    assert_eq!(first_layers(&game("cubicup 6"), 4), [1, 21, 420, 3990]);
}

#[test]
fn blocks_world() {
    let solution = solve_game(&shipped("blocks.gdl"));
    assert_eq!((states_by_layer(&solution), solution.initial_value()), (vec![1, 2, 6, 7], &[100][..]));
    assert_eq!(solution.exploration.terminal_states(), 7);
}

#[test]
fn minichess() {
    let solution = solve_game(&shipped("minichess.gdl"));
    assert_eq!(states_by_layer(&solution), [1, 7, 15, 80, 151, 433, 503, 1010, 888, 1488]);
    assert_eq!((solution.exploration.terminal_states(), solution.initial_value()), (1527, &[100, 0][..]));
}

/// Games too large for brute force begin as the public rules do.
#[test]
fn first_layers_of_public_games() {
    assert_eq!(first_layers(&shipped("catchamouse.gdl"), 5), [1, 49, 98, 2352, 4800]);
    assert_eq!(first_layers(&shipped("chinesecheckers2.gdl"), 7), [1, 7, 49, 217, 961, 3017, 9597]);
    assert_eq!(first_layers(&shipped("numbertictactoe.gdl"), 4), [1, 45, 1440, 20160]);
    assert_eq!(
        first_layers(&shipped("sheepandwolf.gdl"), 14),
        [1, 2, 14, 42, 150, 200, 544, 804, 1728, 1651, 3145, 4090, 7111, 6449]
    );
    assert_eq!(first_layers(&shipped("fifteenpuzzle.gdl"), 10), [1, 2, 5, 12, 29, 66, 136, 278, 582, 1224]);
}

/// States won by the first player, by the second, and with endless play.
#[test]
fn games_that_go_round() {
    for (arguments, expected) in [("quixo 3", [16_021, 16_006, 0]), ("morris three", [2_038, 2_144, 1_208])] {
        let solved = explicit::retrograde(&game(arguments), OpponentModel::MaxOwn, 100_000).unwrap();
        assert_eq!(solved.values[0].as_deref(), Some(&[100, 0][..]), "{arguments}");
        let having = |value: Option<&[u8]>| solved.values.iter().filter(|found| found.as_deref() == value).count();
        assert_eq!([Some(&[100, 0][..]), Some(&[0, 100]), None].map(having), expected, "{arguments}");
    }
}
