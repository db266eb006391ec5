//! Computes an entry for each node of a diagram, such as a count or a sum, from the bottom up on all threads.

use super::level::Level;
use super::levels::LevelIndex;
use super::memory::{Buffer, prefetch};
use super::node::{Node, TERMINALS};
use super::{Context, Diagram};
use base::limits::LimitReached;
use std::ops::Range;

const PIECE: usize = 1 << 14;
const AHEAD: usize = 16;
/// This number of nodes is about as much work as one request of a sweep.
const LIGHTER: u64 = 8;

pub(super) struct Filling<T> {
    children: *const [Node; 2],
    entries: *mut T,
}

// SAFETY: threads write only entries of their own nodes, level by level, and read only entries of deeper levels.
unsafe impl<T> Sync for Filling<T> {}

impl<T: Copy> Filling<T> {
    /// # Safety
    /// There must be room for one entry for each node, which nothing else uses until all entries are written. The
    /// entries may replace the children in memory if they take as many bytes.
    pub(super) unsafe fn new(children: *const [Node; 2], entries: *mut T) -> Filling<T> {
        Filling { children, entries }
    }

    #[inline(always)]
    pub(super) fn below(&self, node: Node) -> T {
        // SAFETY: children are on deeper levels, whose entries are written.
        unsafe { *node.entry(self.entries.cast_const().wrapping_sub(TERMINALS as usize)) }
    }

    /// `of` gets a node's level, its children, and `self`, which has the entries of deeper nodes.
    pub(super) fn fill(
        &self,
        index: &LevelIndex<Node>,
        of: impl Fn(Level, [Node; 2], &Self) -> T + Sync,
        context: &Context,
    ) -> Result<(), LimitReached> {
        let mut threads = vec![(); context.threads()];
        for level in Level::all(index.levels()).rev() {
            context.check()?;
            let Range { start, end } = index.places(level);
            let pieces: Vec<Range<usize>> =
                (start..end).step_by(PIECE).map(|first| first..end.min(first + PIECE)).collect();
            let fill = |piece: &Range<usize>| {
                for k in piece.clone() {
                    if k + AHEAD < piece.end {
                        // SAFETY: the node belongs to this piece, and its entry has not replaced its children yet.
                        for child in unsafe { *self.children.add(k + AHEAD) } {
                            prefetch(self.entries.wrapping_add(child.index().unwrap_or(0)));
                        }
                    }
                    // SAFETY: as above, and the entry belongs to this piece.
                    unsafe { *self.entries.add(k) = of(level, *self.children.add(k), self) };
                }
            };
            if context.shares((end - start) as u64 / LIGHTER) {
                context.share(&pieces, &mut threads, |_, piece, ()| fill(piece));
            } else {
                pieces.iter().for_each(fill);
            }
        }
        Ok(())
    }
}

impl Diagram {
    /// Computes the entry of the root: `of_terminal` gives the entry of a terminal, `of` that of a node from its level
    /// and the entries of its children. Takes 8 bytes per node during the call.
    pub fn fold(
        &self,
        of_terminal: impl Fn(u32) -> u64 + Sync,
        of: impl Fn(Level, [u64; 2]) -> u64 + Sync,
        context: &Context,
    ) -> Result<u64, LimitReached> {
        let entries: Buffer<u64> = Buffer::zeroed(self.node_count() as usize, context.limits())?;
        let entry = |node: Node, filled: &Filling<u64>| match node.as_terminal() {
            Some(terminal) => of_terminal(terminal),
            None => filled.below(node),
        };
        let of =
            |level, children: [Node; 2], filled: &Filling<u64>| of(level, children.map(|child| entry(child, filled)));
        // SAFETY: the buffer has an entry for each node, and nobody writes the nodes.
        let filling = unsafe { Filling::new(self.first_node(), entries.pointer()) };
        filling.fill(self.index(), of, context)?;
        Ok(entry(self.root(), &filling))
    }
}
