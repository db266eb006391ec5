//! The rounds that settled the states, by their number.
//!
//! A diagram of each round would have to be made from a table of all places, and joined with those before it. A table of
//! numbers takes a bit a place for each doubling of the number of rounds, and is made a diagram once for all of them.

use crate::Bitvector;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Most planes of numbers.
const MOST_PLANES: usize = 8;
/// A plane may take the memory that is free divided by this.
const SHARE: u64 = 8;

/// See the module.
pub struct Numbers {
    /// Values of places are numbers of rounds, from 1 on; 0 where none of the rounds has settled anything.
    table: Bitvector,
    /// The last round.
    round: u32,
}

impl Numbers {
    pub fn new(states: u64, limits: &Arc<Limits>) -> Result<Numbers, LimitReached> {
        Ok(Numbers { table: Bitvector::coded(states, vec![0, 1], limits)?, round: 0 })
    }

    /// The rounds since the table was cleared, and how many they are.
    pub fn rounds(&self) -> (&Bitvector, u32) {
        (&self.table, self.round)
    }

    /// Whether one more round can be numbered. If not, the rounds are to be read and cleared first.
    pub fn make_room(&mut self, limits: &Arc<Limits>) -> Result<bool, LimitReached> {
        let numbers = self.table.values().len();
        if (self.round as usize + 1) < numbers {
            return Ok(true);
        }
        let may_grow =
            self.table.plane_count() < MOST_PLANES && Bitvector::bytes(self.table.states(), 2) <= limits.free() / SHARE;
        if may_grow {
            self.table.double(limits)?;
        }
        Ok(may_grow)
    }

    /// Goes on to the next round, for which there is room.
    pub fn begin(&mut self) {
        self.round += 1;
        assert!((self.round as usize) < self.table.values().len(), "no room for round {}", self.round);
    }

    /// The round has settled these of the 64 states of a word.
    ///
    /// # Safety
    /// One thread at a time may have the word, and none may read it meanwhile.
    pub unsafe fn record(&self, word: usize, mask: u64) {
        for plane in (0..self.table.plane_count()).filter(|plane| self.round >> plane & 1 == 1) {
            // SAFETY: the table has the word, and the caller sees to it that nobody else uses it.
            unsafe { *self.table.plane_pointer(plane).add(word) |= mask };
        }
    }

    /// Forgets the rounds so far.
    pub fn clear(&mut self) {
        self.table.clear();
        self.round = 0;
    }
}
