//! A place in a game: a state, and the number of plies after which it was reached.

use crate::failure::usage;
use ggsolve::Position;
use pyo3::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A place. Places in a game are equal if their states are: if play returns to a state, it is the same position again.
#[pyclass(frozen, module = "ggsolve._native")]
pub struct Place {
    position: Position,
    /// The SHA-256 of the game's rules.
    rules: Arc<str>,
}

impl Place {
    pub fn new(position: Position, rules: Arc<str>) -> Place {
        Place { position, rules }
    }

    /// The position. It is an error if the place is in a game with other rules, whose states have another meaning.
    pub fn of(&self, py: Python<'_>, rules: &str) -> PyResult<&Position> {
        match *self.rules == *rules {
            true => Ok(&self.position),
            false => Err(usage(py, "a position of another game")),
        }
    }
}

#[pymethods]
impl Place {
    #[getter]
    fn layer(&self) -> u32 {
        self.position.layer
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Place| other.rules == self.rules && other.position.state == self.position.state;
        other.cast::<Place>().is_ok_and(|other| same(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.position.state.hash(&mut hasher);
        hasher.finish()
    }
}
