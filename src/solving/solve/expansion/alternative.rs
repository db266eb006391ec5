//! Chooses for each layer whether it is expanded by relations or state by state.
//!
//! Both yield the same diagrams. A layer is expanded state by state if that is estimated to be quicker than a sweep,
//! from the words of requests per node of the previous sweep. Only words and states are counted, so that the choice is
//! deterministic.

use super::super::SolveError;
use super::States;
use kernel::{Context, Kind};
use num_bigint::BigUint;
use std::cell::Cell;

/// Approximate nanoseconds of a word of the requests of a sweep.
const WORD: u64 = 60;
/// Approximate nanoseconds of a state in conversions between diagrams and lists, without evaluating the rules.
const DIAGRAM: u64 = 600;
/// The choice does not matter below this number of words.
const FEW: u64 = 1 << 21;

/// The kinds of sweeps that are done together in one step.
pub struct Sweeps {
    kinds: &'static [Kind],
    /// Words of requests for each node in the last sweeps, in units of 1/256; 0 before the first ones.
    density: Cell<u64>,
}

impl Sweeps {
    fn new(kinds: &'static [Kind]) -> Sweeps {
        Sweeps { kinds, density: Cell::new(0) }
    }

    /// Words of requests so far, including a word for the node of each request.
    fn words(&self, context: &Context) -> u64 {
        let words = |kind| context.statistics(kind).key_words + context.statistics(kind).requests;
        self.kinds.iter().map(|&kind| words(kind)).sum()
    }
}

pub struct Alternative<'a> {
    states: States<'a>,
    /// Approximate nanoseconds of a state.
    state: u64,
    few: u64,
    pub image: Sweeps,
    pub preimage: Sweeps,
    context: &'a Context,
}

impl<'a> Alternative<'a> {
    /// `state`: approximate nanoseconds to evaluate the rules on a state. If `None`, layers are expanded state by state
    /// as soon as the words of a sweep are known.
    pub fn new(states: States<'a>, state: Option<u64>, context: &'a Context) -> Self {
        let (state, few) = state.map_or((0, 0), |state| (state + DIAGRAM, FEW));
        let (image, preimage) = (Sweeps::new(&[Kind::Pairs, Kind::Determinise]), Sweeps::new(&[Kind::Preimage]));
        Alternative { states, state, few, image, preimage, context }
    }

    /// Runs `sweep` or the state-by-state `single` with `given`, whichever is estimated to be quicker for `states`
    /// states in diagrams of `nodes` nodes.
    pub fn quicker<G, T>(
        &self,
        sweeps: &Sweeps,
        (states, nodes): (&BigUint, u64),
        given: G,
        sweep: impl FnOnce(G) -> Result<T, SolveError>,
        single: impl FnOnce(&States<'a>, G) -> Result<T, SolveError>,
    ) -> Result<T, SolveError> {
        let nodes = nodes.max(1);
        let most = u64::try_from(states).unwrap_or(u64::MAX).saturating_mul(self.state) / WORD;
        if sweeps.density.get().saturating_mul(nodes) / 256 > most.max(self.few) {
            return single(&self.states, given);
        }
        let before = sweeps.words(self.context);
        let swept = sweep(given)?;
        sweeps.density.set((sweeps.words(self.context) - before).saturating_mul(256) / nodes);
        Ok(swept)
    }
}
