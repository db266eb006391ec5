//! Puzzles of a solution: positions in which exactly one move keeps the value, the most tempting ones first.
//!
//! Positions are drawn at random, each state with the same probability, or all are looked at where there are no more than
//! would be drawn. Of positions that a symmetry maps onto each other one is kept. How tempting the wrong moves are is
//! measured by three players who do not know the solution ([`difficulty`]). Cost: an assessment for each position looked at,
//! and a bounded search for each that is a puzzle.

mod difficulty;

pub use difficulty::{Difficulty, PLIES};

use base::limits::Limits;
use difficulty::Players;
use game::interpreter::{State, Turn};
use rustc_hash::FxHashSet;
use solving::solution::book::Mirrors;
use solving::solution::{Assessment, Over, Position, Positions, ReadError, Sample, Solution};
use solving::solve::{Event, Listener};
use std::sync::Arc;

/// Positions between two reports on progress.
const BETWEEN: u64 = 1 << 7;

/// Which puzzles are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Most puzzles.
    pub number: usize,
    /// Of this layer alone.
    pub layer: Option<u32>,
    /// Positions that are drawn.
    pub draws: u64,
    pub seed: u64,
}

/// A position in which exactly one move keeps the value.
#[derive(Debug, Clone, PartialEq)]
pub struct Puzzle {
    pub assessed: Assessment,
    pub difficulty: Difficulty,
}

/// Puzzles, the most difficult first.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub puzzles: Vec<Puzzle>,
    /// Positions that were looked at.
    pub positions: u64,
    /// All positions were.
    pub all: bool,
    /// Puzzles among them, one of each orbit.
    pub among: usize,
}

/// Looks for puzzles.
pub fn puzzles(
    solution: &Solution,
    options: &Options,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Found, ReadError> {
    let mirrors = Mirrors::new(solution, limits)?;
    let whole = Positions::new(solution, options.layer, None)?;
    let sample = Sample { number: options.draws, seed: options.seed, over: Over::States };
    let all = whole.total() <= options.draws;
    let positions = if all { whole } else { Positions::new(solution, options.layer, Some(sample))? };
    let players = Players::new(solution);
    // At most one for each draw.
    let state = solution.game().fluents.len() as u64 / 8 + 2 * size_of::<State>() as u64;
    let _seen = limits.hold(positions.total().saturating_mul(state))?;
    let (mut seen, mut looked_at, mut puzzles): (FxHashSet<State>, u64, Vec<Puzzle>) = Default::default();
    positions.each(solution, limits, &mut |position: Position| {
        if looked_at % BETWEEN == 0 {
            limits.check()?;
            listener.event(&Event::Work { what: "positions", done: looked_at, total: positions.total() });
        }
        looked_at += 1;
        let state = mirrors.least(&position.state);
        if !seen.insert(state.clone()) {
            return Ok(());
        }
        let assessed = solution.assess(&Position { state, ..position })?;
        if is_puzzle(&assessed) {
            let difficulty = players.difficulty(&assessed, limits)?;
            puzzles.push(Puzzle { assessed, difficulty });
        }
        Ok::<(), ReadError>(())
    })?;
    let among = puzzles.len();
    // Positions in the order in which they were found decide where the difficulty is the same.
    puzzles.sort_by(|one, other| other.difficulty.total().total_cmp(&one.difficulty.total()));
    puzzles.truncate(options.number);
    Ok(Found { puzzles, positions: looked_at, all, among })
}

/// Whether a role has a choice, and exactly one of its moves keeps the value.
fn is_puzzle(assessed: &Assessment) -> bool {
    let chooses = matches!(assessed.turn, Turn::Mover(_));
    chooses && assessed.moves.iter().filter(|option| option.keeps_value).count() == 1
}
