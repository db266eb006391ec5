//! The same work on several threads, or on fewer if the system starts no more.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Builder};

/// Calls `work` on this thread and on up to `threads - 1` others, as many as the system starts. The results are in no
/// certain order. The calls must share their work such that one of them can do all of it.
pub fn together<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, &work).ok()).collect();
        let own = work();
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(others).collect()
    })
}

/// Shares numbers among threads, a chunk at a time. Returns the joined results of the threads. An error ends the work.
pub fn shared<W, F: Send, E: Send>(
    numbers: Range<u64>,
    chunk: u64,
    threads: usize,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, Range<u64>) -> Result<(), E> + Sync,
    found: impl Fn(W) -> F + Sync,
    join: impl Fn(&mut F, F),
) -> Result<F, E> {
    let next = AtomicU64::new(numbers.start);
    let one = || {
        let mut worker = start();
        loop {
            let from = next.fetch_add(chunk, Ordering::Relaxed);
            if from >= numbers.end {
                return Ok(found(worker));
            }
            if let Err(error) = work(&mut worker, from..numbers.end.min(from + chunk)) {
                // Makes the other threads stop.
                next.store(numbers.end, Ordering::Relaxed);
                return Err(error);
            }
        }
    };
    let most = (numbers.end - numbers.start).div_ceil(chunk).clamp(1, threads.max(1) as u64);
    let all = together(most as usize, one).into_iter().collect::<Result<Vec<F>, E>>()?;
    let joined = all.into_iter().reduce(|mut all, one| {
        join(&mut all, one);
        all
    });
    Ok(joined.expect("there is a thread"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn all_work_is_done_by_however_many_threads() {
        for threads in [0, 1, 5] {
            let next = AtomicUsize::new(0);
            let sums = together(threads, || {
                let mut sum = 0;
                loop {
                    match next.fetch_add(1, Ordering::Relaxed) {
                        number @ 0..1000 => sum += number,
                        _ => return sum,
                    }
                }
            });
            assert_eq!((sums.len(), sums.iter().sum()), (threads.max(1), 999 * 500));
        }
    }

    #[test]
    fn chunks_are_all_numbers_up_to_an_error() {
        for threads in [0, 1, 5] {
            let sum_before = |end: u64| {
                let work = |sum: &mut u64, chunk: Range<u64>| {
                    *sum += chunk.clone().sum::<u64>();
                    if chunk.contains(&end) { Err(end) } else { Ok(()) }
                };
                shared(3..1000, 7, threads, || 0, work, |sum| sum, |all, sum| *all += sum)
            };
            assert_eq!(sum_before(1000), Ok(999 * 500 - 3));
            assert_eq!(sum_before(500), Err(500));
        }
    }
}
