//! The requests of a sweep: per level a queue of distinct keys with an exact hash table.
//!
//! A request is one 64-bit **slot**, numbered over the whole sweep, so that a reference to it is one `u32`
//! whatever its level. The slot holds in turn the key (or where the key lies), the references of its children, and
//! its result. Slots below [`TERMINALS`] are the terminals and their own results, so a reference is looked up
//! without asking what it is.
//!
//! A table entry is `hash << 32 | slot`, zero for none. Slots are handed out in chunks per (level, thread); only
//! that takes a lock, and only then a table may have to grow: at once with one thread, else at the end of a round
//! (see `down`), for which the table keeps room. With several threads an entry is published by compare-and-swap
//! after its key is written.

use super::TERMINALS;
use super::memory::{Region, prefetch};
use super::tables::{Table, Tables};
use crate::limits::{LimitReached, Limits};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Returned instead of a slot when a limit was reached; the sweep then stops and tells which.
pub(super) const REFUSED: u32 = u32::MAX;

const FIRST_CHUNK: u32 = 32;
const LAST_CHUNK: u32 = 4096;
/// Words of the smallest and the largest regular key chunk, as powers of two.
const KEY_CHUNK: Range<u32> = 6..13;
/// Room in a table, per thread, for what a thread may add before it sees that the table must grow.
const SHARED_ROOM: usize = 512;

static NO_TABLE: AtomicU64 = AtomicU64::new(0);

/// All requests of one sweep.
pub(super) struct Requests {
    slots: *mut u64,
    keys: *mut u64,
    queues: Vec<Queue>,
    /// A table must grow, or a limit was reached: every thread ends its round.
    stop: AtomicBool,
    supply: Mutex<Supply>,
}

// SAFETY: slots and keys are written by the one thread that was handed them, and read by others only after an
// acquiring load of the table entry that publishes them, or after the threads of a round were joined.
unsafe impl Send for Requests {}
// SAFETY: as above; the tables are swapped only while no round runs.
unsafe impl Sync for Requests {}

/// What is handed out under a lock.
struct Supply {
    slots: Region,
    next_slot: u64,
    last_slot: u64,
    keys: Region,
    next_key: u64,
    /// Key chunks of levels done, by the power of two of their words.
    free: Vec<Vec<u32>>,
    tables: Tables,
    error: Option<LimitReached>,
}

/// The table of one level.
struct Queue {
    entries: AtomicPtr<AtomicU64>,
    mask: AtomicU32,
    /// Slots handed out, filled or not.
    handed: AtomicU32,
    table: Mutex<Option<Table>>,
    hint: u32,
}

/// One thread's unfilled chunks for one level.
#[derive(Default)]
pub(super) struct Writer {
    slots: Range<u32>,
    start: u32,
    keys: Range<u32>,
    full: Vec<Range<u32>>,
    key_chunks: Vec<(u32, u32)>,
}

/// A finished level's requests.
pub(super) struct Level {
    /// Slot ranges, in order of creation.
    pub(super) ranges: Vec<Range<u32>>,
    key_chunks: Vec<(u32, u32)>,
}

impl Level {
    pub(super) fn count(&self) -> u64 {
        self.ranges.iter().map(|range| u64::from(range.end - range.start)).sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The hash of a key.
#[inline(always)]
pub(super) fn hash_key(key: &[u64]) -> u32 {
    let mut hash = 0x1234567_u64;
    for &word in key {
        hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 32;
    }
    (hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
}

impl Requests {
    /// For `levels` levels with tables for `hints[level]` requests. At most `most` slot numbers are used.
    pub(super) fn new(
        levels: u32,
        hints: &[u32],
        terminals: u32,
        most: u64,
        limits: &Arc<Limits>,
    ) -> Result<Requests, LimitReached> {
        let affordable = limits.memory().min(8 << 32) as usize;
        let mut slots = Region::reserve(affordable, limits)?;
        slots.ensure(8 * TERMINALS as usize)?;
        let keys = Region::reserve(affordable, limits)?;
        let base = slots.base().cast::<u64>();
        for terminal in 0..u64::from(terminals) {
            // SAFETY: the region holds `TERMINALS` words, and there are at most as many terminals.
            unsafe { *base.add(terminal as usize) = terminal };
        }
        let queue = |level: u32| Queue {
            entries: AtomicPtr::new((&raw const NO_TABLE).cast_mut()),
            mask: AtomicU32::new(0),
            handed: AtomicU32::new(0),
            table: Mutex::new(None),
            hint: hints.get(level as usize).copied().unwrap_or(0),
        };
        Ok(Requests {
            slots: base,
            keys: keys.base().cast(),
            queues: (0..levels).map(queue).collect(),
            stop: AtomicBool::new(false),
            supply: Mutex::new(Supply {
                slots,
                next_slot: TERMINALS.into(),
                last_slot: most.min(REFUSED.into()),
                keys,
                next_key: 0,
                free: vec![vec![]; 33],
                tables: Tables::new(affordable, limits)?,
                error: None,
            }),
        })
    }

    pub(super) fn levels(&self) -> u32 {
        self.queues.len() as u32
    }

    /// How many slots were handed out, filled or not; their numbers start at [`TERMINALS`].
    pub(super) fn slots_used(&self) -> usize {
        (lock(&self.supply).next_slot - u64::from(TERMINALS)) as usize
    }

    /// The word of a slot.
    #[inline(always)]
    pub(super) fn slot(&self, slot: u32) -> *mut u64 {
        self.slots.wrapping_add(slot as usize)
    }

    /// The key of a request not yet expanded; `fixed` tells whether keys are one word, kept in the slot.
    ///
    /// # Safety
    /// `slot` must be a request whose key was published to this thread and which was not expanded.
    #[inline(always)]
    pub(super) unsafe fn key<const FIXED: bool>(&self, slot: u32) -> &[u64] {
        // SAFETY: by this function's contract the slot holds a key, or position and length of one that is complete.
        unsafe {
            let place = self.slot(slot);
            if FIXED {
                return std::slice::from_raw_parts(place, 1);
            }
            let word = *place;
            std::slice::from_raw_parts(self.keys.wrapping_add((word >> 32) as usize), word as u32 as usize)
        }
    }

    #[inline(always)]
    fn entry(&self, level: u32, hash: u32) -> *const AtomicU64 {
        let queue = &self.queues[level as usize];
        let entries = queue.entries.load(Ordering::Relaxed);
        entries.wrapping_add((hash & queue.mask.load(Ordering::Relaxed)) as usize)
    }

    #[inline(always)]
    pub(super) fn prefetch_entry(&self, level: u32, hash: u32) {
        prefetch(self.entry(level, hash));
    }

    /// The slot that probably holds the key with this hash, once [`Requests::prefetch_entry`] has taken effect.
    #[inline(always)]
    pub(super) fn prefetch_slot(&self, level: u32, hash: u32) -> Option<u32> {
        // SAFETY: `entry` points into the level's table, which is not replaced while a batch runs.
        let entry = unsafe { (*self.entry(level, hash)).load(Ordering::Acquire) };
        if (entry >> 32) as u32 != hash || entry == 0 {
            return None;
        }
        prefetch(self.slot(entry as u32));
        Some(entry as u32)
    }

    #[inline(always)]
    pub(super) fn prefetch_key(&self, slot: u32) {
        // SAFETY: the slot was read from a table entry, so it holds a key's place; prefetching needs no more.
        prefetch(self.keys.wrapping_add(unsafe { *self.slot(slot) >> 32 } as usize));
    }

    /// The slot of the request `key` at `level`, new or known; [`REFUSED`] when a limit was reached. `SHARED`:
    /// other threads insert, too.
    #[inline(always)]
    pub(super) fn find_or_add<const SHARED: bool, const FIXED: bool>(
        &self,
        level: u32,
        hash: u32,
        key: &[u64],
        writer: &mut Writer,
    ) -> u32 {
        if writer.slots.start == writer.slots.end && !self.refill::<SHARED>(level, writer) {
            return REFUSED;
        }
        let queue = &self.queues[level as usize];
        let entries = queue.entries.load(Ordering::Relaxed);
        let mask = queue.mask.load(Ordering::Relaxed);
        let new = writer.slots.start;
        let mut prepared = false;
        let mut index = hash & mask;
        loop {
            // SAFETY: the index is masked to the table's size; the table is not replaced while this runs.
            let place = unsafe { &*entries.wrapping_add(index as usize) };
            let mut entry = place.load(Ordering::Acquire);
            if entry == 0 {
                if !prepared {
                    prepared = true;
                    let word = if FIXED {
                        key[0]
                    } else {
                        let Some(at) = self.store_key(key, writer) else { return REFUSED };
                        u64::from(at) << 32 | key.len() as u64
                    };
                    // SAFETY: the slot was handed to this writer and is not published yet.
                    unsafe { *self.slot(new) = word };
                }
                let value = u64::from(hash) << 32 | u64::from(new);
                if SHARED {
                    match place.compare_exchange(0, value, Ordering::Release, Ordering::Acquire) {
                        Ok(_) => {}
                        Err(other) => entry = other,
                    }
                } else {
                    place.store(value, Ordering::Relaxed);
                }
                if !SHARED || entry == 0 {
                    writer.slots.start = new + 1;
                    if !FIXED {
                        writer.keys.start += key.len() as u32;
                    }
                    return new;
                }
            }
            if (entry >> 32) as u32 == hash {
                // SAFETY: the entry was published, and requests of this level are not expanded yet.
                let known = unsafe { self.key::<FIXED>(entry as u32) };
                if same(known, key) {
                    return entry as u32;
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// Copies a key to where the writer's next keys go, without advancing; its position.
    #[inline(always)]
    fn store_key(&self, key: &[u64], writer: &mut Writer) -> Option<u32> {
        if (writer.keys.end - writer.keys.start) < key.len() as u32 && !self.refill_keys(key.len(), writer) {
            return None;
        }
        let at = writer.keys.start;
        let place = self.keys.wrapping_add(at as usize);
        // SAFETY: the chunk was handed to this writer and has room for the key. Short keys are most frequent, and a
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
        Some(at)
    }

    #[cold]
    #[inline(never)]
    fn refill<const SHARED: bool>(&self, level: u32, writer: &mut Writer) -> bool {
        if writer.start < writer.slots.end {
            writer.full.push(writer.start..writer.slots.end);
        }
        let queue = &self.queues[level as usize];
        let mut supply = lock(&self.supply);
        let handed = queue.handed.load(Ordering::Relaxed);
        let size = (handed.max(queue.hint / 2) / 4).clamp(FIRST_CHUNK, LAST_CHUNK);
        let outcome = supply.take_slots(size).and_then(|start| {
            writer.start = start;
            writer.slots = start..start + size;
            queue.handed.store(handed + size, Ordering::Relaxed);
            let capacity = queue.mask.load(Ordering::Relaxed) as usize + 1;
            let wanted = 2 * (handed + size) as usize;
            if wanted <= capacity {
                Ok(())
            } else if SHARED {
                self.stop.store(true, Ordering::Relaxed);
                Ok(())
            } else {
                self.grow(level, wanted, &mut supply.tables)
            }
        });
        outcome.map_err(|limit| self.refuse(&mut supply, limit)).is_ok()
    }

    #[cold]
    #[inline(never)]
    fn refill_keys(&self, words: usize, writer: &mut Writer) -> bool {
        let mut supply = lock(&self.supply);
        let regular = KEY_CHUNK.start + writer.key_chunks.len() as u32 / 2;
        let power = regular.min(KEY_CHUNK.end).max(words.next_power_of_two().trailing_zeros());
        match supply.take_keys(power) {
            Ok(start) => {
                writer.key_chunks.push((start, power));
                writer.keys = start..start + (1 << power);
                true
            }
            Err(limit) => {
                self.refuse(&mut supply, limit);
                false
            }
        }
    }

    fn refuse(&self, supply: &mut Supply, limit: LimitReached) {
        supply.error.get_or_insert(limit);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Replaces a level's table by one with at least `entries` entries. No other thread may use it meanwhile.
    fn grow(&self, level: u32, entries: usize, tables: &mut Tables) -> Result<(), LimitReached> {
        let queue = &self.queues[level as usize];
        let mut table = lock(&queue.table);
        let wanted = if table.is_none() { entries.max(2 * queue.hint as usize) } else { entries };
        let new = tables.take(wanted)?;
        let mask = ((1_u64 << new.power) - 1) as u32;
        if let Some(old) = table.take() {
            for k in 0..1 << old.power {
                // SAFETY: indices are below or masked to the sizes of the tables, which nobody else uses now.
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
            tables.give_back(old);
        }
        queue.entries.store(new.words.cast(), Ordering::Relaxed);
        queue.mask.store(mask, Ordering::Relaxed);
        *table = Some(new);
        Ok(())
    }

    /// Grows every table below `level` to what a round of several threads needs. Between rounds only.
    pub(super) fn make_room(&self, level: u32, threads: usize) -> Result<(), LimitReached> {
        let least = (SHARED_ROOM * threads).next_power_of_two();
        self.stop.store(false, Ordering::Relaxed);
        for below in level + 1..self.levels() {
            let queue = &self.queues[below as usize];
            let wanted = (4 * queue.handed.load(Ordering::Relaxed) as usize).max(least);
            let capacity = queue.mask.load(Ordering::Relaxed) as usize + 1;
            if capacity < least || 2 * queue.handed.load(Ordering::Relaxed) as usize > capacity {
                self.grow(below, wanted, &mut lock(&self.supply).tables)?;
            }
        }
        Ok(())
    }

    /// Whether a round must end early.
    #[inline(always)]
    pub(super) fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The limit that was reached, if any.
    pub(super) fn error(&self) -> Option<LimitReached> {
        lock(&self.supply).error.clone()
    }

    /// Records a limit reached elsewhere in the sweep.
    pub(super) fn fail(&self, limit: LimitReached) {
        self.refuse(&mut lock(&self.supply), limit);
    }

    /// Words for an operation's own use until the end of the sweep, among the keys.
    pub(super) fn take_words(&self, power: u32) -> Result<u32, LimitReached> {
        lock(&self.supply).take_keys(power)
    }

    /// Gives such words back.
    pub(super) fn return_words(&self, chunks: impl IntoIterator<Item = (u32, u32)>) {
        let mut supply = lock(&self.supply);
        for (start, power) in chunks {
            supply.free[power as usize].push(start);
        }
    }

    /// The address of a word taken by [`Requests::take_words`].
    #[inline(always)]
    pub(super) fn word(&self, at: u32) -> *mut u64 {
        self.keys.wrapping_add(at as usize)
    }

    /// Ends the filling of a level: drops its table and tells its requests, those of each writer in order.
    pub(super) fn close<'w>(&self, level: u32, writers: impl Iterator<Item = &'w mut Writer>) -> Level {
        let queue = &self.queues[level as usize];
        queue.entries.store((&raw const NO_TABLE).cast_mut(), Ordering::Relaxed);
        queue.mask.store(0, Ordering::Relaxed);
        if let Some(table) = lock(&queue.table).take() {
            lock(&self.supply).tables.give_back(table);
        }
        let mut closed = Level { ranges: vec![], key_chunks: vec![] };
        for writer in writers {
            let mut writer = std::mem::take(writer);
            closed.ranges.append(&mut writer.full);
            if writer.start < writer.slots.start {
                closed.ranges.push(writer.start..writer.slots.start);
            }
            closed.key_chunks.append(&mut writer.key_chunks);
        }
        closed
    }

    /// Frees the keys of a level whose requests were all expanded.
    pub(super) fn recycle(&self, level: &mut Level) {
        self.return_words(level.key_chunks.drain(..));
    }

    /// Gives back the memory of all keys and tables: the way down is over. No word or key may be used after.
    pub(super) fn end_of_keys(&mut self) {
        self.queues.clear();
        let supply = self.supply.get_mut().unwrap_or_else(PoisonError::into_inner);
        supply.keys.shrink(0);
        supply.tables.end();
    }
}

impl Supply {
    fn take_slots(&mut self, size: u32) -> Result<u32, LimitReached> {
        let end = self.next_slot + u64::from(size);
        if end > self.last_slot {
            return Err(LimitReached::Size { what: "requests of one sweep".into(), limit: self.last_slot });
        }
        self.slots.ensure(8 * end as usize)?;
        let start = self.next_slot as u32;
        self.next_slot = end;
        Ok(start)
    }

    fn take_keys(&mut self, power: u32) -> Result<u32, LimitReached> {
        let limit = || LimitReached::Size { what: "key words of one sweep".into(), limit: u32::MAX.into() };
        if let Some(start) = self.free.get_mut(power as usize).ok_or_else(limit)?.pop() {
            return Ok(start);
        }
        let end = self.next_key + (1 << power);
        if end > u64::from(u32::MAX) {
            return Err(limit());
        }
        self.keys.ensure(8 * end as usize)?;
        let start = self.next_key as u32;
        self.next_key = end;
        Ok(start)
    }
}

#[inline(always)]
fn same(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y)
}
