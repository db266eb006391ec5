//! Memory for streams, in chunks that are taken and given back all the time: one region for a whole sweep, from which
//! threads take grains in batches, and a stock of free chunks for each thread.
//!
//! A chunk begins with a header of [`HEADER`] words: the chunk it is linked to, how many words are in use, and its size
//! in grains. The first chunk of a stream is small, as most streams are; the following ones are regular; a record that
//! fits neither has a chunk of its own size.

use crate::kernel::memory::Region;
use crate::kernel::threads::Apart;
use crate::limits::{LimitReached, Limits};
use std::sync::{Arc, Mutex, PoisonError};

/// Words of 32 bits that chunks are multiples of.
const GRAIN: usize = 64;
/// Grains of a regular chunk.
const REGULAR: u32 = 16;
/// Grains that a thread takes at a time.
const BATCH: u32 = 4 * REGULAR;
/// Words of a chunk before its data.
pub(super) const HEADER: usize = 4;

/// A chunk, by the number of its first grain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Chunk(u32);

impl Chunk {
    /// No chunk.
    pub(super) const NONE: Chunk = Chunk(u32::MAX);
}

/// How large a chunk should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Small,
    Regular,
}

/// See the module.
pub(super) struct Pool {
    base: *mut u32,
    supply: Apart<Mutex<Supply>>,
}

struct Supply {
    region: Region,
    /// The first grain not handed out.
    next: u64,
}

// SAFETY: `base` is the start of the region in `supply`; each chunk is used by one thread at a time, and threads meet
// before it goes from one to another.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    pub(super) fn new(limits: &Arc<Limits>) -> Result<Pool, LimitReached> {
        let most = limits.memory().min((u64::from(u32::MAX) * 4 * GRAIN as u64).min(64 << 30)) as usize;
        let region = Region::reserve(most, limits)?;
        Ok(Pool { base: region.base().cast(), supply: Apart(Mutex::new(Supply { region, next: 0 })) })
    }

    /// The first word of a chunk.
    #[inline(always)]
    fn start(&self, Chunk(grain): Chunk) -> *mut u32 {
        self.base.wrapping_add(grain as usize * GRAIN)
    }

    /// The first word of a chunk's data.
    #[inline(always)]
    pub(super) fn data(&self, chunk: Chunk) -> *mut u32 {
        self.start(chunk).wrapping_add(HEADER)
    }

    /// The chunk that this one is linked to.
    ///
    /// # Safety
    /// The chunk must be taken, and this thread be the one that uses it.
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

    /// Words of data in a chunk that was closed with [`Pool::set_used`].
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

    /// Words of data that a chunk has room for.
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

    fn take(&self, grains: u32) -> Result<u32, LimitReached> {
        let mut supply = self.supply.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = supply.next + u64::from(grains);
        if end >= u64::from(u32::MAX) {
            return Err(LimitReached::Size { what: "chunks of one sweep".into(), limit: u32::MAX.into() });
        }
        supply.region.ensure(end as usize * GRAIN * 4)?;
        let start = supply.next as u32;
        supply.next = end;
        Ok(start)
    }
}

/// Grains of a chunk of a size with room for so many words of data at least: one, [`REGULAR`] or more.
fn grains(words: usize, size: Size) -> u32 {
    match (words + HEADER).div_ceil(GRAIN).try_into().unwrap_or(u32::MAX) {
        0 | 1 if size == Size::Small => 1,
        needed => needed.max(REGULAR),
    }
}

/// A thread's free chunks.
pub(super) struct Stock<'p> {
    pub(super) pool: &'p Pool,
    small: Vec<Chunk>,
    regular: Vec<Chunk>,
    /// Of any other size.
    odd: Vec<Chunk>,
    /// Grains of a batch not yet made chunks.
    next: u32,
    end: u32,
}

impl<'p> Stock<'p> {
    pub(super) fn new(pool: &'p Pool) -> Stock<'p> {
        Stock { pool, small: vec![], regular: vec![], odd: vec![], next: 0, end: 0 }
    }

    /// A chunk with room for so many words of data at least; its link and what is used of it are the caller's to set.
    pub(super) fn take(&mut self, words: usize, size: Size) -> Result<Chunk, LimitReached> {
        if let Some(chunk) = self.take_free(words, size) {
            return Ok(chunk);
        }
        let grains = grains(words, size);
        if grains > REGULAR {
            let start = self.pool.take(grains)?;
            return Ok(self.make(start, grains));
        }
        // What is left of the batch makes small chunks.
        for grain in self.next..self.end {
            let chunk = self.make(grain, 1);
            self.small.push(chunk);
        }
        (self.next, self.end) = (0, 0);
        let mut batch = if grains == 1 { REGULAR } else { BATCH };
        // Where there is no room for a batch there may be for a chunk.
        let start = self.pool.take(batch).or_else(|_| {
            batch = grains;
            self.pool.take(grains)
        })?;
        (self.next, self.end) = (start + grains, start + batch);
        Ok(self.make(start, grains))
    }

    /// As [`Stock::take`], of the chunks that this thread has.
    pub(super) fn take_free(&mut self, words: usize, size: Size) -> Option<Chunk> {
        let grains = grains(words, size);
        if grains > REGULAR {
            // SAFETY: free chunks of this stock.
            let fits = |&chunk: &Chunk| unsafe { self.pool.grains(chunk) >= grains };
            return self.odd.iter().position(fits).map(|place| self.odd.swap_remove(place));
        }
        let free = if grains == 1 { &mut self.small } else { &mut self.regular };
        free.pop().or_else(|| {
            (self.end - self.next >= grains).then(|| {
                let grain = self.next;
                self.next += grains;
                self.make(grain, grains)
            })
        })
    }

    /// As [`Stock::take_free`], of chunks of the other size as well: for a small one a regular one is divided.
    pub(super) fn take_any(&mut self, words: usize, size: Size) -> Option<Chunk> {
        if let Some(chunk) = self.take_free(words, size) {
            return Some(chunk);
        }
        match grains(words, size) {
            1 => {
                let Chunk(start) = self.regular.pop()?;
                for grain in start + 1..start + REGULAR {
                    let chunk = self.make(grain, 1);
                    self.small.push(chunk);
                }
                Some(self.make(start, 1))
            }
            _ if words + HEADER <= GRAIN => self.small.pop(),
            _ => None,
        }
    }

    fn make(&self, grain: u32, grains: u32) -> Chunk {
        let chunk = Chunk(grain);
        // SAFETY: grains that were handed to this stock.
        unsafe { *self.pool.start(chunk).add(2) = grains };
        chunk
    }

    /// Bytes of free chunks.
    pub(super) fn free_bytes(&self) -> u64 {
        4 * GRAIN as u64 * (self.small.len() as u64 + u64::from(REGULAR) * self.regular.len() as u64)
    }

    /// Gives a chunk back.
    pub(super) fn give_back(&mut self, chunk: Chunk) {
        // SAFETY: a chunk that its user gives away.
        match unsafe { self.pool.grains(chunk) } {
            1 => self.small.push(chunk),
            REGULAR => self.regular.push(chunk),
            _ => self.odd.push(chunk),
        }
    }
}
