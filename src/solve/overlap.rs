//! Layers that may share states: the distinct states, and whether play ends at all.

use super::SolveError;
use super::expansion::Expansion;
use crate::kernel::{self, Context, Diagram};

/// All states met so far.
pub struct Visited {
    states: Diagram,
    /// The last layer brought something new.
    pub growing: bool,
}

impl Visited {
    pub fn new(first: Diagram) -> Self {
        Visited { states: first, growing: true }
    }

    /// Adds a layer.
    pub fn add(&mut self, layer: &Diagram, context: &Context) -> Result<(), SolveError> {
        let all = kernel::union(&[&self.states, layer], context)?;
        self.growing = !all.equals(&self.states, context)?;
        self.states = all;
        Ok(())
    }

    pub fn states(&self) -> &Diagram {
        &self.states
    }
}

/// Whether a play can go on for ever among states whose successors are all among them: what is left after taking
/// away the states without a predecessor, again and again, is empty exactly if there is no cycle.
pub fn is_cyclic(expansion: &dyn Expansion, states: &Diagram, context: &Context) -> Result<bool, SolveError> {
    let mut left = expansion.successors(states)?;
    loop {
        if left.is_empty() {
            return Ok(false);
        }
        let next = expansion.successors(&left)?;
        if next.equals(&left, context)? {
            return Ok(true);
        }
        left = next;
    }
}
