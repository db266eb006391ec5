//! The answers of a match, as values.

use game::matrix::Rational;
use solving::exact::Value;
use solving::solution::{Distance, Drawing, Query};

/// An answer of a match. Roles, moves and fluents are given in displayed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A match starts.
    Started {
        /// Name of the game.
        game: String,
        /// The role that the person plays.
        role: String,
    },
    /// No role has a choice.
    Forced {
        /// The role whose move is shown.
        role: String,
        /// Name of the move.
        action: String,
    },
    /// The program or chance made a move; if several roles chose, also the person.
    Played {
        /// Name of the role.
        role: String,
        /// Name of the move.
        action: String,
    },
    /// The current position.
    Position {
        /// The position with its legal moves.
        query: Box<Query>,
        /// Whether play goes on.
        standing: Standing,
    },
    /// The legal moves of the position.
    Moves {
        /// The position with its legal moves.
        query: Box<Query>,
        /// Whether play goes on.
        standing: Standing,
        /// Whether the values after the moves are requested.
        values: bool,
    },
    /// The best moves.
    Hint {
        /// The position with its legal moves.
        query: Box<Query>,
        /// The best moves and their consequences.
        hint: Hint,
    },
    /// A position with exact values.
    Stand {
        /// The position.
        stand: Box<Stand>,
        /// Whether play goes on.
        standing: Standing,
    },
    /// The legal moves of the person in a position with exact values.
    Choices {
        /// The person's legal moves.
        choices: Vec<Choice>,
        /// Whether play goes on.
        standing: Standing,
        /// Whether the values after the moves are requested.
        values: bool,
    },
    /// The value of a position with exact values, and the person's best mixture.
    Mixture {
        /// By player: the average reward; `None` if only guarantees are known.
        value: Option<Value>,
        /// The person's legal moves.
        choices: Vec<Choice>,
    },
    /// The fluents that hold.
    State(Vec<String>),
    /// No legal move has the given name or number; the legal moves are listed.
    Illegal(Vec<String>),
    /// Play is over, so no move can be made.
    Over,
    /// The person has made no move yet.
    NothingToTakeBack,
    /// The list of commands is requested.
    Help,
    /// The person ends the match.
    Left,
}

/// A position with exact values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// Plies from the start of play.
    pub layer: u32,
    /// By player: the average reward; `None` if only guarantees are known.
    pub value: Option<Value>,
    /// The fluents that hold.
    pub state: Vec<String>,
    /// The state as a board, if it looks like one.
    pub drawing: Option<Drawing>,
    /// Number of the person's moves.
    pub legal: usize,
}

/// A legal move of the person in a position with exact values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Name of the move.
    pub action: String,
    /// By player: the average reward after the move, while all others play their best mixtures.
    pub value: Option<Value>,
    /// The probability of the move in the person's best mixture, if known.
    pub probability: Option<Rational>,
}

/// Whether play goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The person has a choice.
    ToMove,
    /// Play is over.
    Over,
    /// The position occurred before, and the person has no choice: play goes on for ever. With chance: play
    /// stopped, as the person has had no choice for many plies; it may end later, or go on for ever.
    Repeats,
}

/// The best moves of a position and their consequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Play goes on for ever by these moves.
    Endless {
        /// The best moves.
        best: Vec<String>,
    },
    /// The cost of a cheapest plan, and the first moves of such plans.
    Costs {
        /// The cost of a cheapest plan.
        cost: u64,
        /// The first moves of such plans.
        best: Vec<String>,
    },
    /// The distance to the end, and the best moves. If the best moves are unknown, all moves that keep the value.
    Ends {
        /// The distance of the position.
        after: Distance,
        /// The moves, each with the distance after it.
        moves: Vec<(String, Distance)>,
    },
}
