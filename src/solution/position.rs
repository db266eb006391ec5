//! A place in a game, and reading one from fluents.

use super::text::find;
use super::{Analyst, PositionError, ReadError};
use crate::interpreter::State;
use crate::propositional::FluentId;

/// Fluents shown where a name is unknown.
const SHOWN: usize = 6;

/// A state and one of the layers that it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Plies from the start.
    pub layer: u32,
    pub state: State,
}

impl Analyst<'_> {
    /// The position in which exactly the named fluents hold (those that hold in every state may be left out).
    pub fn position(&self, fluents: &[String]) -> Result<Position, ReadError> {
        let mut state = State::empty(self.game().fluents.len());
        for name in fluents {
            if let Some(fluent) = self.fluent(name)? {
                state.insert(fluent);
            }
        }
        match self.values().find(&state)? {
            Some(layer) => Ok(Position { layer, state }),
            None => Err(PositionError::Unreachable.into()),
        }
    }

    /// The fluent of a name; `None` for one that holds in every state.
    pub(super) fn fluent(&self, name: &str) -> Result<Option<FluentId>, PositionError> {
        let names = self.fluent_names();
        if let Some(index) = find(names.iter().map(String::as_str), name) {
            return Ok(Some(FluentId(index as u32)));
        }
        let functor = |term: &str| term.trim_start_matches('(').split([' ', ')']).next().unwrap_or("").to_owned();
        let mut known: Vec<String> = names.iter().filter(|other| functor(other) == functor(name)).cloned().collect();
        if known.is_empty() {
            known = names.to_vec();
        }
        if known.len() > SHOWN {
            known.truncate(SHOWN);
            known.push("…".to_owned());
        }
        Err(PositionError::UnknownFluent { name: name.to_owned(), known })
    }
}
