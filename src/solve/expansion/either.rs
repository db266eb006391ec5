//! Chooses for each layer between expansion by relations and state by state.
//!
//! The diagrams are the same either way, so the choice is free for every layer. A layer is expanded state by state if
//! that is estimated to be quicker than a sweep, by the requests for each node of the previous sweep. The estimate
//! counts requests and states and never measures time, so the choice is deterministic.

use super::super::{Engine, SolveError};
use super::{Ahead, Expansion, Relations, States, Step};
use crate::encode::Variables;
use crate::kernel::{
    self, Bitvector, Context, Diagram, Given, Kind, Preferences, Prepared, RelationId, Retrograde, Way,
};
use num_bigint::BigUint;
use std::cell::Cell;

/// Approximate nanoseconds of a request of a sweep; and of a state, apart from evaluating the rules, for its part of
/// the diagrams.
const REQUEST: u64 = 150;
const DIAGRAM: u64 = 600;
/// Number of requests below which the choice does not matter.
const FEW: u64 = 1 << 20;

/// The sweeps of an image.
const IMAGE: [Kind; 2] = [Kind::Pairs, Kind::Determinise];

/// Requests for each node of the last sweep, in units of 1/256; 0 before the first sweep.
#[derive(Default)]
struct Density(Cell<u64>);

impl Density {
    fn note(&self, requests: u64, nodes: u64) {
        self.0.set(requests.saturating_mul(256) / nodes);
    }

    /// Expected requests for a number of nodes.
    fn expected(&self, nodes: u64) -> u64 {
        self.0.get().saturating_mul(nodes) / 256
    }
}

/// Expands in two ways.
pub struct Either<'a> {
    relations: Relations<'a>,
    states: States<'a>,
    /// Approximate nanoseconds of a state.
    state: u64,
    /// Number of requests below which the choice does not matter.
    few: u64,
    image: Density,
    preimage: Density,
    context: &'a Context,
}

impl<'a> Either<'a> {
    /// `state`: approximate nanoseconds of evaluating the rules on a state; `None`: state by state, as soon as a
    /// sweep's requests are known.
    pub fn new(relations: Relations<'a>, states: States<'a>, state: Option<u64>, context: &'a Context) -> Self {
        let (state, few) = state.map_or((0, 0), |state| (state + DIAGRAM, FEW));
        Either { relations, states, state, few, image: Density::default(), preimage: Density::default(), context }
    }

    /// Requests of all sweeps of some kinds so far.
    fn requests(&self, kinds: &[Kind]) -> u64 {
        kinds.iter().map(|&kind| self.context.statistics(kind).requests).sum()
    }

    /// The number of requests above which state by state is quicker.
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

    fn labels(&self, layer: &Diagram, terminals: &[u32]) -> Result<Diagram, SolveError> {
        self.relations.labels(layer, terminals)
    }

    fn moves(&self) -> (&kernel::Relations, &[RelationId]) {
        self.relations.moves()
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
