//! Marks the states of a layer that are successors of states of the layer before.

use base::limits::{LimitReached, Limits, Reserved};
use std::sync::atomic::{AtomicU64, Ordering};

/// One bit for each rank of a range, set by several threads.
#[derive(Debug)]
pub struct Reached<'l> {
    first: u64,
    end: u64,
    bits: Vec<AtomicU64>,
    _memory: Reserved<'l>,
}

impl<'l> Reached<'l> {
    pub fn new(first: u64, end: u64, limits: &'l Limits) -> Result<Self, LimitReached> {
        let words = (end - first).div_ceil(64);
        let memory = limits.hold(8 * words)?;
        Ok(Reached { first, end, bits: (0..words).map(|_| AtomicU64::new(0)).collect(), _memory: memory })
    }

    #[inline]
    pub fn mark(&self, rank: u64) {
        if (self.first..self.end).contains(&rank) {
            let place = rank - self.first;
            let (word, bit) = (&self.bits[(place / 64) as usize], 1 << (place % 64));
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
    }

    pub fn missed(&self) -> impl Iterator<Item = u64> + '_ {
        let words = self.bits.iter().enumerate().filter(|(_, word)| word.load(Ordering::Relaxed) != u64::MAX);
        let places = words.flat_map(|(index, word)| {
            let word = word.load(Ordering::Relaxed);
            (0..64).filter(move |bit| word >> bit & 1 == 0).map(move |bit| 64 * index as u64 + bit)
        });
        places.map(|place| self.first + place).take_while(|rank| *rank < self.end)
    }
}
