//! Puzzles of a solution: positions in which exactly one move keeps the value and every other one is worth less to the
//! mover, not only by a tie, the most difficult first. In games with chance or simultaneous choices: positions in which
//! one player chooses, and exactly one of its moves is best on average.
//!
//! Positions are drawn at random: each state of each layer with the same probability, so that a state in several layers
//! is more probable than others. If there are no more positions than draws, all positions are examined. Among positions
//! that symmetries map onto each other, one is kept. Three players who do not know the solution measure the difficulty
//! ([`difficulty`]). Cost: an assessment for each position, and a bounded search for each puzzle.

mod difficulty;

pub use difficulty::{Difficulty, PLIES};

use base::limits::Limits;
use difficulty::Players;
use game::interpreter::{State, Turn};
use game::propositional::{MoveId, RoleId};
use rustc_hash::FxHashSet;
use solving::solution::book::Mirrors;
use solving::solution::{ExactSolution, Numbers, Opened, Over, Position, Positions, ReadError, Sample, Solution};
use solving::solve::{Event, Listener};
use std::sync::Arc;

const BETWEEN: u64 = 1 << 7;
/// Number of puzzles that are kept for a while beside twice the wanted ones, so that they are seldom sorted.
const SPARE: usize = 1 << 10;

/// Options of the search for puzzles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Number of puzzles to return.
    pub number: usize,
    /// The only layer with puzzles; `None`: all layers.
    pub layer: Option<u32>,
    /// Number of positions to draw. If the solution has no more positions than this, all of them are examined.
    pub draws: u64,
    /// Seed of the drawn positions.
    pub seed: u64,
}

/// A question and its difficulty.
#[derive(Debug, Clone, PartialEq)]
pub struct Puzzle {
    /// The position with its moves.
    pub question: Question,
    /// Probability of a wrong move by each simple player.
    pub difficulty: Difficulty,
}

/// A position in which exactly one move keeps the value.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The position.
    pub position: Position,
    /// The role that chooses.
    pub mover: RoleId,
    /// The value of the position; `None` is endless play, here and in `moves`.
    pub value: Option<Numbers>,
    /// Plies to the end, if they are stored.
    pub plies: Option<u32>,
    /// The mover's moves in the order of the rules, with the values after them, on average over chance.
    pub moves: Vec<(MoveId, Option<Numbers>)>,
    /// The index of the move that keeps the value.
    pub solution: usize,
}

/// The result of a search for puzzles.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The puzzles, the most difficult one first.
    pub puzzles: Vec<Puzzle>,
    /// Positions that were examined; drawn ones with repetitions.
    pub positions: u64,
    /// Whether all positions were examined.
    pub all: bool,
    /// Puzzles that were found, one of each orbit.
    pub among: usize,
}

/// Finds puzzles among the positions of a solution.
pub fn puzzles(
    opened: &Opened,
    options: &Options,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<Found, ReadError> {
    let solution = opened.solution();
    let mirrors = Mirrors::new(solution, limits)?;
    let whole = Positions::new(solution, options.layer, None)?;
    let sample = Sample { number: options.draws, seed: options.seed, over: Over::States };
    let all = whole.total() <= options.draws;
    let positions = if all { whole } else { Positions::new(solution, options.layer, Some(sample))? };
    let players = Players::new(opened);
    // Memory for the seen states: at most one state for each position.
    let state = solution.game().fluents.len() as u64 / 8 + 2 * size_of::<State>() as u64;
    let _seen = limits.hold(positions.total().saturating_mul(state))?;
    let (mut seen, mut looked_at, mut among, mut puzzles): (FxHashSet<State>, u64, usize, Vec<Puzzle>) =
        Default::default();
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
        let position = Position { state, ..position };
        let question = match opened {
            Opened::Rewards(solution) => of_rewards(solution, position)?,
            Opened::Exact(exact) => of_exact(exact, position, limits)?,
        };
        if let Some(question) = question {
            let difficulty = players.difficulty(&question, limits)?;
            puzzles.push(Puzzle { question, difficulty });
            among += 1;
            if puzzles.len() > options.number.saturating_mul(2).saturating_add(SPARE) {
                keep(&mut puzzles, options.number);
            }
        }
        Ok::<(), ReadError>(())
    })?;
    keep(&mut puzzles, options.number);
    Ok(Found { puzzles, positions: looked_at, all, among })
}

/// Keeps the most difficult puzzles. Puzzles of the same difficulty stay in the order in which they were found.
fn keep(puzzles: &mut Vec<Puzzle>, number: usize) {
    puzzles.sort_by(|one, other| other.difficulty.total().total_cmp(&one.difficulty.total()));
    puzzles.truncate(number);
}

fn of_rewards(solution: &Solution, position: Position) -> Result<Option<Question>, ReadError> {
    let assessed = solution.assess(&position)?;
    let Turn::Mover(mover) = assessed.turn else { return Ok(None) };
    let (model, roles, value) = (solution.model(), solution.game().roles.len(), assessed.value.as_deref());
    // Endless play pays as little as a lost game, but is preferred to it.
    let is_worse = |other: &Option<Vec<u8>>| match (value, other.as_deref()) {
        (Some(_), Some(_)) => model.is_worth_more(mover.index(), roles, value, other.as_deref()),
        (_, other) => solution.loss(mover, value, other).is_some(),
    };
    if !assessed.moves.iter().all(|option| option.keeps_value || is_worse(&option.value)) {
        return Ok(None);
    }
    let keeps = assessed.moves.iter().map(|option| option.keeps_value);
    let moves = assessed.moves.iter().map(|option| (option.action, option.value.clone().map(Numbers::Rewards)));
    let (value, plies) = (assessed.value.clone().map(Numbers::Rewards), assessed.plies);
    Ok(only(keeps).map(|solution| Question { position, mover, value, plies, moves: moves.collect(), solution }))
}

/// As [`of_rewards`], for exact values: one player chooses, and perhaps chance.
fn of_exact(exact: &ExactSolution, position: Position, limits: &Limits) -> Result<Option<Question>, ReadError> {
    let Some(assessed) = exact.assess(&position, limits)? else { return Ok(None) };
    let mut choosing = assessed.choosing();
    let (Some(mover), None) = (choosing.next(), choosing.next()) else { return Ok(None) };
    let keeps = assessed.after.iter().map(|value| *value == assessed.value);
    let is_worse = |value| exact.is_worth_more(mover, &assessed.value, value);
    if !assessed.after.iter().all(|value| *value == assessed.value || is_worse(value)) {
        return Ok(None);
    }
    let moves = assessed.situation.legal[mover].iter().zip(&assessed.after);
    let moves = moves.map(|(&action, value)| (action, Some(Numbers::Exact(value.clone()))));
    let (mover, value) = (RoleId(mover as u32), Some(Numbers::Exact(assessed.value.clone())));
    Ok(only(keeps).map(|solution| Question { position, mover, value, plies: None, moves: moves.collect(), solution }))
}

fn only(keeps: impl Iterator<Item = bool>) -> Option<usize> {
    let mut keeping = keeps.enumerate().filter(|(_, keeps)| *keeps).map(|(place, _)| place);
    keeping.next().filter(|_| keeping.next().is_none())
}
