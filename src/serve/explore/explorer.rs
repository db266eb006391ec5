//! The explorer: open solutions, and a bound on the searches that run at the same time.

use super::error::ApiError;
use super::library::Library;
use crate::http::{Bounds, Request};
use base::limits::Limits;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of searches that run at the same time. Other requests take little processor time.
const SEARCHES: usize = 2;
/// Bound on the waiting searches. It is lower than that on the requests that are served at the same time, so that other
/// requests are still answered.
const WAITING: usize = 8;
/// Bound on the time that a search waits.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Explorer {
    pub(super) library: Library,
    /// The limits of searches and of random draws.
    pub(super) limits: Arc<Limits>,
    searches: Mutex<Searches>,
    /// Signals that a search has ended.
    ended: Condvar,
}

#[derive(Default)]
struct Searches {
    running: usize,
    waiting: usize,
}

impl Explorer {
    pub const BOUNDS: Bounds = Bounds::USUAL;

    pub fn new(library: Library, limits: Arc<Limits>) -> Explorer {
        Explorer { library, limits, searches: Mutex::default(), ended: Condvar::new() }
    }

    /// The limits of one request: its time, after which nobody waits for the answer, and a share of the free memory.
    pub(super) fn limits_of(&self, request: &Request) -> Limits {
        let time = request.deadline.saturating_duration_since(Instant::now());
        Limits::new(self.limits.free() / Self::BOUNDS.requests as u64).with_time(time)
    }

    /// Runs a search, after others if necessary. Fails if too many searches already wait, or after a long wait.
    pub(super) fn search<T>(&self, work: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
        let mut searches = self.searches();
        if searches.running >= SEARCHES {
            if searches.waiting >= WAITING {
                return Err(ApiError::busy());
            }
            searches.waiting += 1;
            let full = |searches: &mut Searches| searches.running >= SEARCHES;
            let waited = self.ended.wait_timeout_while(searches, PATIENCE, full);
            let (mut after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            after.waiting -= 1;
            if timeout.timed_out() {
                return Err(ApiError::busy());
            }
            searches = after;
        }
        searches.running += 1;
        drop(searches);
        let _ended = Searching(self);
        work()
    }

    /// A poisoned lock is used all the same: no panic leaves the two numbers inconsistent.
    fn searches(&self) -> MutexGuard<'_, Searches> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A search that is running; dropping it ends it.
struct Searching<'a>(&'a Explorer);

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.0.searches().running -= 1;
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn searches_wait_for_each_other_until_too_many_do() {
        let explorer = Explorer::new(Library::default(), Arc::new(Limits::unlimited()));
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (let_go, gate) = (Mutex::new(false), Condvar::new());
        let waiting = |count: usize| {
            while explorer.searches().waiting < count {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            let mut searches = Vec::new();
            for _ in 0..SEARCHES + WAITING {
                searches.push(scope.spawn(|| {
                    explorer.search(|| {
                        most.fetch_max(1 + running.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                        drop(gate.wait_while(let_go.lock().unwrap(), |go| !*go).unwrap());
                        running.fetch_sub(1, Ordering::SeqCst);
                        Ok(())
                    })
                }));
            }
            waiting(WAITING);
            let refused = explorer.search(|| Ok(())).map_err(|error| error.response().status);
            *let_go.lock().unwrap() = true;
            gate.notify_all();
            assert_eq!(refused, Err(429));
            assert!(searches.into_iter().all(|search| search.join().unwrap().is_ok()));
        });
        assert_eq!(most.load(Ordering::SeqCst), SEARCHES);
        assert!(explorer.search(|| Ok(())).is_ok());
    }
}
