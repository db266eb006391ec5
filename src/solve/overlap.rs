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

/// What is left of states whose successors are all among them after taking away those without a predecessor, again and
/// again: nothing exactly if there is no cycle, so that play ends.
pub fn left_over(expansion: &dyn Expansion, states: &Diagram, context: &Context) -> Result<Diagram, SolveError> {
    let mut left = expansion.successors(states)?;
    loop {
        if left.is_empty() {
            return Ok(left);
        }
        let next = expansion.successors(&left)?;
        if next.equals(&left, context)? {
            return Ok(left);
        }
        left = next;
    }
}
