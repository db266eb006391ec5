//! Layers that may share states: the distinct states, and whether play ends at all.

use super::SolveError;
use super::expansion::Expansion;
use kernel::{self, Context, Diagram};

/// All states met so far, and what is known of how play ends.
pub struct Visited {
    states: Diagram,
    progress: Progress,
}

enum Progress {
    /// Further states may be found.
    Growing,
    /// A layer brought nothing new, so that none will.
    Closed,
    /// There is no cycle.
    Ends,
}

impl Visited {
    pub fn new(first: Diagram) -> Self {
        Visited { states: first, progress: Progress::Growing }
    }

    pub fn states(&self) -> &Diagram {
        &self.states
    }

    /// Adds the next layer. Once layers bring nothing new, finds out whether there is a cycle: returns states on cycles and
    /// between them if there are any.
    ///
    /// As long as layers become smaller (`shrinks`), that is put off: they come to an end by themselves if there is no
    /// cycle, which costs less than searching all states for one; and they cannot become smaller for ever if there is.
    pub fn add(
        &mut self,
        layer: &Diagram,
        shrinks: bool,
        expansion: &dyn Expansion,
        context: &Context,
    ) -> Result<Option<Diagram>, SolveError> {
        if let Progress::Growing = self.progress {
            let all = kernel::union(&[&self.states, layer], context)?;
            if all.equals(&self.states, context)? {
                self.progress = Progress::Closed;
            }
            self.states = all;
        }
        if shrinks || !matches!(self.progress, Progress::Closed) {
            return Ok(None);
        }
        let left = left_over(expansion, &self.states, context)?;
        if left.is_empty() {
            self.progress = Progress::Ends;
            return Ok(None);
        }
        Ok(Some(left))
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
