//! Finding and adding requests where several threads do.
//!
//! A thread claims table entries for all new requests of a batch by compare-and-swap, and only then writes their keys
//! and slots: a swap waits for every write before it, and keys go to memory that is not in any cache yet. A claimed
//! slot without a word is not written yet. Nobody waits for another thread before having written all it claimed, so
//! threads never wait for each other in a circle.

use super::{REFUSED, Requests, Writer, same};
use crate::kernel::memory::prefetch_to_write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Looks at an unwritten slot before the thread gives way.
const SPINS: u32 = 1 << 10;

/// What became of a request.
pub(in crate::kernel) enum Found {
    /// Its slot, added before.
    Known(u32),
    /// Its slot, claimed now and to be written.
    Claimed(u32),
    /// Perhaps added by another thread that has not written it yet.
    Unwritten,
    /// A limit was reached.
    Refused,
}

impl Requests {
    /// Prefetches the entry that adding a key with this hash will claim.
    #[inline(always)]
    pub(in crate::kernel) fn prefetch_claim(&self, level: u32, hash: u32) {
        prefetch_to_write(self.entry(level, hash));
    }

    fn word_at(&self, slot: u32) -> &AtomicU64 {
        // SAFETY: slots are valid, aligned words; while several threads add requests to a level, its slots are only
        // accessed atomically, or by way of `key` after their word was seen.
        unsafe { AtomicU64::from_ptr(self.slot(slot)) }
    }

    /// Finds a request or claims an entry for it. `own` gives the key of a slot that this thread has claimed and not
    /// written; `wait`: for slots that others have not.
    #[inline(always)]
    pub(in crate::kernel) fn find_or_claim<'k, const FIXED: bool>(
        &self,
        level: u32,
        hash: u32,
        key: &[u64],
        writer: &mut Writer,
        own: impl Fn(u32) -> Option<&'k [u64]>,
        wait: bool,
    ) -> Found {
        if writer.slots.start == writer.slots.end && !self.refill::<true>(level, writer) {
            return Found::Refused;
        }
        let queue = &self.queues[level as usize];
        let entries = queue.entries.load(Ordering::Relaxed);
        let mask = queue.mask.load(Ordering::Relaxed);
        let new = writer.slots.start;
        let mut index = hash & mask;
        loop {
            // SAFETY: the index is masked to the table's size; the table is not replaced while this runs.
            let place = unsafe { &*entries.wrapping_add(index as usize) };
            let mut entry = place.load(Ordering::Relaxed);
            if entry == 0 {
                let claim = u64::from(hash) << 32 | u64::from(new);
                match place.compare_exchange(0, claim, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        writer.slots.start = new + 1;
                        return Found::Claimed(new);
                    }
                    Err(other) => entry = other,
                }
            }
            if (entry >> 32) as u32 == hash {
                let slot = entry as u32;
                let known = if self.is_written(slot, false) {
                    // SAFETY: the word was seen, and requests of this level are not expanded yet.
                    Some(unsafe { self.key::<FIXED>(slot) })
                } else if let Some(own) = own(slot) {
                    Some(own)
                } else if !wait {
                    return Found::Unwritten;
                } else if self.is_written(slot, true) {
                    // SAFETY: as above.
                    Some(unsafe { self.key::<FIXED>(slot) })
                } else {
                    return Found::Refused;
                };
                if known.is_some_and(|known| same(known, key)) {
                    return Found::Known(slot);
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// Whether the word of a claimed slot can be seen; `wait` until it is, or until a limit was reached.
    #[inline(always)]
    fn is_written(&self, slot: u32, wait: bool) -> bool {
        let mut spins = 0;
        while self.word_at(slot).load(Ordering::Acquire) == 0 {
            if !wait || self.failed.load(Ordering::Relaxed) {
                return false;
            }
            spins += 1;
            if spins % SPINS == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        true
    }

    /// Writes a claimed request; false when a limit was reached.
    #[inline(always)]
    pub(in crate::kernel) fn write_claimed<const FIXED: bool>(
        &self,
        slot: u32,
        key: &[u64],
        writer: &mut Writer,
    ) -> bool {
        debug_assert_ne!(slot, REFUSED);
        let Some(word) = self.word_of::<FIXED>(key, writer) else { return false };
        self.word_at(slot).store(word, Ordering::Release);
        true
    }
}
