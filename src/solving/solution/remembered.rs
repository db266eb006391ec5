//! Remembers the alike moves of recent positions, because there are often several queries for the same position. Cost:
//! at most [`KEPT`] states, with a number for each of their moves.

use game::interpreter::State;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// All positions are dropped once there are this many.
const KEPT: usize = 4096;

/// For each state and move (in the order of the rules), the first move that is alike.
#[derive(Default)]
pub(super) struct Remembered(Mutex<FxHashMap<State, Arc<[usize]>>>);

impl Remembered {
    /// The alike moves of a state; `None` if a search does not find them. A thread that panicked leaves no entry
    /// incomplete, so a poisoned lock does no harm.
    pub(super) fn get(&self, state: &State, search: impl FnOnce() -> Option<Vec<usize>>) -> Option<Arc<[usize]>> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept().get(state) {
            return Some(Arc::clone(found));
        }
        let found: Arc<[usize]> = search()?.into();
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(state.clone(), Arc::clone(&found));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Remembered, State};
    use std::cell::Cell;

    #[test]
    fn what_is_kept_is_not_searched_again_and_does_not_grow() {
        let searches = Cell::new(0);
        let search = || {
            searches.set(searches.get() + 1);
            Some(vec![0, 0, 2])
        };
        let state =
            |number: usize| State::from_flags(&(0..20).map(|fluent| number >> fluent & 1 == 1).collect::<Vec<bool>>());
        let found = Remembered::default();
        assert!(found.get(&state(1), || None).is_none());
        for _ in 0..3 {
            assert_eq!(*found.get(&state(1), search).unwrap(), [0, 0, 2]);
        }
        assert_eq!(searches.get(), 1);
        for number in 0..3 * KEPT {
            found.get(&state(number), search);
            assert!(found.0.lock().unwrap().len() <= KEPT);
        }
        assert_eq!(searches.get(), 3 * KEPT);
    }
}
