//! Board games written in Rust for these tests alone: what the rulesheets of their families must say.
//!
//! Each game is its positions, their moves and ends. [`figures`] goes through all of them and finds what each is worth, and
//! [`compare`] holds the solver of the generated rules against that.

mod breakthrough;
mod chess_ending;
mod dobutsu;
mod dodgem;
mod fox;
mod hare;
mod morris;
mod quixo;
mod squares;
mod teeko;
mod tic_tac_chec;

use crate::common::compare::solve;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use solving::solve::{Algorithm, EngineChoice, SolveOptions};
use std::collections::BTreeMap;
use std::hash::Hash;

/// How play ended: a player, 0 or 1, has won, or nobody has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Won(usize),
    Drawn,
}

/// Rules of two players in turn.
pub trait Board {
    type Position: Clone + Eq + Hash;

    fn start(&self) -> Self::Position;

    /// Who is to move, 0 or 1.
    fn mover(&self, position: &Self::Position) -> usize;

    /// How play ended here, if it did.
    fn end(&self, position: &Self::Position) -> Option<End>;

    /// The positions after each move, at least one where play has not ended.
    fn next(&self, position: &Self::Position) -> Vec<Self::Position>;
}

/// What a position is worth, and for a win the plies that it takes; `None` where play is endless.
type Worth = Option<(End, Option<u32>)>;

/// What all positions that can be reached are worth.
#[derive(Debug, PartialEq, Eq)]
pub struct Figures {
    pub states: usize,
    pub terminal: usize,
    pub start: Worth,
    pub counts: BTreeMap<Worth, usize>,
}

impl Figures {
    /// States won by the first player, by the second, drawn, and with endless play.
    pub fn by_end(&self) -> [usize; 4] {
        let ends = [Some(End::Won(0)), Some(End::Won(1)), Some(End::Drawn), None];
        ends.map(|end| self.counts.iter().filter(|(worth, _)| worth.map(|worth| worth.0) == end).map(|(_, n)| n).sum())
    }

    /// Most plies that a win of the player takes.
    pub fn longest(&self, player: usize) -> Option<u32> {
        let wins = self.counts.keys().flatten().filter(|worth| worth.0 == End::Won(player));
        wins.filter_map(|worth| worth.1).max()
    }
}

/// All positions, each with its worth, by going backwards from the ends.
///
/// A player wins who can force it, in the fewest plies. Endless play is better than to lose, and a draw better than that,
/// for both: so a draw is what is left to who can move to one, or to no endless play.
pub fn figures<B: Board>(board: &B) -> Figures {
    let mut numbers = FxHashMap::from_iter([(board.start(), 0u32)]);
    let mut positions = vec![board.start()];
    let (mut edges, mut ends, mut movers, mut open) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut state = 0;
    while let Some(position) = positions.get(state).cloned() {
        let end = board.end(&position);
        let mut next = Vec::new();
        if end.is_none() {
            for position in board.next(&position) {
                let number = numbers.len() as u32;
                let number = *numbers.entry(position.clone()).or_insert(number);
                if number as usize == positions.len() {
                    positions.push(position);
                }
                next.push(number);
            }
            next.sort_unstable();
            next.dedup();
            assert!(!next.is_empty(), "a player without a move");
        }
        edges.extend(next.iter().map(|&to| (to, state as u32)));
        ends.push(end);
        movers.push(board.mover(&position));
        open.push(next.len());
        state += 1;
    }
    drop((numbers, positions));
    edges.sort_unstable();
    let before = |to: u32| {
        let first = edges.partition_point(|edge| edge.0 < to);
        edges[first..].iter().take_while(move |edge| edge.0 == to).map(|edge| edge.1 as usize)
    };
    let mut worth: Vec<Worth> = ends.iter().map(|end| end.map(|end| (end, Some(0)))).collect();
    let mut left = open.clone();
    let mut wave: Vec<u32> =
        (0..ends.len() as u32).filter(|&s| matches!(ends[s as usize], Some(End::Won(_)))).collect();
    for plies in 1.. {
        let mut settled = Vec::new();
        for &to in &wave {
            let Some((End::Won(winner), _)) = worth[to as usize] else { unreachable!("only wins are in a wave") };
            for from in before(to) {
                left[from] -= 1;
                if worth[from].is_none() && (movers[from] == winner || left[from] == 0) {
                    worth[from] = Some((End::Won(winner), Some(plies)));
                    settled.push(from as u32);
                }
            }
        }
        if settled.is_empty() {
            break;
        }
        wave = settled;
    }
    // In what is left nobody can be made to lose: who can draw does.
    let mut wave: Vec<u32> = (0..ends.len() as u32).filter(|&s| ends[s as usize] == Some(End::Drawn)).collect();
    while let Some(to) = wave.pop() {
        for from in before(to) {
            if worth[from].is_none() {
                worth[from] = Some((End::Drawn, None));
                wave.push(from as u32);
            }
        }
    }
    let mut counts = BTreeMap::new();
    worth.iter_mut().filter(|worth| matches!(worth, Some((End::Drawn, _)))).for_each(|w| *w = Some((End::Drawn, None)));
    worth.iter().for_each(|worth| *counts.entry(*worth).or_default() += 1);
    let terminal = ends.iter().filter(|end| end.is_some()).count();
    Figures { states: ends.len(), terminal, start: worth[0], counts }
}

/// Most states with which every engine is compared.
const SMALL: usize = 20_000;

/// Panics unless the solver finds in the rules that the arguments print what brute force finds on the board, in small games
/// by diagrams and by ranks, too. Gives the figures.
pub fn compare<B: Board>(arguments: &str, board: &B) -> Figures {
    let expected = figures(board);
    let game = super::explicit::game(arguments);
    let engines = [EngineChoice::Auto, EngineChoice::Symbolic, EngineChoice::Hybrid];
    for engine in engines.into_iter().filter(|engine| *engine == EngineChoice::Auto || expected.states < SMALL) {
        // Layers may share states, which are counted once.
        let algorithm = Some(Algorithm::Global);
        let options = SolveOptions { engine, algorithm, threads: 2, distances: true, ..SolveOptions::default() };
        let outcome = solve(&game, &options).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        let solution = outcome.solution.as_ref().expect("values were asked for");
        let number = |count: &BigUint| usize::try_from(count).expect("a count of brute force");
        let end = |rewards: &[u8]| match rewards {
            [100, 0] => End::Won(0),
            [0, 100] => End::Won(1),
            [50, 50] => End::Drawn,
            other => panic!("{arguments}: {other:?}"),
        };
        let mut counts: BTreeMap<Worth, usize> = BTreeMap::new();
        for bucket in &solution.buckets {
            match bucket.rewards.as_deref().map(end) {
                Some(End::Won(winner)) => {
                    for plies in &bucket.plies {
                        let worth = Some((End::Won(winner), Some(plies.plies)));
                        *counts.entry(worth).or_default() += number(&plies.states);
                    }
                }
                other => *counts.entry(other.map(|end| (end, None))).or_default() += number(&bucket.states),
            }
        }
        let start = solution.value.as_deref().map(end).map(|end| (end, solution.plies.filter(|_| end != End::Drawn)));
        let found =
            Figures { states: number(&outcome.states), terminal: number(&outcome.terminal_states), start, counts };
        assert_eq!(found, expected, "{arguments}, {engine:?}");
    }
    expected
}
