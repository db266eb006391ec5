//! The numbers of open successors of the states of a task: a state is due when it has none left.
//!
//! Numbers are counted once and then reduced by the successors that each round settles. Until then, and where there is
//! no room for them, the moves of states with a fresh successor are followed again until an open successor is found.

use super::super::bits;

/// Most bits of a number. Of tasks with larger numbers, which are more frequent in tests, none are kept.
pub const BITS: usize = if cfg!(test) { 3 } else { 8 };

pub enum Counters {
    /// Nothing has asked for an open successor so far; a single question does not pay for numbers.
    NotAsked,
    Asked,
    Counted(Left),
    /// There is no room for them, or one is too large.
    Never,
}

impl Counters {
    pub fn none(have_room: bool) -> Counters {
        if have_room { Counters::NotAsked } else { Counters::Never }
    }

    /// For other open states.
    pub fn again(&self) -> Counters {
        Counters::none(!matches!(self, Counters::Never))
    }
}

/// For each word of the task, the planes of its numbers.
pub struct Left {
    planes: usize,
    words: Vec<u64>,
}

/// Adds 1 to the numbers of the states of a mask, which begins at a byte of each plane. Returns false if one is too
/// large. `numbers`: [`BITS`] planes of the same length.
#[inline(always)]
pub fn add(numbers: &mut [u64], byte: usize, mut mask: u64) -> bool {
    let length = size_of_val(numbers) / BITS;
    for plane in 0..BITS {
        bits::change(numbers, plane * length + byte, |number| {
            let sum = number ^ mask;
            mask &= number;
            sum
        });
        // The carry seldom ends at the second plane, so a test there would not pay.
        if plane != 1 && mask == 0 {
            return true;
        }
    }
    false
}

impl Left {
    /// The numbers of `words` words from the word `first` on. `counted`: [`BITS`] planes of the same length.
    pub fn new(counted: &[u64], first: usize, words: usize) -> Left {
        let part = |plane: usize| &counted[plane * (counted.len() / BITS) + first..][..words];
        let is_used = |&plane: &usize| part(plane).iter().any(|&bits| bits != 0);
        let planes = (0..BITS).rev().find(is_used).map_or(0, |last| last + 1);
        let mut all = Vec::with_capacity(words * planes);
        (0..words).for_each(|word| all.extend((0..planes).map(|plane| part(plane)[word])));
        Left { planes, words: all }
    }

    /// The states of a word that have the number 0.
    pub fn none(&self, word: usize) -> u64 {
        !self.words[word * self.planes..][..self.planes].iter().fold(0, |any, plane| any | plane)
    }

    /// Reduces the numbers of a word, and returns the states that have 0 then. `less`: the planes of what is taken away.
    pub fn reduce(&mut self, word: usize, less: impl Fn(usize) -> u64) -> u64 {
        let (mut borrow, mut any) = (0, 0);
        for (number, plane) in self.words[word * self.planes..][..self.planes].iter_mut().zip(0..) {
            let (before, less) = (*number, less(plane));
            *number = before ^ less ^ borrow;
            borrow = !before & (less | borrow) | less & borrow;
            any |= *number;
        }
        debug_assert!(borrow == 0, "fewer open successors than successors that became fresh");
        !any
    }
}
