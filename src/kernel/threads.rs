//! Sharing a list of work among threads: each takes the next piece when it is done with one.

use rayon::ThreadPool;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Slots a thread takes at a time.
const UNIT: u32 = 1024;

/// Cuts ranges of slots into pieces of work.
pub(super) fn units(ranges: &[Range<u32>]) -> impl Iterator<Item = Range<u32>> {
    ranges.iter().flat_map(|range| {
        let end = range.end;
        range.clone().step_by(UNIT as usize).map(move |start| start..end.min(start.saturating_add(UNIT)))
    })
}

/// Calls `body` on every piece of `work` (with its number), by this thread and those of `pool` together, one for
/// each of `states`.
pub(super) fn share<W: Sync, S: Send>(
    pool: Option<&ThreadPool>,
    work: &[W],
    states: &mut [S],
    body: impl Fn(usize, &W, &mut S) + Sync,
) {
    let next = AtomicUsize::new(0);
    let (next, body) = (&next, &body);
    let run = move |state: &mut S| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = work.get(number) else { break };
            body(number, piece, state);
        }
    };
    let Some((first, others)) = states.split_first_mut() else { return };
    let Some(pool) = pool else { return run(first) };
    pool.in_place_scope(|scope| {
        for state in others {
            scope.spawn(move |_| run(state));
        }
        run(first);
    });
}
