//! A set of lists of numbers. Each list is stored once and has a number, in the order of insertion.
//!
//! All lists are in one array, and a hash table contains only their numbers. A list of `n` numbers takes 4n + 4 bytes,
//! and 6 to 12 in the table, and the number of allocated bytes is known exactly.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Divisor of the size of a full array: the array grows by the quotient.
const GROWTH: usize = 4;
/// Least growth of an array, in places.
const LEAST_GROWTH: usize = 64;
/// An array or table is nearly full if fewer places are left than its size divided by this, or than [`LEAST_LEFT`].
const NEARLY: usize = 64;
const LEAST_LEFT: usize = 16;

#[derive(Debug, Clone)]
pub struct Words {
    words: Vec<u32>,
    /// The start of each list, and the end of the last one.
    ends: Vec<u32>,
    table: HashTable<u32>,
}

impl Default for Words {
    fn default() -> Self {
        Words { words: Vec::new(), ends: vec![0], table: HashTable::new() }
    }
}

impl Words {
    /// Bound on the number of lists, and on the sum of their lengths, before an addition; far below 2^32.
    pub const MOST: usize = 1 << 30;

    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// The sum of the lengths of all lists.
    pub fn size(&self) -> u64 {
        self.words.len() as u64
    }

    pub fn is_full(&self) -> bool {
        self.len() >= Self::MOST || self.words.len() >= Self::MOST
    }

    pub fn get(&self, id: u32) -> &[u32] {
        list(&self.words, &self.ends, id)
    }

    pub fn find(&self, words: &[u32]) -> Option<u32> {
        self.table.find(hash(words), |&id| self.get(id) == words).copied()
    }

    /// Adds a list if it is new. Returns its number, and whether it is new.
    pub fn insert(&mut self, words: &[u32]) -> (u32, bool) {
        let Words { words: all, ends, table } = self;
        let same = |&id: &u32| list(all, ends, id) == words;
        let vacant = match table.entry(hash(words), same, |&id| hash(list(all, ends, id))) {
            Entry::Occupied(known) => return (*known.get(), false),
            Entry::Vacant(vacant) => vacant,
        };
        let id = u32::try_from(ends.len() - 1).expect("whoever adds lists stops where they are full");
        vacant.insert(id);
        make_room(all, words.len());
        all.extend_from_slice(words);
        make_room(ends, 1);
        ends.push(u32::try_from(all.len()).expect("whoever adds lists stops where they are full"));
        (id, true)
    }

    pub fn shrink(&mut self) {
        self.words.shrink_to_fit();
        self.ends.shrink_to_fit();
        let Words { words, ends, table } = self;
        table.shrink_to_fit(|&id| hash(list(words, ends, id)));
    }

    /// Bytes held. An array or table that is nearly full also counts with its next size, because growth copies it.
    pub fn bytes(&self) -> usize {
        let block = |block: &Vec<u32>| {
            let more = if is_nearly_full(block.len(), block.capacity()) { larger(block.capacity()) } else { 0 };
            (block.capacity() + more) * size_of::<u32>()
        };
        let table = self.table.allocation_size();
        let more = if is_nearly_full(self.table.len(), self.table.capacity()) { 2 * table } else { 0 };
        block(&self.words) + block(&self.ends) + table + more
    }
}

fn hash(words: &[u32]) -> u64 {
    FxBuildHasher.hash_one(words)
}

fn list<'a>(words: &'a [u32], ends: &[u32], id: u32) -> &'a [u32] {
    &words[ends[id as usize] as usize..ends[id as usize + 1] as usize]
}

fn larger(capacity: usize) -> usize {
    capacity + (capacity / GROWTH).max(LEAST_GROWTH)
}

fn is_nearly_full(used: usize, capacity: usize) -> bool {
    capacity - used < (capacity / NEARLY).max(LEAST_LEFT)
}

fn make_room(block: &mut Vec<u32>, more: usize) {
    if block.capacity() - block.len() < more {
        block.reserve_exact((larger(block.capacity()) - block.len()).max(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_once_in_the_order_they_came_in() {
        let mut words = Words::default();
        let lists: Vec<Vec<u32>> = (0..5000).map(|k| (0..k % 7).map(|j| k / 7 * j).collect()).collect();
        let mut expected: Vec<&Vec<u32>> = Vec::new();
        for list in &lists {
            let known = expected.iter().position(|&other| other == list);
            assert_eq!(words.find(list), known.map(|place| place as u32));
            assert_eq!(words.insert(list), (known.unwrap_or(expected.len()) as u32, known.is_none()));
            if known.is_none() {
                expected.push(list);
            }
        }
        assert!(expected.len() > 1000 && expected.len() < lists.len());
        words.shrink();
        assert_eq!(words.len(), expected.len());
        for (id, &list) in expected.iter().enumerate() {
            assert_eq!((words.get(id as u32), words.find(list)), (&list[..], Some(id as u32)));
        }
    }

    #[test]
    fn bytes_foresee_growth() {
        let mut words = Words::default();
        let held = |words: &Words| {
            words.table.allocation_size() + (words.words.capacity() + words.ends.capacity()) * size_of::<u32>()
        };
        for k in 0..100_000 {
            let before = words.bytes();
            words.insert(&[k, 1, 2]);
            assert!(k < 64 || held(&words) <= before, "{k}");
            assert!(words.bytes() >= held(&words));
        }
        assert!(held(&words) < 100_000 * (4 * 4 * 5 / 4 + 11), "20 bytes a list in blocks, 5 to 10 in the table");
    }
}
