//! Chooses for each layer whether it is expanded by relations or state by state.
//!
//! Both yield the same diagrams, so each layer can be expanded either way. A layer is expanded state by state if that
//! is estimated to be quicker than a sweep. The estimate uses the requests for each node of the previous sweep. It
//! counts requests and states and never measures time, so the choice is deterministic.

use super::super::SolveError;
use super::States;
use kernel::{Context, Kind};
use num_bigint::BigUint;
use std::cell::Cell;

/// Approximate nanoseconds of a request of a sweep; and of a state for its part of the diagrams, without evaluating the
/// rules.
const REQUEST: u64 = 150;
const DIAGRAM: u64 = 600;
/// Number of requests below which the choice does not matter.
const FEW: u64 = 1 << 20;

/// The kinds of sweeps that are done together in one step.
pub struct Sweeps {
    kinds: &'static [Kind],
    /// Requests for each node in the last sweeps, in units of 1/256; 0 before the first ones.
    density: Cell<u64>,
}

impl Sweeps {
    fn new(kinds: &'static [Kind]) -> Sweeps {
        Sweeps { kinds, density: Cell::new(0) }
    }

    /// Requests so far.
    fn requests(&self, context: &Context) -> u64 {
        self.kinds.iter().map(|&kind| context.statistics(kind).requests).sum()
    }
}

/// Expansion state by state, for layers in which it is quicker than sweeps.
pub struct Alternative<'a> {
    states: States<'a>,
    /// Approximate nanoseconds of a state.
    state: u64,
    /// Number of requests below which the choice does not matter.
    few: u64,
    pub image: Sweeps,
    pub preimage: Sweeps,
    context: &'a Context,
}

impl<'a> Alternative<'a> {
    /// `state`: approximate nanoseconds to evaluate the rules on a state. If `None`, layers are expanded state by state
    /// as soon as a sweep's requests are known.
    pub fn new(states: States<'a>, state: Option<u64>, context: &'a Context) -> Self {
        let (state, few) = state.map_or((0, 0), |state| (state + DIAGRAM, FEW));
        let (image, preimage) = (Sweeps::new(&[Kind::Pairs, Kind::Determinise]), Sweeps::new(&[Kind::Preimage]));
        Alternative { states, state, few, image, preimage, context }
    }

    /// Runs what is estimated to be quicker for `states` states in diagrams of `nodes` nodes: `sweep`, or `single`,
    /// which works state by state. Either gets `given`.
    pub fn quicker<G, T>(
        &self,
        sweeps: &Sweeps,
        (states, nodes): (&BigUint, u64),
        given: G,
        sweep: impl FnOnce(G) -> Result<T, SolveError>,
        single: impl FnOnce(&States<'a>, G) -> Result<T, SolveError>,
    ) -> Result<T, SolveError> {
        let nodes = nodes.max(1);
        let most = u64::try_from(states).unwrap_or(u64::MAX).saturating_mul(self.state) / REQUEST;
        if sweeps.density.get().saturating_mul(nodes) / 256 > most.max(self.few) {
            return single(&self.states, given);
        }
        let before = sweeps.requests(self.context);
        let swept = sweep(given)?;
        sweeps.density.set((sweeps.requests(self.context) - before).saturating_mul(256) / nodes);
        Ok(swept)
    }
}
