//! Remembers what was found for the last few positions, because one request often asks for the same matrix several
//! times. Cost: at most [`KEPT`] entries, which have at most [`MOST_JOINTS`] joint moves together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const KEPT: usize = 4;
const MOST_JOINTS: usize = 1 << 16;

struct Entry<K, V> {
    key: K,
    joints: usize,
    found: Arc<V>,
}

/// The oldest entry is the first one.
pub(super) struct Recent<K, V>(Mutex<Vec<Entry<K, V>>>);

impl<K: PartialEq, V> Recent<K, V> {
    pub(super) fn new() -> Recent<K, V> {
        Recent(Mutex::new(Vec::new()))
    }

    /// A thread that panicked leaves no entry incomplete, so a poisoned lock does no harm.
    fn kept(&self) -> MutexGuard<'_, Vec<Entry<K, V>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, is_key: impl Fn(&K) -> bool) -> Option<Arc<V>> {
        self.kept().iter().find(|entry| is_key(&entry.key)).map(|entry| Arc::clone(&entry.found))
    }

    /// Remembers what was found for a position with this number of joint moves, unless there are too many of them.
    pub(super) fn keep(&self, key: K, joints: usize, found: V) -> Arc<V> {
        let found = Arc::new(found);
        if joints > MOST_JOINTS {
            return found;
        }
        let mut kept = self.kept();
        kept.retain(|entry| entry.key != key);
        kept.push(Entry { key, joints, found: Arc::clone(&found) });
        while kept.len() > KEPT || kept.iter().map(|entry| entry.joints).sum::<usize>() > MOST_JOINTS {
            kept.remove(0);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, MOST_JOINTS, Recent};

    #[test]
    fn the_last_few_are_kept() {
        let recent = Recent::new();
        let found = |key: usize| recent.get(|other| *other == key).map(|found| *found);
        for key in 0..2 * KEPT {
            assert_eq!(*recent.keep(key, 1, 10 * key), 10 * key);
        }
        assert_eq!(found(KEPT - 1), None);
        assert!((KEPT..2 * KEPT).all(|key| found(key) == Some(10 * key)));
        recent.keep(KEPT, 1, 5);
        assert_eq!(found(KEPT), Some(5));
        assert_eq!(*recent.keep(100, MOST_JOINTS + 1, 1), 1);
        assert_eq!((found(100), found(KEPT)), (None, Some(5)));
        recent.keep(101, MOST_JOINTS, 1);
        assert_eq!((found(101), found(KEPT)), (Some(1), None));
    }
}
