//! Hash tables of the levels of a sweep: arrays of a power of two of words, taken and given back all the time.
//!
//! Small ones come from one region with huge pages and are used again; large ones from the operating system.

use super::memory::{Buffer, Region};
use crate::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Words of the smallest and of the largest block that is kept for reuse, as powers of two.
const SMALLEST: u32 = 7;
const LARGEST: u32 = 19;

/// An array of words, all zero once [`Table::clean`] was called.
pub(super) struct Table {
    pub(super) words: *mut u64,
    /// Number of words, as a power of two.
    pub(super) power: u32,
    dirty: bool,
    /// Where it came from, if not from the region.
    _large: Option<Buffer<u64>>,
}

impl Table {
    /// Zeroes the words: apart from taking the table, which is done under a lock.
    pub(super) fn clean(&mut self) {
        if std::mem::take(&mut self.dirty) {
            // SAFETY: the table's own words.
            unsafe { std::ptr::write_bytes(self.words, 0, 1 << self.power) };
        }
    }
}

// SAFETY: a table is a piece of memory of its own; who uses it at the same time synchronises.
unsafe impl Send for Table {}

/// The source of tables.
pub(super) struct Tables {
    region: Region,
    next: usize,
    free: Vec<Vec<*mut u64>>,
    limits: Arc<Limits>,
}

// SAFETY: the pointers are to parts of the region that nobody uses.
unsafe impl Send for Tables {}

impl Tables {
    pub(super) fn new(most: usize, limits: &Arc<Limits>) -> Result<Tables, LimitReached> {
        let free = vec![vec![]; LARGEST as usize + 1];
        Ok(Tables { region: Region::reserve(most, limits)?, next: 0, free, limits: Arc::clone(limits) })
    }

    /// A table with at least `words` words, to be cleaned.
    pub(super) fn take(&mut self, words: usize) -> Result<Table, LimitReached> {
        let power = words.next_power_of_two().trailing_zeros().max(SMALLEST);
        if power > LARGEST {
            let buffer = Buffer::zeroed(1 << power, &self.limits)?;
            return Ok(Table { words: buffer.pointer(), power, dirty: false, _large: Some(buffer) });
        }
        if let Some(words) = self.free[power as usize].pop() {
            return Ok(Table { words, power, dirty: true, _large: None });
        }
        self.region.ensure((self.next + (1 << power)) * 8)?;
        let words = self.region.base().cast::<u64>().wrapping_add(self.next);
        self.next += 1 << power;
        Ok(Table { words, power, dirty: false, _large: None })
    }

    pub(super) fn give_back(&mut self, table: Table) {
        if table._large.is_none() {
            self.free[table.power as usize].push(table.words);
        }
    }

    /// Bytes taken, but for those of tables too large to be used again.
    pub(super) fn taken(&self) -> usize {
        self.region.taken()
    }

    /// Gives all memory back to the system; no table may be used after.
    pub(super) fn end(&mut self) {
        self.free.iter_mut().for_each(Vec::clear);
        self.region.shrink(0);
        self.next = 0;
    }
}
