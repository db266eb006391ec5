//! Chooses for each layer whether it is expanded by relations or state by state.
//!
//! Both yield the same diagrams. A layer is expanded state by state if that is estimated to be quicker than a sweep,
//! from the words of requests per node of the previous sweep. Only words and states are counted, so that the choice is
//! deterministic.
//!
//! The forward pass as a whole can be slower than a look at every state, too; see [`Alternative::falls_behind`]. A run
//! that goes on with an unfinished pass adds the measured time of the earlier runs there. The stored bytes are the same
//! either way.

use super::super::SolveError;
use super::States;
use kernel::{Context, Kind};
use num_bigint::BigUint;
use std::cell::Cell;

/// Approximate nanoseconds of a word of the requests of a sweep.
const WORD: u64 = 60;
/// Approximate nanoseconds of a state in conversions between diagrams and lists, without evaluating the rules.
const DIAGRAM: u64 = 600;
/// The choices do not matter below this number of words.
const FEW: u64 = 1 << 21;
/// A sweep over fewer nodes counts as one over so many: what it does once, such as making automata, does not grow with
/// the nodes.
const LEAST_NODES: u64 = 1 << 12;
/// Divisor of the free memory: the lists of all states may take this part.
const LIST_SHARE: u64 = 4;
/// Bytes of a listed state for each of its words.
const LIST_BYTES: u64 = 32;
/// Divisor of the time so far: the number of states is foretold anew only after this part more.
const PATIENCE: u64 = 8;

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
        let words = |kind| context.statistics(kind).words() + context.statistics(kind).requests;
        self.kinds.iter().map(|&kind| words(kind)).sum()
    }
}

pub struct Alternative<'a> {
    states: States<'a>,
    /// Approximate nanoseconds of a state without conversions, if it is known.
    state: Option<u64>,
    few: u64,
    pub image: Sweeps,
    pub preimage: Sweeps,
    /// Approximate nanoseconds of all steps so far, and at the last look at them.
    spent: Cell<u64>,
    looked: Cell<u64>,
    context: &'a Context,
}

impl<'a> Alternative<'a> {
    /// `state`: approximate nanoseconds to evaluate the rules on a state. If `None`, layers are expanded state by state
    /// as soon as the words of a sweep are known.
    pub fn new(states: States<'a>, state: Option<u64>, context: &'a Context) -> Self {
        let few = state.map_or(0, |_| FEW);
        let image = Sweeps::new(&[Kind::Select, Kind::Pairs, Kind::Determinise]);
        let preimage = Sweeps::new(&[Kind::Preimage]);
        Alternative { states, state, few, image, preimage, spent: Cell::new(0), looked: Cell::new(0), context }
    }

    /// Approximate nanoseconds of all steps so far.
    pub fn work(&self) -> u64 {
        self.spent.get()
    }

    /// Goes on from the work of earlier runs, in approximate nanoseconds.
    pub fn set_work(&self, work: u64) {
        self.spent.set(work);
    }

    /// Whether the steps so far took more than half of the time in which all states are solved one by one, if their
    /// lists fit the memory. `foretold`: the number of states, if it is known.
    pub fn falls_behind(&self, foretold: &dyn Fn() -> Option<f64>) -> bool {
        let spent = self.spent.get();
        if spent <= self.few * WORD || spent.saturating_sub(self.looked.get()) < spent / PATIENCE {
            return false;
        }
        self.looked.set(spent);
        let (Some(state), Some(states)) = (self.state, foretold()) else { return false };
        let bytes = states * (self.states.words() as u64 * LIST_BYTES) as f64;
        let fits = bytes <= (self.context.limits().free() / LIST_SHARE) as f64;
        fits && 2.0 * spent as f64 > states * state as f64
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
        let spend = |time: u64| self.spent.set(self.spent.get().saturating_add(time));
        let state = self.state.map_or(0, |state| state + DIAGRAM);
        let one_by_one = u64::try_from(states).unwrap_or(u64::MAX).saturating_mul(state);
        if sweeps.density.get().saturating_mul(nodes) / 256 > (one_by_one / WORD).max(self.few) {
            spend(one_by_one);
            return single(&self.states, given);
        }
        let before = sweeps.words(self.context);
        let swept = sweep(given)?;
        let words = sweeps.words(self.context) - before;
        spend(words.saturating_mul(WORD));
        sweeps.density.set(words.saturating_mul(256) / nodes.max(LEAST_NODES));
        Ok(swept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Expansion, Relations};
    use super::*;
    use crate::sample::handmade::lines;
    use base::limits::Limits;
    use game::encode::{Analysis, SymbolicGame};
    use game::mutex;
    use kernel::Diagram;
    use std::sync::Arc;

    #[test]
    fn steps_fall_behind_single_states_by_their_words_alone() {
        let game = lines(3, 3, 3);
        let limits = Arc::new(Limits::new(1 << 30));
        let groups = mutex::groups(&game, &mutex::Effort::default(), &limits).unwrap();
        let analysis = Analysis::new(&game, &groups, &limits).unwrap();
        let order: Vec<usize> = (0..groups.len()).collect();
        let symbolic = SymbolicGame::new(&analysis, &order, &limits).unwrap();
        let context = Context::new(limits.clone(), 1);
        let variables = symbolic.variables.clone();
        let states = || States::new(&game, variables.clone(), &context);
        let alternative = Alternative { few: 0, ..Alternative::new(states(), Some(1_000), &context) };
        let relations = Relations::new(&analysis, symbolic, &context).or(alternative);
        let behind = |relations: &Relations, states: f64| relations.falls_behind(&|| Some(states));
        assert!(!behind(&relations, 1.0), "there was no step");
        let mut layer = Diagram::single(relations.variables().levels(), relations.initial());
        while !layer.is_empty() {
            let states = layer.count(&context).unwrap();
            layer = relations.step(&layer, &states, true, true).unwrap().expect("a sound game").next;
        }
        let words = context.work() as f64;
        assert!(context.statistics(Kind::Select).grown > 100, "the automata are told");
        // A state is foretold to take a microsecond, as long as 17 words.
        let again = |relations: &Relations| relations.alternative.as_ref().expect("it was given").looked.set(0);
        assert!(behind(&relations, words / 20.0), "{words}");
        assert!(!behind(&relations, words / 20.0), "there was no step since");
        again(&relations);
        assert!(!behind(&relations, words), "{words}");
        let relations = relations.or(Alternative::new(states(), Some(1_000), &context));
        relations.set_work(1_000_000_000);
        assert!(behind(&relations, 1_900_000.0) && !behind(&relations, 1_900_000.0), "earlier runs took a second");
        again(&relations);
        assert!(!behind(&relations, 2_100_000.0));
        again(&relations);
        let _taken = limits.hold(limits.free() - (1 << 12)).unwrap();
        assert!(!behind(&relations, 1_900_000.0), "lists do not fit");
    }
}
