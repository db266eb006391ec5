//! Layers that may share states: the distinct states, and whether play ends at all.

use super::SolveError;
use crate::encode::SymbolicGame;
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
        self.growing = all != self.states;
        self.states = all;
        Ok(())
    }

    pub fn states(&self) -> &Diagram {
        &self.states
    }

    /// Whether a play can go on for ever. To be asked once a layer brought nothing new: then successors of visited
    /// states are visited, and what is left after taking away the states without a predecessor, again and again,
    /// is empty exactly if there is no cycle.
    pub fn is_cyclic(&self, game: &SymbolicGame, context: &Context) -> Result<bool, SolveError> {
        let mut left = step(&self.states, game, context)?;
        loop {
            if left.is_empty() {
                return Ok(false);
            }
            let next = step(&left, game, context)?;
            if next == left {
                return Ok(true);
            }
            left = next;
        }
    }
}

/// The successors of the states that are not terminal.
fn step(states: &Diagram, game: &SymbolicGame, context: &Context) -> Result<Diagram, SolveError> {
    let open = kernel::select(states, &game.open, game.open.start(), context)?;
    Ok(kernel::image(&open, &game.relations, &game.roots, context)?)
}
