//! The values of a layer by rank, a few bits each. They come from blocks of codes, or from one walk over pairs of a
//! node of the states and a node of the values.

use super::codes::{for_each_code, numbers};
use super::diagram::{Function, Set, TERMINALS};
use base::limits::{LimitReached, Limits, Reserved};
use base::random::Random;
use base::together::together;
use solving::solution::ReadError;
use solving::store::Ranked;
use std::sync::{Mutex, PoisonError};

const CHUNK: u64 = 1 << 18;

#[derive(Debug)]
pub struct ByRank<'l> {
    words: Vec<u64>,
    /// Binary logarithm of the number of bits of a value.
    shift: u32,
    /// By value id: the number of states. An id that is not in the manifest counts as 0, which stands for no value.
    pub totals: Vec<u64>,
    _memory: Reserved<'l>,
}

/// Binary logarithm of the number of bits of a value, a power of two, if ids go up to `most`.
fn shift(most: usize) -> u32 {
    let bits = usize::BITS - most.leading_zeros();
    bits.max(1).next_power_of_two().trailing_zeros()
}

fn known(id: u32, rewards: usize) -> usize {
    if id as usize <= rewards { id as usize } else { 0 }
}

impl<'l> ByRank<'l> {
    fn new(states: u64, rewards: usize, limits: &'l Limits) -> Result<ByRank<'l>, ReadError> {
        let shift = shift(rewards);
        let words = states.div_ceil(64 >> shift);
        let memory = limits.hold(words.saturating_mul(8))?;
        let words = usize::try_from(words).map_err(|_| LimitReached::Size {
            what: "number of states of a layer to have the values of in memory".to_owned(),
            limit: usize::MAX as u64,
        })?;
        let totals = vec![0; rewards + 1];
        Ok(ByRank { words: vec![0; words], shift, totals, _memory: memory })
    }

    pub fn of_function(
        set: &Set,
        values: &Function,
        rewards: usize,
        threads: usize,
        limits: &'l Limits,
    ) -> Result<ByRank<'l>, ReadError> {
        let states = set.countable()?;
        let mut found = ByRank::new(states, rewards, limits)?;
        let shift = found.shift;
        let chunks =
            Mutex::new((0..).step_by(CHUNK as usize).zip(found.words.chunks_mut((CHUNK >> (6 - shift)) as usize)));
        let totals = Mutex::new(vec![0; rewards + 1]);
        together(threads, || {
            let mut own = vec![0; rewards + 1];
            while limits.check().is_ok() {
                let chunk = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((first, words)) = chunk else { break };
                fill(set, values, first, states.min(first + CHUNK), shift, words, &mut own);
            }
            let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
            totals.iter_mut().zip(own).for_each(|(total, own)| *total += own);
        });
        limits.check()?;
        found.totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(found)
    }

    pub fn of_ranked(ranked: &Ranked, rewards: usize, limits: &'l Limits) -> Result<ByRank<'l>, ReadError> {
        let mut found = ByRank::new(ranked.states(), rewards, limits)?;
        let per_word = 64u64 >> found.shift;
        for_each_code(ranked, limits, |rank, code| {
            let id = ranked.values().get(code).map_or(0, |&id| known(id, rewards));
            found.totals[id] += 1;
            found.words[(rank / per_word) as usize] |= (id as u64) << ((rank % per_word) << found.shift);
        })?;
        Ok(found)
    }

    /// The ranks of at most `most` random states of each value, in a layer of `states` states.
    pub fn draw(&self, states: u64, most: u64, random: &mut Random) -> Vec<u64> {
        let wanted: Vec<Vec<u64>> = self.totals.iter().map(|total| numbers(*total, most, random)).collect();
        let mut wanted: Vec<_> = wanted.iter().map(|numbers| numbers.iter().peekable()).collect();
        let mut seen = vec![0; wanted.len()];
        let mut is_wanted = |rank: &u64| {
            let id = self.get(*rank) as usize;
            seen[id] += 1;
            wanted[id].next_if(|number| **number + 1 == seen[id]).is_some()
        };
        (0..states).filter(&mut is_wanted).collect()
    }

    #[inline]
    pub fn get(&self, rank: u64) -> u32 {
        let word = self.words[(rank >> (6 - self.shift)) as usize];
        let place = (rank & ((64 >> self.shift) - 1)) << self.shift;
        (word >> place & ((1u64 << (1 << self.shift)) - 1)) as u32
    }
}

fn fill(set: &Set, values: &Function, first: u64, end: u64, shift: u32, words: &mut [u64], totals: &mut [u64]) {
    let rewards = totals.len() - 1;
    let mut put = |from: u64, states: u64, id: u32| {
        let (id, from, to) = (known(id, rewards), from.max(first), (from + states).min(end));
        totals[id] += to - from;
        for rank in from - first..to - first {
            words[(rank >> (6 - shift)) as usize] |= (id as u64) << ((rank & ((64 >> shift) - 1)) << shift);
        }
    };
    let mut open = vec![(set.root, values.root, 0u64)];
    while let Some((state, value, rank)) = open.pop() {
        if rank >= end || state == 0 {
            continue;
        }
        if state == 1 {
            if rank >= first {
                put(rank, 1, values.lowest(value));
            }
            continue;
        }
        let node = set.node(state);
        if rank < first || value < TERMINALS {
            let states = set.count(state);
            if rank + states <= first {
                continue;
            }
            if value < TERMINALS {
                put(rank, states, value);
                continue;
            }
        }
        let [lo, hi] = values.node(value);
        let level = node.level();
        match level.cmp(&(values.level(value) as usize)) {
            // The states' diagram skips the level, so its variable is false in all of them.
            std::cmp::Ordering::Greater => open.push((state, lo, rank)),
            order => {
                let same = order.is_eq();
                open.push((node.hi, if same { hi } else { value }, rank + node.below()));
                open.push((node.lo, if same { lo } else { value }, rank));
            }
        }
    }
}
