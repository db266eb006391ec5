//! The same work on several threads, or on fewer if the system starts no more.

use std::panic::resume_unwind;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

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
}
