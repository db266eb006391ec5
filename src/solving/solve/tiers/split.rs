//! The tiers of a set of states: an automaton adds up weights from level to level, then states are counted by sum.

use super::Tiers;
use super::packed::Packed;
use base::limits::LimitReached;
use indexmap::IndexSet;
use kernel::{Automaton, Context, Diagram, Level, Outcome, TERMINALS};
use num_bigint::BigUint;
use rustc_hash::FxBuildHasher;
use std::sync::{PoisonError, RwLock};

/// Largest number of different partial sums.
const SUMS: usize = 1 << 16;

/// Adds up weights. The outcome is the index of the sum in [`Known::all`], plus 1.
struct Adding {
    /// The weights that are not 0, with their levels.
    weights: Vec<(u32, i64)>,
    known: RwLock<Known>,
}

/// The sums that occur: by number of weights added so far, and of all weights.
#[derive(Default)]
struct Known {
    partial: IndexSet<(u32, i64), FxBuildHasher>,
    all: IndexSet<i64, FxBuildHasher>,
}

impl Adding {
    fn new(weights: &[i64]) -> Adding {
        let weights = (0..).zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0).collect();
        Adding { weights, known: RwLock::default() }
    }

    /// The state of the automaton after `place` weights with this sum.
    fn state(&self, place: u32, sum: i64) -> Result<u32, LimitReached> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).partial.get_index_of(&(place, sum));
        if let Some(state) = known {
            return Ok(state as u32);
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if place as usize == self.weights.len() {
            known.all.insert(sum);
        }
        let (state, _) = known.partial.insert_full((place, sum));
        let too_many = |what: &str, limit: u64| Err(LimitReached::Size { what: what.to_owned(), limit });
        match () {
            () if known.all.len() >= TERMINALS as usize - 2 => too_many("tiers", TERMINALS.into()),
            () if known.partial.len() > SUMS => too_many("sums of tiers", SUMS as u64),
            () => Ok(state as u32),
        }
    }

    fn at(&self, state: u32) -> (u32, i64) {
        *self
            .known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .partial
            .get_index(state as usize)
            .expect("it was met")
    }
}

impl Automaton for Adding {
    fn level(&self, state: u32) -> Level {
        self.weights.get(self.at(state).0 as usize).map_or(Level::NONE, |(level, _)| Level::new(*level))
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        let (place, sum) = self.at(state);
        self.state(place + 1, sum + if bit { self.weights[place as usize].1 } else { 0 })
    }

    fn outcome(&self, state: u32) -> Outcome {
        let (place, sum) = self.at(state);
        if (place as usize) < self.weights.len() {
            return Outcome::Undecided;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        Outcome::Decided(known.all.get_index_of(&sum).expect("it was met") as u32 + 1)
    }
}

/// By tier, given by its measure and parts: the number of its states.
pub type Tally = Vec<(Vec<i64>, BigUint)>;

/// The tiers of a set, ascending, with the numbers of their states. Measure and parts are relative to those of the
/// initial state. If there are too many tiers, the measure alone divides them; `None`: there are still too many.
pub fn split(tiers: &Tiers, set: &Diagram, initial: &[bool], context: &Context) -> Result<Option<Tally>, LimitReached> {
    for parts in [&tiers.parts[..], &[]] {
        let sums: Vec<&Vec<i64>> = tiers.measure.iter().chain(parts).collect();
        let Some(packed) = Packed::new(&sums, set.levels() as usize) else { continue };
        match by(&packed, set, initial, context) {
            Err(LimitReached::Size { .. } | LimitReached::Memory { .. }) => {}
            found => return found.map(Some),
        }
    }
    Ok(None)
}

fn by(packed: &Packed, set: &Diagram, initial: &[bool], context: &Context) -> Result<Tally, LimitReached> {
    let adding = Adding::new(&packed.weights);
    let by_tier = kernel::classify(set, &adding, adding.state(0, 0)?, context)?;
    let counts = kernel::tally(set, &kernel::as_values(&by_tier, context)?, context)?;
    let known = adding.known.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first = packed.sums(packed.of(initial));
    let tier = |(terminal, states): (u32, BigUint)| {
        let sums = packed.sums(known.all[terminal as usize - 1]);
        (sums.iter().zip(&first).map(|(sum, first)| sum - first).collect(), states)
    };
    let mut tiers: Tally = counts.into_iter().map(tier).collect();
    tiers.sort_unstable();
    Ok(tiers)
}
