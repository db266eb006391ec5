//! How good an order is: the nodes of the first layers under it.
//!
//! The first order is run until a layer has more nodes than the trial's bound; all others are run as far and given
//! up as soon as they have clearly more nodes than the best so far. Only counts of nodes decide, never clocks, so
//! that the same game gives the same order on every machine.

use crate::encode::{Analysis, SymbolicGame};
use crate::kernel::{self, Context, Diagram};
use crate::limits::LimitReached;
use crate::solve::SolveError;

/// Layers that a trial has at most (those of a game that cycles never end).
const LAYERS: usize = 200;

/// A comparison of orders on the first layers.
pub struct Trial<'a> {
    analysis: &'a Analysis<'a>,
    context: &'a Context,
    /// Nodes of a layer after which the first run stops.
    bound: u64,
    /// Set by the first run.
    layers: Option<usize>,
    best: u64,
    /// The first run ended with the last layer of the game.
    pub complete: bool,
}

impl<'a> Trial<'a> {
    pub fn new(analysis: &'a Analysis<'a>, context: &'a Context, bound: u64) -> Self {
        Trial { analysis, context, bound, layers: None, best: u64::MAX, complete: false }
    }

    /// The nodes of all layers of the trial under `order`, smaller is better; `None` where it is clearly worse than
    /// the best so far.
    pub fn score(&mut self, order: &[usize]) -> Result<Option<u64>, SolveError> {
        let game = SymbolicGame::new(self.analysis, order, self.context.limits())?;
        let mut current = Diagram::single(game.variables.levels(), &game.initial);
        let (mut nodes, mut layer) = (0u64, 0);
        loop {
            nodes += current.node_count();
            let stop = match self.layers {
                Some(layers) => layer >= layers,
                None => current.node_count() > self.bound || layer >= LAYERS,
            };
            if stop || current.is_empty() {
                self.complete |= self.layers.is_none() && current.is_empty();
                break;
            }
            if self.layers.is_some() && nodes > self.best.saturating_add(self.best / 4) {
                return Ok(None);
            }
            current = match self.step(&game, &current) {
                Err(SolveError::Limit(LimitReached::Memory { .. })) => return Ok(None),
                other => other?,
            };
            layer += 1;
        }
        self.layers.get_or_insert(layer);
        self.best = self.best.min(nodes);
        Ok(Some(nodes))
    }

    fn step(&self, game: &SymbolicGame, layer: &Diagram) -> Result<Diagram, SolveError> {
        let open = if game.stuck_terminal {
            None
        } else {
            Some(kernel::select(layer, &game.open, game.open.start(), self.context)?)
        };
        let next = kernel::image(open.as_ref().unwrap_or(layer), &game.relations, &game.roots, self.context)?;
        game.automaton_failure().map_or(Ok(next), |limit| Err(limit.clone().into()))
    }
}
