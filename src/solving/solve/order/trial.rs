//! A trial of an order: the nodes of the first layers under it.

use crate::solve::SolveError;
use crate::solve::expansion::{Expansion, Relations};
use crate::solve::growth::{BACK, Growth, logarithm};
use base::limits::LimitReached;
use game::encode::{Analysis, SymbolicGame};
use kernel::{self, Context, Diagram};

/// Diagrams with fewer states per node are no better than lists of states.
const DENSE: f64 = 2.0;

pub struct Trial<'a> {
    pub order: Vec<usize>,
    expansion: Relations<'a>,
    context: &'a Context,
    current: Diagram,
    /// All states so far, if states repeat.
    all: Option<Diagram>,
    nodes: Vec<u64>,
    /// By layer: the logarithm of the number of states.
    states: Vec<f64>,
    work: u64,
}

impl<'a> Trial<'a> {
    /// Starts with the initial state. `repeats`: layers leave out the states of earlier layers.
    pub fn new(
        analysis: &Analysis,
        order: Vec<usize>,
        repeats: bool,
        context: &'a Context,
    ) -> Result<Self, SolveError> {
        let game = SymbolicGame::new(analysis, &order, context.limits())?;
        let initial = || Diagram::single(game.variables.levels(), &game.initial);
        let (current, all) = (initial(), repeats.then(initial));
        let expansion = Relations::new(analysis, game, context);
        let nodes = vec![current.node_count()];
        Ok(Trial { order, expansion, context, nodes, states: vec![0.0], work: 0, current, all })
    }

    pub fn layer(&self) -> usize {
        self.nodes.len() - 1
    }

    pub fn nodes(&self) -> &[u64] {
        &self.nodes
    }

    pub fn last(&self) -> u64 {
        self.nodes[self.layer()]
    }

    pub fn total(&self) -> u64 {
        self.nodes.iter().sum()
    }

    /// The cost of the trial: words of keys of all sweeps so far, with the growth of automata.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// A node of the current layer stands for so many states that diagrams may be better than lists.
    pub fn is_dense(&self) -> bool {
        self.states[self.layer()] >= (DENSE * self.last() as f64).ln()
    }

    /// Whether the last layer was passed.
    pub fn ended(&self) -> bool {
        self.current.is_empty()
    }

    /// Continues layer by layer, while there are layers and `wanted` returns true. Returns false if the trial was given
    /// up, because its sweeps would have more than `most` words of keys in total.
    pub fn run_while(&mut self, most: u64, wanted: impl Fn(&Self) -> bool) -> Result<bool, SolveError> {
        while !self.ended() && wanted(self) {
            let left = most.saturating_sub(self.work);
            let context = self.context;
            match context.within_words(left, || self.advance()) {
                Err(SolveError::Limit(limit)) if matches!(limit.reason(), LimitReached::Work { .. }) => {
                    return Ok(false);
                }
                other => other?,
            }
        }
        Ok(true)
    }

    fn advance(&mut self) -> Result<(), SolveError> {
        let before = self.context.work();
        let mut next = self.expansion.successors(&self.current)?;
        if let Some(all) = &mut self.all {
            next = kernel::difference(&next, all, self.context)?;
            *all = kernel::union(&[all, &next], self.context)?;
        }
        self.states.push(logarithm(&next.count(self.context)?));
        self.work += self.context.work() - before;
        self.nodes.push(next.node_count());
        self.current = next;
        Ok(())
    }

    /// The extrapolated nodes of a later layer, comparable only with those of another order at the same layer.
    pub fn projected(&self) -> f64 {
        let pair = |layer: usize| (self.nodes[layer] + self.nodes[layer.saturating_sub(1)]) as f64;
        let (layer, last) = (self.layer(), pair(self.layer()));
        if layer <= BACK { last } else { last * last / pair(layer - BACK).max(1.0) }
    }

    /// The logarithm of the ratio of the states of the largest future layer to those of the current one.
    pub fn growth_to_come(&self) -> f64 {
        if self.ended() { 0.0 } else { Growth::of(&self.states).map_or(0.0, |growth| growth.to_peak()) }
    }
}
