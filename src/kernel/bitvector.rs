//! The values of a layer by the rank of its states: one bit a state and plane.
//!
//! With `k` values that may occur, in the first mover's order from worst to best, there are `k - 1` planes; plane `t`
//! tells whether a state's value is better than that with index `t`. The best of several values is their disjunction
//! in every plane, the worst their conjunction.

mod codes;

pub use codes::{Codes, code_bits};

use super::memory::Buffer;
use crate::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Words behind the last state: a window of 64 bits may start at any state.
const SLACK: usize = 2;

/// Values of a layer's states; see the module.
#[derive(Debug)]
pub struct Bitvector {
    states: u64,
    values: Vec<u32>,
    planes: Vec<Buffer<u64>>,
}

impl Bitvector {
    /// For so many states, all with the first of `values` (terminal ids, worst first, at least one).
    pub fn new(states: u64, values: Vec<u32>, limits: &Arc<Limits>) -> Result<Bitvector, LimitReached> {
        let words = words(states);
        let plane = |_| Buffer::zeroed(words, limits);
        let planes = (1..values.len()).map(plane).collect::<Result<_, _>>()?;
        Ok(Bitvector { states, values, planes })
    }

    /// As [`Bitvector::new`], with the index in `values` of each state's value by its rank.
    pub fn from_fn(
        states: u64,
        values: Vec<u32>,
        index: impl Fn(u64) -> usize,
        limits: &Arc<Limits>,
    ) -> Result<Bitvector, LimitReached> {
        let mut made = Bitvector::new(states, values, limits)?;
        for rank in 0..states {
            for plane in made.planes.iter_mut().take(index(rank)) {
                plane.as_mut_slice()[(rank >> 6) as usize] |= 1 << (rank & 63);
            }
        }
        Ok(made)
    }

    /// Bytes of the planes for so many states and values.
    pub fn bytes(states: u64, values: usize) -> u64 {
        8 * words(states) as u64 * values.saturating_sub(1) as u64
    }

    /// Number of states.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The values that may occur, worst first.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Index in [`Bitvector::values`] of the value of the state with this rank.
    pub fn index(&self, rank: u64) -> usize {
        assert!(rank < self.states, "rank {rank} of {}", self.states);
        let bit = |plane: &Buffer<u64>| (plane.as_slice()[(rank >> 6) as usize] >> (rank & 63) & 1) as usize;
        self.planes.iter().map(bit).sum()
    }

    /// The value of the state with this rank.
    pub fn value(&self, rank: u64) -> u32 {
        self.values[self.index(rank)]
    }

    /// By index in [`Bitvector::values`]: the number of states.
    pub fn counts(&self) -> Vec<u64> {
        let ones = |plane: &Buffer<u64>| plane.as_slice().iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let mut counts = Vec::with_capacity(self.values.len());
        let mut rest = self.states;
        for plane in &self.planes {
            let better = ones(plane);
            counts.push(rest - better);
            rest = better;
        }
        counts.push(rest);
        counts
    }

    /// One plane, 64 states a word, with at least one word behind the last state.
    pub fn plane(&self, index: usize) -> &[u64] {
        self.planes[index].as_slice()
    }
}

fn words(states: u64) -> usize {
    usize::try_from(states.div_ceil(64)).map_or(usize::MAX, |words| words.saturating_add(SLACK))
}
