//! By relations or state by state, whatever takes less for the layer at hand.
//!
//! Diagrams are the same either way, so every layer may go its own way. A layer goes state by state where that takes less
//! than a sweep, judged by the requests for each node of the sweep before it. Requests and states are counted and time is
//! never measured, so that the ways do not depend on it.

use super::super::{Engine, SolveError};
use super::{Ahead, Expansion, Relations, States, Step};
use crate::encode::Variables;
use crate::kernel::{Bitvector, Context, Diagram, Given, Kind, Preferences, Prepared, Retrograde, Way};
use num_bigint::BigUint;
use std::cell::Cell;

/// Nanoseconds of a request of a sweep, about, and of a state beside what the rules take: its part of the diagrams.
const REQUEST: u64 = 150;
const DIAGRAM: u64 = 600;
/// Requests that are not worth going another way.
const FEW: u64 = 1 << 20;

/// The sweeps of an image.
const IMAGE: [Kind; 2] = [Kind::Pairs, Kind::Determinise];

/// Requests of the last sweep for each node, in 256ths; 0 before the first.
#[derive(Default)]
struct Density(Cell<u64>);

impl Density {
    fn note(&self, requests: u64, nodes: u64) {
        self.0.set(requests.saturating_mul(256) / nodes);
    }

    /// Requests to be expected for so many nodes.
    fn expected(&self, nodes: u64) -> u64 {
        self.0.get().saturating_mul(nodes) / 256
    }
}

/// Expands in two ways.
pub struct Either<'a> {
    relations: Relations<'a>,
    states: States<'a>,
    /// Nanoseconds of a state, about.
    state: u64,
    /// Requests that are not worth going another way.
    few: u64,
    image: Density,
    preimage: Density,
    context: &'a Context,
}

impl<'a> Either<'a> {
    /// `state`: nanoseconds that the rules take for a state, about; `None`: relations are never quicker, once it can be
    /// told.
    pub fn new(relations: Relations<'a>, states: States<'a>, state: Option<u64>, context: &'a Context) -> Self {
        let (state, few) = state.map_or((0, 0), |state| (state + DIAGRAM, FEW));
        Either { relations, states, state, few, image: Density::default(), preimage: Density::default(), context }
    }

    /// Requests of all sweeps of some kinds so far.
    fn requests(&self, kinds: &[Kind]) -> u64 {
        kinds.iter().map(|&kind| self.context.statistics(kind).requests).sum()
    }

    /// The requests that a sweep may have before states one by one are quicker.
    fn most(&self, states: &BigUint) -> u64 {
        u64::try_from(states).unwrap_or(u64::MAX).saturating_mul(self.state) / REQUEST
    }
}

impl Expansion for Either<'_> {
    fn engine(&self) -> Engine {
        self.relations.engine()
    }

    fn variables(&self) -> &Variables {
        self.relations.variables()
    }

    fn initial(&self) -> &[bool] {
        self.relations.initial()
    }

    fn rewards(&self) -> &[Vec<u8>] {
        self.relations.rewards()
    }

    fn step(
        &self,
        layer: &Diagram,
        states: &BigUint,
        dead_ends: bool,
        alternating: bool,
    ) -> Result<Result<Step, Vec<bool>>, SolveError> {
        let nodes = layer.node_count().max(1);
        if self.image.expected(nodes) > self.most(states).max(self.few) {
            return self.states.step(layer, states, dead_ends, alternating);
        }
        let before = self.requests(&IMAGE);
        let step = self.relations.step(layer, states, dead_ends, alternating)?;
        self.image.note(self.requests(&IMAGE) - before, nodes);
        Ok(step)
    }

    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        self.relations.successors(states)
    }

    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        self.relations.terminals(states)
    }

    fn terminal_states(&self, states: &Diagram) -> Result<BigUint, SolveError> {
        self.relations.terminal_states(states)
    }

    fn violation(&self, layer: &Diagram, dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError> {
        self.relations.violation(layer, dead_ends)
    }

    fn values(
        &self,
        layer: &Diagram,
        next: Option<&Diagram>,
        after: Given,
        preferences: &Preferences,
    ) -> Result<Diagram, SolveError> {
        let nodes = (layer.node_count() + after.node_count()).max(1);
        let expected = self.preimage.expected(nodes);
        if expected > self.most(&layer.count(self.context)?).max(self.few) {
            return self.states.values(layer, next, after, preferences);
        }
        let before = self.requests(&[Kind::Preimage]);
        let values = self.relations.values(layer, next, after, preferences)?;
        self.preimage.note(self.requests(&[Kind::Preimage]) - before, nodes);
        Ok(values)
    }

    fn begin_backward(&self) {
        self.relations.begin_backward();
    }

    fn needs_next(&self) -> bool {
        true
    }

    fn has_retrograde(&self) -> bool {
        self.relations.has_retrograde()
    }

    fn prepare(&self, layers: &[Ahead]) -> Vec<Result<Prepared, SolveError>> {
        self.relations.prepare(layers)
    }

    fn in_parts(
        &self,
        ahead: &Ahead,
        after: &Bitvector,
        preferences: &Preferences,
        parts: u64,
    ) -> Result<Retrograde, SolveError> {
        self.relations.in_parts(ahead, after, preferences, parts)
    }

    fn state_by_state(
        &self,
        layer: &Diagram,
        next: &Diagram,
        after: &Bitvector,
        preferences: &Preferences,
        way: Way,
    ) -> Result<Retrograde, SolveError> {
        self.relations.state_by_state(layer, next, after, preferences, way)
    }

    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError> {
        self.relations.choosing(states, role)
    }

    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError> {
        self.relations.predecessors(within, targets)
    }

    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError> {
        self.relations.predecessor(states, target)
    }
}
