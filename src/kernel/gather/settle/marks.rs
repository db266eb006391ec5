//! Marked states, of which a range can be asked whether it has one.

use crate::memory::Buffer;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

/// States whose words are looked at one by one.
const FEW: u64 = 128;

/// See the module.
pub struct Marks {
    /// A bit a state, and at least one word after the last state.
    words: Buffer<u64>,
    /// By word: how many of those before it have a bit, as of the last [`Marks::count`]. It may wrap, as there are never so
    /// many words.
    before: Buffer<u32>,
}

/// The word of bits from a place on, of words with one more after the last place.
#[inline(always)]
pub fn window(words: &[u64], at: u64) -> u64 {
    let (word, shift) = ((at >> 6) as usize, at & 63);
    // By two steps, as a shift by 64 is none.
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

    /// Address of the words, to be written while no thread reads them.
    pub fn pointer(&self) -> *mut u64 {
        self.words.pointer()
    }

    /// The word of bits from a state on.
    #[inline(always)]
    pub fn window(&self, at: u64) -> u64 {
        window(self.words(), at)
    }

    /// Counts the words that have a bit. How many there are.
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

    /// Whether there may be a bit from a state up to a later one: `false` only if there is none or was none at the last
    /// count.
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
