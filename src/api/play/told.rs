//! The answers of a match, as values.

use game::matrix::Rational;
use serde::{Serialize, Serializer};
use solving::exact::{self, Value};
use solving::solution::{Distance, Drawing, Query};

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
    /// A position with exact values, and what comes next.
    Stand {
        stand: Box<Stand>,
        standing: Standing,
    },
    /// The legal moves of the person there, with what they come to if `values`.
    Choices {
        choices: Vec<Choice>,
        standing: Standing,
        values: bool,
    },
    /// The value there, and how likely the person's moves are in its best mixture.
    Mixture {
        value: Option<Value>,
        choices: Vec<Choice>,
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

/// A position with exact values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stand {
    /// The players.
    pub roles: Vec<String>,
    pub layer: u32,
    /// By player: what it gets on average; `None` where only what roles can force is known.
    pub value: Option<Value>,
    /// The fluents that hold.
    pub state: Vec<String>,
    pub drawing: Option<Drawing>,
    /// Number of the person's moves.
    pub legal: usize,
}

/// A legal move of the person in a position with exact values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    pub action: String,
    /// By player: what it gets on average by it, while all others play their best mixtures.
    pub value: Option<Value>,
    /// How likely it is in the best mixture, where one is known.
    #[serde(serialize_with = "number_or_none")]
    pub probability: Option<Rational>,
}

fn number_or_none<S: Serializer>(number: &Option<Rational>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(known) => exact::number(known, serializer),
        None => serializer.serialize_none(),
    }
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
