//! The context of operations: limits, threads, statistics and expected sizes.

use super::UNIT;
use super::peers::{Exchange, Peers};
use super::sweep::Hint;
use base::limits::{LimitReached, Limits};
use base::scratch::Scratch;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Steps of a pass between two checks of the limits.
pub(super) const BATCH: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Select,
    Combine,
    /// First phase of the image: keys are single pairs of a node and a relation.
    Pairs,
    /// Second phase of the image: keys are lists of choices.
    Determinise,
    Preimage,
    Restrict,
    Tally,
    Gather,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Select => "selection",
            Kind::Combine => "combination of sets",
            Kind::Pairs => "first half of the image",
            Kind::Determinise => "second half of the image",
            Kind::Preimage => "preimage",
            Kind::Restrict => "restriction",
            Kind::Tally => "count of values",
            Kind::Gather => "program",
        }
    }
}

pub const KINDS: [Kind; 8] = [
    Kind::Select,
    Kind::Combine,
    Kind::Pairs,
    Kind::Determinise,
    Kind::Preimage,
    Kind::Restrict,
    Kind::Tally,
    Kind::Gather,
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    pub sweeps: u64,
    /// Number of distinct requests; some count twice if memory is short (see `sweep::plan`).
    pub requests: u64,
    /// 64-bit words of all keys; equal to `requests` if a key is one word.
    pub key_words: u64,
    /// Units by which automata grew ([`Automaton::size`](super::Automaton::size)).
    pub grown: u64,
    pub nodes: u64,
    pub spilled: u64,
    /// Nanoseconds of wall-clock time on the way down.
    pub down: u64,
    pub up: u64,
}

impl Statistics {
    /// 64-bit words of all keys, and of what takes as long: the growth of automata.
    pub fn words(&self) -> u64 {
        self.key_words + self.grown * UNIT
    }
}

#[derive(Debug, Default)]
struct Record {
    statistics: Statistics,
    hints: Vec<Hint>,
}

/// Number of records of a partition that fit a second-level cache with their keys and hash table.
const PARTITION: u64 = 1 << 14;
/// Threads share a level from this number of records on; for fewer, starting a thread does not pay.
const SHARED: u64 = 1 << 13;

/// How sweeps use threads, memory, disk and the processor, apart from limits.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// The number of requests from which on threads share a level (otherwise 8,192: for fewer, starting a thread does
    /// not pay). Equal requests count separately on the way down; the way up needs four times as many requests.
    pub shared_from: Option<u64>,
    /// The approximate number of requests of a partition, where equal requests count separately (otherwise 16,384,
    /// which fit a processor's cache). A thread may then have four times as many records in a partition, and further
    /// ones go to spare partitions; otherwise only memory bounds their number.
    pub partition: Option<u64>,
    /// A bound on the bytes of memory for requests that wait for their expansion, however much memory is free. At most
    /// 1 TiB is used, because the grains of this memory have 32-bit numbers.
    pub streams: Option<u64>,
    pub scratch: Option<Scratch>,
    /// Writes all requests to disk that can wait there, however much memory is free.
    pub spilling: bool,
    /// Uses only instructions that every processor of this architecture has.
    pub portable: bool,
    /// Uses the wide format of value records, which otherwise only the largest diagrams need, for tests.
    pub wide: bool,
}

#[derive(Debug)]
pub struct Context {
    limits: Arc<Limits>,
    threads: usize,
    pool: Option<Arc<ThreadPool>>,
    peers: Option<Peers>,
    pub(super) manner: Manner,
    records: Arc<[Mutex<Record>; KINDS.len()]>,
    stopped: Mutex<Option<String>>,
    most_words: AtomicU64,
}

impl Context {
    /// `threads`: number of threads, clamped to 1 to 256. If the system refuses to start threads, one is used.
    pub fn new(limits: Arc<Limits>, threads: usize) -> Context {
        let threads = threads.clamp(1, 256);
        let start = || ThreadPoolBuilder::new().num_threads(threads - 1).build().ok();
        let pool = (threads > 1).then(start).flatten().map(Arc::new);
        let threads = if pool.is_some() { threads } else { 1 };
        Context {
            limits,
            threads,
            pool,
            peers: None,
            manner: Manner::default(),
            records: Arc::default(),
            stopped: Mutex::default(),
            most_words: AtomicU64::new(u64::MAX),
        }
    }

    pub(super) fn pool(&self) -> Option<&ThreadPool> {
        self.pool.as_deref()
    }

    /// A context with the same limits, threads, statistics and hints, for sweeps that several processes make together.
    /// All of them must make the same calls in the same order.
    pub fn with_peers(&self, link: Arc<dyn Exchange>) -> Context {
        Context { pool: self.pool.clone(), threads: self.threads, peers: Some(Peers::new(link)), ..self.alone() }
    }

    pub(super) fn peers(&self) -> Option<&Peers> {
        self.peers.as_ref()
    }

    /// Number of threads of all processes, assuming that each has as many as this one.
    pub(super) fn sharers(&self) -> usize {
        self.threads * self.peers.as_ref().map_or(1, Peers::size)
    }

    pub(super) fn divides(&self, requests: u64) -> bool {
        self.sharers() > 1 && requests >= self.shared_from()
    }

    /// Calls `body` on every piece of `work` with its number, on several threads, at most one for each of `states`.
    /// These threads are busy during the call, so a `body` that runs sweeps needs its own context ([`Context::alone`]).
    ///
    /// # Panics
    /// If `body` shares work in the same context: it would wait for threads that are all in use.
    pub fn share<W: Sync, S: Send>(&self, work: &[W], states: &mut [S], body: impl Fn(usize, &W, &mut S) + Sync) {
        super::threads::share(self.pool(), work, states, body);
    }

    /// A context with the same limits and number of threads, and its own statistics and hints.
    pub fn anew(&self) -> Context {
        let manner = self.manner.clone();
        Context { manner, ..Context::new(Arc::clone(&self.limits), self.threads) }
    }

    /// A context for one thread, with the same limits, statistics and hints.
    pub fn alone(&self) -> Context {
        let (limits, records, manner) = (Arc::clone(&self.limits), Arc::clone(&self.records), self.manner.clone());
        let most_words = AtomicU64::new(self.most_words.load(Ordering::Relaxed));
        Context { limits, threads: 1, pool: None, peers: None, manner, records, stopped: Mutex::default(), most_words }
    }

    pub fn with(mut self, change: impl FnOnce(&mut Manner)) -> Context {
        change(&mut self.manner);
        self
    }

    pub fn scratch(&self) -> Option<&Scratch> {
        self.manner.scratch.as_ref()
    }

    pub(super) fn begin_sweep(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn stop(&self, what: String) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    /// Takes the description of the last sweep if it reached a limit: its kind, its level and its requests so far.
    pub fn stopped(&self) -> Option<String> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Runs `sweeps`, in which each sweep may have at most `most` 64-bit words of keys; a sweep with more words ends
    /// with [`LimitReached::Work`]. The number of threads has no influence on this, except if memory is so short that
    /// partitions are divided by hash and some requests count twice.
    pub fn within_words<T>(&self, most: u64, sweeps: impl FnOnce() -> T) -> T {
        let before = self.most_words.swap(most, Ordering::Relaxed);
        let result = sweeps();
        self.most_words.store(before, Ordering::Relaxed);
        result
    }

    pub(super) fn check_words(&self, words: u64) -> Result<(), LimitReached> {
        let limit = self.most_words.load(Ordering::Relaxed);
        if words > limit { Err(LimitReached::Work { limit }) } else { Ok(()) }
    }

    /// 64-bit words of keys of all sweeps.
    pub fn words(&self) -> u64 {
        KINDS.iter().map(|&kind| self.statistics(kind).key_words).sum()
    }

    /// As [`Context::words`], with the growth of automata.
    pub fn work(&self) -> u64 {
        KINDS.iter().map(|&kind| self.statistics(kind).words()).sum()
    }

    pub(super) fn partition(&self) -> u64 {
        self.manner.partition.unwrap_or(PARTITION).max(1)
    }

    /// The largest number of records of one thread in a partition.
    pub(super) fn most_records(&self) -> u64 {
        self.manner.partition.map_or(u64::MAX, |_| 4 * self.partition())
    }

    fn shared_from(&self) -> u64 {
        self.manner.shared_from.unwrap_or(SHARED)
    }

    pub(super) fn shares(&self, requests: u64) -> bool {
        self.threads > 1 && requests >= self.shared_from()
    }

    pub fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    pub fn statistics(&self, kind: Kind) -> Statistics {
        self.record(kind).statistics
    }

    fn record(&self, kind: Kind) -> MutexGuard<'_, Record> {
        self.records[kind as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, kind: Kind, more: Statistics) {
        let total = &mut self.record(kind).statistics;
        total.sweeps += more.sweeps;
        total.requests += more.requests;
        total.key_words += more.key_words;
        total.grown += more.grown;
        total.nodes += more.nodes;
        total.spilled += more.spilled;
        total.down += more.down;
        total.up += more.up;
    }

    /// Level sizes of the last sweep of this kind, as estimates for the next one.
    pub(super) fn hints(&self, kind: Kind) -> Vec<Hint> {
        self.record(kind).hints.clone()
    }

    pub(super) fn set_hints(&self, kind: Kind, hints: Vec<Hint>) {
        self.record(kind).hints = hints;
    }

    pub(super) fn check(&self) -> Result<(), LimitReached> {
        self.limits.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "use `Context::alone`")]
    fn work_shared_within_shared_work_is_told_apart_from_waiting_for_ever() {
        let context = Context::new(Arc::new(Limits::unlimited()), 2);
        context.share(&[()], &mut [(), ()], |_, (), ()| context.share(&[()], &mut [(), ()], |_, (), ()| {}));
    }

    #[test]
    fn shared_work_may_be_shared_again_after_or_in_a_context_of_its_own() {
        let context = Context::new(Arc::new(Limits::unlimited()), 2);
        for _ in 0..3 {
            context.share(&[(); 9], &mut [(), ()], |_, (), ()| {
                let mut states = [(), ()];
                context.alone().share(&[()], &mut states, |_, (), ()| {});
                Context::new(Arc::new(Limits::unlimited()), 2).share(&[()], &mut states, |_, (), ()| {});
            });
        }
    }
}
