//! Puzzles of a stored solution as plain data.

use super::export::valued;
use super::{Error, Session};
use crate::puzzles::{self, Difficulty, Options, Puzzle};
use base::limits::Limits;
use game::propositional::MoveId;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solution::{Drawing, Numbers, Opened, ReadError, Solution};
use solving::solve::Listener;
use solving::store::Manifest;
use solving::store::manifest::integer;
use solving::store::runs::Seconds;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Puzzles of a solution. Its JSON is the report of `puzzles`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PuzzleReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// SHA-256 of the rules, in hexadecimal digits.
    pub rules_sha256: String,
    /// The only layer with puzzles; `None` for all layers.
    pub layer: Option<u32>,
    /// Seed of random choices.
    pub seed: u64,
    /// Number of examined positions.
    pub positions: u64,
    /// Number of distinct states of the layer or of all layers; `None` if it is not known.
    #[serde(with = "integer::optional")]
    pub states: Option<BigUint>,
    /// Sum of the states of the layers: a state counts in every layer that contains it.
    #[serde(with = "integer")]
    pub layer_states: BigUint,
    /// Whether all positions were examined.
    pub all: bool,
    /// Number of puzzles that were found, one of each orbit.
    pub found: usize,
    /// The most difficult puzzles, in descending order.
    pub puzzles: Vec<PuzzleRecord>,
    /// Seconds that the work took.
    pub time_s: Seconds,
}

/// A puzzle as plain data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PuzzleRecord {
    /// The number of the puzzle, from 1 on.
    pub number: usize,
    /// Plies from the start of play.
    pub layer: u32,
    /// The role to move.
    pub to_move: String,
    /// The value of the position; `None` if play can go on for ever.
    pub value: Option<Numbers>,
    /// An exact value as decimal numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_float: Option<Vec<f64>>,
    /// Plies to the end, if they are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// Mean probability of a wrong move by three simple players, from 0 to 1.
    pub difficulty: f64,
    /// Probability of a wrong move by each simple player.
    pub players: Difficulty,
    /// The fluents that hold.
    pub state: Vec<String>,
    /// The only move that keeps the value.
    pub solution: String,
    /// Legal moves, in the order of the rules.
    pub moves: Vec<PuzzleMove>,
    /// The state as a board, if it looks like one.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

/// A legal move and the value after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PuzzleMove {
    /// Name of the move.
    #[serde(rename = "move")]
    pub action: String,
    /// The value after the move; with chance, the average.
    pub value: Option<Numbers>,
    /// The value as decimal numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_float: Option<Vec<f64>>,
}

impl Session {
    /// Finds puzzles in the solution in a folder.
    pub fn puzzles(&self, folder: &Path, options: &Options) -> Result<PuzzleReport, Error> {
        let manifest = valued(folder, "puzzles could be of")?;
        Ok(PuzzleReport::new(&self.open_any(folder)?, &manifest, options, &self.limits, &*self.listener)?)
    }
}

impl PuzzleReport {
    /// The report on puzzles, whose positions must have values.
    pub fn new(
        opened: &Opened,
        manifest: &Manifest,
        options: &Options,
        limits: &Arc<Limits>,
        listener: &dyn Listener,
    ) -> Result<PuzzleReport, ReadError> {
        let start = Instant::now();
        let found = puzzles::puzzles(opened, options, limits, listener)?;
        let numbered = (1..).zip(&found.puzzles);
        let of_layers = (0..).zip(&manifest.layers).filter(|(layer, _)| options.layer.is_none_or(|own| own == *layer));
        let layer_states: BigUint = of_layers.map(|(_, record)| &record.states).sum();
        Ok(PuzzleReport {
            game: manifest.game.clone(),
            roles: manifest.roles.clone(),
            rules_sha256: manifest.rules_sha256.clone(),
            layer: options.layer,
            seed: options.seed,
            positions: found.positions,
            states: if options.layer.is_some() { Some(layer_states.clone()) } else { manifest.states.clone() },
            layer_states,
            all: found.all,
            found: found.among,
            puzzles: numbered.map(|(number, puzzle)| PuzzleRecord::new(opened.solution(), number, puzzle)).collect(),
            time_s: Seconds::new(start.elapsed().as_secs_f64()),
        })
    }
}

impl PuzzleRecord {
    fn new(solution: &Solution, number: usize, puzzle: &Puzzle) -> PuzzleRecord {
        let Puzzle { question, difficulty } = puzzle;
        let floats = |value: &Option<Numbers>| value.as_ref().and_then(Numbers::floats);
        let told = |(action, value): &(MoveId, Option<Numbers>)| PuzzleMove {
            action: solution.move_name(*action).to_owned(),
            value: value.clone(),
            value_float: floats(value),
        };
        let moves: Vec<PuzzleMove> = question.moves.iter().map(told).collect();
        PuzzleRecord {
            number,
            layer: question.position.layer,
            to_move: solution.role_name(question.mover),
            value: question.value.clone(),
            value_float: floats(&question.value),
            plies: question.plies,
            difficulty: difficulty.total(),
            players: *difficulty,
            state: solution.state_names(&question.position.state),
            solution: moves[question.solution].action.clone(),
            moves,
            drawing: solution.board().map(|board| board.drawing(solution.game(), &question.position.state)),
        }
    }
}
