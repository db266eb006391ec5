//! The state of each thread on the way up: its stacks of results, its results and its notes.

use super::distinct::give_back;
use super::down::Notes;
use super::pool::{Chunk, Pool, Size, Stock};
use super::reduction::Payload;
use crate::level::Level;
use crate::memory::Buffer;
use base::limits::{Account, LimitReached, Limits};
use std::sync::Arc;

/// The results of a stream's records. The last result is popped first.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    /// The end of the last result.
    pub(super) at: *mut u32,
    /// The start of the chunk that has the last result.
    pub(super) begin: *mut u32,
    pub(super) chunk: Chunk,
}

impl Stack {
    pub(super) const EMPTY: Stack = Stack { at: std::ptr::null_mut(), begin: std::ptr::null_mut(), chunk: Chunk::NONE };
}

pub(super) struct Worker<'s> {
    pub(super) notes: Notes,
    pub(super) stacks: Vec<Stack>,
    _account: Account,
    pub(super) stock: Stock<'s>,
    /// The results of the level, the last partition first; of one partition at a time if one thread makes all.
    pub(super) results: Buffer<u32>,
    /// Indices in `notes.units` of this thread's partitions of the level.
    pub(super) units: std::ops::Range<usize>,
    pub(super) requests: u64,
    /// In a shared level, the first id of this thread's nodes.
    pub(super) start: u32,
    pub(super) made: u32,
}

// SAFETY: stacks point into chunks that only this thread uses, except while other threads push results.
unsafe impl Send for Worker<'_> {}

pub(super) struct Stacks(pub(super) Vec<*mut Stack>);
// SAFETY: only the thread that expanded a partition pushes to the stacks of its streams, and no thread pops meanwhile.
unsafe impl Sync for Stacks {}

impl<'s> Worker<'s> {
    pub(super) fn new(
        notes: Notes,
        streams: usize,
        pool: &'s Pool,
        limits: &Arc<Limits>,
    ) -> Result<Self, LimitReached> {
        let units = notes.units.len()..notes.units.len();
        let mut account = Account::new(limits);
        account.set((streams * size_of::<Stack>()) as u64)?;
        Ok(Worker {
            notes,
            stacks: vec![Stack::EMPTY; streams],
            _account: account,
            stock: Stock::new(pool),
            results: Buffer::zeroed(64, limits)?,
            units,
            requests: 0,
            start: 0,
            made: 0,
        })
    }

    pub(super) fn begin(&mut self, level: Level) {
        let end = self.units.start;
        let mut start = end;
        self.requests = 0;
        while start > 0 && self.notes.units[start - 1].level == level {
            start -= 1;
            self.requests += u64::from(self.notes.units[start].requests);
        }
        self.units = start..end;
    }

    pub(super) fn most_units(&self) -> u64 {
        self.notes.units[self.units.clone()].iter().map(|unit| unit.units).sum()
    }

    /// Frees unused memory and writes the data that is needed last to disk, until `bytes` bytes are free.
    pub(super) fn make_room(&mut self, bytes: u64, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        if self.notes.codes.lacks(bytes) {
            self.stock.give_back_memory();
            give_back(&mut self.results, 0, limits)?;
        }
        self.notes.make_room(bytes)
    }

    pub(super) fn payload(&mut self) -> Result<Payload, LimitReached> {
        let log = self.notes.payload.as_mut().expect("the way down hands its payload on");
        // SAFETY: the words were pushed first, then their number.
        let length = unsafe { *log.pop(8)?.cast::<u64>() };
        Ok(Payload { words: log.pop(8 * length as usize)?.cast(), length: length as u32 })
    }

    /// Pushes `results` to an empty stack, for the records of a stream that another process has expanded.
    pub(super) fn put_all_on(&mut self, stream: usize, results: &[u32]) -> Result<(), LimitReached> {
        let stack = &mut self.stacks[stream];
        let mut end = stack.at;
        // SAFETY: the stack belongs to this thread, and its current chunk counts as full.
        results.iter().try_for_each(|&result| unsafe { Worker::put_on(stack, &mut end, &mut self.stock, result) })
    }

    /// # Safety
    /// The stream must have a result left, and belong to this thread.
    #[inline(always)]
    pub(super) unsafe fn take_off(&mut self, stream: usize) -> u32 {
        // SAFETY: by this function's contract there is a result, in this chunk or in the one before.
        unsafe {
            let stack = &mut *self.stacks.as_mut_ptr().add(stream);
            if stack.at == stack.begin {
                Self::step_back(stack, &mut self.stock);
            }
            stack.at = stack.at.sub(1);
            *stack.at
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) unsafe fn step_back(stack: &mut Stack, stock: &mut Stock) {
        let empty = stack.chunk;
        // SAFETY: the stack has results left, in the chunk before.
        unsafe {
            stack.chunk = stock.pool.link(empty);
            stack.begin = stock.pool.data(stack.chunk);
            stack.at = stack.begin.add(stock.pool.room(stack.chunk));
        }
        stock.give_back(empty);
    }

    /// Pushes a result. `end`: the end of the stack's current chunk.
    #[inline(always)]
    pub(super) unsafe fn put_on(
        stack: &mut Stack,
        end: &mut *mut u32,
        stock: &mut Stock,
        result: u32,
    ) -> Result<(), LimitReached> {
        // SAFETY: the chunks belong to this stack; `end` is the end of the last one.
        unsafe {
            if stack.at == *end {
                let size = if stack.chunk == Chunk::NONE { Size::Small } else { Size::Regular };
                let chunk = stock.take(1, size)?;
                stock.pool.set_link(chunk, stack.chunk);
                stack.chunk = chunk;
                stack.begin = stock.pool.data(chunk);
                stack.at = stack.begin;
                *end = stack.begin.add(stock.pool.room(chunk));
            }
            *stack.at = result;
            stack.at = stack.at.add(1);
        }
        Ok(())
    }
}
