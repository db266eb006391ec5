//! Finds the ranks of states in a list, by a hash table with open addressing. Cost of a state: two reads that miss the
//! cache; the reads for a batch of states are made in parallel.

use super::keys::by_words;
use super::list::List;
use base::limits::{Account, LimitReached, Limits};
use std::sync::Arc;

/// The rank of a state that is not in the list.
pub const MISSING: u32 = u32::MAX;
/// Bound on the states of an indexed list, so that every index into `table` fits 32 bits.
const MOST: u64 = 1 << 31;
/// Multiplier that spreads the bits of a word (the odd number nearest to 2^64 divided by the golden ratio).
pub(super) const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Debug)]
pub struct Index<'l> {
    list: &'l List,
    /// Ranks, with [`MISSING`] in empty places. The length is a power of two, at least twice the number of states.
    table: Vec<u32>,
    shift: u32,
    _account: Account,
}

impl<'l> Index<'l> {
    /// Takes 8 to 16 bytes per state.
    pub fn new(list: &'l List, limits: &Arc<Limits>) -> Result<Index<'l>, LimitReached> {
        if list.len() as u64 > MOST {
            return Err(LimitReached::Size { what: "the number of states of a list".into(), limit: MOST });
        }
        let size = (2 * list.len()).next_power_of_two().max(2);
        let mut account = Account::new(limits);
        account.set((size * size_of::<u32>()) as u64)?;
        let shift = u64::BITS - size.trailing_zeros();
        let mut index = Index { list, table: vec![MISSING; size], shift, _account: account };
        for (rank, state) in (0..).zip(list.states()) {
            let mut place = index.place(state);
            while index.table[place] != MISSING {
                place = (place + 1) & (size - 1);
            }
            index.table[place] = rank;
        }
        Ok(index)
    }

    #[inline]
    fn place(&self, state: &[u64]) -> usize {
        let mixed = state.iter().fold(0u64, |mixed, word| {
            let mixed = (mixed ^ word).wrapping_mul(SPREAD);
            mixed ^ mixed >> 32
        });
        (mixed.wrapping_mul(SPREAD) >> self.shift) as usize
    }

    pub fn ranks(&self, states: &[u64], ranks: &mut Vec<u32>) {
        by_words!(self.list.words(), of_arrays(self, states, ranks), of_slices(self, states, ranks));
    }

    /// Fills `ranks`, which is empty before, with the ranks of `states`. `listed`: the state of a rank.
    #[inline(always)]
    fn find<'s, S: AsRef<[u64]> + PartialEq + ?Sized + 's>(
        &self,
        states: impl Iterator<Item = &'s S> + Clone,
        listed: impl Fn(usize) -> &'s S,
        ranks: &mut Vec<u32>,
    ) {
        // The first probes of all states are independent reads, so they come before all comparisons.
        ranks.extend(states.clone().map(|state| self.place(state.as_ref()) as u32));
        let found = |place: &u32| self.table[*place as usize];
        let first: Vec<u32> = ranks.iter().map(found).collect();
        for ((state, rank), first) in states.zip(ranks).zip(first) {
            let mut place = *rank as usize;
            let mut candidate = first;
            while candidate != MISSING && listed(candidate as usize) != state {
                place = (place + 1) & (self.table.len() - 1);
                candidate = self.table[place];
            }
            *rank = candidate;
        }
    }
}

fn of_arrays<const W: usize>(index: &Index, states: &[u64], ranks: &mut Vec<u32>) {
    let (keys, states) = (index.list.keys().as_chunks::<W>().0, states.as_chunks::<W>().0);
    ranks.clear();
    index.find(states.iter(), |rank| &keys[rank], ranks);
}

fn of_slices(index: &Index, states: &[u64], ranks: &mut Vec<u32>) {
    ranks.clear();
    index.find(states.chunks_exact(index.list.words()), |rank| index.list.state(rank), ranks);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::list::Collector;
    use base::random::Random;

    #[test]
    fn ranks_are_those_of_a_search() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(9);
        for words in [1, 2, 5, 9] {
            let mut collector = Collector::new(words, &limits);
            collector.extend(&(0..3_000 * words).map(|_| random.below(20) as u64).collect::<Vec<_>>()).unwrap();
            let list = collector.take().unwrap();
            let index = Index::new(&list, &limits).unwrap();
            let mut asked: Vec<u64> = (0..1_000 * words).map(|_| random.below(25) as u64).collect();
            asked.extend_from_slice(&list.keys()[..10 * words]);
            let mut ranks = Vec::new();
            index.ranks(&asked, &mut ranks);
            let expected = asked.chunks(words).map(|state| list.find(state).map_or(MISSING, |rank| rank as u32));
            assert_eq!(ranks, expected.collect::<Vec<_>>());
            assert!(ranks.contains(&MISSING) && ranks.iter().any(|&rank| rank != MISSING));
        }
        let none = List::new(1, &limits);
        let mut ranks = Vec::new();
        Index::new(&none, &limits).unwrap().ranks(&[3, 4], &mut ranks);
        assert_eq!(ranks, [MISSING, MISSING]);
    }
}
