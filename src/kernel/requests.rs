//! The requests of a sweep: distinct keys by level, in queues with an exact hash table each (see [`Queue`]).
//!
//! A request is one 64-bit **slot**, numbered over the whole sweep, so that a reference to it is one `u32`
//! whatever its level: see `slot` for what slots hold and who may touch them when. Slots below [`TERMINALS`] are the
//! terminals and their own results, so a reference is looked up without asking what it is.
//!
//! With several threads each level has as many queues, its **shards**, among which requests are divided by their
//! hash: a queue is only ever written by the one thread that works on it. Slots and key words are handed out to
//! queues in chunks; only that takes a lock.
//!
//! A limit that is reached ends the sweep: it is recorded, and whoever asked gets [`Refused`], which nothing else
//! makes, in place of a request.

mod queue;

pub(super) use queue::{Closed as Level, Queue};

use super::TERMINALS;
use super::memory::{Region, prefetch};
use super::slot::{Place, Reference, RequestId, Slot};
use super::tables::{Table, Tables};
use super::threads::Apart;
use crate::limits::{LimitReached, Limits};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A limit was reached: the sweep stops, and [`Requests::error`] tells which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused(());

/// Where the numbers of a sweep begin and end. All that there are, but for tests that come near an end with few
/// requests.
#[derive(Debug, Clone)]
pub(super) struct Capacity {
    /// Numbers of requests. Sweeps look [`LOOK_AHEAD`] numbers ahead, which must be numbers, too.
    pub(super) slots: Range<u32>,
    /// The first position of words for keys.
    pub(super) first_word: u32,
    /// Entries of the largest table, as a power of two: hashes have 32 bits.
    pub(super) table: u32,
    /// The first number that no choice of an image may have (see `pairs`).
    pub(super) choices: u32,
}

/// How many numbers behind a request a sweep may name.
pub(super) const LOOK_AHEAD: u32 = 1 << 12;

impl Capacity {
    pub(super) const ALL: Capacity =
        Capacity { slots: TERMINALS..u32::MAX - LOOK_AHEAD, first_word: 0, table: 32, choices: u32::MAX };
}

/// Words of the smallest and the largest regular key chunk, as powers of two.
const KEY_CHUNK: Range<u32> = 6..13;

/// All requests of one sweep.
pub(super) struct Requests {
    slots: *mut u64,
    keys: *mut u64,
    levels: u32,
    shards: u32,
    /// The number of the first request.
    first: u32,
    /// Entries of the largest table, as a power of two.
    largest_table: u32,
    limits: Arc<Limits>,
    /// A limit was reached.
    stop: AtomicBool,
    supply: Apart<Mutex<Supply>>,
}

// SAFETY: slots and words are shared as raw memory. Words are written by the one thread that was handed them, and
// half words for references by the owners of the children's queues; who writes and reads slots when is the table of
// `slot`. Between writing and reading the threads have met.
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
    /// For `levels` levels of `shards` queues each. Slot numbers below `most` are used, as far as `capacity` has them.
    pub(super) fn new(
        levels: u32,
        shards: usize,
        terminals: u32,
        most: u64,
        capacity: &Capacity,
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
            first: capacity.slots.start,
            largest_table: capacity.table,
            limits: Arc::clone(limits),
            stop: AtomicBool::new(false),
            supply: Apart(Mutex::new(Supply {
                slots,
                next_slot: capacity.slots.start.into(),
                last_slot: most.min(capacity.slots.end.into()),
                keys,
                next_key: capacity.first_word.into(),
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

    /// How many slots were handed out, filled or not.
    pub(super) fn slots_used(&self) -> usize {
        (self.supply().next_slot - u64::from(self.first)) as usize
    }

    /// Which of the slots handed out is this request's.
    #[inline(always)]
    pub(super) fn position(&self, request: RequestId) -> usize {
        (request.number() - self.first) as usize
    }

    /// The slot of a request.
    #[inline(always)]
    pub(super) fn slot(&self, request: RequestId) -> Slot {
        self.slot_of(request.into())
    }

    /// The slot of a terminal or of a request.
    #[inline(always)]
    pub(super) fn slot_of(&self, Reference(number): Reference) -> Slot {
        Slot::new(self.slots.wrapping_add(number as usize))
    }

    /// The key of a request not yet expanded; `fixed` tells whether keys are one word, kept in the slot.
    ///
    /// # Safety
    /// This thread may read the request's slot, which must hold its key (see `slot`).
    #[inline(always)]
    pub(super) unsafe fn key(&self, fixed: bool, request: RequestId) -> &[u64] {
        // SAFETY: by this function's contract the slot holds a key, or position and length of one that is complete.
        unsafe {
            let slot = self.slot(request);
            if fixed {
                return slot.key_in_place();
            }
            let (place, words) = slot.key_place();
            std::slice::from_raw_parts(self.word(place), words as usize)
        }
    }

    /// Prefetches the key of a request that lies elsewhere.
    ///
    /// # Safety
    /// As for [`Requests::key`].
    #[inline(always)]
    pub(super) unsafe fn prefetch_key(&self, request: RequestId) {
        // SAFETY: by this function's contract.
        let (place, _) = unsafe { self.slot(request).key_place() };
        prefetch(self.word(place));
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
    pub(super) fn fail(&self, limit: LimitReached) -> Refused {
        self.supply().error.get_or_insert(limit);
        self.stop.store(true, Ordering::Relaxed);
        Refused(())
    }

    /// The limit for which something was refused.
    pub(super) fn reason(&self, Refused(()): Refused) -> LimitReached {
        self.error().expect("a refusal is only made where its limit is recorded")
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
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
    pub(super) fn take_words(&self, power: u32) -> Result<Place, LimitReached> {
        self.supply().take_keys(power).map(Place)
    }

    /// Gives such words back.
    fn return_words(&self, chunks: impl IntoIterator<Item = (Place, u32)>) {
        let mut supply = self.supply();
        for (Place(start), power) in chunks {
            supply.free[power as usize].push(start);
        }
    }

    /// The address of a word taken by [`Requests::take_words`].
    #[inline(always)]
    pub(super) fn word(&self, Place(at): Place) -> *mut u64 {
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
