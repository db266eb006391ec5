//! Memory for streams, in chunks. Threads take batches of grains from one region, and have stocks of free chunks.
//!
//! A chunk starts with a header of [`HEADER`] words: the chunk it is linked to, the number of words in use, and its
//! size in grains. The first chunk of a stream is small, because most streams are; further chunks are regular. A record
//! that fits neither gets a chunk of its own size. Regular chunks are pages: a stock can return them to the system one
//! by one, and then other threads can use their memory.

use crate::memory::{PAGE, Region};
use crate::threads::Apart;
use base::limits::{LimitReached, Limits};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of 32-bit words of a grain; every chunk consists of whole grains.
const GRAIN: usize = 64;
const REGULAR: u32 = 16;
const GRAIN_BYTES: usize = GRAIN * 4;
const REGULAR_BYTES: usize = REGULAR as usize * GRAIN_BYTES;
/// Bound on the bytes of a pool, because grains have 32-bit numbers.
const MOST_BYTES: u64 = u32::MAX as u64 / REGULAR as u64 * REGULAR_BYTES as u64;
const _: () = assert!(REGULAR_BYTES == PAGE);
const BATCH: u32 = 4 * REGULAR;
pub(super) const HEADER: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Chunk(u32);

impl Chunk {
    pub(super) const NONE: Chunk = Chunk(u32::MAX);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Small,
    Regular,
}

pub(super) struct Pool {
    base: *mut u32,
    capacity: u64,
    /// Bytes handed out at present. Only the holder of `supply` changes this number.
    taken: AtomicU64,
    supply: Apart<Mutex<Supply>>,
}

struct Supply {
    region: Region,
    /// The first grain that was never handed out. Grains are handed out in whole regular chunks.
    next: u64,
    given_back: Vec<Chunk>,
}

// SAFETY: `base` starts the region in `supply`. One thread has a chunk; threads synchronise before handing it on.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    pub(super) fn new(most: u64, limits: &Arc<Limits>) -> Result<Pool, LimitReached> {
        let region = Region::reserve(limits.memory().min(MOST_BYTES).min(most) as usize, limits)?;
        Ok(Pool {
            base: region.base().cast(),
            capacity: (region.capacity() as u64).min(MOST_BYTES),
            taken: AtomicU64::new(0),
            supply: Apart(Mutex::new(Supply { region, next: 0, given_back: vec![] })),
        })
    }

    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn start(&self, Chunk(grain): Chunk) -> *mut u32 {
        self.base.wrapping_add(grain as usize * GRAIN)
    }

    #[inline(always)]
    pub(super) fn data(&self, chunk: Chunk) -> *mut u32 {
        self.start(chunk).wrapping_add(HEADER)
    }

    /// # Safety
    /// The chunk must be taken, and only this thread may use it.
    #[inline(always)]
    pub(super) unsafe fn link(&self, chunk: Chunk) -> Chunk {
        // SAFETY: by this function's contract; the header of a chunk is written when it is taken.
        Chunk(unsafe { *self.start(chunk) })
    }

    /// # Safety
    /// As for [`Pool::link`].
    #[inline(always)]
    pub(super) unsafe fn set_link(&self, chunk: Chunk, Chunk(to): Chunk) {
        // SAFETY: by this function's contract.
        unsafe { *self.start(chunk) = to };
    }

    /// Words of data, as set by [`Pool::set_used`].
    ///
    /// # Safety
    /// As for [`Pool::link`].
    #[inline(always)]
    pub(super) unsafe fn used(&self, chunk: Chunk) -> usize {
        // SAFETY: by this function's contract.
        unsafe { *self.start(chunk).add(1) as usize }
    }

    /// # Safety
    /// As for [`Pool::link`].
    #[inline(always)]
    pub(super) unsafe fn set_used(&self, chunk: Chunk, words: usize) {
        // SAFETY: by this function's contract.
        unsafe { *self.start(chunk).add(1) = words as u32 };
    }

    /// Words of data that fit a chunk.
    ///
    /// # Safety
    /// As for [`Pool::link`].
    #[inline(always)]
    pub(super) unsafe fn room(&self, chunk: Chunk) -> usize {
        // SAFETY: by this function's contract.
        unsafe { self.grains(chunk) as usize * GRAIN - HEADER }
    }

    unsafe fn grains(&self, chunk: Chunk) -> u32 {
        // SAFETY: as for `link`.
        unsafe { *self.start(chunk).add(2) }
    }

    /// Hands out `grains` grains, rounded up to whole pages, and returns the first one.
    fn take(&self, grains: u32) -> Result<u32, LimitReached> {
        let mut supply = self.supply.0.lock().unwrap_or_else(PoisonError::into_inner);
        let grains = grains.next_multiple_of(REGULAR);
        let end = supply.next + u64::from(grains);
        if end >= u64::from(u32::MAX) {
            return Err(LimitReached::Size { what: "chunks of one sweep".into(), limit: u32::MAX.into() });
        }
        supply.region.ensure(end as usize * GRAIN_BYTES)?;
        let start = supply.next as u32;
        supply.next = end;
        self.taken.fetch_add(u64::from(grains) * GRAIN_BYTES as u64, Ordering::Relaxed);
        Ok(start)
    }

    /// Hands out a regular chunk whose memory was returned to the system, and returns its first grain.
    fn take_again(&self) -> Option<u32> {
        let mut supply = self.supply.0.lock().unwrap_or_else(PoisonError::into_inner);
        let &Chunk(start) = supply.given_back.last()?;
        supply.region.take_again(REGULAR_BYTES).ok()?;
        supply.given_back.pop();
        self.taken.fetch_add(REGULAR_BYTES as u64, Ordering::Relaxed);
        Some(start)
    }

    fn give_back(&self, chunks: &mut Vec<Chunk>) {
        let mut supply = self.supply.0.lock().unwrap_or_else(PoisonError::into_inner);
        chunks.sort_unstable_by_key(|&Chunk(grain)| grain);
        for neighbours in chunks.chunk_by(|Chunk(one), Chunk(other)| one + REGULAR == *other) {
            let start = neighbours[0].0 as usize * GRAIN_BYTES;
            // SAFETY: these are pages of free chunks, which nobody uses before they are taken again.
            unsafe { supply.region.give_back(start..start + neighbours.len() * REGULAR_BYTES) };
        }
        self.taken.fetch_sub((chunks.len() * REGULAR_BYTES) as u64, Ordering::Relaxed);
        supply.given_back.append(chunks);
    }
}

fn grains(words: usize, size: Size) -> u32 {
    match (words + HEADER).div_ceil(GRAIN).try_into().unwrap_or(u32::MAX) {
        0 | 1 if size == Size::Small => 1,
        needed => needed.max(REGULAR),
    }
}

pub(super) struct Stock<'p> {
    pub(super) pool: &'p Pool,
    small: Vec<Chunk>,
    regular: Vec<Chunk>,
    odd: Vec<Chunk>,
    /// The grains from `next` to before `end` are those of the last batch that belong to no chunk yet.
    next: u32,
    end: u32,
}

impl<'p> Stock<'p> {
    pub(super) fn new(pool: &'p Pool) -> Stock<'p> {
        Stock { pool, small: vec![], regular: vec![], odd: vec![], next: 0, end: 0 }
    }

    /// A chunk with room for `words` words of data. The caller must set its link and its number of words in use.
    pub(super) fn take(&mut self, words: usize, size: Size) -> Result<Chunk, LimitReached> {
        if let Some(chunk) = self.take_free(words, size) {
            return Ok(chunk);
        }
        let grains = grains(words, size);
        if grains > REGULAR {
            let grains = grains.next_multiple_of(REGULAR);
            let start = self.pool.take(grains)?;
            return Ok(self.make(start, grains));
        }
        let mut batch = REGULAR;
        let start = match self.pool.take_again() {
            Some(start) => start,
            None if grains == 1 => self.pool.take(REGULAR)?,
            // Memory may suffice for one chunk but not for a batch.
            None => self.pool.take(BATCH).inspect(|_| batch = BATCH).or_else(|_| self.pool.take(REGULAR))?,
        };
        if grains == 1 {
            return Ok(self.divide(start));
        }
        debug_assert_eq!(self.next, self.end, "a chunk of the batch would have been taken");
        (self.next, self.end) = (start + REGULAR, start + batch);
        Ok(self.make(start, REGULAR))
    }

    /// As [`Stock::take`], but only from this thread's free chunks.
    pub(super) fn take_free(&mut self, words: usize, size: Size) -> Option<Chunk> {
        let grains = grains(words, size);
        if grains > REGULAR {
            // SAFETY: these are free chunks of this stock.
            let fits = |&chunk: &Chunk| unsafe { self.pool.grains(chunk) >= grains };
            return self.odd.iter().position(fits).map(|place| self.odd.swap_remove(place));
        }
        let free = if grains == 1 { &mut self.small } else { &mut self.regular };
        if let Some(chunk) = free.pop() {
            return Some(chunk);
        }
        let start = self.next;
        if start == self.end {
            return None;
        }
        self.next += REGULAR;
        Some(if grains == 1 { self.divide(start) } else { self.make(start, REGULAR) })
    }

    /// As [`Stock::take_free`], but also from chunks of the other size; a regular chunk is divided into small ones.
    pub(super) fn take_any(&mut self, words: usize, size: Size) -> Option<Chunk> {
        if let Some(chunk) = self.take_free(words, size) {
            return Some(chunk);
        }
        match grains(words, size) {
            1 => self.regular.pop().map(|Chunk(start)| self.divide(start)),
            _ if words + HEADER <= GRAIN => self.small.pop(),
            _ => None,
        }
    }

    fn divide(&mut self, start: u32) -> Chunk {
        for grain in start + 1..start + REGULAR {
            let chunk = self.make(grain, 1);
            self.small.push(chunk);
        }
        self.make(start, 1)
    }

    fn make(&self, grain: u32, grains: u32) -> Chunk {
        let chunk = Chunk(grain);
        // SAFETY: the grains were handed to this stock.
        unsafe { *self.pool.start(chunk).add(2) = grains };
        chunk
    }

    pub(super) fn free_bytes(&self) -> u64 {
        GRAIN_BYTES as u64 * (self.small.len() as u64 + u64::from(REGULAR) * self.regular.len() as u64)
    }

    pub(super) fn give_back_memory(&mut self) {
        self.pool.give_back(&mut self.regular);
    }

    pub(super) fn give_back(&mut self, chunk: Chunk) {
        // SAFETY: the user of the chunk no longer uses it.
        match unsafe { self.pool.grains(chunk) } {
            1 => self.small.push(chunk),
            REGULAR => self.regular.push(chunk),
            _ => self.odd.push(chunk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(stock: &mut Stock) -> Vec<Chunk> {
        let mut chunks = vec![];
        while let Ok(chunk) = stock.take(100, Size::Regular) {
            // SAFETY: this is a chunk of this stock with room for 100 words.
            unsafe { stock.pool.data(chunk).add(99).write(chunks.len() as u32) };
            chunks.push(chunk);
        }
        chunks
    }

    fn number(pool: &Pool, chunk: Chunk) -> u32 {
        // SAFETY: `fill` wrote the word.
        unsafe { pool.data(chunk).add(99).read() }
    }

    #[test]
    fn memory_that_one_thread_gives_back_serves_others() {
        let limits = Arc::new(Limits::new(50 * PAGE as u64));
        let pool = Pool::new(u64::MAX, &limits).unwrap();
        let [mut one, mut other] = [Stock::new(&pool), Stock::new(&pool)];
        let small = one.take(10, Size::Small).unwrap();
        let chunks = fill(&mut one);
        assert_eq!(chunks.len(), 49);
        assert!(other.take(10, Size::Small).is_err(), "all memory is the first one's");
        let (kept, left) = chunks.split_at(20);
        left.iter().for_each(|&chunk| one.give_back(chunk));
        one.give_back(small);
        assert!(other.take(10, Size::Small).is_err(), "free chunks are the first one's");
        let used = limits.used();
        one.give_back_memory();
        assert_eq!(limits.used(), used - (29 * PAGE) as u64);
        assert_eq!(limits.hold(29 * PAGE as u64).map(drop), Ok(()), "it serves other purposes");
        let again = fill(&mut other);
        assert_eq!(again.len(), 29);
        assert!(one.take(100, Size::Regular).is_err());
        let numbers = |chunks: &[Chunk]| chunks.iter().map(|&chunk| number(&pool, chunk)).collect::<Vec<_>>();
        assert_eq!(numbers(kept), (0..20).collect::<Vec<_>>());
        assert_eq!(numbers(&again), (0..29).collect::<Vec<_>>());
        drop(pool);
        assert_eq!(limits.used(), 0);
    }

    #[test]
    fn chunks_do_not_overlap_whatever_their_sizes() {
        let mut random = base::random::Random::new(3);
        let limits = Arc::new(Limits::new(1 << 20));
        let pool = Pool::new(u64::MAX, &limits).unwrap();
        let mut stocks = [Stock::new(&pool), Stock::new(&pool)];
        let mut taken: Vec<(Chunk, u32)> = vec![];
        for round in 0..5000 {
            let stock = &mut stocks[random.below(2)];
            match random.below(8) {
                0 => stock.give_back_memory(),
                1..4 if !taken.is_empty() => {
                    let (chunk, number) = taken.swap_remove(random.below(taken.len()));
                    // SAFETY: the chunk was taken, and its last word was written.
                    unsafe { assert_eq!(pool.data(chunk).add(pool.room(chunk) - 1).read(), number) };
                    stock.give_back(chunk);
                }
                kind => {
                    let size = if kind == 4 { Size::Small } else { Size::Regular };
                    let words = if kind == 7 { 1000 + random.below(4000) } else { 1 + random.below(60) };
                    let Ok(chunk) = stock.take(words, size) else { continue };
                    // SAFETY: this is the last word of a chunk that was taken.
                    unsafe {
                        assert!(pool.room(chunk) >= words);
                        pool.data(chunk).add(pool.room(chunk) - 1).write(round);
                    }
                    taken.push((chunk, round));
                }
            }
        }
        for (chunk, number) in taken {
            // SAFETY: as above.
            unsafe { assert_eq!(pool.data(chunk).add(pool.room(chunk) - 1).read(), number) };
        }
    }
}
