//! Progress of a walk over states by several threads.

use num_bigint::BigUint;
use solving::solve::{Event, Listener};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const PACE: Duration = Duration::from_millis(200);

pub struct Pace<'a> {
    /// The work, a word of at most nine letters.
    what: &'static str,
    total: BigUint,
    done: AtomicU64,
    told: Mutex<Instant>,
    listener: &'a dyn Listener,
}

impl<'a> Pace<'a> {
    pub fn new(what: &'static str, total: BigUint, listener: &'a dyn Listener) -> Pace<'a> {
        Pace { what, total, done: AtomicU64::new(0), told: Mutex::new(Instant::now()), listener }
    }

    pub fn total(&self) -> &BigUint {
        &self.total
    }

    /// Tells the listener from time to time how many are done; `count` more are.
    pub fn tell(&self, count: u64) {
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        let Ok(mut told) = self.told.try_lock() else { return };
        if told.elapsed() < PACE {
            return;
        }
        *told = Instant::now();
        let total = u64::try_from(&self.total).unwrap_or(u64::MAX);
        self.listener.event(&Event::Work { what: self.what, done, total });
    }
}
