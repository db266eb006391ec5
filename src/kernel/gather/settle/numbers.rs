//! The number of the round that settled each state.
//!
//! The table gets a plane, one bit per place, each time the number of rounds has doubled, and becomes one diagram for
//! all rounds. To make a diagram after each round, all places would be read each time, and the diagrams joined.

use crate::Bitvector;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

const MOST_PLANES: usize = 8;
/// A plane is added only if it takes at most the free memory divided by this number.
const SHARE: u64 = 8;

pub struct Numbers {
    /// For each place, the number of its round, from 1 on; 0 if none has settled it.
    table: Bitvector,
    round: u32,
}

impl Numbers {
    pub fn new(states: u64, limits: &Arc<Limits>) -> Result<Numbers, LimitReached> {
        Ok(Numbers { table: Bitvector::coded(states, vec![0, 1], limits)?, round: 0 })
    }

    pub fn rounds(&self) -> (&Bitvector, u32) {
        (&self.table, self.round)
    }

    /// Adds a plane if the next round needs one. Returns false if there is no room before rounds are read and cleared.
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

    /// Starts the next round; [`Numbers::make_room`] must have returned true.
    pub fn begin(&mut self) {
        self.round += 1;
        assert!((self.round as usize) < self.table.values().len(), "no room for round {}", self.round);
    }

    /// Records that the current round settles the states of `mask` in a word.
    ///
    /// # Safety
    /// No other thread may write or read the word during the call.
    pub unsafe fn record(&self, word: usize, mask: u64) {
        for plane in (0..self.table.plane_count()).filter(|plane| self.round >> plane & 1 == 1) {
            // SAFETY: the table has the word, and the caller guarantees that no other thread uses it.
            unsafe { *self.table.plane_pointer(plane).add(word) |= mask };
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.round = 0;
    }
}
