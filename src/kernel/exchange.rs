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
use super::post::{MOST_WAITING, Post};
use super::threads::{Apart, on_each};
use super::work::Work;
use crate::limits::{LimitReached, Limits, Reserved};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a parcel that is sent.
const FULL: usize = 16 << 10;
/// Bytes that every parcel may take.
const ROOM: usize = 2 * FULL;

/// Memory that the parcels of so many threads may take, but for those with keys so long that they take more.
pub(super) fn bytes(threads: usize) -> u64 {
    (threads * (MOST_WAITING + threads) * ROOM) as u64
}

/// Children on their way to the thread that owns their shard.
#[derive(Default)]
pub(super) struct Parcel<'r> {
    pub(super) children: Vec<Child>,
    pub(super) keys: Vec<u64>,
    /// What it takes beyond [`ROOM`].
    more: Vec<Reserved<'r>>,
}

impl<'r> Parcel<'r> {
    fn bytes(&self) -> usize {
        size_of::<Child>() * self.children.len() + 8 * self.keys.len()
    }

    fn capacity(children: usize, keys: usize) -> usize {
        size_of::<Child>() * children + 8 * keys
    }

    /// Room for one more child with a key of so many words.
    #[inline(always)]
    pub(super) fn make_room(&mut self, words: usize, limits: &'r Limits) -> Result<(), LimitReached> {
        if self.children.len() < self.children.capacity() && self.keys.capacity() - self.keys.len() >= words {
            return Ok(());
        }
        self.grow(words, limits)
    }

    #[cold]
    fn grow(&mut self, words: usize, limits: &'r Limits) -> Result<(), LimitReached> {
        let wanted = |len: usize, capacity: usize, more: usize| {
            if capacity - len >= more { capacity } else { (2 * capacity).max(len + more).max(64) }
        };
        let children = wanted(self.children.len(), self.children.capacity(), 1);
        let keys = wanted(self.keys.len(), self.keys.capacity(), words);
        let had = Self::capacity(self.children.capacity(), self.keys.capacity()).max(ROOM);
        let needed = Self::capacity(children, keys);
        if needed > had {
            self.more.push(limits.hold((needed - had) as u64)?);
        }
        self.children.reserve_exact(children - self.children.len());
        self.keys.reserve_exact(keys - self.keys.len());
        Ok(())
    }

    /// Empties it, and gives back what long keys took.
    pub(super) fn clear(&mut self) {
        if self.more.is_empty() {
            self.children.clear();
            self.keys.clear();
        } else {
            *self = Parcel::default();
        }
    }
}

/// Sends the parcels with at least `least` bytes, while taking in those for this thread.
fn send<'r>(post: &Post<Parcel<'r>>, me: usize, fixed: bool, least: usize, output: &mut Output<'r>) {
    for to in 0..output.parcels.len() {
        if output.parcels[to].bytes() >= least {
            let parcel = std::mem::replace(&mut output.parcels[to], post.fresh(me));
            post.send(me, to, parcel, &mut |parcel| accept(fixed, parcel, output));
        }
    }
}

fn accept<'r>(fixed: bool, parcel: &mut Parcel<'r>, output: &mut Output<'r>) {
    output.accept(fixed, parcel);
    parcel.clear();
}

/// Expands the requests in `work` by all `workers`, the first of which holds the queues of all shards. The threads
/// must be free, see [`Context::in_step`].
pub(super) fn exchange<'r, O: Operation>(
    operation: &O,
    level: u32,
    work: &Work,
    workers: &mut [Apart<Worker<'r, O>>],
    context: &Context,
) {
    let requests = workers[0].0.output.requests;
    let pieces: Vec<Range<u32>> = work.pieces().collect();
    for shard in (1..workers.len()).rev() {
        let queues = workers[0].0.output.queues.split_off(shard * requests.levels() as usize);
        workers[shard].0.output.hold(shard, queues);
    }
    let post: Post<Parcel<'r>> = Post::new(workers.len());
    let next = Apart(AtomicUsize::new(0));
    on_each(context.pool(), workers, |me, Apart(worker)| {
        let _presence = post.presence();
        while let Some(piece) = pieces.get(next.0.fetch_add(1, Ordering::Relaxed)) {
            if let Err(limit) = context.check() {
                requests.fail(limit);
            }
            expand_range(operation, level, work, piece.clone(), worker, |output| {
                send(&post, me, O::FIXED, FULL, output)
            });
            post.receive(me, &mut |parcel| accept(O::FIXED, parcel, &mut worker.output));
        }
        send(&post, me, O::FIXED, 1, &mut worker.output);
        post.finish(me, &mut |parcel| accept(O::FIXED, parcel, &mut worker.output));
    });
    for shard in 1..workers.len() {
        let mut queues = std::mem::take(&mut workers[shard].0.output.queues);
        workers[0].0.output.queues.append(&mut queues);
    }
}
