//! Searches for the distances of many positions, on several threads. A thread takes neighbouring positions, and keeps
//! what it found for earlier ones until that fills half of its memory.

use super::super::{DistanceSearch, Position, ReadError, Solution};
use base::limits::Limits;
use base::together::shared;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

const CHUNK: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    Plies(u32),
    Endless,
    Open,
}

/// Searches for the distance of each position. As soon as an outcome is known, calls `tell` with the position's index
/// and the outcome, one call at a time. An error of `tell` ends the search; earlier outcomes remain valid.
pub fn search<'l>(
    solution: &Solution,
    positions: &[Position],
    threads: usize,
    limits: &'l Limits,
    tell: impl FnMut(usize, Searched) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    let threads = threads.min(positions.len().div_ceil(CHUNK as usize)).max(1);
    // A quarter of the free memory is left for everything else.
    let room = limits.free().min(1 << 40) / 4 * 3 / threads as u64;
    let most = usize::try_from(room / DistanceSearch::bytes_each(solution)).unwrap_or(usize::MAX);
    // What to call, until there is an error.
    let open = Mutex::new(Some(tell));
    let lock = || open.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |search: &mut DistanceSearch<'l>, range: Range<u64>| {
        for index in range {
            if lock().is_none() {
                break;
            }
            let found = one(solution, &positions[index as usize], search, most, limits);
            let mut open = lock();
            let Some(tell) = &mut *open else { break };
            let told = found.and_then(|found| tell(index as usize, found));
            if told.is_err() {
                *open = None;
                return told;
            }
        }
        Ok(())
    };
    let start = || DistanceSearch::new(most, limits);
    shared(0..positions.len() as u64, CHUNK, threads, start, work, |_| (), |_, _| ())
}

fn one<'a>(
    solution: &Solution,
    position: &Position,
    search: &mut DistanceSearch<'a>,
    most: usize,
    limits: &'a Limits,
) -> Result<Searched, ReadError> {
    if solution.worth(position)?.value.is_none() {
        return Ok(Searched::Endless);
    }
    if search.len() > most / 2 {
        *search = DistanceSearch::new(most, limits);
    }
    let fresh = search.is_empty();
    let mut found = search.distance(solution, position)?;
    if !found.exact && !fresh {
        *search = DistanceSearch::new(most, limits);
        found = search.distance(solution, position)?;
    }
    Ok(if found.exact { Searched::Plies(found.plies) } else { Searched::Open })
}
