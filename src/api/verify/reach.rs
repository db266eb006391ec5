//! Walks over the states of a layer on several threads, and finds the states of the next layer that they reach.

use super::layer::{Found, Layer, Next, Worker};
use super::reached::Reached;
use super::walk::Cursor;
use base::limits::Limits;
use base::together::shared;
use game::batch::LANES;
use solving::solution::ReadError;
use std::ops::Range;

const CHUNK: u64 = 1 << 15;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unreached {
    /// Number of states of the next layer that are no successors.
    pub states: u64,
    /// The ranks of the first such states.
    pub first: Vec<u64>,
}

const MISSED: usize = 3;

/// Checks the states in `ranks`, and finds the states of the next layer that they reach. A pass handles `at_once`
/// states of the next layer; only the first pass checks states.
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

/// Checks the states from rank `first` to before `end`, or only marks their successors. `done` counts the states.
pub fn walk(
    layer: Layer,
    (first, end): (u64, u64),
    reached: Option<&Reached>,
    mark_only: bool,
    threads: usize,
    limits: &Limits,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Found, ReadError> {
    let words = layer.layout.words();
    let start = || (Worker::new(layer, limits), Vec::with_capacity(LANES * words));
    let work = |(worker, states): &mut (Worker, Vec<u64>), ranks: Range<u64>| {
        let mut cursor = Cursor::new(&layer.own.set, words, ranks.start, ranks.end - ranks.start);
        let mut rank = ranks.start;
        while rank < ranks.end {
            limits.check()?;
            states.clear();
            let taken = cursor.take(LANES, states);
            match (mark_only, layer.next, reached) {
                (true, Next::Layer(next), Some(reached)) => worker.mark(states, &next.set, reached)?,
                _ => worker.check(states, |lane| rank + lane as u64, reached)?,
            }
            rank += taken as u64;
        }
        done(ranks.end - ranks.start);
        Ok(())
    };
    shared(first..end, CHUNK, threads, start, work, |(worker, _)| worker.found, Found::join)
}
