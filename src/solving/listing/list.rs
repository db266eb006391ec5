//! A sorted list of packed states, and a collector that makes one.

use super::keys;
use base::limits::{Account, LimitReached, Limits};
use std::sync::Arc;

/// Number of states that are sorted together.
const AT_ONCE: usize = 1 << 15;
/// Number of states that are compared with new ones before these are sorted.
const RECENT: usize = 1 << 14;
const WORD: u64 = size_of::<u64>() as u64;

/// Packed states, ascending and without duplicates.
#[derive(Debug)]
pub struct List {
    words: usize,
    keys: Vec<u64>,
    limits: Arc<Limits>,
    account: Account,
}

impl List {
    pub fn new(words: usize, limits: &Arc<Limits>) -> List {
        List { words, keys: Vec::new(), limits: Arc::clone(limits), account: Account::new(limits) }
    }

    fn with_room(words: usize, room: usize, limits: &Arc<Limits>) -> Result<List, LimitReached> {
        let mut list = List::new(words, limits);
        list.account.set(room as u64 * WORD)?;
        list.keys.reserve_exact(room);
        Ok(list)
    }

    /// Adds a state, which must be larger than all states of the list.
    pub fn push(&mut self, state: &[u64]) -> Result<(), LimitReached> {
        debug_assert!(self.is_empty() || self.state(self.len() - 1) < state, "states ascend");
        if self.keys.len() + self.words > self.keys.capacity() {
            let more = self.keys.capacity().max(AT_ONCE.min(64) * self.words);
            // The old and the new memory exist at the same time.
            self.account.grow_to((2 * self.keys.capacity() + more) as u64 * WORD)?;
            self.keys.reserve_exact(more);
            self.account.shrink_to(self.keys.capacity() as u64 * WORD);
        }
        self.keys.extend_from_slice(state);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.keys.len() / self.words
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn bytes(&self) -> u64 {
        self.keys.capacity() as u64 * WORD
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    pub fn state(&self, rank: usize) -> &[u64] {
        &self.keys[rank * self.words..][..self.words]
    }

    pub fn states(&self) -> impl Iterator<Item = &[u64]> {
        self.keys.chunks_exact(self.words)
    }

    #[cfg(test)]
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        let rank = keys::place(self.len(), 0, |rank| self.state(rank) < state);
        (rank < self.len() && self.state(rank) == state).then_some(rank)
    }

    pub fn clear(&mut self) {
        self.keys.clear();
    }

    pub fn merged(&self, other: &List) -> Result<List, LimitReached> {
        let mut all = List::with_room(self.words, self.keys.len() + other.keys.len(), &self.limits)?;
        keys::merge(&self.keys, &other.keys, self.words, &mut all.keys);
        all.fit();
        Ok(all)
    }

    pub fn without(&self, other: &List) -> Result<List, LimitReached> {
        let mut left = List::with_room(self.words, self.keys.len(), &self.limits)?;
        keys::subtract(&self.keys, &other.keys, self.words, &mut left.keys);
        left.fit();
        Ok(left)
    }

    fn fit(&mut self) {
        self.keys.shrink_to_fit();
        self.account.shrink_to(self.keys.capacity() as u64 * WORD);
    }
}

/// Collects states in any order, with repetitions.
#[derive(Debug)]
pub struct Collector {
    words: usize,
    pending: Vec<u64>,
    /// States that were added lately, which are not added again; empty until there are many.
    recent: Vec<u64>,
    /// Sorted runs, each at least twice as long as the next one.
    runs: Vec<List>,
    limits: Arc<Limits>,
    account: Account,
}

impl Collector {
    pub fn new(words: usize, limits: &Arc<Limits>) -> Collector {
        Collector {
            words,
            pending: Vec::new(),
            recent: Vec::new(),
            runs: Vec::new(),
            limits: Arc::clone(limits),
            account: Account::new(limits),
        }
    }

    pub fn extend(&mut self, states: &[u64]) -> Result<(), LimitReached> {
        let wanted = self.pending.len() + states.len();
        if wanted > AT_ONCE * self.words && !self.pending.is_empty() {
            self.close()?;
        }
        let wanted = self.pending.len() + states.len();
        if wanted > self.pending.capacity() {
            let room = wanted.next_power_of_two();
            // The old and the new memory exist at the same time.
            self.account.grow_to((self.recent.len() + self.pending.capacity() + room) as u64 * WORD)?;
            self.pending.reserve_exact(room - self.pending.len());
            self.account.shrink_to((self.recent.len() + self.pending.capacity()) as u64 * WORD);
        }
        if self.recent.is_empty() {
            self.pending.extend_from_slice(states);
        } else {
            keys::add_fresh(states, &mut self.recent, self.words, &mut self.pending);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), LimitReached> {
        self.limits.check()?;
        let recent = RECENT * self.words;
        let many =
            self.words <= keys::MOST_WORDS && self.recent.is_empty() && self.pending.len() >= AT_ONCE / 8 * self.words;
        // Without room for them, states are only sorted.
        if many && self.account.add(recent as u64 * WORD).is_ok() {
            self.recent = vec![0; recent];
        }
        keys::sort(&mut self.pending, self.words);
        let mut run = List::with_room(self.words, self.pending.len(), &self.limits)?;
        run.keys.append(&mut self.pending);
        while let Some(last) = self.runs.pop_if(|last| last.len() < 2 * run.len()) {
            run = last.merged(&run)?;
        }
        self.runs.push(run);
        Ok(())
    }

    /// Bytes of the collected states, including the room for merging them.
    pub fn bytes(&self) -> u64 {
        let runs: usize = self.runs.iter().map(|run| run.keys.len()).sum();
        (2 * runs + self.pending.capacity() + self.recent.len()) as u64 * WORD
    }

    /// Takes out the collected states, without duplicates.
    pub fn take(&mut self) -> Result<List, LimitReached> {
        if !self.pending.is_empty() {
            self.close()?;
        }
        self.recent.fill(0);
        let mut all = List::new(self.words, &self.limits);
        while let Some(run) = self.runs.pop() {
            all = if all.is_empty() { run } else { all.merged(&run)? };
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn a_collector_gives_each_state_once_and_in_order() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(7);
        for (words, count) in [(1, 0), (1, 10), (2, 100_000), (3, 70_000), (9, 40_000)] {
            let mut collector = Collector::new(words, &limits);
            let mut expected = BTreeSet::new();
            for _ in 0..count / 10 {
                let states: Vec<u64> = (0..10 * words).map(|_| random.below(40) as u64).collect();
                collector.extend(&states).unwrap();
                expected.extend(states.chunks(words).map(<[u64]>::to_vec));
            }
            let list = collector.take().unwrap();
            assert_eq!(
                list.states().map(<[u64]>::to_vec).collect::<Vec<_>>(),
                expected.iter().cloned().collect::<Vec<_>>()
            );
            for (rank, state) in expected.iter().enumerate() {
                assert_eq!(list.find(state), Some(rank));
            }
            assert_eq!(list.find(&vec![41; words]), None);
            assert!(collector.take().unwrap().is_empty(), "nothing is left");
            drop((list, collector));
            assert_eq!(limits.used(), 0);
        }
    }

    #[test]
    fn lists_are_subtracted_whatever_their_lengths() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(8);
        for (left, right) in [(3, 900), (900, 3), (300, 300), (0, 10), (10, 0)] {
            let mut list = |count: usize| {
                let mut collector = Collector::new(2, &limits);
                collector.extend(&(0..2 * count).map(|_| random.below(25) as u64).collect::<Vec<_>>()).unwrap();
                collector.take().unwrap()
            };
            let (left, right) = (list(left), list(right));
            let expected: Vec<&[u64]> = left.states().filter(|state| right.find(state).is_none()).collect();
            assert_eq!(left.without(&right).unwrap().states().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn memory_is_bounded() {
        let limits = Arc::new(Limits::new(100_000));
        let mut collector = Collector::new(1, &limits);
        let mut next = 0;
        let stopped = (0..10_000).find_map(|_| {
            next += 100;
            collector.extend(&(next..next + 100).collect::<Vec<_>>()).err()
        });
        assert!(matches!(stopped, Some(LimitReached::Memory { .. })));
        let mut list = List::new(1, &limits);
        assert!((0..20_000).any(|state| list.push(&[state]).is_err()));
        drop((collector, list));
        assert_eq!(limits.used(), 0);
    }
}
