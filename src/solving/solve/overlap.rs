//! Layers that may share states: finds the distinct states, and whether play ends.

use super::SolveError;
use super::expansion::Expansion;
use kernel::{self, Context, Diagram};

/// All states so far, and what is known about the end of play.
pub struct Visited {
    states: Diagram,
    /// A layer has no new state, so later layers have none.
    closed: bool,
    /// It is known that there is no cycle.
    ends: bool,
}

impl Visited {
    pub fn new(first: Diagram, ends: bool) -> Self {
        Visited { states: first, closed: false, ends }
    }

    pub fn states(&self) -> &Diagram {
        &self.states
    }

    /// Adds the next layer. If it has no new state, returns the states that can be reached from cycles, if there are
    /// any.
    ///
    /// While layers shrink (`shrinks`), the search for a cycle waits. Without a cycle the layers end by themselves,
    /// which costs less than the search; with a cycle they cannot shrink for ever.
    pub fn add(
        &mut self,
        layer: &Diagram,
        shrinks: bool,
        expansion: &dyn Expansion,
        context: &Context,
    ) -> Result<Option<Diagram>, SolveError> {
        if !self.closed {
            let all = kernel::union(&[&self.states, layer], context)?;
            self.closed = all.equals(&self.states, context)?;
            self.states = all;
        }
        if shrinks || self.ends || !self.closed {
            return Ok(None);
        }
        let left = left_over(expansion, &self.states, context)?;
        if left.is_empty() {
            self.ends = true;
            return Ok(None);
        }
        Ok(Some(left))
    }
}

/// Removes states without a predecessor again and again from a set that contains the successors of its states. The
/// remaining set is empty if and only if the set has no cycle, so that play ends.
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
