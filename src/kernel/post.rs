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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_thread_that_has_panicked() {
        let post: Post<Vec<u8>> = Post::new(2);
        std::thread::scope(|scope| {
            let lost = scope.spawn(|| {
                let _presence = post.presence();
                panic!("as it must");
            });
            let _presence = post.presence();
            for _ in 0..=MOST_WAITING {
                post.send(0, 1, vec![1], &mut |_| {});
            }
            post.finish(0, &mut |_| {});
            assert!(lost.join().is_err());
        });
    }
}

/// Every order of events that the memory model allows, up to so many preemptions where there are more threads.
#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Each thread sends so many parcels to the next one. A parcel names cells to be written, which `loom` watches:
    /// each must be written once, while nobody else touches it, and before the threads are joined.
    fn everything_arrives(threads: usize, parcels: usize, preemptions: Option<usize>) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = preemptions;
        model.max_branches = 100_000;
        model.check(move || {
            let post: Arc<Post<Vec<usize>>> = Arc::new(Post::new(threads));
            let cells: Arc<Vec<UnsafeCell<u32>>> =
                Arc::new((0..threads * parcels).map(|_| UnsafeCell::new(0)).collect());
            let body = |me: usize| {
                let (post, cells) = (post.clone(), cells.clone());
                move || {
                    let _presence = post.presence();
                    let mut accept = |parcel: &mut Vec<usize>| {
                        for cell in parcel.drain(..) {
                            // SAFETY: what `loom` is to find out.
                            cells[cell].with_mut(|cell| unsafe { *cell += 1 });
                        }
                    };
                    for k in 0..parcels {
                        let mut parcel = post.fresh(me);
                        assert!(parcel.is_empty(), "parcels come back empty");
                        parcel.push(me * parcels + k);
                        post.send(me, (me + 1) % threads, parcel, &mut accept);
                        post.receive(me, &mut accept);
                    }
                    post.finish(me, &mut accept);
                }
            };
            let others: Vec<_> = (1..threads).map(|me| loom::thread::spawn(body(me))).collect();
            body(0)();
            for other in others {
                other.join().expect("a model ends with its first panic");
            }
            for cell in cells.iter() {
                // SAFETY: as above.
                assert_eq!(cell.with(|cell| unsafe { *cell }), 1, "each child is taken in once");
            }
        });
    }

    #[test]
    fn loom_two_threads_take_in_everything() {
        everything_arrives(2, 1, None);
    }

    #[test]
    fn loom_two_threads_that_wait_for_room_take_in_everything() {
        everything_arrives(2, 3, Some(3));
    }

    #[test]
    fn loom_three_threads_take_in_everything() {
        everything_arrives(3, 1, Some(1));
    }
}
