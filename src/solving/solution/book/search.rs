//! Searches for the distances of many positions, on several threads. A thread takes neighbouring positions, and keeps
//! what it found for earlier ones until that fills half of its memory.

use super::super::{DistanceSearch, Position, ReadError, Solution};
use base::limits::Limits;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::Builder;

const CHUNK: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    Plies(u32),
    Endless,
    Open,
}

/// Searches for the distance of each position. As soon as an outcome is known, calls `tell` with the position's index
/// and the outcome, on this thread. An error of `tell` ends the search; earlier outcomes remain valid.
pub fn search(
    solution: &Solution,
    positions: &[Position],
    threads: usize,
    limits: &Limits,
    mut tell: impl FnMut(usize, Searched) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let threads = threads.min(positions.len().div_ceil(CHUNK)).max(1);
    // A quarter of the free memory is left for everything else.
    let room = limits.free().min(1 << 40) / 4 * 3 / threads as u64;
    let most = usize::try_from(room / DistanceSearch::bytes_each(solution)).unwrap_or(usize::MAX);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<(usize, Result<Searched, ReadError>)>| {
        let mut search = DistanceSearch::new(most, limits);
        while !stop.load(Ordering::Relaxed) {
            let begin = next.fetch_add(CHUNK, Ordering::Relaxed);
            for (index, position) in positions.iter().enumerate().skip(begin).take(CHUNK) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let found = one(solution, position, &mut search, most, limits);
                if sender.send((index, found)).is_err() {
                    return;
                }
            }
            if begin >= positions.len() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        let started = (0..threads).take_while(|_| {
            let (work, sender) = (&work, sender.clone());
            Builder::new().spawn_scoped(scope, move || work(sender)).is_ok()
        });
        match started.count() {
            // The system starts no threads.
            0 => work(sender),
            _ => drop(sender),
        }
        let mut result = Ok(());
        for _ in 0..positions.len() {
            let Ok((index, found)) = receiver.recv() else { break };
            match found.and_then(|found| tell(index, found)) {
                Ok(()) => {}
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    result = Err(error);
                    break;
                }
            }
        }
        drop(receiver);
        result
    })
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
