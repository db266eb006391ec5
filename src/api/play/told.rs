//! The answers of a match, as values.

use game::matrix::Rational;
use serde::{Serialize, Serializer};
use solving::exact::{self, Value};
use solving::solution::{Distance, Drawing, Query};

/// Roles, moves and fluents are given as they are displayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    Started {
        game: String,
        role: String,
    },
    /// No role has a choice.
    Forced {
        role: String,
        action: String,
    },
    Played {
        role: String,
        action: String,
    },
    Position {
        query: Box<Query>,
        standing: Standing,
    },
    /// The legal moves of the position, with the value after each if `values`.
    Moves {
        query: Box<Query>,
        standing: Standing,
        values: bool,
    },
    Hint {
        query: Box<Query>,
        hint: Hint,
    },
    /// A position with exact values, and the next step.
    Stand {
        stand: Box<Stand>,
        standing: Standing,
    },
    /// The legal moves of the person in such a position, with the value of each if `values`.
    Choices {
        choices: Vec<Choice>,
        standing: Standing,
        values: bool,
    },
    /// The value of such a position, and the probability of each of the person's moves in its best mixture.
    Mixture {
        value: Option<Value>,
        choices: Vec<Choice>,
    },
    /// The fluents that hold.
    State(Vec<String>),
    /// No legal move has that name or number. The names of the legal moves.
    Illegal(Vec<String>),
    Over,
    NothingToTakeBack,
    Help,
    Left,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stand {
    pub roles: Vec<String>,
    pub layer: u32,
    /// By player: the average reward; `None` if only guarantees are known.
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
    /// By player: the average reward after the move, while all others play their best mixtures.
    pub value: Option<Value>,
    /// In the best mixture, if that is known.
    #[serde(serialize_with = "number_or_none")]
    pub probability: Option<Rational>,
}

fn number_or_none<S: Serializer>(number: &Option<Rational>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(known) => exact::number(known, serializer),
        None => serializer.serialize_none(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    ToMove,
    Over,
    /// The position occurred before, and the person has no choice: play goes on for ever.
    Repeats,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hint {
    /// Play goes on for ever by these moves.
    Endless { best: Vec<String> },
    /// The cost of a cheapest plan, and the first moves of such plans.
    Costs { cost: u64, best: Vec<String> },
    /// The distance to the end, and the best moves; all moves that keep the value if the best ones are not known.
    Ends { after: Distance, moves: Vec<(String, Distance)> },
}
