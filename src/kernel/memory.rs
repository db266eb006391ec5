//! Blocks of memory for nodes, requests and tables: taken from the system, and accounted in [`Limits`] until dropped.
//!
//! [`Region`] reserves addresses for the largest size that it may ever need, and takes memory as it grows, so that
//! growing never moves data. [`Buffer`] is a zeroed array. Large blocks ask for huge pages, because sweeps access their
//! tables at random, and most of that time would be address translation.
//!
//! Unsafe code is needed here and wherever the blocks of a sweep are read and written: threads share them as raw
//! memory, and the same memory holds a key, then references, then a result.

use base::limits::{LimitReached, Limits};
pub(super) use base::machine::{prefetch, prefetch_to_write};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// # Safety
/// All patterns of bytes must be valid for the type.
pub(super) unsafe trait Plain: Copy {}
// SAFETY: every pattern of bytes is a value of an integer.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for u128 {}

pub(super) const PAGE: usize = 4096;
const HUGE_PAGE: usize = 2 << 20;
const SMALL_BOUND: u64 = 512 << 20;
/// Number of readable, meaningless bytes after the end of a region, also after it shrinks. They permit reading a few
/// words at once before their number is known.
pub(super) const READABLE: usize = 16;
const MAP_FROM: usize = 1 << 20;

/// Under Miri, memory comes from the allocator, because Miri cannot unmap a part of a mapping.
#[cfg(miri)]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: callers request at least a page.
    NonNull::new(unsafe { alloc_zeroed(Layout::from_size_align(bytes, PAGE).ok()?) })
}

#[cfg(miri)]
unsafe fn unmap(_start: *mut u8, _bytes: usize) {}

#[cfg(not(miri))]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous private mapping at an address of the system's choice touches no existing memory.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if address == libc::MAP_FAILED { None } else { NonNull::new(address.cast()) }
}

/// # Safety
/// `start..start + bytes` must be mapped by [`map`], page aligned and no longer used.
#[cfg(not(miri))]
unsafe fn unmap(start: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: by this function's contract.
        unsafe { libc::munmap(start.cast(), bytes) };
    }
}

/// # Safety
/// `start..start + bytes` must be mapped by [`map`].
unsafe fn ask_for_huge_pages(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: the advice is on memory of this region, and its failure changes nothing.
    unsafe {
        libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Returns the memory of whole pages to the system; their addresses stay reserved.
///
/// # Safety
/// `start..start + bytes` must be mapped by [`map`] and page aligned, and its contents no longer needed.
unsafe fn discard(start: *mut u8, bytes: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    const ADVICE: libc::c_int = libc::MADV_DONTNEED;
    #[cfg(all(not(target_os = "linux"), not(miri)))]
    const ADVICE: libc::c_int = libc::MADV_FREE;
    #[cfg(not(miri))]
    // SAFETY: by this function's contract; where the advice is refused, the pages stay.
    unsafe {
        libc::madvise(start.cast(), bytes, ADVICE);
    }
    #[cfg(miri)]
    let _ = (start, bytes);
}

/// Whether huge pages are used. One used byte takes a whole page, which is too much under a small memory bound.
fn huge_pages_pay(limits: &Limits) -> bool {
    limits.memory() >= SMALL_BOUND
}

fn round_up(bytes: usize, unit: usize) -> usize {
    bytes.div_ceil(unit) * unit
}

/// A mapping of a region that was dropped. Most sweeps are small and ask for the same addresses. To unmap these interrupts
/// all threads of the process, and their first pages would be taken from the system again.
struct Kept {
    base: NonNull<u8>,
    capacity: usize,
    around: (usize, usize),
    /// Number of bytes from the start that may not be zero.
    used: usize,
}

// SAFETY: nobody else knows the mapping.
unsafe impl Send for Kept {}

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
/// Largest number of mappings that are kept, and of bytes in use in each: half a mebibyte in all, which no account has.
const MOST_KEPT: usize = 8;
const KEPT_BYTES: usize = 64 << 10;

impl Kept {
    /// A mapping of this capacity and with this many bytes around it, all bytes of which are zero.
    fn take(capacity: usize, spare: usize) -> Option<Kept> {
        let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |kept: &Kept| kept.capacity == capacity && kept.around.0 + kept.around.1 == spare;
        let found = all.iter().position(fits)?;
        let kept = all.swap_remove(found);
        drop(all);
        // SAFETY: the mapping was taken out of the list, and so many of its bytes were in use.
        unsafe { kept.base.as_ptr().write_bytes(0, kept.used) };
        Some(kept)
    }

    /// Unmaps all mappings; returns whether there were any.
    fn unmap_all() -> bool {
        let all = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
        all.iter().for_each(Kept::unmap);
        !all.is_empty()
    }

    fn unmap(&self) {
        let (before, after) = self.around;
        // SAFETY: the whole mapping belongs to the region that was, and nobody uses it any more.
        unsafe { unmap(self.base.as_ptr().sub(before), before + self.capacity + after) };
    }
}

/// Addresses for `capacity` bytes. The first `taken` bytes are in use; all of these but `given_back` are accounted.
#[derive(Debug)]
pub(super) struct Region {
    base: NonNull<u8>,
    capacity: usize,
    /// Numbers of bytes before and after the `capacity` bytes that are mapped, too: addresses without memory, at most a
    /// huge page of them. A call to unmap them would cost more.
    around: (usize, usize),
    /// Huge pages are still to be asked for, once more than [`HUGE_PAGE`] bytes are in use: most sweeps are small.
    may_be_huge: bool,
    /// Nothing of the mapping was unmapped.
    whole: bool,
    taken: usize,
    given_back: usize,
    limits: Arc<Limits>,
}

// SAFETY: a region owns its memory; access goes through raw pointers whose users synchronise.
unsafe impl Send for Region {}
// SAFETY: as above; shared references only hand out the base pointer.
unsafe impl Sync for Region {}

fn map_aligned(bytes: usize) -> Option<NonNull<u8>> {
    let start = map(bytes + HUGE_PAGE)?.as_ptr();
    let head = start.align_offset(HUGE_PAGE);
    // SAFETY: both parts are whole pages at the ends of the mapping just made.
    unsafe {
        unmap(start, head);
        unmap(start.add(head + bytes), HUGE_PAGE - head);
    }
    NonNull::new(start.wrapping_add(head))
}

impl Region {
    /// Reserves addresses for `bytes`. If the system refuses, tries half as many, and so on down to about 1 MiB.
    pub(super) fn reserve(bytes: usize, limits: &Arc<Limits>) -> Result<Region, LimitReached> {
        let mut capacity = round_up(bytes + READABLE, PAGE);
        loop {
            let large = capacity > 2 * HUGE_PAGE && huge_pages_pay(limits);
            let spare = if large { HUGE_PAGE } else { 0 };
            let mapped = Kept::take(capacity, spare).map(|kept| (kept.base, kept.around)).or_else(|| {
                let start = map(capacity + spare)?;
                let head = if large { start.as_ptr().align_offset(HUGE_PAGE) } else { 0 };
                // SAFETY: `head` is at most `spare`.
                Some((unsafe { start.add(head) }, (head, spare - head)))
            });
            if let Some((base, around)) = mapped {
                let (may_be_huge, limits) = (large, Arc::clone(limits));
                return Ok(Region {
                    base,
                    capacity,
                    around,
                    may_be_huge,
                    whole: true,
                    taken: 0,
                    given_back: 0,
                    limits,
                });
            }
            if Kept::unmap_all() {
                continue;
            }
            if capacity <= 1 << 20 {
                let (wanted, used) = (capacity as u64, limits.used());
                return Err(LimitReached::Memory { wanted, used, limit: limits.memory() });
            }
            capacity = round_up(capacity / 2, PAGE);
        }
    }

    pub(super) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Makes the first `bytes` usable. New bytes are zero.
    pub(super) fn ensure(&mut self, bytes: usize) -> Result<(), LimitReached> {
        if bytes <= self.taken {
            return Ok(());
        }
        if bytes > self.capacity {
            return Err(LimitReached::Size { what: "memory of one sweep (bytes)".into(), limit: self.capacity as u64 });
        }
        let ahead = (self.taken / 16).clamp(PAGE, 4 << 20);
        let wanted = round_up(bytes.max(self.taken + ahead), PAGE).min(self.capacity);
        let least = round_up(bytes, PAGE).min(self.capacity);
        for size in [wanted, least] {
            match self.limits.reserve((size - self.taken) as u64) {
                Ok(()) => {
                    self.taken = size;
                    if self.may_be_huge && size > HUGE_PAGE {
                        self.may_be_huge = false;
                        // SAFETY: a part of the mapping.
                        unsafe { ask_for_huge_pages(self.base.as_ptr().add(HUGE_PAGE), self.capacity - HUGE_PAGE) };
                    }
                    return Ok(());
                }
                Err(limit) if size == least => return Err(limit),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the memory of some pages in use to the system, until [`Region::take_again`].
    ///
    /// # Safety
    /// No other code may use these pages during the call.
    pub(super) unsafe fn give_back(&mut self, pages: Range<usize>) {
        assert!(pages.end <= self.taken && pages.start.is_multiple_of(PAGE) && pages.end.is_multiple_of(PAGE));
        // SAFETY: these are pages of this region, which nobody uses.
        unsafe { discard(self.base.as_ptr().add(pages.start), pages.len()) };
        self.given_back += pages.len();
        self.limits.release(pages.len() as u64);
    }

    /// Accounts again for `bytes` bytes that were given back. Their contents are undefined.
    pub(super) fn take_again(&mut self, bytes: usize) -> Result<(), LimitReached> {
        let left = self.given_back.checked_sub(bytes).expect("only what was given back is taken again");
        self.limits.reserve(bytes as u64)?;
        self.given_back = left;
        Ok(())
    }

    /// Frees everything after the first `bytes`, including the addresses. No bytes may be given back at that time.
    pub(super) fn shrink(&mut self, bytes: usize) {
        assert_eq!(self.given_back, 0, "pages given back are not told from others");
        let keep = round_up(bytes + READABLE, PAGE).min(self.capacity);
        // SAFETY: the part after `keep` belongs to this region, is page aligned, and is no longer used by the caller.
        unsafe { unmap(self.base.as_ptr().add(keep), self.capacity - keep + self.around.1) };
        (self.capacity, self.around.1, self.whole) = (keep, 0, false);
        self.may_be_huge &= keep > HUGE_PAGE;
        if self.taken > keep {
            self.limits.release((self.taken - keep) as u64);
            self.taken = keep;
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.limits.release((self.taken - self.given_back) as u64);
        let Region { base, capacity, around, taken: used, .. } = *self;
        let kept = Kept { base, capacity, around, used };
        if self.whole && used <= KEPT_BYTES {
            let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() < MOST_KEPT {
                return all.push(kept);
            }
        }
        kept.unmap();
    }
}

#[derive(Debug)]
pub(super) struct Buffer<T: Plain> {
    base: NonNull<T>,
    len: usize,
    bytes: usize,
    /// Accounted bytes: all of `bytes`, except in a sparse buffer.
    accounted: u64,
    limits: Arc<Limits>,
}

// SAFETY: a buffer owns its memory.
unsafe impl<T: Plain + Send> Send for Buffer<T> {}
// SAFETY: shared references only read, or go through raw pointers whose users synchronise.
unsafe impl<T: Plain + Sync> Sync for Buffer<T> {}

impl<T: Plain> Buffer<T> {
    pub(super) fn zeroed(len: usize, limits: &Arc<Limits>) -> Result<Buffer<T>, LimitReached> {
        let size = std::mem::size_of::<T>();
        let mut bytes = len.max(1).saturating_mul(size);
        if bytes >= MAP_FROM {
            bytes = bytes.checked_next_multiple_of(PAGE).unwrap_or(usize::MAX);
        }
        limits.reserve(bytes as u64)?;
        let base = if bytes >= MAP_FROM {
            if bytes < HUGE_PAGE || !huge_pages_pay(limits) {
                map(bytes)
            } else {
                map_aligned(bytes).inspect(|base| {
                    // SAFETY: this is the mapping just made.
                    unsafe { ask_for_huge_pages(base.as_ptr(), bytes) };
                })
            }
        } else {
            // SAFETY: the layout has a size above zero.
            NonNull::new(unsafe { alloc_zeroed(Self::layout(bytes)) })
        };
        match base {
            Some(base) => {
                let accounted = bytes as u64;
                Ok(Buffer { base: base.cast(), len, bytes, accounted, limits: Arc::clone(limits) })
            }
            None => {
                limits.release(bytes as u64);
                Err(LimitReached::Memory { wanted: bytes as u64, used: limits.used(), limit: limits.memory() })
            }
        }
    }

    /// As [`Buffer::zeroed`], for an array of which only some ranges of elements will be written; other elements are
    /// read as zero. A large array takes memory for these ranges only.
    pub(super) fn sparse(len: usize, used: &[Range<usize>], limits: &Arc<Limits>) -> Result<Buffer<T>, LimitReached> {
        let size = std::mem::size_of::<T>();
        let Some(bytes) = len.checked_mul(size).and_then(|bytes| bytes.checked_next_multiple_of(PAGE)) else {
            return Buffer::zeroed(len, limits);
        };
        if bytes < MAP_FROM || cfg!(miri) {
            return Buffer::zeroed(len, limits);
        }
        let pages = |range: &Range<usize>| range.start * size / PAGE * PAGE..round_up(range.end * size, PAGE);
        let accounted = used.iter().map(|range| pages(range).len() as u64).sum();
        limits.reserve(accounted)?;
        let Some(base) = (if bytes < HUGE_PAGE { map(bytes) } else { map_aligned(bytes) }) else {
            limits.release(accounted);
            return Err(LimitReached::Memory { wanted: bytes as u64, used: limits.used(), limit: limits.memory() });
        };
        if huge_pages_pay(limits) {
            for Range { start, end } in used.iter().map(pages) {
                let (start, end) = (round_up(start, HUGE_PAGE), end / HUGE_PAGE * HUGE_PAGE);
                if start < end {
                    // SAFETY: this is a part of the mapping just made.
                    unsafe { ask_for_huge_pages(base.as_ptr().add(start), end - start) };
                }
            }
        }
        Ok(Buffer { base: base.cast(), len, bytes, accounted, limits: Arc::clone(limits) })
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 64).expect("less than MAP_FROM bytes, aligned to a cache line")
    }

    pub(super) fn pointer(&self) -> *mut T {
        self.base.as_ptr()
    }

    pub(super) fn as_slice(&self) -> &[T] {
        // SAFETY: there are `len` initialised (zeroed) values that live as long as the buffer.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.len) }
    }

    pub(super) fn as_mut_bytes(&mut self) -> &mut [u8] {
        // SAFETY: as for `as_slice`; every pattern of bytes is a value of the types that buffers hold.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr().cast(), std::mem::size_of::<T>() * self.len) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as for `as_slice`, and the buffer is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.len) }
    }
}

impl<T: Plain> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.limits.release(self.accounted);
        // SAFETY: the memory came from `map` or `alloc_zeroed` of the same size, and nobody uses it any more.
        unsafe {
            if self.bytes >= MAP_FROM {
                unmap(self.base.as_ptr().cast(), self.bytes);
            } else {
                dealloc(self.base.as_ptr().cast(), Self::layout(self.bytes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_bytes_behind_a_region_can_be_read() {
        let limits = Arc::new(Limits::unlimited());
        for bytes in [1, PAGE - READABLE, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE] {
            for shrunk in [bytes, bytes / 2] {
                let mut region = Region::reserve(bytes, &limits).unwrap();
                region.ensure(bytes).unwrap();
                region.shrink(shrunk);
                assert!(region.capacity() >= shrunk + READABLE, "{bytes} bytes, shrunk to {shrunk}");
                // SAFETY: these bytes are mapped.
                let behind = (0..READABLE).map(|k| unsafe { region.base().add(shrunk + k).read() });
                assert!(behind.eq([0; READABLE]));
            }
        }
        assert_eq!(limits.used(), 0);
    }

    #[test]
    fn new_bytes_of_a_region_are_zero_whatever_was_there_before() {
        let limits = Arc::new(Limits::unlimited());
        // A capacity that no other test asks for; more regions at once than are kept.
        let bytes = 13 * PAGE + 5;
        for _ in 0..3 {
            let regions = [const { 3 * PAGE }; 2 * MOST_KEPT].map(|used| {
                let mut region = Region::reserve(bytes, &limits).unwrap();
                region.ensure(used).unwrap();
                // SAFETY: these bytes are in use.
                let all = unsafe { std::slice::from_raw_parts_mut(region.base(), region.taken()) };
                assert!(all.iter().all(|&byte| byte == 0));
                all.fill(7);
                region
            });
            assert!(limits.used() > 0);
            drop(regions);
        }
        assert_eq!(limits.used(), 0);
        Kept::unmap_all();
    }

    /// Regions that are aligned, with what is mapped around them.
    #[test]
    fn large_regions_grow_and_shrink_across_a_huge_page() {
        let limits = Arc::new(Limits::unlimited());
        for bytes in [2 * HUGE_PAGE + PAGE, 5 * HUGE_PAGE / 2, 4 * HUGE_PAGE] {
            for shrunk in [&[PAGE][..], &[HUGE_PAGE, 10], &[bytes - PAGE, HUGE_PAGE + PAGE], &[bytes, bytes]] {
                let mut region = Region::reserve(bytes, &limits).unwrap();
                assert!(region.base().addr().is_multiple_of(HUGE_PAGE) || cfg!(miri));
                for taken in [PAGE, HUGE_PAGE, HUGE_PAGE + 1, bytes] {
                    region.ensure(taken).unwrap();
                    // SAFETY: these bytes are in use.
                    unsafe { region.base().add(taken - 1).write(7) };
                }
                for &keep in shrunk {
                    region.shrink(keep);
                    assert!(region.capacity() >= keep + READABLE && region.taken() <= region.capacity());
                    // SAFETY: as above.
                    unsafe { region.base().write(7) };
                }
            }
        }
        assert_eq!(limits.used(), 0);
    }
}
