//! Walks over the states of a layer by several threads, and which states of the next layer they reach.

use super::layer::{Found, Layer, Next, Worker};
use super::reached::Reached;
use super::walk::Cursor;
use base::limits::Limits;
use game::batch::LANES;
use solving::solution::ReadError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// States that a thread takes at a time.
const CHUNK: u64 = 1 << 15;

/// What a walk over a layer found of the next one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unreached {
    /// Number of states that are not successors of any state, and the ranks of the first ones.
    pub states: u64,
    pub first: Vec<u64>,
}

/// Bound on the ranks of such states that are reported.
const MISSED: usize = 3;

/// Checks the states of some ranks, and finds which states of the next layer they lead to. Each pass handles `at_once`
/// states of the next layer; all passes but the first look at successors only.
pub fn walk_reaching(
    layer: Layer,
    ranks: (u64, u64),
    (all, at_once): (u64, u64),
    threads: usize,
    limits: &Limits,
    done: &(dyn Fn(u64) + Sync),
) -> Result<(Found, Unreached), ReadError> {
    let (mut found, mut unreached, mut first) = (None, Unreached::default(), 0u64);
    loop {
        let end = all.min(first.saturating_add(at_once));
        let reached = Reached::new(first, end, limits)?;
        let again = found.is_some();
        let tell = |count: u64| {
            if !again {
                done(count);
            }
        };
        let now = walk(layer, ranks, Some(&reached), again, threads, limits, &tell)?;
        found.get_or_insert(now);
        for rank in reached.missed() {
            unreached.states += 1;
            if unreached.first.len() < MISSED {
                unreached.first.push(rank);
            }
        }
        first = end;
        if first >= all {
            return Ok((found.unwrap_or_default(), unreached));
        }
    }
}

/// Checks the states of the ranks from `first` to `end`. `mark_only`: only marks their successors. `done` is called
/// with the number of states done.
pub fn walk(
    layer: Layer,
    (first, end): (u64, u64),
    reached: Option<&Reached>,
    mark_only: bool,
    threads: usize,
    limits: &Limits,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Found, ReadError> {
    let roles = layer.stored.game.roles.len();
    let (next, total) = (AtomicU64::new(first), Mutex::new(Ok(Found::new(roles))));
    let words = layer.layout.words();
    let work = || -> Result<Found, ReadError> {
        let mut worker = Worker::new(layer, limits);
        let mut states = Vec::with_capacity(LANES * words);
        loop {
            let from = next.fetch_add(CHUNK, Ordering::Relaxed);
            if from >= end {
                return Ok(worker.found);
            }
            let count = CHUNK.min(end - from);
            let mut cursor = Cursor::new(&layer.own.set, words, from, count);
            let mut rank = from;
            while rank < from + count {
                limits.check()?;
                states.clear();
                let taken = cursor.take(LANES, &mut states);
                match (mark_only, layer.next, reached) {
                    (true, Next::Layer(next), Some(reached)) => worker.mark(&states, &next.set, reached)?,
                    _ => worker.check(&states, |lane| rank + lane as u64, reached)?,
                }
                rank += taken as u64;
            }
            done(count);
        }
    };
    std::thread::scope(|scope| {
        let most = (end - first).div_ceil(CHUNK).clamp(1, threads as u64);
        for _ in 0..most {
            scope.spawn(|| {
                let found = work();
                let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                match (&mut *total, found) {
                    (Ok(total), Ok(found)) => total.join(found),
                    (Ok(_), Err(error)) => {
                        next.store(end, Ordering::Relaxed);
                        *total = Err(error);
                    }
                    (Err(_), _) => {}
                }
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}
