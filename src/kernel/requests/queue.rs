//! The requests of one level and shard while they are collected: an exact hash table, and the chunks of slots and
//! key words that the next ones go to.
//!
//! A table entry is `hash << 32 | slot`, zero for none. One thread at a time works on a queue, so that its stores
//! are plain and its table grows without anybody's knowledge.

use super::{KEY_CHUNK, REFUSED, Requests};
use crate::kernel::memory::prefetch;
use crate::kernel::tables::Table;
use crate::limits::LimitReached;
use std::ops::Range;

/// Slots taken at a time: a quarter of those taken before, within these bounds.
const CHUNK: Range<u32> = 32..4096;

static NO_TABLE: u64 = 0;

/// See the module.
pub(in crate::kernel) struct Queue {
    entries: *mut u64,
    mask: u32,
    /// The next new request's slot, and the end of the chunk it is in.
    next: u32,
    end: u32,
    /// Where the next new key goes, and the end of that chunk.
    key: u32,
    key_end: u32,
    table: Option<Table>,
    /// The first slot of the chunk.
    start: u32,
    /// Slots taken, filled or not.
    taken: u32,
    /// How many requests are expected.
    hint: u32,
    full: Vec<Range<u32>>,
    key_chunks: Vec<(u32, u32)>,
}

// SAFETY: `entries` points into the queue's own table, or to a constant that is never written.
unsafe impl Send for Queue {}

/// The requests of a level, all collected.
pub(in crate::kernel) struct Closed {
    /// Slot ranges, those of each shard in order of creation.
    pub(in crate::kernel) ranges: Vec<Range<u32>>,
    pub(super) key_chunks: Vec<(u32, u32)>,
}

impl Closed {
    pub(in crate::kernel) fn count(&self) -> u64 {
        self.ranges.iter().map(|range| u64::from(range.end - range.start)).sum()
    }
}

impl Queue {
    /// For about `hint` requests.
    pub(in crate::kernel) fn new(hint: u32) -> Queue {
        Queue {
            entries: (&raw const NO_TABLE).cast_mut(),
            mask: 0,
            next: 0,
            end: 0,
            key: 0,
            key_end: 0,
            table: None,
            start: 0,
            taken: 0,
            hint,
            full: vec![],
            key_chunks: vec![],
        }
    }

    #[inline(always)]
    fn entry(&self, hash: u32) -> *mut u64 {
        self.entries.wrapping_add((hash & self.mask) as usize)
    }

    #[inline(always)]
    pub(in crate::kernel) fn prefetch_entry(&self, hash: u32) {
        prefetch(self.entry(hash));
    }

    /// The slot that probably holds the key with this hash, once [`Queue::prefetch_entry`] has taken effect; its
    /// word is prefetched. [`REFUSED`] for none.
    #[inline(always)]
    pub(in crate::kernel) fn prefetch_slot(&self, hash: u32, requests: &Requests) -> u32 {
        // SAFETY: `entry` points into the table.
        let entry = unsafe { *self.entry(hash) };
        if (entry >> 32) as u32 != hash || entry == 0 {
            return REFUSED;
        }
        prefetch(requests.slot(entry as u32));
        entry as u32
    }

    /// The slot of the request `key`, new or known; [`REFUSED`] when a limit was reached.
    #[inline(always)]
    pub(in crate::kernel) fn find_or_add(&mut self, fixed: bool, hash: u32, key: &[u64], requests: &Requests) -> u32 {
        if self.next == self.end && !self.refill(requests) {
            return REFUSED;
        }
        let (entries, mask) = (self.entries, self.mask);
        let mut index = hash & mask;
        loop {
            // SAFETY: the index is masked to the table's size. Known slots hold requests not expanded yet.
            unsafe {
                let place = entries.wrapping_add(index as usize);
                let entry = *place;
                if entry == 0 {
                    let new = self.next;
                    let word = if fixed {
                        key[0]
                    } else {
                        let Some(at) = self.store_key(key, requests) else { return REFUSED };
                        u64::from(at) << 32 | key.len() as u64
                    };
                    *requests.slot(new) = word;
                    *place = u64::from(hash) << 32 | u64::from(new);
                    self.next = new + 1;
                    return new;
                }
                if (entry >> 32) as u32 == hash && same(requests.key(fixed, entry as u32), key) {
                    return entry as u32;
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// Copies a key to the chunk of key words; its position.
    #[inline(always)]
    fn store_key(&mut self, key: &[u64], requests: &Requests) -> Option<u32> {
        if self.key_end - self.key < key.len() as u32 && !self.refill_keys(key.len(), requests) {
            return None;
        }
        let at = self.key;
        let place = requests.word(at);
        // SAFETY: the chunk was handed to this queue and has room for the key. Short keys are most frequent, and a
        // call to copy memory costs more than they.
        unsafe {
            match *key {
                [a] => *place = a,
                [a, b] => [*place, *place.add(1)] = [a, b],
                [a, b, c] => [*place, *place.add(1), *place.add(2)] = [a, b, c],
                [a, b, c, d] => [*place, *place.add(1), *place.add(2), *place.add(3)] = [a, b, c, d],
                _ => std::ptr::copy_nonoverlapping(key.as_ptr(), place, key.len()),
            }
        }
        self.key = at + key.len() as u32;
        Some(at)
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, requests: &Requests) -> bool {
        self.end_chunk();
        let size = (self.taken.max(self.hint / 2) / 4).clamp(CHUNK.start, CHUNK.end);
        let outcome = requests.take_slots(size).and_then(|start| {
            [self.start, self.next, self.end] = [start, start, start + size];
            self.taken += size;
            let wanted = 2 * self.taken as usize;
            if wanted > self.mask as usize + 1 { self.grow(wanted, requests) } else { Ok(()) }
        });
        outcome.map_err(|limit| requests.fail(limit)).is_ok()
    }

    fn end_chunk(&mut self) {
        if self.start < self.next {
            self.full.push(self.start..self.next);
        }
    }

    #[cold]
    #[inline(never)]
    fn refill_keys(&mut self, words: usize, requests: &Requests) -> bool {
        let regular = KEY_CHUNK.start + self.key_chunks.len() as u32 / 2;
        let power = regular.min(KEY_CHUNK.end).max(words.next_power_of_two().trailing_zeros());
        match requests.take_words(power) {
            Ok(start) => {
                self.key_chunks.push((start, power));
                [self.key, self.key_end] = [start, start + (1 << power)];
                true
            }
            Err(limit) => {
                requests.fail(limit);
                false
            }
        }
    }

    /// Replaces the table by one with at least `entries` entries.
    fn grow(&mut self, entries: usize, requests: &Requests) -> Result<(), LimitReached> {
        let wanted = if self.table.is_none() { entries.max(2 * self.hint as usize) } else { entries };
        let new = requests.take_table(wanted)?;
        let mask = ((1_u64 << new.power) - 1) as u32;
        if let Some(old) = self.table.take() {
            for k in 0..1 << old.power {
                // SAFETY: indices are below or masked to the sizes of the tables.
                unsafe {
                    let entry = *old.words.add(k);
                    if entry != 0 {
                        let mut index = (entry >> 32) as u32 & mask;
                        while *new.words.add(index as usize) != 0 {
                            index = (index + 1) & mask;
                        }
                        *new.words.add(index as usize) = entry;
                    }
                }
            }
            requests.return_table(old);
        }
        (self.entries, self.mask) = (new.words, mask);
        self.table = Some(new);
        Ok(())
    }

    /// Ends the collecting: drops the tables of a level's shards and tells their requests.
    pub(in crate::kernel) fn close<'q>(shards: impl Iterator<Item = &'q mut Queue>, requests: &Requests) -> Closed {
        let mut closed = Closed { ranges: vec![], key_chunks: vec![] };
        for shard in shards {
            let mut queue = std::mem::replace(shard, Queue::new(0));
            queue.end_chunk();
            if let Some(table) = queue.table {
                requests.return_table(table);
            }
            closed.ranges.append(&mut queue.full);
            closed.key_chunks.append(&mut queue.key_chunks);
        }
        closed
    }
}

#[inline(always)]
fn same(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y)
}
