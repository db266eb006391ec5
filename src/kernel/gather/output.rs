//! Writes the values of a range of ranks to a bitvector that several threads fill.

use crate::Bitvector;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes the values of consecutive states. Writers of neighbouring ranges may share a word at the ends of the range;
/// they combine it by disjunction, so the bitvector must be zero there at the start.
pub struct Writer {
    planes: Vec<*mut u64>,
    /// The current word of each plane, of which `bits` bits are filled.
    held: Vec<u64>,
    word: usize,
    bits: u32,
    ends: [usize; 2],
}

impl Writer {
    /// # Safety
    /// The range must lie within the bitvector, at most its number of states may be pushed, and ranges of writers that
    /// exist at the same time and share planes must be disjoint. No other code may read these planes meanwhile.
    pub unsafe fn new(target: &Bitvector, planes: &[usize], start: u64, end: u64) -> Writer {
        let planes: Vec<*mut u64> = planes.iter().map(|&plane| target.plane_pointer(plane)).collect();
        let ends = [start >> 6, end.saturating_sub(1) >> 6].map(|word| word as usize);
        Writer { held: vec![0; planes.len()], planes, word: ends[0], bits: (start & 63) as u32, ends }
    }

    /// Writes the values of the next `states` states (at most 64): a word for each plane, 0 beyond these states.
    #[inline(always)]
    pub fn push(&mut self, words: &[u64], states: u32) {
        let (bits, filled) = (self.bits, self.bits + states);
        for (held, &word) in self.held.iter_mut().zip(words) {
            *held |= word << bits;
        }
        self.bits = filled;
        if filled >= 64 {
            self.flush();
            self.bits = filled - 64;
            let taken = 64 - bits;
            for (held, &word) in self.held.iter_mut().zip(words) {
                *held = if taken < 64 { word >> taken } else { 0 };
            }
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        let shared = self.ends.contains(&self.word);
        for (&plane, &held) in self.planes.iter().zip(&self.held) {
            // SAFETY: the word lies within the plane. Others write it only if it is at an end, where all combine bits.
            unsafe {
                let place = plane.add(self.word);
                if shared {
                    AtomicU64::from_ptr(place).fetch_or(held, Ordering::Relaxed);
                } else {
                    *place = held;
                }
            }
        }
        self.word += 1;
    }

    /// Writes the next `states` states, which all have the same bits; `bit` gives the bit of each plane.
    pub fn fill(&mut self, mut states: u64, bit: impl Fn(usize) -> bool) {
        while states > 0 {
            let now = states.min(64 - u64::from(self.bits));
            let ones = (u64::MAX >> (64 - now)) << self.bits;
            for (plane, held) in self.held.iter_mut().enumerate() {
                *held |= if bit(plane) { ones } else { 0 };
            }
            self.bits += now as u32;
            if self.bits == 64 {
                self.flush();
                self.bits = 0;
                self.held.fill(0);
            }
            states -= now;
        }
    }

    pub fn finish(mut self) {
        if self.bits > 0 {
            self.ends[0] = self.word;
            self.flush();
        }
    }
}
