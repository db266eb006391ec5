//! The canonical numbering of a diagram's nodes: from the bottom level up, and within a level ascending by the new
//! numbers of (lo, hi). It depends only on the function that the diagram represents, so files and comparisons do not
//! depend on the number of threads that built the diagram. Sorted columns also compress well.
//!
//! Cost: one pass from the bottom with two random accesses per node, and a sort of each level. Temporary memory: 4
//! bytes per node, and 16 bytes for each node of the largest level.

use super::level::Level;
use super::memory::{Buffer, prefetch};
use super::threads::on_each;
use super::{Context, Diagram, Node};
use base::limits::{LimitReached, Limits};
use rayon::ThreadPool;
use std::sync::Arc;

/// A node as a sort key: from bit 64 on new lo, from bit 32 on new hi, from bit 0 on the old number.
pub(super) type Entry = u128;

/// Levels with fewer nodes are sorted by one thread.
const SHARED_FROM: usize = 1 << 15;
const AHEAD: usize = 16;

#[inline(always)]
fn entry([lo, hi]: [Node; 2], number: usize) -> Entry {
    u128::from(lo.bits()) << 64 | u128::from(hi.bits()) << 32 | number as u128
}

#[inline(always)]
pub(super) fn children(entry: Entry) -> [Node; 2] {
    [(entry >> 64) as u32, (entry >> 32) as u32].map(Node::from_bits)
}

#[inline(always)]
fn number(entry: Entry) -> usize {
    entry as u32 as usize
}

pub(super) struct Numbering<'a> {
    diagram: &'a Diagram,
    pool: Option<&'a ThreadPool>,
    threads: usize,
    limits: &'a Limits,
    new: Buffer<Node>,
    entries: Buffer<Entry>,
    left: u32,
}

impl<'a> Numbering<'a> {
    pub(super) fn new(diagram: &'a Diagram, context: &'a Context) -> Result<Self, LimitReached> {
        let (limits, pool) = (context.limits(), context.pool());
        let index = diagram.index();
        let largest = Level::all(diagram.levels()).map(|level| index.places(level).len()).max().unwrap_or(0);
        Ok(Numbering {
            diagram,
            pool,
            threads: context.threads(),
            limits,
            new: Buffer::zeroed(diagram.node_count() as usize, limits)?,
            entries: Buffer::zeroed(largest, limits)?,
            left: diagram.levels(),
        })
    }

    /// The nodes of the next level up in their new order; `None` after the top level.
    pub(super) fn next_level(&mut self) -> Result<Option<&[Entry]>, LimitReached> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.limits.check()?;
        self.left = left;
        let places = self.diagram.index().places(Level::new(left));
        let start = places.start;
        let nodes = &self.diagram.nodes()[places];
        let new = Numbers(self.new.pointer());
        let entries = &mut self.entries.as_mut_slice()[..nodes.len()];
        let threads = if entries.len() >= SHARED_FROM { self.threads } else { 1 };
        let part = entries.len().div_ceil(threads).max(1);
        let mut parts: Vec<&mut [Entry]> = entries.chunks_mut(part).collect();
        on_each(self.pool, &mut parts, |piece, part_entries| {
            for (k, place) in part_entries.iter_mut().enumerate() {
                let k = piece * part + k;
                for child in nodes.get(k + AHEAD).into_iter().flatten() {
                    prefetch(new.0.wrapping_add(child.index().unwrap_or(0)));
                }
                // SAFETY: children are on deeper levels, which already have their new ids.
                let id = |old: Node| old.index().map_or(old, |number| unsafe { new.get(number) });
                *place = entry(nodes[k].map(id), start + k);
            }
        });
        // Before threads sort, the smaller half of the entries is moved to the front, and so on in each half.
        let mut parts = vec![&mut *entries];
        while parts.len() < threads {
            parts = parts.into_iter().flat_map(halves).collect();
        }
        on_each(self.pool, &mut parts, |_, part| part.sort_unstable());
        let mut parts: Vec<&mut [Entry]> = entries.chunks_mut(part).collect();
        on_each(self.pool, &mut parts, |piece, part_entries| {
            for (k, &entry) in part_entries.iter().enumerate() {
                // SAFETY: each node of the level has one entry.
                unsafe { new.set(number(entry), Node::inner(start + piece * part + k)) };
            }
        });
        Ok(Some(entries))
    }

    pub(super) fn id(&self, old: Node) -> Node {
        old.index().map_or(old, |number| self.new.as_slice()[number])
    }
}

#[derive(Clone, Copy)]
struct Numbers(*mut Node);
// SAFETY: threads only use `get` and `set`, whose contracts exclude conflicting access to a number.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// # Safety
    /// Nobody may write the id of this number at the same time.
    #[inline(always)]
    unsafe fn get(&self, number: usize) -> Node {
        // SAFETY: by this function's contract; numbers are those of the diagram's nodes.
        unsafe { *self.0.add(number) }
    }

    /// # Safety
    /// Nobody else may read or write the id of this number at the same time.
    #[inline(always)]
    unsafe fn set(&self, number: usize, id: Node) {
        // SAFETY: as above.
        unsafe { *self.0.add(number) = id };
    }
}

/// Moves the smaller entries to the first half, and returns both halves.
fn halves(part: &mut [Entry]) -> [&mut [Entry]; 2] {
    let middle = part.len() / 2;
    if middle > 0 {
        part.select_nth_unstable(middle);
    }
    let (first, second) = part.split_at_mut(middle);
    [first, second]
}

impl Diagram {
    /// Whether both diagrams represent the same function: they have the same nodes on each level in canonical order.
    /// Takes 4 bytes for each node of both, and 32 bytes for each node of the largest level.
    pub fn equals(&self, other: &Diagram, context: &Context) -> Result<bool, LimitReached> {
        if self.index() != other.index() {
            return Ok(false);
        }
        let (mut mine, mut theirs) = (Numbering::new(self, context)?, Numbering::new(other, context)?);
        while let (Some(left), Some(right)) = (mine.next_level()?, theirs.next_level()?) {
            if !left.iter().map(|&entry| children(entry)).eq(right.iter().map(|&entry| children(entry))) {
                return Ok(false);
            }
        }
        Ok(mine.id(self.root()) == theirs.id(other.root()))
    }
}

/// As [`Diagram::equals`], on one thread and with unlimited memory, for tests.
impl PartialEq for Diagram {
    fn eq(&self, other: &Diagram) -> bool {
        self.equals(other, &Context::new(Arc::new(Limits::unlimited()), 1)).expect("memory without bound")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::set_of_table as set;

    #[test]
    fn comparing_keeps_the_bound_and_a_failure_is_no_answer() {
        let limits = Arc::new(Limits::unlimited());
        let one = set(10, &(0..1 << 10).map(|k| k * k % 7 % 2).collect::<Vec<_>>(), &limits);
        let other = set(10, &(0..1 << 10).map(|k| k * k % 7 % 2).collect::<Vec<_>>(), &limits);
        let context = |bytes| Context::new(Arc::new(Limits::new(bytes)), 1);
        assert_eq!(one.equals(&other, &context(1 << 20)), Ok(true));
        assert!(matches!(one.equals(&other, &context(100)), Err(LimitReached::Memory { .. })));
        let interrupted = context(1 << 20);
        interrupted.limits().interrupt();
        assert_eq!(one.equals(&other, &interrupted), Err(LimitReached::Interrupted));
        let third = set(10, &(0..1 << 10).map(|k| k * k % 5 % 2).collect::<Vec<_>>(), &limits);
        assert_eq!(one.equals(&third, &context(1 << 20)), Ok(false));
    }
}
