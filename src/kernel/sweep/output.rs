//! Takes the children of expanded requests. A child request becomes a record, which one write appends to the stream of
//! its level and partition, or of a spare partition if that stream is full. Streams go to disk if memory is short.

use super::form::{Form, One};
use super::log::Log;
use super::plan::Plan;
use super::pool::{Chunk, Size, Stock};
use super::room::Room;
use super::spill::Spill;
use super::too_many;
use crate::ids::Id;
use crate::level::Level;
use crate::memory::prefetch_to_write;
use crate::node::Node;
use base::limits::{Account, LimitReached};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

pub(crate) const MOST_CHILDREN: usize = 4;

/// A terminal; or a request: its level, and its key of one word.
pub(crate) type Child = Result<u32, (Level, u64)>;

/// The records that one thread has appended for one level and partition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    at: *mut u32,
    end: *mut u32,
    pub(super) first: Chunk,
    last: Chunk,
    pub(super) records: u32,
    /// The extent written last (see `spill`); `u32::MAX` if there is none.
    pub(super) extents: u32,
}

impl Stream {
    pub(super) const EMPTY: Stream = Stream {
        at: std::ptr::null_mut(),
        end: std::ptr::null_mut(),
        first: Chunk::NONE,
        last: Chunk::NONE,
        records: 0,
        extents: u32::MAX,
    };
}

/// The first error of any thread; it stops all threads.
#[derive(Default)]
pub(super) struct Failure {
    stop: AtomicBool,
    error: Mutex<Option<LimitReached>>,
}

impl Failure {
    pub(super) fn record(&self, limit: LimitReached) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(limit);
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_recorded(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn check(&self) -> Result<(), LimitReached> {
        if !self.is_recorded() {
            return Ok(());
        }
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Err(error.expect("a sweep stops only where the reason is recorded"))
    }
}

pub(crate) struct Output<'s> {
    pub(crate) keys: Vec<u64>,
    pub(super) codes: [u32; MOST_CHILDREN],
    /// Bound on the units of memory for the results of the partition.
    pub(super) units: u64,
    /// Words for the way up that requests leave besides their children; the words come before their number.
    pub(super) payload: Log,
    pub(super) plans: &'s [Plan],
    terminals: u32,
    /// A stream with this number of records is full.
    pub(super) most: u32,
    level: Level,
    /// Whether all data that can be moved to disk has been written.
    drained: bool,
    pub(super) streams: Vec<Stream>,
    pub(super) stock: Stock<'s>,
    pub(super) spill: Spill,
    failure: &'s Failure,
    _account: Account,
}

// SAFETY: streams point into chunks that only this thread uses until the next barrier of all threads.
unsafe impl Send for Output<'_> {}

impl<'s> Output<'s> {
    pub(super) fn new(
        plans: &'s [Plan],
        terminals: u32,
        most: u32,
        stock: Stock<'s>,
        room: &Room,
        failure: &'s Failure,
    ) -> Result<Output<'s>, LimitReached> {
        let streams = plans.iter().map(|plan| plan.partitions as usize).sum();
        let mut account = Account::new(&room.limits);
        account.set((streams * size_of::<Stream>()) as u64)?;
        Ok(Output {
            keys: Vec::with_capacity(1 << 10),
            codes: [0; MOST_CHILDREN],
            units: 0,
            payload: Log::new(room),
            plans,
            terminals,
            most,
            level: Level::new(0),
            drained: false,
            streams: vec![Stream::EMPTY; streams],
            stock,
            spill: Spill::new(room),
            failure,
            _account: account,
        })
    }

    #[inline(always)]
    pub(crate) fn terminal(&mut self, bit: usize, terminal: u32) {
        debug_assert!(terminal < self.terminals);
        self.codes[bit] = terminal;
    }

    /// Announces that the result of the current request may take this number of units in addition to one.
    #[inline(always)]
    pub(crate) fn takes(&mut self, units: u64) {
        self.units += units;
    }

    pub(crate) fn leave(&mut self, words: &[u64]) {
        let mut put = || -> Result<(), LimitReached> {
            let place = self.payload.push(8 * words.len())?.cast::<u64>();
            // SAFETY: the piece has room for these words.
            unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), place, words.len()) };
            let length = self.payload.push(8)?.cast::<u64>();
            // SAFETY: the piece has room for a word.
            unsafe { *length = words.len() as u64 };
            Ok(())
        };
        if let Err(limit) = put() {
            self.fail(limit);
        }
    }

    /// Adds child `bit`, in order: the request with key `keys[start..]`. The id `node` determines its partition.
    #[inline(always)]
    pub(crate) fn request<F: Form>(&mut self, bit: usize, level: Level, node: impl Id, start: usize) {
        let plan = &self.plans[level.index()];
        let key = &self.keys[start..];
        let weightless = if F::WEIGHT { &key[..1] } else { key };
        let mut code = plan.base + plan.partition(node.to_bits(), weightless);
        let mut stream = &mut self.streams[(code - self.terminals) as usize];
        if stream.records >= self.most {
            code = plan.base + plan.spare(weightless);
            stream = &mut self.streams[(code - self.terminals) as usize];
        }
        self.codes[bit] = code;
        let head = F::head(key);
        let words = F::words(head);
        if key.len() > F::MOST || (stream.end as usize - stream.at as usize) / 4 < words {
            return self.append_to_fresh::<F>(code, start);
        }
        // SAFETY: the chunk belongs to this stream and has room.
        unsafe { F::write(key, head, stream.at) };
        stream.at = stream.at.wrapping_add(words);
        stream.records += 1;
        prefetch_to_write(stream.at.wrapping_add(16));
        self.keys.truncate(start);
    }

    /// Adds child `bit`. If it is a request, `node` gives, for its key, the node that determines its partition.
    #[inline(always)]
    pub(crate) fn child(&mut self, bit: usize, child: Child, node: impl Fn(u64) -> Node) {
        match child {
            Ok(terminal) => self.terminal(bit, terminal),
            Err((level, key)) => {
                let start = self.keys.len();
                self.keys.push(key);
                self.request::<One>(bit, level, node(key), start);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn append_to_fresh<F: Form>(&mut self, code: u32, start: usize) {
        let key = &self.keys[start..];
        let stream = self.streams[(code - self.terminals) as usize];
        let head = F::head(key);
        let words = F::words(head);
        let size = if stream.first == Chunk::NONE { Size::Small } else { Size::Regular };
        let fits = match stream.records {
            _ if key.len() > F::MOST => {
                Err(LimitReached::Size { what: "moves of one request".into(), limit: F::MOST as u64 })
            }
            u32::MAX => Err(too_many("requests of one partition")),
            _ => Ok(()),
        };
        let chunk = fits.and_then(|()| self.chunk(words, size));
        let key = &self.keys[start..];
        let stream = &mut self.streams[(code - self.terminals) as usize];
        match chunk {
            Ok(chunk) => {
                let pool = self.stock.pool;
                // SAFETY: the chunks belong to this thread.
                unsafe {
                    pool.set_link(chunk, Chunk::NONE);
                    if stream.first == Chunk::NONE {
                        stream.first = chunk;
                    } else {
                        pool.set_used(stream.last, (stream.at as usize - pool.data(stream.last) as usize) / 4);
                        pool.set_link(stream.last, chunk);
                    }
                    (stream.last, stream.at) = (chunk, pool.data(chunk));
                    stream.end = stream.at.add(pool.room(chunk));
                    F::write(key, head, stream.at);
                }
                stream.at = stream.at.wrapping_add(words);
                stream.records += 1;
            }
            // The code is wrong in this case, but the error ends the sweep before anything reads it.
            Err(limit) => self.failure.record(limit),
        }
        self.keys.truncate(start);
    }

    pub(crate) fn fail(&self, limit: LimitReached) {
        self.failure.record(limit);
    }

    pub(super) fn terminals(&self) -> u32 {
        self.terminals
    }

    pub(super) fn failure(&self) -> &'s Failure {
        self.failure
    }

    pub(super) fn close(&mut self, stream: usize) -> Stream {
        let stream = self.streams[stream];
        if stream.first != Chunk::NONE {
            let pool = self.stock.pool;
            // SAFETY: the chunk belongs to this thread.
            unsafe { pool.set_used(stream.last, (stream.at as usize - pool.data(stream.last) as usize) / 4) };
        }
        stream
    }

    pub(super) fn move_to(&mut self, stream: usize, words: &mut Vec<u32>) -> Result<(), LimitReached> {
        let Stream { first, extents, .. } = std::mem::replace(&mut self.streams[stream], Stream::EMPTY);
        for extent in self.spill.extents(extents) {
            let file = self.spill.file().expect("extents have a file");
            let start = words.len();
            words.resize(start + extent.words as usize, 0);
            extent.read(&file, &mut words[start..])?;
            extent.release(&file);
        }
        let mut chunk = first;
        while chunk != Chunk::NONE {
            let pool = self.stock.pool;
            // SAFETY: these are the chunks of a stream of this thread, which was closed.
            let next = unsafe {
                words.extend_from_slice(std::slice::from_raw_parts(pool.data(chunk), pool.used(chunk)));
                pool.link(chunk)
            };
            self.stock.give_back(chunk);
            chunk = next;
        }
        Ok(())
    }

    /// A chunk for a stream. If memory is short, streams are written to disk until a chunk is free.
    fn chunk(&mut self, words: usize, size: Size) -> Result<Chunk, LimitReached> {
        // After a failure the sweep continues to its next check, and nothing more may be written until then.
        self.failure.check()?;
        if let Some(chunk) = self.stock.take_free(words, size) {
            return Ok(chunk);
        }
        if self.is_short() {
            if !self.drained && self.stock.free_bytes() < self.spill.portion() / 4 {
                self.make_room(self.level.below())?;
            }
            if let Some(chunk) = self.stock.take_any(words, size) {
                return Ok(chunk);
            }
        }
        self.stock.take(words, size)
    }

    pub(super) fn is_short(&self) -> bool {
        self.spill.is_wanted(self.stock.pool)
    }

    /// Must be called before a level is expanded. If memory is short, writes some streams to disk, also of this level.
    pub(super) fn begin(&mut self, level: Level) -> Result<(), LimitReached> {
        self.level = level;
        if self.is_short() { self.make_room(level) } else { Ok(()) }
    }

    /// Must be called before a partition is expanded. If memory is short, frees unused chunks for other threads.
    pub(super) fn begin_partition(&mut self) {
        self.drained = false;
        if self.stock.free_bytes() > self.spill.portion() && self.is_short() {
            self.stock.give_back_memory();
        }
    }

    /// Writes streams to disk until enough chunks are free: from the deepest level up to `level`, and at `level` from
    /// the stream on that is read last.
    fn make_room(&mut self, level: Level) -> Result<(), LimitReached> {
        let wanted = self.spill.portion();
        if let Some(plan) = self.plans.get(level.index()) {
            let first = plan.base - self.terminals;
            for number in (0..first).chain((first..first + plan.partitions).rev()) {
                if self.stock.free_bytes() >= wanted {
                    break;
                }
                let stream = self.close(number as usize);
                if stream.first != Chunk::NONE {
                    let Stream { first, records, extents, .. } = stream;
                    // The stream is emptied first, because a failed write has given back some of its chunks.
                    self.streams[number as usize] = Stream { records, extents, ..Stream::EMPTY };
                    self.streams[number as usize].extents = self.spill.write(first, extents, &mut self.stock)?;
                }
            }
        }
        self.drained = self.stock.free_bytes() < wanted / 4;
        self.spill.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::Moves;
    use super::super::pool::Pool;
    use super::*;
    use crate::Context;
    use base::limits::Limits;
    use base::scratch::Scratch;
    use std::sync::Arc;

    /// The header of a list of moves has few bits for their number. With one pair more, a smaller number would be read
    /// from it, and the request would seem to fit the chunk of the stream.
    #[test]
    fn requests_with_too_many_moves_are_refused_also_where_their_chunk_has_room() {
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        let mut plan = Plan::NONE;
        (plan.partitions, plan.base) = (1, 2);
        let (plans, failure) = ([plan], Failure::default());
        let pool = Pool::new(u64::MAX, context.limits()).unwrap();
        let room = Room::new(&context, pool.capacity());
        let mut output = Output::new(&plans, 2, u32::MAX, Stock::new(&pool), &room, &failure).unwrap();
        output.keys.resize(2, 0);
        output.request::<Moves>(0, Level::new(0), 0_u32, 0);
        failure.check().unwrap();
        let before = output.streams.iter().map(|stream| stream.records).collect::<Vec<_>>();
        output.keys.resize(Moves::MOST + 2, 0);
        output.request::<Moves>(0, Level::new(0), 0_u32, 0);
        assert!(matches!(failure.check(), Err(LimitReached::Size { .. })));
        assert!(output.streams.iter().map(|stream| stream.records).eq(before));
    }

    /// A write that fails has given some chunks back. If the stream kept its chunks, the next write would follow chunks
    /// that other streams use by then.
    #[test]
    fn a_stream_that_cannot_be_written_keeps_no_chunks_and_nothing_follows_it() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Arc::new(Limits::new(64 << 20).with_disk(4096));
        let context = Context::new(limits.clone(), 1).with(|manner| {
            manner.scratch = Some(Scratch::new(folder.path(), &limits));
            manner.spilling = true;
        });
        let mut plan = Plan::NONE;
        (plan.partitions, plan.base) = (65, 2);
        let (plans, failure, top) = ([plan], Failure::default(), Level::new(0));
        let pool = Pool::new(u64::MAX, &limits).unwrap();
        let room = Room::new(&context, pool.capacity());
        let mut output = Output::new(&plans, 2, u32::MAX, Stock::new(&pool), &room, &failure).unwrap();
        let add = |output: &mut Output, key: u64| {
            output.keys.push(key);
            output.request::<One>(0, top, 0_u32, 0);
        };
        (0..200_000).for_each(|key| add(&mut output, key));
        failure.check().unwrap();
        let stream = (output.codes[0] - 2) as usize;
        assert_eq!(output.streams[stream].records, 200_000);
        let limit = output.begin(top).unwrap_err();
        assert!(matches!(limit, LimitReached::Disk { .. }), "{limit}");
        assert!(output.streams.iter().all(|stream| stream.first == Chunk::NONE));
        failure.record(limit);
        (0..1000).for_each(|key| add(&mut output, key));
        assert_eq!(output.streams[stream].records, 200_000);
        assert!(output.streams.iter().all(|stream| stream.first == Chunk::NONE));
    }
}
