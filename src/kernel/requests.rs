//! The requests of a sweep: distinct keys by level, in queues with an exact hash table each (see [`Queue`]).
//!
//! A request is one 64-bit **slot**, numbered over the whole sweep, so that a reference to it is one `u32`
//! whatever its level. The slot holds in turn the key (or where the key lies), the references of its children, and
//! its result. Slots below [`TERMINALS`] are the terminals and their own results, so a reference is looked up
//! without asking what it is.
//!
//! With several threads each level has as many queues, its **shards**, among which requests are divided by their
//! hash: a queue is only ever written by the one thread that works on it. Slots and key words are handed out to
//! queues in chunks; only that takes a lock.

mod queue;

pub(super) use queue::{Closed as Level, Queue};

use super::TERMINALS;
use super::memory::{Region, prefetch};
use super::tables::{Table, Tables};
use super::threads::Apart;
use crate::limits::{LimitReached, Limits};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Returned instead of a slot when a limit was reached; the sweep then stops and tells which.
pub(super) const REFUSED: u32 = u32::MAX;

/// Words of the smallest and the largest regular key chunk, as powers of two.
const KEY_CHUNK: Range<u32> = 6..13;

/// All requests of one sweep.
pub(super) struct Requests {
    slots: *mut u64,
    keys: *mut u64,
    levels: u32,
    shards: u32,
    /// A limit was reached.
    stop: AtomicBool,
    supply: Apart<Mutex<Supply>>,
}

// SAFETY: slots and keys are written by the one thread that was handed them, or that expands the request, and read
// by others only after a barrier or after the threads were joined.
unsafe impl Send for Requests {}
// SAFETY: as above.
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
    /// For `levels` levels of `shards` queues each. At most `most` slot numbers are used.
    pub(super) fn new(
        levels: u32,
        shards: usize,
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
        Ok(Requests {
            slots: base,
            keys: keys.base().cast(),
            levels,
            shards: shards as u32,
            stop: AtomicBool::new(false),
            supply: Apart(Mutex::new(Supply {
                slots,
                next_slot: TERMINALS.into(),
                last_slot: most.min(REFUSED.into()),
                keys,
                next_key: 0,
                free: vec![vec![]; 33],
                tables: Tables::new(affordable, limits)?,
                error: None,
            })),
        })
    }

    pub(super) fn levels(&self) -> u32 {
        self.levels
    }

    /// The shard that the key with this hash belongs to. Tables go by the low bits of the hash, this by the high.
    #[inline(always)]
    pub(super) fn shard(&self, hash: u32) -> usize {
        ((u64::from(hash) * u64::from(self.shards)) >> 32) as usize
    }

    fn supply(&self) -> MutexGuard<'_, Supply> {
        self.supply.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many slots were handed out, filled or not; their numbers start at [`TERMINALS`].
    pub(super) fn slots_used(&self) -> usize {
        (self.supply().next_slot - u64::from(TERMINALS)) as usize
    }

    /// The word of a slot.
    #[inline(always)]
    pub(super) fn slot(&self, slot: u32) -> *mut u64 {
        self.slots.wrapping_add(slot as usize)
    }

    /// The key of a request not yet expanded; `fixed` tells whether keys are one word, kept in the slot.
    ///
    /// # Safety
    /// `slot` must be a request of which this thread knows and which was not expanded.
    #[inline(always)]
    pub(super) unsafe fn key(&self, fixed: bool, slot: u32) -> &[u64] {
        // SAFETY: by this function's contract the slot holds a key, or position and length of one that is complete.
        unsafe {
            let place = self.slot(slot);
            if fixed {
                return std::slice::from_raw_parts(place, 1);
            }
            let word = *place;
            std::slice::from_raw_parts(self.word((word >> 32) as u32), word as u32 as usize)
        }
    }

    /// Prefetches the key of a request with a word that can be read at once.
    #[inline(always)]
    pub(super) fn prefetch_key(&self, slot: u32) {
        // SAFETY: the slot was read from a table entry, so it holds a key's place; prefetching needs no more.
        prefetch(self.word(unsafe { *self.slot(slot) >> 32 } as u32));
    }

    /// Whether a limit was reached.
    #[inline(always)]
    pub(super) fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The limit that was reached, if any.
    pub(super) fn error(&self) -> Option<LimitReached> {
        self.supply().error.clone()
    }

    /// Records a limit reached in the sweep.
    pub(super) fn fail(&self, limit: LimitReached) {
        self.supply().error.get_or_insert(limit);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Numbers of `size` slots: the first one.
    fn take_slots(&self, size: u32) -> Result<u32, LimitReached> {
        self.supply().take_slots(size)
    }

    /// A table with at least `words` words, all zero.
    fn take_table(&self, words: usize) -> Result<Table, LimitReached> {
        let mut table = self.supply().tables.take(words)?;
        table.clean();
        Ok(table)
    }

    fn return_table(&self, table: Table) {
        self.supply().tables.give_back(table);
    }

    /// Words for keys, or for an operation's own use until the end of the sweep: a power of two of them.
    pub(super) fn take_words(&self, power: u32) -> Result<u32, LimitReached> {
        self.supply().take_keys(power)
    }

    /// Gives such words back.
    fn return_words(&self, chunks: impl IntoIterator<Item = (u32, u32)>) {
        let mut supply = self.supply();
        for (start, power) in chunks {
            supply.free[power as usize].push(start);
        }
    }

    /// The address of a word taken by [`Requests::take_words`].
    #[inline(always)]
    pub(super) fn word(&self, at: u32) -> *mut u64 {
        self.keys.wrapping_add(at as usize)
    }

    /// Frees the keys of a level whose requests were all expanded.
    pub(super) fn recycle(&self, level: &mut Level) {
        self.return_words(level.key_chunks.drain(..));
    }

    /// Memory taken for slots, keys and all but the largest tables.
    pub(super) fn bytes(&self) -> u64 {
        let supply = self.supply();
        (supply.slots.taken() + supply.keys.taken() + supply.tables.taken()) as u64
    }

    /// Gives back the memory of all tables: the way down is over.
    pub(super) fn end_of_tables(&mut self) {
        self.supply.0.get_mut().unwrap_or_else(PoisonError::into_inner).tables.end();
    }

    /// Gives back the memory of all keys and tables: the way down is over. No word or key may be used after.
    pub(super) fn end_of_keys(&mut self) {
        let supply = self.supply.0.get_mut().unwrap_or_else(PoisonError::into_inner);
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
