//! The reason why a game is refused, with a witness.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("{message}")]
pub struct Refusal {
    /// A stable name such as `not-turn-taking`.
    pub code: &'static str,
    pub message: String,
    /// The fluents that hold in the witness; empty if the refusal is not about one state.
    pub state: Vec<String>,
    /// The joint moves of a shortest path from the initial state to the witness.
    pub path: Vec<String>,
    /// If play can go on for ever, the joint moves from the witness back to itself.
    pub cycle: Vec<String>,
    /// Whether what was asked for needs play to end, so that no other algorithm can answer it.
    #[serde(skip)]
    pub must_end: bool,
}

/// The code of the refusal of games with endless play.
pub const CYCLIC: &str = "cyclic";

impl Refusal {
    pub fn of_game(code: &'static str, message: String) -> Refusal {
        Refusal { code, message, state: Vec::new(), path: Vec::new(), cycle: Vec::new(), must_end: false }
    }

    /// Refuses a game in which play returns to a state by the moves of `cycle`, though what was asked for needs an end.
    pub fn repeats(message: String, state: Vec<String>, path: Vec<String>, cycle: Vec<String>) -> Refusal {
        Refusal { state, path, cycle, must_end: true, ..Refusal::of_game(CYCLIC, message) }
    }
}
