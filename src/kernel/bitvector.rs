//! The values of a layer as bit planes: each plane has one bit for each state, indexed by the state's rank.
//!
//! The values that may occur are numbered in the order of the first mover, worst first. Planes have two encodings. With
//! at most [`MOST_STEPS`] values, planes are steps: plane `t` tells for each state whether the index of its value is
//! above `t`. The best of several values is then their disjunction in every plane, and the worst their conjunction.
//! With more values, or on request, planes are the binary digits of the index, least significant first. Digits need
//! fewer planes, but comparing values has to start from the highest digit.

mod codes;

pub use codes::{Codes, code_bits};

use super::context::BATCH;
use super::memory::Buffer;
use base::bits::ones;
use base::limits::{LimitReached, Limits};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub(super) const MOST_STEPS: usize = 4;
/// Largest number of planes that are digits of an index: an index is below the number of terminals, 2^14.
pub(super) const MOST_PLANES: usize = 14;

pub(super) fn planes_of(values: usize) -> usize {
    if values <= MOST_STEPS { values.saturating_sub(1) } else { code_bits(values) as usize }
}

#[inline(always)]
pub(super) fn in_plane(values: usize, index: usize, plane: usize) -> bool {
    if values <= MOST_STEPS { index > plane } else { index >> plane & 1 == 1 }
}

/// Additional words at the end of a plane, so that 64 bits can be read from any state on.
const SLACK: u64 = 2;

#[derive(Debug)]
pub struct Bitvector {
    states: u64,
    values: Vec<u32>,
    steps: bool,
    planes: Vec<Buffer<u64>>,
    /// The ranges of words that have memory in each plane, ascending and disjoint.
    words: Vec<Range<usize>>,
}

impl Bitvector {
    /// All states get the first of `values` (terminal ids, worst first). If there are states, there must be a value.
    pub fn new(states: u64, values: Vec<u32>, limits: &Arc<Limits>) -> Result<Bitvector, LimitReached> {
        let steps = values.len() <= MOST_STEPS;
        Bitvector::made(states, values, steps, whole(states), limits)
    }

    /// As [`Bitvector::new`], but planes are always binary digits of the index, which needs the fewest planes.
    pub fn coded(states: u64, values: Vec<u32>, limits: &Arc<Limits>) -> Result<Bitvector, LimitReached> {
        Bitvector::made(states, values, false, whole(states), limits)
    }

    /// Adds a plane, which doubles the number of values. Each value must equal its index.
    pub(super) fn double(&mut self, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        let count = self.values.len() as u32;
        assert!(!self.steps && self.values.iter().copied().eq(0..count) && count.is_power_of_two(), "numbered values");
        self.planes.push(Buffer::zeroed(words_of(self.states)?, limits)?);
        self.values.extend(count..2 * count);
        Ok(())
    }

    /// Sets the value of every state that does not have the first value in `other` to its value in `other` plus `more`.
    /// In both bitvectors each value must equal its index, and in `self` these states must have the first value.
    pub fn add(&mut self, other: &Bitvector, more: u32, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        assert!(self.states == other.states && !other.steps, "numbers of the same states");
        let most = other.values.len() - 1 + more as usize;
        while self.values.len() <= most {
            self.double(limits)?;
        }
        for word in 0..self.states.div_ceil(64) as usize {
            if word % BATCH == 0 {
                limits.check()?;
            }
            let states = other.other_than_first(word);
            let mut carry = 0;
            for (plane, sum) in self.planes.iter_mut().enumerate() {
                let one = other.planes.get(plane).map_or(0, |plane| plane.as_slice()[word]);
                let constant = if more >> plane & 1 == 1 { states } else { 0 };
                sum.as_mut_slice()[word] |= one ^ constant ^ carry;
                carry = one & constant | carry & (one | constant);
            }
        }
        Ok(())
    }

    fn other_than_first(&self, word: usize) -> u64 {
        self.planes.iter().fold(0, |any, plane| any | plane.as_slice()[word])
    }

    /// Counts states by their values in both bitvectors, except states that have the first value in one of them.
    pub fn pairs(&self, other: &Bitvector, limits: &Limits) -> Result<BTreeMap<(u32, u32), u64>, LimitReached> {
        assert!(self.states == other.states, "values of the same states");
        let width = other.values.len();
        let _room = limits.hold(8 * (self.values.len() * width) as u64)?;
        let mut counts = vec![0_u64; self.values.len() * width];
        for word in 0..self.states.div_ceil(64) as usize {
            if word % BATCH == 0 {
                limits.check()?;
            }
            for state in ones(self.other_than_first(word) & other.other_than_first(word)) {
                let rank = (64 * word + state) as u64;
                counts[self.index(rank) * width + other.index(rank)] += 1;
            }
        }
        let found = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let found = found.map(|(place, count)| ((self.values[place / width], other.values[place % width]), count));
        Ok(found.collect())
    }

    pub(super) fn clear(&mut self) {
        self.planes.iter_mut().for_each(|plane| plane.as_mut_slice().fill(0));
    }

    /// As [`Bitvector::new`], with memory and values only for some ranges of ranks. Ranges are ascending and disjoint;
    /// each begins at a multiple of 64, and ends at a multiple of 64 or after the last state.
    pub fn sparse(
        states: u64,
        values: Vec<u32>,
        ranks: &[Range<u64>],
        limits: &Arc<Limits>,
    ) -> Result<Bitvector, LimitReached> {
        let words = ranks.iter().map(|ranks| {
            assert!(ranks.start.is_multiple_of(64) && ranks.end <= states, "{ranks:?} of {states} states");
            assert!(ranks.end.is_multiple_of(64) || ranks.end == states, "{ranks:?} of {states} states");
            (ranks.start / 64) as usize..ranks.end.div_ceil(64) as usize
        });
        Bitvector::of_words(states, values, words.collect(), limits)
    }

    pub(super) fn of_words(
        states: u64,
        values: Vec<u32>,
        words: Vec<Range<usize>>,
        limits: &Arc<Limits>,
    ) -> Result<Bitvector, LimitReached> {
        let steps = values.len() <= MOST_STEPS;
        Bitvector::made(states, values, steps, words, limits)
    }

    fn made(
        states: u64,
        values: Vec<u32>,
        steps: bool,
        words: Vec<Range<usize>>,
        limits: &Arc<Limits>,
    ) -> Result<Bitvector, LimitReached> {
        assert!(words.iter().all(Range::is_empty) || !values.is_empty(), "a value for {states} states");
        let count = words_of(states)?;
        let used: Vec<Range<usize>> = words.iter().map(|words| words.start..words.end + SLACK as usize).collect();
        let planes = if steps { planes_of(values.len()) } else { code_bits(values.len()) as usize };
        let planes = (0..planes).map(|_| Buffer::sparse(count, &used, limits)).collect::<Result<_, _>>()?;
        Ok(Bitvector { states, values, steps, planes, words })
    }

    pub(super) fn words(&self) -> &[Range<usize>] {
        &self.words
    }

    /// Gives each state the value with the index that `index` returns for its rank. Ranks are asked in ascending order.
    pub fn from_fn(
        states: u64,
        values: Vec<u32>,
        mut index: impl FnMut(u64) -> usize,
        limits: &Arc<Limits>,
    ) -> Result<Bitvector, LimitReached> {
        let mut made = Bitvector::new(states, values, limits)?;
        for rank in 0..states {
            let (values, index) = (made.values.len(), index(rank));
            for (number, plane) in made.planes.iter_mut().enumerate() {
                plane.as_mut_slice()[(rank >> 6) as usize] |= u64::from(in_plane(values, index, number)) << (rank & 63);
            }
        }
        Ok(made)
    }

    /// Bytes of the planes of [`Bitvector::new`]; `u64::MAX` if the number does not fit.
    pub fn bytes(states: u64, values: usize) -> u64 {
        let planes = planes_of(values) as u64;
        words(states).checked_mul(8).and_then(|bytes| bytes.checked_mul(planes)).unwrap_or(u64::MAX)
    }

    pub fn states(&self) -> u64 {
        self.states
    }

    pub fn values(&self) -> &[u32] {
        &self.values
    }

    pub fn index(&self, rank: u64) -> usize {
        assert!(rank < self.states, "rank {rank} of {}", self.states);
        let bit = |plane: &Buffer<u64>| (plane.as_slice()[(rank >> 6) as usize] >> (rank & 63) & 1) as usize;
        if self.has_steps() {
            return self.planes.iter().map(bit).sum();
        }
        self.planes.iter().rev().fold(0, |index, plane| index << 1 | bit(plane))
    }

    pub(super) fn has_steps(&self) -> bool {
        self.steps
    }

    #[inline(always)]
    pub(super) fn in_plane(&self, index: usize, plane: usize) -> bool {
        if self.steps { index > plane } else { index >> plane & 1 == 1 }
    }

    /// Sets `masks` to one mask for each of [`Bitvector::values`]: the states of the word that have this value.
    pub(super) fn masks(&self, word: usize, masks: &mut Vec<u64>) {
        masks.clear();
        let rest = self.states.saturating_sub(64 * word as u64);
        let all = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
        masks.push(all);
        if self.has_steps() {
            for plane in &self.planes {
                let better = plane.as_slice()[word] & all;
                if let Some(last) = masks.last_mut() {
                    *last &= !better;
                }
                masks.push(better);
            }
        } else {
            for plane in self.planes.iter().rev() {
                let bits = plane.as_slice()[word];
                for index in (0..masks.len()).rev() {
                    let mask = masks[index];
                    masks.resize(masks.len().max(2 * index + 2), 0);
                    (masks[2 * index], masks[2 * index + 1]) = (mask & !bits, mask & bits);
                }
            }
        }
        masks.resize(self.values.len(), 0);
    }

    pub(super) fn is_first(&self, ranks: Range<u64>) -> bool {
        if ranks.is_empty() {
            return true;
        }
        let (first, last) = ((ranks.start >> 6) as usize, ((ranks.end - 1) >> 6) as usize);
        let (head, tail) = (u64::MAX << (ranks.start & 63), u64::MAX >> (63 - ((ranks.end - 1) & 63)));
        self.planes.iter().map(Buffer::as_slice).all(|plane| {
            if first == last {
                return plane[first] & head & tail == 0;
            }
            let inner = plane[first + 1..last].iter().all(|&word| word == 0);
            inner && plane[first] & head == 0 && plane[last] & tail == 0
        })
    }

    pub fn value(&self, rank: u64) -> u32 {
        self.values[self.index(rank)]
    }

    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.values.len()];
        if !self.has_steps() {
            let mut masks = Vec::new();
            for word in 0..self.states.div_ceil(64) as usize {
                self.masks(word, &mut masks);
                counts.iter_mut().zip(&masks).for_each(|(count, mask)| *count += u64::from(mask.count_ones()));
            }
            return counts;
        }
        let ones = |plane: &Buffer<u64>| plane.as_slice().iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let mut rest = self.states;
        for (count, plane) in counts.iter_mut().zip(&self.planes) {
            let better = ones(plane);
            *count = rest - better;
            rest = better;
        }
        if let Some(last) = counts.last_mut() {
            *last = rest;
        }
        counts
    }

    pub(super) fn plane_count(&self) -> usize {
        self.planes.len()
    }

    /// The words of a plane, for 64 states each; at least one word follows the last state.
    pub fn plane(&self, index: usize) -> &[u64] {
        self.planes[index].as_slice()
    }

    /// The address of a plane's words. Callers may write a word only while no other thread uses it.
    pub(super) fn plane_pointer(&self, index: usize) -> *mut u64 {
        self.planes[index].pointer()
    }
}

fn words(states: u64) -> u64 {
    states.div_ceil(64) + SLACK
}

fn whole(states: u64) -> Vec<Range<usize>> {
    std::iter::once(0..states.div_ceil(64) as usize).collect()
}

fn words_of(states: u64) -> Result<usize, LimitReached> {
    let size = || LimitReached::Size { what: "states of a layer by rank".into(), limit: usize::MAX as u64 };
    usize::try_from(words(states)).map_err(|_| size())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn sizes_beyond_every_address_are_told_and_refused() {
        assert_eq!(Bitvector::bytes(u64::MAX, 2), 8 * (u64::MAX / 64 + 1 + SLACK));
        assert_eq!(Bitvector::bytes(u64::MAX, 10_000), u64::MAX);
        assert_eq!(Bitvector::bytes(64, 5), 3 * Bitvector::bytes(64, 2));
        assert_eq!((Bitvector::bytes(100, 1), Bitvector::bytes(0, 0)), (0, 0));
        let limits = Arc::new(Limits::new(1 << 40));
        assert!(Bitvector::new(u64::MAX, vec![1, 2], &limits).is_err());
        assert!(Bitvector::new(1 << 63, (1..1000).collect(), &limits).is_err());
        assert_eq!(limits.used(), 0);
    }

    #[test]
    #[should_panic(expected = "a value for 3 states")]
    fn states_have_values() {
        let _ = Bitvector::new(3, Vec::new(), &Arc::new(Limits::unlimited()));
    }

    #[test]
    fn numbers_are_added_where_there_is_none_and_pairs_are_counted() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(31);
        for _ in 0..100 {
            let states = 1 + random.below(300);
            let mut sum = Bitvector::coded(states as u64, vec![0], &limits).unwrap();
            let mut expected = vec![0; states];
            let kinds = 1 << random.below(6);
            for _ in 0..3 {
                let more = random.below(100) as u32;
                let mut other = Bitvector::coded(states as u64, (0..kinds).collect(), &limits).unwrap();
                for (rank, expected) in expected.iter_mut().enumerate().filter(|(_, expected)| **expected == 0) {
                    let number = random.below(kinds as usize);
                    for (plane, buffer) in other.planes.iter_mut().enumerate() {
                        buffer.as_mut_slice()[rank / 64] |= ((number >> plane & 1) as u64) << (rank % 64);
                    }
                    *expected = if number == 0 { 0 } else { number as u32 + more };
                }
                sum.add(&other, more, &limits).unwrap();
            }
            assert!((0..states).all(|rank| sum.value(rank as u64) == expected[rank]));
            let parity = |rank: u64| random.below(2) * (rank % 3) as usize;
            let others = Bitvector::from_fn(states as u64, vec![7, 8, 9], parity, &limits).unwrap();
            let mut counts = BTreeMap::new();
            for (rank, &number) in expected.iter().enumerate() {
                let other = others.value(rank as u64);
                if number > 0 && other != 7 {
                    *counts.entry((other, number)).or_insert(0) += 1;
                }
            }
            assert_eq!(others.pairs(&sum, &limits).unwrap(), counts);
            let counters = 8 * (others.values().len() * sum.values().len()) as u64;
            assert!(others.pairs(&sum, &Limits::new(counters - 1)).is_err());
        }
    }

    #[test]
    fn indices_and_counts_fit_the_values_in_every_order() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(29);
        for round in 0..200 {
            let (states, kinds) = (random.below(300), 1 + round % 40);
            let values: Vec<u32> = (0..states).map(|_| 1 + random.below(kinds) as u32).collect();
            let up: Vec<u32> = (1..=kinds as u32).collect();
            let down: Vec<u32> = (1..=kinds as u32 + 2).rev().collect();
            for order in [up, down] {
                let place = |rank: u64| order.iter().position(|&value| value == values[rank as usize]).unwrap();
                let found = Bitvector::from_fn(states as u64, order.clone(), place, &limits).unwrap();
                assert!((0..states).all(|rank| found.value(rank as u64) == values[rank]));
                for (value, count) in order.iter().zip(found.counts()) {
                    assert_eq!(values.iter().filter(|&other| other == value).count() as u64, count);
                }
            }
        }
    }
}
