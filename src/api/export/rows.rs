//! Positions as rows, with rewards or exact numbers as values.

use base::limits::Limits;
use game::interpreter::Turn;
use game::propositional::MoveId;
use rustc_hash::FxHashMap;
use solving::exact::Value;
use solving::solution::{ExactMove, ExactSolution, Position, ReadError, Solution};
use solving::store::Manifest;
use std::path::Path;

/// A solution with values of either kind.
pub enum Source {
    /// Values are rewards.
    Plain(Box<Solution>),
    /// Values are exact numbers.
    Exact {
        /// The solution.
        solution: Box<ExactSolution>,
        /// Moves by the index of their role and their name.
        moves: FxHashMap<(usize, String), MoveId>,
    },
}

pub struct Row {
    pub position: Position,
    /// The only role with a choice or, in a forced ply, the role whose move has an effect; otherwise `None`.
    pub mover: Option<usize>,
    pub terminal: bool,
    pub worth: RowValue,
    /// Plies to the end, if they are stored and play ends.
    pub plies: Option<u32>,
    /// The legal moves of the mover; joint moves if several roles choose.
    pub choices: Vec<Choice>,
}

pub enum RowValue {
    /// By role; `None`: play can go on for ever.
    Rewards(Option<Vec<u8>>),
    Exact(Value),
}

pub struct Choice {
    /// The name of the choice, if values are exact; `None`: that of the only move.
    joint: Option<String>,
    /// The moves of the roles that choose.
    pub moves: Vec<MoveId>,
    /// Whether the choice is best, as `optimal` of a query.
    pub best: bool,
}

impl Row {
    /// The legal moves, or only the best ones.
    pub fn chosen(&self, best: bool) -> impl Iterator<Item = &Choice> {
        self.choices.iter().filter(move |choice| choice.best || !best)
    }
}

impl Choice {
    pub fn name<'c>(&'c self, solution: &'c Solution) -> &'c str {
        self.joint.as_deref().unwrap_or_else(|| solution.move_name(self.moves[0]))
    }
}

impl Source {
    /// Opens the solution in a folder.
    pub fn open(folder: &Path, manifest: &Manifest, limits: &Limits) -> Result<Source, ReadError> {
        if !manifest.is_exact() {
            return Ok(Source::Plain(Box::new(Solution::open(folder, limits)?)));
        }
        let solution = Box::new(ExactSolution::open(folder, limits)?);
        let names = solution.solution().game().moves.iter().enumerate();
        let named = |(id, action): (usize, &game::propositional::Move)| {
            ((action.role.index(), action.term.to_string()), MoveId(id as u32))
        };
        let moves = names.map(named).collect();
        Ok(Source::Exact { solution, moves })
    }

    /// The solution, whatever its values.
    pub fn solution(&self) -> &Solution {
        match self {
            Source::Plain(solution) => solution,
            Source::Exact { solution, .. } => solution.solution(),
        }
    }

    /// Whether values are exact numbers.
    pub fn is_exact(&self) -> bool {
        matches!(self, Source::Exact { .. })
    }

    /// The row of a position.
    pub fn row(&self, position: Position) -> Result<Row, ReadError> {
        match self {
            Source::Plain(solution) => plain(solution, position),
            Source::Exact { solution, moves } => exact(solution, moves, position),
        }
    }
}

fn plain(solution: &Solution, position: Position) -> Result<Row, ReadError> {
    let found = solution.assess(&position)?;
    let choice = |option: &solving::solution::MoveValue| Choice {
        joint: None,
        moves: vec![option.action],
        best: option.optimal,
    };
    Ok(Row {
        mover: found.to_move().map(|role| role.index()),
        terminal: found.turn == Turn::Terminal,
        plies: found.plies,
        choices: found.moves.iter().map(choice).collect(),
        worth: RowValue::Rewards(found.value),
        position,
    })
}

fn exact(
    solution: &ExactSolution,
    moves: &FxHashMap<(usize, String), MoveId>,
    position: Position,
) -> Result<Row, ReadError> {
    let found = solution.query(&position)?;
    let names = solution.solution().roles();
    let role_of = |name: &Option<String>| name.as_ref().and_then(|name| names.iter().position(|role| role == name));
    let (first, roles) = (found.moves.first().map(|option| option.joint.clone()), names.len());
    let differs = |place: usize| {
        let other = |option: &ExactMove| first.as_ref().is_some_and(|first| first[place] != option.joint[place]);
        found.moves.iter().any(other)
    };
    let choosing: Vec<bool> = (0..roles).map(differs).collect();
    let choice = |option: ExactMove| {
        let role = role_of(&option.role);
        let chooses = |place: &usize| role.map_or(choosing[*place], |role| role == *place);
        let each = (0..option.joint.len()).filter(chooses);
        let moves = each.filter_map(|place| moves.get(&(place, option.joint[place].clone())).copied()).collect();
        Choice { joint: Some(option.action), moves, best: option.optimal }
    };
    let worth = found.value.map(RowValue::Exact);
    Ok(Row {
        mover: role_of(&found.to_move),
        terminal: found.terminal,
        worth: worth.ok_or_else(|| ReadError::Damaged(format!("layer {} has no values", position.layer)))?,
        plies: None,
        choices: found.moves.into_iter().map(choice).collect(),
        position,
    })
}
