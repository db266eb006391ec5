//! Automata that are dropped between sweeps if memory is scarce, and start again for the next sweep.
//!
//! An automaton that makes states on demand only grows, and states of earlier sweeps save later sweeps little time. An
//! automaton that takes much of the memory bound at the end of a sweep is therefore dropped, and the next sweep makes
//! the states that it needs again. Under a wide bound no automaton is ever dropped. During a sweep the automaton stays
//! the same.

use base::limits::{LimitReached, Limits};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Divisors of the memory bound. After a sweep, an automaton that holds more than bound / `MUCH` is dropped, one that
/// holds at most bound / `LITTLE` is kept, and any other is dropped if less than bound / `SCARCE` is free.
const MUCH: u64 = 16;
const LITTLE: u64 = 128;
const SCARCE: u64 = 4;

pub trait Held {
    fn held(&self) -> u64;
}

type Begin<A> = Box<dyn Fn() -> Result<A, LimitReached> + Send + Sync>;

pub struct Renewed<A> {
    begin: Begin<A>,
    limits: Arc<Limits>,
    current: Mutex<Current<A>>,
}

struct Current<A> {
    automaton: Option<Arc<A>>,
    sweeps: usize,
    begun: u64,
    grown: u64,
}

/// The automaton for a sweep; it counts as in use until this value is dropped.
pub struct InUse<'a, A: Held> {
    automaton: Arc<A>,
    /// Bytes that the automaton held before the sweep.
    before: u64,
    of: &'a Renewed<A>,
}

impl<A> Renewed<A> {
    pub fn new(limits: &Arc<Limits>, begin: impl Fn() -> Result<A, LimitReached> + Send + Sync + 'static) -> Self {
        let current = Mutex::new(Current { automaton: None, sweeps: 0, begun: 0, grown: 0 });
        Renewed { begin: Box::new(begin), limits: limits.clone(), current }
    }

    pub fn begun(&self) -> u64 {
        self.current().begun
    }

    /// Bytes by which the automaton grew in the last sweep that ended.
    pub fn grown(&self) -> u64 {
        self.current().grown
    }

    fn current(&self) -> MutexGuard<'_, Current<A>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Held> Renewed<A> {
    /// The automaton for one sweep. Concurrent sweeps share it. The numbers of its states are valid for it alone.
    pub fn begin(&self) -> Result<InUse<'_, A>, LimitReached> {
        let mut current = self.current();
        let automaton = match &current.automaton {
            Some(automaton) => automaton.clone(),
            None => {
                current.begun += 1;
                current.automaton.insert(Arc::new((self.begin)()?)).clone()
            }
        };
        current.sweeps += 1;
        Ok(InUse { before: automaton.held(), automaton, of: self })
    }

    /// Drops the automaton if it is neither in use nor small.
    pub fn let_go(&self) {
        self.current().drop_beyond(self.limits.memory() / LITTLE);
    }
}

impl<A: Held> Current<A> {
    /// Drops an automaton that is not in use and holds more than this number of bytes.
    fn drop_beyond(&mut self, bytes: u64) {
        if self.sweeps == 0 {
            self.automaton.take_if(|automaton| automaton.held() > bytes);
        }
    }
}

impl<A: Held> Deref for InUse<'_, A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.automaton
    }
}

impl<A: Held> Drop for InUse<'_, A> {
    fn drop(&mut self) {
        let limits = &self.of.limits;
        let scarce = limits.free() < limits.memory() / SCARCE;
        let mut current = self.of.current();
        current.sweeps -= 1;
        current.grown = self.automaton.held().saturating_sub(self.before);
        current.drop_beyond(limits.memory() / if scarce { LITTLE } else { MUCH });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Holds(AtomicU64);

    impl Held for Holds {
        fn held(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn renewed(limits: &Arc<Limits>) -> Renewed<Holds> {
        Renewed::new(limits, || Ok(Holds(AtomicU64::new(0))))
    }

    fn hold(of: &Renewed<Holds>, bytes: u64) {
        of.begin().unwrap().0.store(bytes, Ordering::Relaxed);
    }

    #[test]
    fn only_what_takes_much_is_begun_anew() {
        let limits = Arc::new(Limits::new(1 << 20));
        let automaton = renewed(&limits);
        assert_eq!(automaton.begun(), 0, "nothing is made before it is needed");
        hold(&automaton, (1 << 20) / MUCH);
        assert_eq!(automaton.begin().unwrap().held(), (1 << 20) / MUCH);
        assert_eq!(automaton.begun(), 1);
        hold(&automaton, (1 << 20) / MUCH + 1);
        assert_eq!(automaton.begin().unwrap().held(), 0);
        assert_eq!(automaton.begun(), 2);
    }

    #[test]
    fn what_is_not_small_goes_where_memory_is_scarce_or_when_told() {
        let limits = Arc::new(Limits::new(1 << 20));
        let [small, medium] = [(1 << 20) / LITTLE, (1 << 20) / LITTLE + 1];
        let automaton = renewed(&limits);
        for (bytes, begun) in [(small, 1), (medium, 2)] {
            hold(&automaton, bytes);
            automaton.let_go();
            hold(&automaton, bytes);
            assert_eq!(automaton.begun(), begun);
        }
        limits.reserve((1 << 20) / SCARCE * (SCARCE - 1) + 1).unwrap();
        for (bytes, begun) in [(small, 2), (medium, 2), (medium, 3)] {
            hold(&automaton, bytes);
            assert_eq!(automaton.begun(), begun);
        }
    }

    #[test]
    fn sweeps_at_once_share_one_and_keep_it_to_the_last() {
        let limits = Arc::new(Limits::new(1 << 20));
        let automaton = renewed(&limits);
        let first = automaton.begin().unwrap();
        hold(&automaton, 1 << 20);
        automaton.let_go();
        assert_eq!((automaton.begin().unwrap().held(), automaton.begun()), (1 << 20, 1));
        drop(first);
        assert_eq!(automaton.begin().unwrap().held(), 0);
    }

    #[test]
    fn a_bound_without_room_is_an_error_and_spoils_nothing() {
        let limits = Arc::new(Limits::new(1 << 10));
        let refusing = limits.clone();
        let automaton = Renewed::new(&limits, move || {
            refusing.reserve(1 << 9)?;
            Ok(Holds(AtomicU64::new(1 << 9)))
        });
        limits.reserve(1 << 10).unwrap();
        assert!(matches!(automaton.begin(), Err(LimitReached::Memory { .. })));
        limits.release(1 << 10);
        assert_eq!(automaton.begin().unwrap().held(), 1 << 9);
    }
}
