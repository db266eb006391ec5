//! The answers of a match, as values.

use serde::Serialize;
use solving::solution::{Distance, Query};

/// One answer. Roles, moves and fluents are given as they are displayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// The match begins, and the person plays this role.
    Started {
        game: String,
        role: String,
    },
    /// No role has a choice.
    Forced {
        role: String,
        action: String,
    },
    /// The program moves.
    Played {
        role: String,
        action: String,
    },
    /// The position, and what comes next.
    Position {
        query: Box<Query>,
        standing: Standing,
    },
    /// The legal moves of the position, with what they lead to if `values`.
    Moves {
        query: Box<Query>,
        standing: Standing,
        values: bool,
    },
    Hint {
        query: Box<Query>,
        hint: Hint,
    },
    /// The fluents that hold.
    State(Vec<String>),
    /// No move has that name or number; the legal ones.
    Illegal(Vec<String>),
    /// A move is given, but play is over.
    Over,
    /// There is no move of the person to take back.
    NothingToTakeBack,
    /// The commands are asked for.
    Help,
    /// The match is left.
    Left,
}

/// What comes next in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The person moves.
    ToMove,
    Over,
    /// The position was there before, and the person has no choice: play goes on for ever.
    Repeats,
}

/// How to play on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hint {
    /// Play goes on for ever by these moves.
    Endless { best: Vec<String> },
    /// What a cheapest plan costs, and the moves that such plans begin with.
    Costs { cost: u64, best: Vec<String> },
    /// When play ends, and by which moves: by those that keep the value, each with its own time, where that of the best
    /// ones is not known.
    Ends { after: Distance, moves: Vec<(String, Distance)> },
}
