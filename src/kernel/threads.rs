//! Shares a list of work among threads. Each thread takes the next piece when it has finished one.

use rayon::ThreadPool;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Data that one thread writes often, in its own pair of cache lines, because processors fetch pairs of lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

/// Calls `body` on all pieces of `work`, with their numbers, on this thread and those of `pool`, one state each.
pub(super) fn share<W: Sync, S: Send>(
    pool: Option<&ThreadPool>,
    work: &[W],
    states: &mut [S],
    body: impl Fn(usize, &W, &mut S) + Sync,
) {
    let next = Apart(AtomicUsize::new(0));
    on_each(pool, states, |_, state| {
        loop {
            let number = next.0.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = work.get(number) else { break };
            body(number, piece, state);
        }
    });
}

thread_local! {
    /// The pool with which this thread shares work; null if there is none.
    static AT_WORK: Cell<*const ThreadPool> = const { Cell::new(std::ptr::null()) };
}

struct AtWork(*const ThreadPool);

impl AtWork {
    fn new(pool: &ThreadPool) -> AtWork {
        AtWork(AT_WORK.replace(pool))
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.set(self.0);
    }
}

/// Calls `body` once for each of `states` with its number, on this thread and those of `pool`.
///
/// # Panics
/// If called from within such a body with the same pool: the inner bodies would wait for threads that may not be free
/// until the outer bodies end, perhaps for ever.
pub(super) fn on_each<S: Send>(pool: Option<&ThreadPool>, states: &mut [S], body: impl Fn(usize, &mut S) + Sync) {
    let body = &body;
    let Some((first, others)) = states.split_first_mut() else { return };
    let Some(pool) = pool else { return body(0, first) };
    assert!(!std::ptr::eq(AT_WORK.get(), pool), "work shared by threads shares work among them: use `Context::alone`");
    pool.in_place_scope(|scope| {
        for (k, state) in others.iter_mut().enumerate() {
            scope.spawn(move |_| {
                let _at_work = AtWork::new(pool);
                body(k + 1, state)
            });
        }
        let _at_work = AtWork::new(pool);
        body(0, first);
    });
}
