//! Finds equal records of a partition, by a hash table from records to requests that fits the processor's cache.

use super::form::Form;
use super::numbers::Numbers;
use crate::memory::{Buffer, Plain, prefetch};
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

const BLOCK: usize = 16;

pub(super) struct Distinct {
    /// For each entry, the hash of a request (upper half) and its number plus 1; 0 for an empty entry.
    table: Buffer<u64>,
    size: usize,
    requests: Buffer<u64>,
    found: u32,
    records: usize,
}

impl Distinct {
    pub(super) fn new(limits: &Arc<Limits>) -> Result<Distinct, LimitReached> {
        let (table, requests) = (Buffer::zeroed(64, limits)?, Buffer::zeroed(64, limits)?);
        Ok(Distinct { table, size: 0, requests, found: 0, records: 0 })
    }

    fn entries(records: usize) -> usize {
        (records + records / 2).max(64)
    }

    pub(super) fn shrink(&mut self, records: usize, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        give_back(&mut self.table, Distinct::entries(records), limits)?;
        give_back(&mut self.requests, records, limits)
    }

    pub(super) fn begin(&mut self, records: usize, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        self.size = Distinct::entries(records);
        ensure(&mut self.table, self.size, limits)?;
        ensure(&mut self.requests, records, limits)?;
        self.table.as_mut_slice()[..self.size].fill(0);
        (self.found, self.records) = (0, 0);
        Ok(())
    }

    pub(super) fn found(&self) -> u32 {
        self.found
    }

    pub(super) fn records(&self) -> usize {
        self.records
    }

    #[inline(always)]
    pub(super) fn requests(&self) -> *const u64 {
        self.requests.pointer()
    }

    /// Looks up the records from `at` to before `end`, and writes the reference of each. If requests have weights, it
    /// adds the record's weight to that of the equal request instead.
    ///
    /// # Safety
    /// The records must be complete and stay until the requests are expanded. [`Distinct::begin`] must have made room
    /// for them, and `references` must have room for a reference of each record.
    #[inline(always)]
    pub(super) unsafe fn add<F: Form>(&mut self, mut at: *const u32, end: *const u32, references: Numbers) {
        let (table, requests, size) = (self.table.pointer(), self.requests.pointer(), self.size);
        let (mut place, mut distinct) = (self.records, self.found);
        // SAFETY: by this function's contract.
        unsafe {
            while at < end {
                let mut block = [(std::ptr::null::<u32>(), 0_u32, 0_u32); BLOCK];
                let mut filled = 0;
                while at < end && filled < BLOCK {
                    let words = F::words_at(at);
                    let compared = words - if F::WEIGHT { 2 } else { 0 };
                    let hash = hash_words(at, compared);
                    prefetch(table.add(place_of(hash, size)));
                    block[filled] = (at, compared as u32, hash);
                    at = at.add(words);
                    filled += 1;
                }
                for &(record, words, hash) in &block[..filled] {
                    let mut index = place_of(hash, size);
                    let request = loop {
                        let entry = *table.add(index);
                        if entry == 0 {
                            let new = distinct;
                            *table.add(index) = u64::from(hash) << 32 | u64::from(new + 1);
                            *requests.add(new as usize) = record as u64;
                            distinct += 1;
                            break new;
                        }
                        if (entry >> 32) as u32 == hash {
                            let known = entry as u32 - 1;
                            let other = *requests.add(known as usize) as *const u32;
                            if F::WEIGHT {
                                if same(other, record, words as usize) {
                                    let weight =
                                        |record: *const u32| record.add(words as usize).cast::<u64>().cast_mut();
                                    let sum = weight(other).read_unaligned() + weight(record).read_unaligned();
                                    weight(other).write_unaligned(sum);
                                    break known;
                                }
                            } else if F::words_at(other) == words as usize && same(other, record, words as usize) {
                                break known;
                            }
                        }
                        index += 1;
                        if index == size {
                            index = 0;
                        }
                    };
                    if !F::WEIGHT {
                        references.set(place, request);
                    }
                    place += 1;
                }
            }
        }
        (self.records, self.found) = (place, distinct);
    }
}

#[inline(always)]
unsafe fn hash_words(at: *const u32, words: usize) -> u32 {
    let mut hash = 0x1234_5678_9ABC_u64;
    let mut k = 0;
    // SAFETY: the caller's record has this number of words.
    unsafe {
        while k + 2 <= words {
            hash = (hash ^ at.add(k).cast::<u64>().read_unaligned()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 32;
            k += 2;
        }
        if k < words {
            hash = (hash ^ u64::from(*at.add(k))).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 32;
        }
    }
    (hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
}

#[inline(always)]
unsafe fn same(a: *const u32, b: *const u32, words: usize) -> bool {
    // SAFETY: the caller's records have this number of words.
    unsafe {
        let mut k = 0;
        while k + 2 <= words {
            if a.add(k).cast::<u64>().read_unaligned() != b.add(k).cast::<u64>().read_unaligned() {
                return false;
            }
            k += 2;
        }
        k == words || *a.add(k) == *b.add(k)
    }
}

/// The index of a hash in a table of `size` entries, which may be more than 2^32.
#[inline(always)]
pub(super) fn place_of(hash: u32, size: usize) -> usize {
    ((u128::from(hash) * size as u128) >> 32) as usize
}

pub(super) fn ensure<T: Plain>(
    buffer: &mut Buffer<T>,
    elements: usize,
    limits: &Arc<Limits>,
) -> Result<(), LimitReached> {
    if buffer.as_slice().len() < elements {
        // A quarter more is taken for slight growth, if memory suffices.
        *buffer = Buffer::zeroed(0, limits)?;
        *buffer = Buffer::zeroed(elements + elements / 4, limits).or_else(|_| Buffer::zeroed(elements, limits))?;
    }
    Ok(())
}

pub(super) fn give_back<T: Plain>(
    buffer: &mut Buffer<T>,
    elements: usize,
    limits: &Arc<Limits>,
) -> Result<(), LimitReached> {
    if buffer.as_slice().len() / 2 > elements {
        *buffer = Buffer::zeroed(0, limits)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level of three billion requests has a table of 4.5 billion entries.
    #[test]
    fn places_are_in_order_and_within_tables_of_more_than_32_bits() {
        for size in [64, 1 << 32, 4_500_000_016, 3 << 32] {
            let places = [0, 1, 1 << 16, 1 << 31, u32::MAX].map(|hash| place_of(hash, size));
            assert!(places.is_sorted() && places[0] == 0, "{size}: {places:?}");
            assert_eq!(places[3], size / 2, "half of all hashes are in the first half");
            assert!((size - size / (1 << 16) - 4..size).contains(&places[4]), "{size}: {places:?}");
        }
    }
}
