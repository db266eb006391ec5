//! A level expanded by several threads, which send each other children.
//!
//! Each deeper level's requests are divided among the threads by their hash, so that tables are only ever written by
//! one. A thread takes the next piece of the level, expands it, finds or adds the children of its own and puts those
//! of others into parcels; between two pieces it sends what is full and takes in what came. Nobody waits for anybody
//! but at the end of the level, or where another is too far behind. What moves between caches are parcels and the
//! slots that references are written to, all in order; compare-and-swap at random places of one table for all took
//! a fifth of the time.

use super::context::Context;
use super::down::{Child, Operation, Output, Worker, expand_range};
use super::threads::{Apart, on_each, pause};
use super::work::Work;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a parcel that is sent.
const FULL: usize = 16 << 10;
/// Parcels that may wait for a thread before others wait for it: together they fit a second-level cache.
const MOST_WAITING: usize = 32;

/// Memory that the parcels of so many threads may take.
pub(super) fn bytes(threads: usize) -> u64 {
    (threads * (MOST_WAITING + threads) * 2 * FULL) as u64
}

/// Children on their way to the thread that owns their shard.
#[derive(Default)]
pub(super) struct Parcel {
    pub(super) children: Vec<Child>,
    pub(super) keys: Vec<u64>,
    sender: usize,
}

impl Parcel {
    fn bytes(&self) -> usize {
        size_of::<Child>() * self.children.len() + 8 * self.keys.len()
    }
}

/// What waits for one thread.
#[derive(Default)]
struct Inbox {
    parcels: Mutex<Vec<Parcel>>,
    /// Number of `parcels`.
    waiting: AtomicUsize,
    /// Parcels of this thread that others have emptied.
    empty: Mutex<Vec<Parcel>>,
}

/// One level being expanded.
struct Exchange {
    inboxes: Vec<Apart<Inbox>>,
    /// Threads that will send no more.
    finished: Apart<AtomicUsize>,
    /// A thread has panicked: nobody may wait for it.
    broken: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Exchange {
    /// Sends the parcels with at least `least` bytes, while taking in those for this thread.
    fn send(&self, me: usize, fixed: bool, least: usize, output: &mut Output) {
        for to in 0..self.inboxes.len() {
            if output.parcels[to].bytes() < least {
                continue;
            }
            let inbox = &self.inboxes[to].0;
            let mut looks = 0;
            while inbox.waiting.load(Ordering::Relaxed) >= MOST_WAITING && !self.broken.load(Ordering::Relaxed) {
                self.receive(me, fixed, output);
                pause(&mut looks);
            }
            let fresh = lock(&self.inboxes[me].0.empty).pop().unwrap_or_default();
            let mut parcel = std::mem::replace(&mut output.parcels[to], fresh);
            parcel.sender = me;
            let mut parcels = lock(&inbox.parcels);
            parcels.push(parcel);
            inbox.waiting.store(parcels.len(), Ordering::Relaxed);
        }
    }

    /// Finds or adds the children sent to this thread.
    fn receive(&self, me: usize, fixed: bool, output: &mut Output) {
        let inbox = &self.inboxes[me].0;
        if inbox.waiting.load(Ordering::Relaxed) == 0 {
            return;
        }
        let parcels = {
            let mut parcels = lock(&inbox.parcels);
            inbox.waiting.store(0, Ordering::Relaxed);
            std::mem::take(&mut *parcels)
        };
        for mut parcel in parcels {
            output.accept(fixed, &parcel);
            parcel.children.clear();
            parcel.keys.clear();
            lock(&self.inboxes[parcel.sender].0.empty).push(parcel);
        }
    }

    /// Takes in what still comes, until nobody sends any more.
    fn finish(&self, me: usize, fixed: bool, output: &mut Output) {
        self.finished.0.fetch_add(1, Ordering::Release);
        let mut looks = 0;
        loop {
            let last = self.finished.0.load(Ordering::Acquire) == self.inboxes.len();
            self.receive(me, fixed, output);
            if last || self.broken.load(Ordering::Relaxed) {
                return;
            }
            pause(&mut looks);
        }
    }
}

/// Tells the others when its thread panics.
struct Presence<'a>(&'a AtomicBool);

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Expands the requests in `work` by all `workers`, the first of which holds the queues of all shards. The threads
/// must be free, see [`Context::in_step`].
pub(super) fn exchange<O: Operation>(
    operation: &O,
    level: u32,
    work: &Work,
    workers: &mut [Apart<Worker<O>>],
    context: &Context,
) {
    let requests = workers[0].0.output.requests;
    let pieces: Vec<Range<u32>> = work.pieces().collect();
    for shard in (1..workers.len()).rev() {
        let queues = workers[0].0.output.queues.split_off(shard * requests.levels() as usize);
        workers[shard].0.output.hold(shard, queues);
    }
    let inboxes = workers.iter().map(|_| Apart::default()).collect();
    let exchange = Exchange { inboxes, finished: Apart::default(), broken: AtomicBool::new(false) };
    let next = Apart(AtomicUsize::new(0));
    on_each(context.pool(), workers, |me, Apart(worker)| {
        let _presence = Presence(&exchange.broken);
        while let Some(piece) = pieces.get(next.0.fetch_add(1, Ordering::Relaxed)) {
            if let Err(limit) = context.check() {
                requests.fail(limit);
            }
            expand_range(operation, level, work, piece.clone(), worker);
            exchange.send(me, O::FIXED, FULL, &mut worker.output);
            exchange.receive(me, O::FIXED, &mut worker.output);
        }
        exchange.send(me, O::FIXED, 1, &mut worker.output);
        exchange.finish(me, O::FIXED, &mut worker.output);
    });
    for shard in 1..workers.len() {
        let mut queues = std::mem::take(&mut workers[shard].0.output.queues);
        workers[0].0.output.queues.append(&mut queues);
    }
}
