//! Parcels between threads that work in step: each thread has an inbox, and gets its own parcels back when they are
//! emptied. Nobody waits for anybody but at the end, or where too much waits for another; and who waits takes in what
//! comes meanwhile, so that no two wait for each other.
//!
//! `loom` runs this file through every order of its atomic operations and locks that the memory model allows, for
//! two and three threads: `RUSTFLAGS="--cfg loom" cargo test --release --lib loom`.

use super::threads::{Apart, pause};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};
use std::sync::PoisonError;

/// Parcels that may wait for a thread before others wait for it: together they fit a second-level cache.
pub(super) const MOST_WAITING: usize = if cfg!(loom) { 1 } else { 32 };

/// What waits for one thread.
struct Inbox<P> {
    /// Each with its sender.
    parcels: Mutex<Vec<(usize, P)>>,
    /// Number of `parcels`.
    waiting: AtomicUsize,
    /// Parcels of this thread that others have emptied.
    empty: Mutex<Vec<P>>,
}

/// See the module.
pub(super) struct Post<P> {
    inboxes: Vec<Apart<Inbox<P>>>,
    /// Threads that will send no more.
    finished: Apart<AtomicUsize>,
    /// A thread has panicked: nobody may wait for it.
    broken: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Default> Post<P> {
    /// For so many threads, all of which must take part until [`Post::finish`].
    pub(super) fn new(threads: usize) -> Post<P> {
        let inbox =
            |_| Apart(Inbox { parcels: Mutex::default(), waiting: AtomicUsize::new(0), empty: Mutex::default() });
        Post {
            inboxes: (0..threads).map(inbox).collect(),
            finished: Apart(AtomicUsize::new(0)),
            broken: AtomicBool::new(false),
        }
    }

    /// An empty parcel of thread `me`.
    pub(super) fn fresh(&self, me: usize) -> P {
        lock(&self.inboxes[me].0.empty).pop().unwrap_or_default()
    }

    /// Sends a parcel of thread `me` to the thread `to`; while too much waits there, takes in what comes for `me`.
    pub(super) fn send(&self, me: usize, to: usize, parcel: P, accept: &mut impl FnMut(&mut P)) {
        let inbox = &self.inboxes[to].0;
        let mut looks = 0;
        while inbox.waiting.load(Ordering::Relaxed) >= MOST_WAITING && !self.broken.load(Ordering::Relaxed) {
            self.receive(me, accept);
            pause(&mut looks);
        }
        let mut parcels = lock(&inbox.parcels);
        parcels.push((me, parcel));
        inbox.waiting.store(parcels.len(), Ordering::Relaxed);
    }

    /// Calls `accept`, which is to empty it, on every parcel that has come for thread `me`.
    pub(super) fn receive(&self, me: usize, accept: &mut impl FnMut(&mut P)) {
        let inbox = &self.inboxes[me].0;
        if inbox.waiting.load(Ordering::Relaxed) == 0 {
            return;
        }
        let parcels = {
            let mut parcels = lock(&inbox.parcels);
            inbox.waiting.store(0, Ordering::Relaxed);
            std::mem::take(&mut *parcels)
        };
        for (sender, mut parcel) in parcels {
            accept(&mut parcel);
            lock(&self.inboxes[sender].0.empty).push(parcel);
        }
    }

    /// Thread `me` sends no more: takes in what still comes, until nobody sends any more.
    pub(super) fn finish(&self, me: usize, accept: &mut impl FnMut(&mut P)) {
        self.finished.0.fetch_add(1, Ordering::Release);
        let mut looks = 0;
        loop {
            // Looked at before what came is taken in, so that nothing can come after.
            let last = self.finished.0.load(Ordering::Acquire) == self.inboxes.len();
            self.receive(me, accept);
            if last || self.broken.load(Ordering::Relaxed) {
                return;
            }
            pause(&mut looks);
        }
    }

    /// To be held by each thread while it takes part: tells the others when the thread panics.
    pub(super) fn presence(&self) -> Presence<'_> {
        Presence(&self.broken)
    }
}

/// See [`Post::presence`].
pub(super) struct Presence<'a>(&'a AtomicBool);

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
