//! Lists of requests for pairs, and a hash table that finds requests for equal pairs. A pair is one word: the node in
//! the upper half, the id of its companion in the lower half.

use base::machine::prefetch;

const LEAST_GROWTH: usize = 16;
const EMPTY: u32 = u32::MAX;

#[derive(Debug)]
pub struct Requests<T> {
    pub(super) pairs: Vec<u64>,
    pub(super) with: Vec<T>,
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Requests { pairs: Vec::new(), with: Vec::new() }
    }
}

impl<T> Requests<T> {
    /// Adds a request. Returns the growth of the capacity, in requests.
    #[inline]
    pub fn push(&mut self, node: u32, beside: u32, with: T) -> usize {
        let more = if self.pairs.len() == self.pairs.capacity() { self.grow(1) } else { 0 };
        self.pairs.push(u64::from(node) << 32 | u64::from(beside));
        self.with.push(with);
        more
    }

    /// Makes room for `pairs` more requests. Returns the growth of the capacity, in requests.
    #[cold]
    pub fn grow(&mut self, pairs: usize) -> usize {
        let more = pairs.max(self.len() / 2).max(LEAST_GROWTH);
        self.pairs.reserve_exact(more);
        self.with.reserve_exact(more);
        more
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    #[inline]
    pub fn pair(&self, index: usize) -> u64 {
        self.pairs[index]
    }

    #[inline]
    pub fn with(&self, index: usize) -> &T {
        &self.with[index]
    }

    #[inline]
    pub fn bring(&mut self, from: usize, to: usize) {
        self.pairs[to] = self.pairs[from];
        self.with.swap(from, to);
    }

    pub fn append(&mut self, mut other: Requests<T>) {
        self.pairs.reserve_exact(other.len());
        self.with.reserve_exact(other.len());
        self.pairs.append(&mut other.pairs);
        self.with.append(&mut other.with);
    }

    pub fn truncate(&mut self, len: usize) {
        self.pairs.truncate(len);
        self.with.truncate(len);
    }

    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(self.pairs.as_ptr().wrapping_add(index));
        prefetch(self.with.as_ptr().wrapping_add(index));
    }
}

/// Finds equal pairs, in one band at a time.
#[derive(Debug, Default)]
pub struct Joiner {
    /// By hash: the index of a pair.
    table: Vec<u32>,
}

impl Joiner {
    fn places(pairs: usize) -> usize {
        (2 * pairs).next_power_of_two().max(16)
    }

    pub fn bytes_for(pairs: usize) -> usize {
        Joiner::places(pairs) * size_of::<u32>()
    }

    pub fn start(&mut self, pairs: usize) {
        self.table.clear();
        self.table.resize(Joiner::places(pairs), EMPTY);
    }

    pub fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<u32>()
    }

    #[inline]
    fn place(&self, pair: u64) -> usize {
        (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) as usize & (self.table.len() - 1)
    }

    #[inline]
    pub fn expect(&self, pair: u64) {
        prefetch(self.table.as_ptr().wrapping_add(self.place(pair)));
    }

    /// The index of the pair with which `pair` will be compared first.
    #[inline]
    pub fn hint(&self, pair: u64) -> Option<usize> {
        Some(self.table[self.place(pair)]).filter(|index| *index != EMPTY).map(|index| index as usize)
    }

    /// The index of an equal pair, if there is one. Otherwise `pair` is added with the index `next`, which is the
    /// error. `known` gives the pair of an index.
    #[inline]
    pub fn find(&mut self, pair: u64, next: usize, known: impl Fn(usize) -> u64) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut place = self.place(pair);
        loop {
            match self.table[place] {
                EMPTY => {
                    self.table[place] = next as u32;
                    return Err(next);
                }
                index if known(index as usize) == pair => return Ok(index as usize),
                _ => place = (place + 1) & mask,
            }
        }
    }
}

/// The node of a pair, and the id of its companion.
#[inline]
pub fn parts(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}
