//! A set of marked states with a fast test whether an interval of ranks contains one.

use crate::memory::Buffer;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Intervals up to this number of states are tested by reading their words.
const FEW: u64 = 128;

pub struct Marks {
    /// A bit for each state; at least one word follows the last state's.
    words: Buffer<u64>,
    /// For each word, the number of earlier nonzero words at the last call of [`Marks::count`], modulo 2^32, which
    /// keeps any difference below 2^32 correct.
    before: Buffer<u32>,
}

/// The 64 bits from bit `at` on; another word must follow the one with this bit.
#[inline(always)]
pub fn window(words: &[u64], at: u64) -> u64 {
    let (word, shift) = ((at >> 6) as usize, at & 63);
    // Two shifts, because a shift by 64 is not defined.
    words[word] >> shift | words[word + 1] << 1 << (63 - shift)
}

impl Marks {
    pub fn new(states: u64, limits: &Arc<Limits>) -> Result<Marks, LimitReached> {
        let words = states.div_ceil(64) as usize + 1;
        Ok(Marks { words: Buffer::zeroed(words, limits)?, before: Buffer::zeroed(words + 1, limits)? })
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

    #[inline(always)]
    pub fn window(&self, at: u64) -> u64 {
        window(self.words(), at)
    }

    /// Updates the counts; returns the number of words with a marked state.
    pub fn count(&mut self) -> u32 {
        let mut count = 0_u32;
        let before = self.before.as_mut_slice();
        for (&word, before) in self.words.as_slice().iter().zip(before.iter_mut()) {
            *before = count;
            count = count.wrapping_add(u32::from(word != 0));
        }
        before[self.words.as_slice().len()] = count;
        count
    }

    /// Whether some state from `first` to before `end` may be marked; false is certain until states are marked again.
    #[inline(always)]
    pub fn any(&self, first: u64, end: u64) -> bool {
        let states = end - first;
        if states <= 64 {
            return self.window(first) << (64 - states) != 0;
        }
        if states <= FEW {
            let [start, stop] = [first, end - 1].map(|state| (state >> 6) as usize);
            let words = &self.words()[start..=stop];
            let (low, high) = (words[0] >> (first & 63), words[stop - start] << (63 - ((end - 1) & 63)));
            return words[1..stop - start].iter().fold(low | high, |any, word| any | word) != 0;
        }
        let before = self.before.as_slice();
        before[(first >> 6) as usize] != before[end.div_ceil(64) as usize]
    }
}
