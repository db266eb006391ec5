//! The requests of one level and shard while they are collected: an exact hash table, and the chunks of slots and
//! key words that the next ones go to.
//!
//! A table entry is `hash << 32 | slot`, zero for none. One thread at a time works on a queue, so that its stores
//! are plain and its table grows without anybody's knowledge.

use super::{KEY_CHUNK, Refused, Requests};
use crate::kernel::memory::prefetch;
use crate::kernel::slot::{Place, RequestId};
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
    key_chunks: Vec<(Place, u32)>,
}

// SAFETY: `entries` points into the queue's own table, or to a constant that is never written.
unsafe impl Send for Queue {}

/// The requests of a level, all collected.
pub(in crate::kernel) struct Closed {
    /// Slot ranges, those of each shard in order of creation.
    pub(in crate::kernel) ranges: Vec<Range<u32>>,
    pub(super) key_chunks: Vec<(Place, u32)>,
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

    /// The request that probably has the key with this hash, once [`Queue::prefetch_entry`] has taken effect; its
    /// slot is prefetched.
    #[inline(always)]
    pub(in crate::kernel) fn prefetch_slot(&self, hash: u32, requests: &Requests) -> Option<RequestId> {
        // SAFETY: `entry` points into the table.
        let entry = unsafe { *self.entry(hash) };
        if (entry >> 32) as u32 != hash || entry == 0 {
            return None;
        }
        let probable = RequestId::new(entry as u32);
        requests.slot(probable).prefetch();
        Some(probable)
    }

    /// The request with this key, new or known.
    #[inline(always)]
    pub(in crate::kernel) fn find_or_add(
        &mut self,
        fixed: bool,
        hash: u32,
        key: &[u64],
        requests: &Requests,
    ) -> Result<RequestId, Refused> {
        if self.next == self.end {
            self.refill(requests)?;
        }
        let (entries, mask) = (self.entries, self.mask);
        let mut index = hash & mask;
        loop {
            // SAFETY: the index is masked to the table's size. Known slots, and the next one, are this queue's, and
            // none of them is expanded yet.
            unsafe {
                let place = entries.wrapping_add(index as usize);
                let entry = *place;
                if entry == 0 {
                    let new = RequestId::new(self.next);
                    if fixed {
                        requests.slot(new).set_key(key[0]);
                    } else {
                        requests.slot(new).set_key_place(self.store_key(key, requests)?, key.len() as u32);
                    }
                    *place = u64::from(hash) << 32 | u64::from(new.number());
                    self.next += 1;
                    return Ok(new);
                }
                if (entry >> 32) as u32 == hash {
                    let known = RequestId::new(entry as u32);
                    if same(requests.key(fixed, known), key) {
                        return Ok(known);
                    }
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// Copies a key to the chunk of key words; its position.
    #[inline(always)]
    fn store_key(&mut self, key: &[u64], requests: &Requests) -> Result<Place, Refused> {
        if ((self.key_end - self.key) as usize) < key.len() {
            self.refill_keys(key.len(), requests)?;
        }
        let at = Place(self.key);
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
        self.key += key.len() as u32;
        Ok(at)
    }

    /// Takes the next chunk of slots, and a table with room for them first: only where both are had does the queue
    /// change, so that one that was refused is refused again.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, requests: &Requests) -> Result<(), Refused> {
        let size = (self.taken.max(self.hint / 2) / 4).clamp(CHUNK.start, CHUNK.end);
        let start = self
            .make_room(u64::from(self.taken) + u64::from(size), requests)
            .and_then(|()| requests.take_slots(size))
            .map_err(|limit| requests.fail(limit))?;
        self.end_chunk();
        [self.start, self.next, self.end] = [start, start, start + size];
        self.taken += size;
        Ok(())
    }

    /// A table for so many requests: at most half full, but for the largest, which is filled to seven eighths.
    fn make_room(&mut self, most: u64, requests: &Requests) -> Result<(), LimitReached> {
        let entries = self.table.as_ref().map_or(0, |table| 1_u64 << table.power);
        let largest = 1_u64 << requests.largest_table;
        if 2 * most <= entries {
            return Ok(());
        }
        if entries < largest {
            let wanted = if entries == 0 { (2 * most).max(2 * u64::from(self.hint)) } else { 2 * most };
            return self.grow(wanted.min(largest), requests);
        }
        if most > largest / 8 * 7 {
            return Err(LimitReached::Size { what: "requests of one level".into(), limit: largest / 8 * 7 });
        }
        Ok(())
    }

    fn end_chunk(&mut self) {
        if self.start < self.next {
            self.full.push(self.start..self.next);
        }
    }

    #[cold]
    #[inline(never)]
    fn refill_keys(&mut self, words: usize, requests: &Requests) -> Result<(), Refused> {
        let regular = KEY_CHUNK.start + (self.key_chunks.len() as u32 / 2).min(KEY_CHUNK.end);
        let power = regular.min(KEY_CHUNK.end).max(words.next_power_of_two().trailing_zeros());
        let start = requests.take_words(power).map_err(|limit| requests.fail(limit))?;
        self.key_chunks.push((start, power));
        [self.key, self.key_end] = [start.0, start.0 + (1 << power)];
        Ok(())
    }

    /// Replaces the table by one with at least `entries` entries.
    fn grow(&mut self, entries: u64, requests: &Requests) -> Result<(), LimitReached> {
        let new = requests.take_table(entries as usize)?;
        debug_assert!(new.power <= 32, "as many bits as a hash has");
        let mask = ((1_u64 << new.power) - 1) as u32;
        if let Some(old) = self.table.take() {
            for k in 0..1_usize << old.power {
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
