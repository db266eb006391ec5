//! The brute-force solver: every reachable state by itself, with the interpreter.
//!
//! It is the slow and obvious twin of the symbolic solver and shares nothing with it but the propositional game and
//! the order of rewards. [`explore()`] finds all reachable states and the moves between them, breadth first;
//! [`solve`] refuses what cannot be solved (with a witness) and gives every state its value;
//! [`retrograde()`] does so for games in which play can go on for ever, too. Time and memory grow
//! with the number of states and moves; a bound on the states is part of every call.

mod explore;
mod guarantee;
mod layers;
mod plies;
mod retrograde;
mod values;

pub use explore::{Exploration, explore};
pub use guarantee::guarantee;
pub use layers::{LayerCount, layers, states_by_layer};
pub use retrograde::{RetrogradeSolution, retrograde};
pub use values::{ExplicitSolution, solve};

use base::limits::LimitReached;
use game::interpreter::{JointMove, State, Violation};

/// Index of a distinct reachable state in the order of its discovery, breadth first; 0 is the initial state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A reachable state that shows something, and how to get there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub violation: Violation,
    pub state: State,
    /// A shortest sequence of joint moves from the initial state to `state`.
    pub path: Vec<JointMove>,
}

/// Why a game has no explicit solution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExplicitError {
    /// Two roles with a choice, a role without a move, or not one reward for each role.
    #[error("{} after {} moves", .0.violation, .0.path.len())]
    IllFormed(Box<Witness>),
    /// A state can be reached again from itself, so that the layers never end.
    #[error("play can go on for ever: the layers never end")]
    Cyclic,
    #[error(transparent)]
    Limit(#[from] LimitReached),
}
