//! The way down of a sweep: level by level, each distinct request is expanded into requests of deeper levels.
//!
//! Requests are taken in batches: first all of a batch are expanded and their children's table entries prefetched,
//! then the slots and keys those entries point to, then the children are found or added. Most of a sweep's time is
//! spent here, and without prefetching it is waiting for memory.
//!
//! Levels with many requests are worked on in rounds of several threads. A round ends when the level is done or
//! when some table must grow; growing is left to the one thread between rounds.

use super::context::{Context, Kind, Statistics};
use super::memory::prefetch;
use super::requests::{Level, REFUSED, Requests, Writer, hash_key};
use super::threads::{share, units};
use crate::limits::LimitReached;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;

/// Requests expanded together.
const BATCH: u32 = 32;

/// What a request's key means and which requests follow from it.
pub(super) trait Operation: Sync {
    /// Keys are one word, kept in the request's slot.
    const FIXED: bool;
    /// A thread's scratch memory.
    type Local: Default + Send;

    /// Prefetches what [`Operation::expand`] will read for this key.
    fn prefetch(&self, key: &[u64]);

    /// Writes the request's children with the methods of `output`.
    fn expand(&self, level: u32, key: &[u64], local: &mut Self::Local, output: &mut Output);
}

/// A child to be found or added.
struct Pending {
    level: u32,
    hash: u32,
    start: u32,
    end: u32,
    target: *mut u32,
    slot: u32,
}

/// Receives the children of requests; a batch of them is resolved at once.
pub(super) struct Output<'r> {
    requests: &'r Requests,
    /// Keys under construction, one after the other.
    pub(super) keys: Vec<u64>,
    pending: Vec<Pending>,
    slot: *mut u32,
    words: u64,
    /// Chunk of words for operations with more than two children.
    free_words: Range<u32>,
}

// SAFETY: the pointers go to slots of requests that only this thread expands.
unsafe impl Send for Output<'_> {}

impl<'r> Output<'r> {
    fn new(requests: &'r Requests) -> Output<'r> {
        let (keys, pending) = (Vec::with_capacity(1 << 10), Vec::with_capacity(8 * BATCH as usize));
        Output { requests, keys, pending, slot: std::ptr::null_mut(), words: 0, free_words: 0..0 }
    }

    /// The child `bit` is a terminal.
    #[inline(always)]
    pub(super) fn terminal(&mut self, bit: usize, terminal: u32) {
        // SAFETY: `slot` is the request being expanded, two half words, no longer needed as key.
        unsafe { *self.slot.add(bit) = terminal };
    }

    /// The child `bit` is the request at `level` whose key is `keys[start..]`.
    #[inline(always)]
    pub(super) fn request(&mut self, bit: usize, level: u32, start: usize) {
        self.request_at(self.slot.wrapping_add(bit), level, start);
    }

    /// As [`Output::request`], the reference to be written to `target`, which stays valid until the batch ends.
    #[inline(always)]
    pub(super) fn request_at(&mut self, target: *mut u32, level: u32, start: usize) {
        let hash = hash_key(&self.keys[start..]);
        self.requests.prefetch_entry(level, hash);
        let (start, end) = (start as u32, self.keys.len() as u32);
        self.pending.push(Pending { level, hash, start, end, target, slot: REFUSED });
    }

    /// The two halves of the slot being expanded.
    pub(super) fn slot(&self) -> *mut u32 {
        self.slot
    }

    /// `words` words that stay until the end of the sweep: position and address. `None` when a limit was reached.
    #[inline(always)]
    pub(super) fn allocate(&mut self, words: u32) -> Option<(u32, *mut u64)> {
        const POWER: u32 = 12;
        if self.free_words.end - self.free_words.start < words {
            match self.requests.take_words(POWER) {
                Ok(start) => self.free_words = start..start + (1 << POWER),
                Err(limit) => {
                    self.requests.fail(limit);
                    return None;
                }
            }
        }
        let at = self.free_words.start;
        self.free_words.start += words;
        Some((at, self.requests.word(at)))
    }

    /// Ends the sweep with a limit.
    pub(super) fn fail(&self, limit: LimitReached) {
        self.requests.fail(limit);
    }

    /// Finds or adds what a batch asked for; false when a limit was reached.
    #[inline(always)]
    fn resolve<const SHARED: bool, const FIXED: bool>(&mut self, writers: &mut [Writer]) -> bool {
        for child in &mut self.pending {
            if let Some(slot) = self.requests.prefetch_slot(child.level, child.hash) {
                child.slot = slot;
            }
        }
        if !FIXED {
            for child in &self.pending {
                if child.slot != REFUSED {
                    self.requests.prefetch_key(child.slot);
                }
            }
        }
        for child in &self.pending {
            let key = &self.keys[child.start as usize..child.end as usize];
            let writer = &mut writers[child.level as usize];
            let slot = self.requests.find_or_add::<SHARED, FIXED>(child.level, child.hash, key, writer);
            if slot == REFUSED {
                return false;
            }
            // SAFETY: the target is a half of a slot, or a word, of a request that only this thread expands.
            unsafe { *child.target = slot };
        }
        self.pending.clear();
        self.keys.clear();
        true
    }
}

/// One thread's part of a sweep.
struct Worker<'r, O: Operation> {
    writers: Vec<Writer>,
    output: Output<'r>,
    local: O::Local,
}

/// The requests of a sweep, all expanded.
pub(super) struct Expanded {
    pub(super) requests: Requests,
    /// By level: slots, now with the references of their children.
    pub(super) levels: Vec<Level>,
    /// References of the roots.
    pub(super) roots: Vec<u32>,
}

/// A root: a terminal, or a key at a level.
pub(super) enum Root {
    Terminal(u32),
    Request(u32, Vec<u64>),
}

/// Expands everything that follows from `roots`. `terminals`: how many terminal ids may occur.
pub(super) fn expand_all<O: Operation>(
    operation: &O,
    kind: Kind,
    levels: u32,
    roots: Vec<Root>,
    terminals: u32,
    most: u64,
    context: &Context,
) -> Result<Expanded, LimitReached> {
    let begin = Instant::now();
    let mut requests = Requests::new(levels, &context.hints(kind), terminals, most, context.limits())?;
    let (done, roots, words) = run(operation, &mut requests, roots, context)?;
    let counts: Vec<u32> = done.iter().map(|level| level.count() as u32).collect();
    let total = counts.iter().map(|&n| u64::from(n)).sum();
    context.set_hints(kind, counts);
    let down = begin.elapsed().as_nanos() as u64;
    context.add(kind, Statistics { sweeps: 1, requests: total, key_words: words, down, ..Default::default() });
    Ok(Expanded { requests, levels: done, roots })
}

type Done = (Vec<Level>, Vec<u32>, u64);

fn run<O: Operation>(
    operation: &O,
    requests: &mut Requests,
    roots: Vec<Root>,
    context: &Context,
) -> Result<Done, LimitReached> {
    let requests = &*requests;
    let levels = requests.levels();
    let worker = || Worker::<O> {
        writers: (0..levels).map(|_| Writer::default()).collect(),
        output: Output::new(requests),
        local: O::Local::default(),
    };
    let mut workers: Vec<Worker<O>> = vec![worker()];
    let mut references = vec![];
    for root in roots {
        references.push(match root {
            Root::Terminal(terminal) => terminal,
            Root::Request(level, key) => {
                let (hash, writer) = (hash_key(&key), &mut workers[0].writers[level as usize]);
                if O::FIXED {
                    requests.find_or_add::<false, true>(level, hash, &key, writer)
                } else {
                    requests.find_or_add::<false, false>(level, hash, &key, writer)
                }
            }
        });
    }
    let mut done = Vec::with_capacity(levels as usize);
    for level in 0..levels {
        context.check()?;
        let mut closed = requests.close(level, workers.iter_mut().map(|worker| &mut worker.writers[level as usize]));
        let count = closed.count();
        if context.shares(count) {
            workers.resize_with(context.threads(), worker);
            rounds(operation, level, &closed.ranges, requests, &mut workers, context)?;
        } else {
            for unit in units(&closed.ranges) {
                context.check()?;
                expand_range::<O, false>(operation, level, unit, requests, &mut workers[0]);
            }
        }
        if let Some(limit) = requests.error() {
            return Err(limit);
        }
        requests.recycle(&mut closed);
        done.push(closed);
    }
    let words = workers.iter().map(|worker| worker.output.words).sum();
    Ok((done, references, words))
}

/// Expands a level with several threads, see the module.
fn rounds<O: Operation>(
    operation: &O,
    level: u32,
    ranges: &[Range<u32>],
    requests: &Requests,
    workers: &mut [Worker<O>],
    context: &Context,
) -> Result<(), LimitReached> {
    let mut work: Vec<Range<u32>> = units(ranges).collect();
    while !work.is_empty() {
        requests.make_room(level, workers.len())?;
        let rest = Mutex::new(vec![]);
        share(context.pool(), &work, workers, |_, unit, worker| {
            if let Err(limit) = context.check() {
                requests.fail(limit);
            }
            let reached = expand_range::<O, true>(operation, level, unit.clone(), requests, worker);
            if reached < unit.end
                && let Ok(mut rest) = rest.lock()
            {
                rest.push(reached..unit.end);
            }
        });
        if let Some(limit) = requests.error() {
            return Err(limit);
        }
        work = rest.into_inner().unwrap_or_default();
    }
    Ok(())
}

/// Expands the requests of a range, in batches; how far it came before it had to stop.
fn expand_range<O: Operation, const SHARED: bool>(
    operation: &O,
    level: u32,
    range: Range<u32>,
    requests: &Requests,
    worker: &mut Worker<O>,
) -> u32 {
    if O::FIXED {
        expand_batches::<O, SHARED, true>(operation, level, range, requests, worker)
    } else {
        expand_batches::<O, SHARED, false>(operation, level, range, requests, worker)
    }
}

#[inline(always)]
fn expand_batches<O: Operation, const SHARED: bool, const FIXED: bool>(
    operation: &O,
    level: u32,
    range: Range<u32>,
    requests: &Requests,
    worker: &mut Worker<O>,
) -> u32 {
    let Worker { writers, output, local } = worker;
    let mut start = range.start;
    if !FIXED {
        prefetch(requests.slot(start + BATCH));
    }
    while start < range.end {
        if requests.must_stop() {
            return start;
        }
        let end = range.end.min(start + BATCH);
        for slot in end..range.end.min(end + BATCH) {
            // SAFETY: requests of this level, complete and not expanded yet.
            operation.prefetch(unsafe { requests.key::<FIXED>(slot) });
        }
        for slot in start..end {
            output.slot = requests.slot(slot).cast();
            if FIXED {
                // A copy: the children's references take the place of the key.
                // SAFETY: a request of this level, complete and not expanded yet.
                let key = [unsafe { *requests.slot(slot) }];
                output.words += 1;
                operation.expand(level, &key, local, output);
            } else {
                // SAFETY: as above; the key lies elsewhere and stays.
                let key = unsafe { requests.key::<FIXED>(slot) };
                output.words += key.len() as u64;
                operation.expand(level, key, local, output);
            }
        }
        if !output.resolve::<SHARED, FIXED>(writers) {
            return start;
        }
        start = end;
    }
    range.end
}
