//! A set of marked states with a fast test whether an interval of ranks contains one.

use super::super::bits::window;
use crate::memory::Buffer;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Intervals up to this number of states are tested by reading their words.
const FEW: u64 = 128;

pub struct Marks {
    /// A bit for each state; at least one word follows the last state's.
    words: Buffer<u64>,
    /// Made by [`Marks::summarise`]: a bit for each word that is not 0, then a bit for each such word of these bits, and so
    /// on; at least one word follows the last bit's. So few words are read for an interval that most of them are cached.
    summaries: Vec<Buffer<u64>>,
}

impl Marks {
    pub fn new(states: u64, limits: &Arc<Limits>) -> Result<Marks, LimitReached> {
        let words = |bits: usize| bits.div_ceil(64) + 1;
        let of_states = words(states as usize);
        let sizes = std::iter::successors(Some(of_states), |&bits| (bits > 64).then(|| words(bits)));
        let summaries = sizes.map(|bits| Buffer::zeroed(words(bits), limits)).collect::<Result<_, _>>()?;
        Ok(Marks { words: Buffer::zeroed(of_states, limits)?, summaries })
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        self.words.as_slice()
    }

    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.words.as_mut_slice()
    }

    pub fn pointer(&self) -> *mut u64 {
        self.words.pointer()
    }

    /// Updates the summaries; returns whether any state is marked.
    pub fn summarise(&mut self) -> bool {
        let mut below = self.words.as_slice();
        for summary in &mut self.summaries {
            for (bits, words) in summary.as_mut_slice().iter_mut().zip(below.chunks(64)) {
                *bits = words.iter().zip(0..).fold(0, |bits, (&word, at)| bits | u64::from(word != 0) << at);
            }
            below = summary.as_slice();
        }
        below.iter().any(|&bits| bits != 0)
    }

    /// Whether some state from `first` to before `end` may be marked; false is certain until states are marked again.
    #[inline(always)]
    pub fn any(&self, first: u64, end: u64) -> bool {
        let states = end - first;
        if states <= 64 {
            return window(self.words(), first) << (64 - states) != 0;
        }
        if states <= FEW {
            let [start, stop] = [first, end - 1].map(|state| (state >> 6) as usize);
            let words = &self.words()[start..=stop];
            let (low, high) = (words[0] >> (first & 63), words[stop - start] << (63 - ((end - 1) & 63)));
            return words[1..stop - start].iter().fold(low | high, |any, word| any | word) != 0;
        }
        let (mut first, mut last) = (first >> 6, (end - 1) >> 6);
        for summary in &self.summaries {
            if last - first < 64 {
                return window(summary.as_slice(), first) << (63 - (last - first)) != 0;
            }
            (first, last) = (first >> 6, last >> 6);
        }
        unreachable!("the last summary has at most 64 bits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn intervals_have_marks_as_a_plain_look_finds_them() {
        let (limits, mut random) = (Arc::new(Limits::unlimited()), Random::new(3));
        for states in [1, 63, 64, 65, 4096, 4097, 300_000] {
            for marked in [0, 1, 9, 200] {
                let mut marks = Marks::new(states, &limits).unwrap();
                let mut plain = vec![false; states as usize];
                for _ in 0..marked {
                    let at = random.below(states as usize);
                    plain[at] = true;
                    marks.words_mut()[at >> 6] |= 1 << (at & 63);
                }
                assert_eq!(marks.summarise(), marked > 0);
                for _ in 0..300 {
                    let first = random.below(states as usize);
                    let most = 1 << random.below(19);
                    let end = (first + 1 + random.below(most)).min(states as usize);
                    let expected = plain[first..end].contains(&true);
                    let found = marks.any(first as u64, end as u64);
                    // A bit of a summary stands for more than the states of a long interval.
                    let around = first.saturating_sub(first % (1 << 12));
                    let near = plain[around..(end.next_multiple_of(1 << 12)).min(plain.len())].contains(&true);
                    assert!(found || !expected, "{states} states, {first} to {end}: a mark is missed");
                    assert!(!found || near || end - first > 1 << 18, "{states} states, {first} to {end}: none is near");
                }
            }
        }
    }
}
