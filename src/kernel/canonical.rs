//! The canonical numbering of a diagram's nodes: levels from the bottom, within a level ascending by (lo, hi) in new
//! numbers. It depends on nothing but the function the diagram stands for, so files and comparisons are the same
//! whatever number of threads built the diagram; and sorted columns pack well.
//!
//! Cost: one pass from the bottom with two random accesses and one sort per node; 4 bytes a node and 16 bytes a node
//! of the largest level while it runs.

use super::memory::{Buffer, prefetch};
use super::{Context, Diagram, Node, TERMINALS};
use crate::limits::{LimitReached, Limits};
use rayon::ThreadPool;
use rayon::slice::ParallelSliceMut;
#[cfg(test)]
use std::sync::Arc;

/// A node as a sort key: new lo, new hi, old number (32 bits each, in this order from bit 95 down).
pub(super) type Entry = u128;

/// Levels with fewer nodes are sorted by one thread.
const SHARED_FROM: usize = 1 << 15;
const AHEAD: usize = 16;

/// `[lo, hi]` of an entry, in new ids.
#[inline(always)]
pub(super) fn children(entry: Entry) -> [Node; 2] {
    [(entry >> 64) as u32, (entry >> 32) as u32]
}

/// A pass over the levels of a diagram from the bottom.
pub(super) struct Numbering<'a> {
    diagram: &'a Diagram,
    pool: Option<&'a ThreadPool>,
    limits: &'a Limits,
    /// By old number: the new id.
    new: Buffer<u32>,
    /// The nodes of the level at hand.
    entries: Buffer<Entry>,
    /// The next level, counted from the top; 0: none is left.
    left: u32,
}

impl<'a> Numbering<'a> {
    /// A pass that has not begun, sorting with the threads of `context`.
    pub(super) fn new(diagram: &'a Diagram, context: &'a Context) -> Result<Self, LimitReached> {
        let (limits, pool) = (context.limits(), context.pool());
        let index = diagram.index();
        let largest = (0..diagram.levels()).map(|level| index.end(level) - index.start(level)).max().unwrap_or(0);
        Ok(Numbering {
            diagram,
            pool,
            limits,
            new: Buffer::zeroed(diagram.node_count() as usize, limits)?,
            entries: Buffer::zeroed(largest as usize, limits)?,
            left: diagram.levels(),
        })
    }

    /// The nodes of the next level in their new order; `None` after the top level.
    pub(super) fn next_level(&mut self) -> Result<Option<&[Entry]>, LimitReached> {
        let Some(level) = self.left.checked_sub(1) else { return Ok(None) };
        self.limits.check()?;
        self.left = level;
        let index = self.diagram.index();
        let (start, end) = (index.start(level) - TERMINALS, index.end(level) - TERMINALS);
        let nodes = &self.diagram.nodes()[start as usize..end as usize];
        let new = self.new.as_mut_slice();
        let entries = &mut self.entries.as_mut_slice()[..nodes.len()];
        for (k, (entry, &[lo, hi])) in entries.iter_mut().zip(nodes).enumerate() {
            if let Some(children) = nodes.get(k + AHEAD) {
                for child in children {
                    prefetch(new.as_ptr().wrapping_add(child.saturating_sub(TERMINALS) as usize));
                }
            }
            let id = |old: Node| old.checked_sub(TERMINALS).map_or(old, |number| new[number as usize]);
            *entry = u128::from(id(lo)) << 64 | u128::from(id(hi)) << 32 | (u128::from(start) + k as u128);
        }
        match self.pool {
            Some(pool) if entries.len() >= SHARED_FROM => pool.install(|| entries.par_sort_unstable()),
            _ => entries.sort_unstable(),
        }
        for (k, entry) in entries.iter().enumerate() {
            new[*entry as u32 as usize] = TERMINALS + start + k as u32;
        }
        Ok(Some(entries))
    }

    /// The new id of a node whose level was passed.
    pub(super) fn id(&self, old: Node) -> Node {
        old.checked_sub(TERMINALS).map_or(old, |number| self.new.as_slice()[number as usize])
    }
}

impl Diagram {
    /// Whether both are the same function: same levels, same number of nodes on each, and equal nodes in canonical
    /// order. Takes 4 bytes a node of both and 32 bytes a node of the largest level.
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

/// As [`Diagram::equals`], for tests.
#[cfg(test)]
impl PartialEq for Diagram {
    fn eq(&self, other: &Diagram) -> bool {
        self.equals(other, &Context::new(Arc::new(Limits::unlimited()), 1)).expect("memory without bound")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::elements::set_of_table as set;

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
