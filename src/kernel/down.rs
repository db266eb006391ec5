//! The way down of a sweep: level by level, each distinct request is expanded into requests of deeper levels.
//!
//! Requests are taken in batches: first all of a batch are expanded and their children's table entries prefetched,
//! then the slots and keys those entries point to, then the children are found or added. Most of a sweep's time is
//! spent here, and without prefetching it is waiting for memory. Levels with many requests are expanded by several
//! threads, see `exchange`.

use super::context::{Context, Kind, Statistics};
use super::exchange::{self, Parcel, exchange};
use super::requests::{Level, Queue, Refused, Requests, hash_key};
use super::slot::{Place, Reference, RequestId, Slot, Target};
use super::threads::Apart;
use super::work::Work;
use crate::limits::LimitReached;
use std::ops::Range;
use std::time::Instant;

/// Requests expanded together.
const BATCH: u32 = 32;
/// Children found or added together.
const BLOCK: usize = 128;
/// Words that a thread takes at a time for an operation, as a power of two.
const WORDS: u32 = 12;

/// What a request's key means and which requests follow from it.
pub(super) trait Operation: Sync {
    /// Keys are one word, kept in the request's slot.
    const FIXED: bool;
    /// Requests of a level are taken in the order of the first words of their keys, so that those of the same node come
    /// one after the other: worth it where expanding one looks at many nodes below.
    const SORTED: bool = false;
    /// A thread's scratch memory.
    type Local: Default + Send;

    /// Prefetches what [`Operation::expand`] will read for this key.
    fn prefetch(&self, key: &[u64]);

    /// Writes the request's children with the methods of `output`.
    fn expand(&self, level: u32, key: &[u64], local: &mut Self::Local, output: &mut Output);

    /// Takes in what each thread's memory has left once all is expanded.
    fn finish(&self, _local: &mut Self::Local) {}
}

/// A child to be found or added.
pub(super) struct Child {
    target: Target,
    /// Which of the queues at hand.
    queue: u32,
    hash: u32,
    /// Where its key is among those at hand.
    start: u32,
    end: u32,
}

/// Receives the children of requests. Those that follow from a batch are found or added at once, except that those
/// of shards other threads hold are put into parcels.
pub(super) struct Output<'r> {
    pub(super) requests: &'r Requests,
    /// Keys under construction, one after the other.
    pub(super) keys: Vec<u64>,
    pending: Vec<Child>,
    /// By shard, from `first` on, then level.
    pub(super) queues: Vec<Queue>,
    first: usize,
    /// By shard.
    pub(super) parcels: Vec<Parcel<'r>>,
    /// That of the request being expanded.
    slot: Slot,
    words: u64,
    /// Chunk of words for operations with more than two children.
    free_words: Range<u32>,
}

// SAFETY: `slot` is a request that only this thread expands.
unsafe impl Send for Output<'_> {}

impl<'r> Output<'r> {
    pub(super) fn new(requests: &'r Requests, shards: usize) -> Output<'r> {
        let (keys, pending) = (Vec::with_capacity(1 << 10), Vec::with_capacity(8 * BATCH as usize));
        let parcels = (0..shards).map(|_| Parcel::default()).collect();
        let (slot, free_words) = (Slot::new(std::ptr::null_mut()), 0..0);
        Output { requests, keys, pending, queues: vec![], first: 0, parcels, slot, words: 0, free_words }
    }

    /// Holds the queues of one shard.
    pub(super) fn hold(&mut self, shard: usize, queues: Vec<Queue>) {
        (self.first, self.queues) = (shard, queues);
    }

    /// The child `bit` is a terminal.
    #[inline(always)]
    pub(super) fn terminal(&mut self, bit: usize, terminal: u32) {
        // SAFETY: the slot of the request being expanded, no longer needed as key.
        unsafe { self.slot.child(bit).set(Reference(terminal)) };
    }

    /// The child `bit` is the request at `level` whose key is `keys[start..]`.
    #[inline(always)]
    pub(super) fn request(&mut self, bit: usize, level: u32, start: usize) {
        self.request_at(self.slot.child(bit), level, start);
    }

    /// As [`Output::request`], the reference to be written to `target`, which stays valid until the level ends.
    #[inline(always)]
    pub(super) fn request_at(&mut self, target: Target, level: u32, start: usize) {
        let hash = hash_key(&self.keys[start..]);
        let shard = self.requests.shard(hash);
        let at = shard.wrapping_sub(self.first).wrapping_mul(self.requests.levels() as usize) + level as usize;
        let Some(queue) = self.queues.get(at) else { return self.put_into_parcel(shard, target, level, hash, start) };
        queue.prefetch_entry(hash);
        let (start, end) = (start as u32, self.keys.len() as u32);
        self.pending.push(Child { target, queue: at as u32, hash, start, end });
    }

    #[inline(never)]
    fn put_into_parcel(&mut self, shard: usize, target: Target, level: u32, hash: u32, start: usize) {
        let parcel = &mut self.parcels[shard];
        match parcel.make_room(self.keys.len() - start, self.requests.limits()) {
            Ok(()) => {
                let first = parcel.keys.len() as u32;
                parcel.keys.extend_from_slice(&self.keys[start..]);
                let end = parcel.keys.len() as u32;
                parcel.children.push(Child { target, queue: level, hash, start: first, end });
            }
            Err(limit) => self.fail(limit),
        }
        self.keys.truncate(start);
    }

    /// The request being expanded holds a position of words and a tag instead of its children's references.
    #[inline(always)]
    pub(super) fn hold_words(&mut self, place: Place, tag: u32) {
        // SAFETY: the slot of the request being expanded, no longer needed as key.
        unsafe { self.slot.set_words(place, tag) };
    }

    /// `words` words that stay until the end of the sweep: position and address.
    #[inline(always)]
    pub(super) fn allocate(&mut self, words: u32) -> Result<(Place, *mut u64), Refused> {
        if self.free_words.end - self.free_words.start < words {
            self.take_words(words)?;
        }
        let at = Place(self.free_words.start);
        self.free_words.start += words;
        Ok((at, self.requests.word(at)))
    }

    #[cold]
    #[inline(never)]
    fn take_words(&mut self, least: u32) -> Result<(), Refused> {
        let power = u64::from(least).next_power_of_two().trailing_zeros().max(WORDS);
        let Place(start) = self.requests.take_words(power).map_err(|limit| self.requests.fail(limit))?;
        self.free_words = start..start + (1 << power);
        Ok(())
    }

    /// Ends the sweep with a limit.
    pub(super) fn fail(&self, limit: LimitReached) {
        self.requests.fail(limit);
    }

    /// Finds or adds the children of a batch.
    #[inline(always)]
    fn resolve(&mut self, fixed: bool) -> Result<(), Refused> {
        for block in self.pending.chunks(BLOCK) {
            find_or_add(fixed, block, &self.keys, &mut self.queues, self.requests)?;
        }
        self.pending.clear();
        self.keys.clear();
        Ok(())
    }

    /// Finds or adds the children of a parcel, until a limit is reached.
    pub(super) fn accept(&mut self, fixed: bool, parcel: &Parcel) {
        let prefetch_entries = |block: Option<&[Child]>, queues: &[Queue]| {
            for child in block.unwrap_or_default() {
                queues[child.queue as usize].prefetch_entry(child.hash);
                child.target.prefetch();
            }
        };
        let mut blocks = parcel.children.chunks(BLOCK);
        let mut next = blocks.next();
        prefetch_entries(next, &self.queues);
        while let Some(block) = next {
            next = blocks.next();
            prefetch_entries(next, &self.queues);
            if self.requests.must_stop()
                || find_or_add(fixed, block, &parcel.keys, &mut self.queues, self.requests).is_err()
            {
                return;
            }
        }
    }
}

/// Finds or adds a block of children, whose table entries were prefetched.
#[inline(always)]
fn find_or_add(
    fixed: bool,
    block: &[Child],
    keys: &[u64],
    queues: &mut [Queue],
    requests: &Requests,
) -> Result<(), Refused> {
    let mut probable = [None; BLOCK];
    for (child, probable) in block.iter().zip(&mut probable) {
        *probable = queues[child.queue as usize].prefetch_slot(child.hash, requests);
    }
    if !fixed {
        for &request in probable[..block.len()].iter().flatten() {
            // SAFETY: the queue is this thread's, so the request is not expanded.
            unsafe { requests.prefetch_key(request) };
        }
    }
    for child in block {
        let key = &keys[child.start as usize..child.end as usize];
        let request = queues[child.queue as usize].find_or_add(fixed, child.hash, key, requests)?;
        // SAFETY: the target belongs to a request being expanded, and only the owner of the child's queue writes it.
        unsafe { child.target.set(request.into()) };
    }
    Ok(())
}

/// One thread's part of a sweep.
pub(super) struct Worker<'r, O: Operation> {
    pub(super) output: Output<'r>,
    local: O::Local,
}

/// The requests of a sweep, all expanded.
pub(super) struct Expanded {
    pub(super) requests: Requests,
    /// By level: slots, now with the references of their children.
    pub(super) levels: Vec<Level>,
    pub(super) roots: Vec<Reference>,
}

/// A root: a terminal (or what the operation takes for one), or a key at a level.
pub(super) enum Root {
    Terminal(u32),
    Request(u32, Vec<u64>),
}

/// Expands everything that follows from `roots`. `terminals`: how many terminal ids may occur; `most`: numbers of
/// requests stay below.
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
    let requests = Requests::new(levels, context.threads(), terminals, most, context.capacity(), context.limits())?;
    let (done, roots, words) = run(operation, &requests, &context.hints(kind), roots, context)?;
    let counts: Vec<u32> = done.iter().map(|level| level.count() as u32).collect();
    let total = counts.iter().map(|&n| u64::from(n)).sum();
    context.set_hints(kind, counts);
    let down = begin.elapsed().as_nanos() as u64;
    context.add(kind, Statistics { sweeps: 1, requests: total, key_words: words, down, ..Default::default() });
    Ok(Expanded { requests, levels: done, roots })
}

type Done = (Vec<Level>, Vec<Reference>, u64);

fn run<O: Operation>(
    operation: &O,
    requests: &Requests,
    hints: &[u32],
    roots: Vec<Root>,
    context: &Context,
) -> Result<Done, LimitReached> {
    let (levels, shards) = (requests.levels() as usize, context.threads());
    let hint = |level: usize| hints.get(level).copied().unwrap_or(0).div_ceil(shards as u32);
    let queues = (0..shards).flat_map(|_| (0..levels).map(|level| Queue::new(hint(level)))).collect();
    let worker = || Apart(Worker::<O> { output: Output::new(requests, shards), local: O::Local::default() });
    let mut workers = vec![worker()];
    workers[0].0.output.hold(0, queues);
    let mut references = vec![];
    for root in roots {
        references.push(match root {
            Root::Terminal(terminal) => Reference(terminal),
            Root::Request(level, key) => {
                let hash = hash_key(&key);
                let queue = &mut workers[0].0.output.queues[requests.shard(hash) * levels + level as usize];
                let found = queue.find_or_add(O::FIXED, hash, &key, requests);
                found.map_err(|refused| requests.reason(refused))?.into()
            }
        });
    }
    let mut parcels = None;
    let mut done = Vec::with_capacity(levels);
    for level in 0..levels as u32 {
        context.check()?;
        let mut closed =
            Queue::close(workers[0].0.output.queues.iter_mut().skip(level as usize).step_by(levels), requests);
        let count = closed.count();
        let work = Work::new(&closed.ranges);
        let work = if O::SORTED { work.by_key(O::FIXED, requests, context.limits())? } else { work };
        if let Some(_alone) = context.in_step(count) {
            if parcels.is_none() {
                parcels = Some(context.limits().hold(exchange::bytes(shards))?);
            }
            workers.resize_with(shards, worker);
            exchange(operation, level, &work, &mut workers, context);
        } else {
            for piece in work.pieces() {
                context.check()?;
                expand_range(operation, level, &work, piece, &mut workers[0].0, |_| {});
            }
        }
        drop(work);
        if let Some(limit) = requests.error() {
            return Err(limit);
        }
        requests.recycle(&mut closed);
        done.push(closed);
    }
    workers.iter_mut().for_each(|worker| operation.finish(&mut worker.0.local));
    let words = workers.iter().map(|worker| worker.0.output.words).sum();
    Ok((done, references, words))
}

/// Expands the requests of a piece in batches, until a limit is reached; calls `after` on the output after each.
pub(super) fn expand_range<'r, O: Operation>(
    operation: &O,
    level: u32,
    work: &Work,
    piece: Range<u32>,
    worker: &mut Worker<'r, O>,
    mut after: impl FnMut(&mut Output<'r>),
) {
    let Worker { output, local } = worker;
    let requests = output.requests;
    let mut start = piece.start;
    while start < piece.end && !requests.must_stop() {
        let end = piece.end.min(start + BATCH);
        let ahead = |batches: u32| piece.end.min(end + batches * BATCH)..piece.end.min(end + (batches + 1) * BATCH);
        if O::SORTED {
            ahead(2).for_each(|place| requests.slot(work.request(place)).prefetch());
            // SAFETY: requests of this level, complete and not expanded yet.
            ahead(1).for_each(|place| unsafe { requests.prefetch_key(work.request(place)) });
        } else if !O::FIXED {
            requests.slot(RequestId::new(end)).prefetch();
        }
        for place in ahead(0) {
            // SAFETY: as above.
            operation.prefetch(unsafe { requests.key(O::FIXED, work.request(place)) });
        }
        for place in start..end {
            let request = work.request(place);
            output.slot = requests.slot(request);
            if O::FIXED {
                // A copy: the children's references take the place of the key.
                // SAFETY: as above.
                let key = [unsafe { output.slot.key() }];
                output.words += 1;
                operation.expand(level, &key, local, output);
            } else {
                // SAFETY: as above; the key lies elsewhere and stays.
                let key = unsafe { requests.key(O::FIXED, request) };
                output.words += key.len() as u64;
                operation.expand(level, key, local, output);
            }
        }
        if output.resolve(O::FIXED).is_err() {
            return;
        }
        after(output);
        start = end;
    }
}
