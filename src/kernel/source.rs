//! Where a sweep finds the nodes of the set that it reads: in a diagram of this process, or, in a sweep of several
//! processes, level by level from process 0.

use super::diagram::Diagram;
use super::level::Level;
use super::levels::LevelIndex;
use super::memory::prefetch;
use super::node::Node;
use super::peers::Peers;
use super::shown::Shown;
use base::limits::{LimitReached, Limits};
use std::borrow::Cow;
use std::sync::Arc;

/// The set that a sweep reads.
pub(super) trait Source: Sync {
    fn index(&self) -> &LevelIndex<Node>;

    /// The children of a node of the level that is being expanded.
    fn node(&self, node: Node) -> [Node; 2];

    fn prefetch(&self, node: Node);

    /// As `give` and `take` of an operation.
    fn give(&self, level: Level) -> Cow<'_, [u32]>;
    fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached>;
}

impl Source for &Diagram {
    #[inline(always)]
    fn index(&self) -> &LevelIndex<Node> {
        Diagram::index(self)
    }

    #[inline(always)]
    fn node(&self, node: Node) -> [Node; 2] {
        Diagram::node(self, node)
    }

    #[inline(always)]
    fn prefetch(&self, node: Node) {
        Diagram::prefetch(self, node);
    }

    fn give(&self, _level: Level) -> Cow<'_, [u32]> {
        Cow::Borrowed(&[])
    }

    fn take(&mut self, _level: Level, _parts: &[&[u32]], _limits: &Arc<Limits>) -> Result<(), LimitReached> {
        Ok(())
    }
}

/// A set that process 0 has, of which others have the level that is being expanded.
pub(super) struct Lent<'a> {
    whole: Option<&'a Diagram>,
    index: LevelIndex<Node>,
    level: Shown,
}

impl<'a> Lent<'a> {
    /// Process 0 alone gives a set.
    pub(super) fn new(whole: Option<&'a Diagram>, peers: &Peers) -> Result<Lent<'a>, LimitReached> {
        let ends = peers.hear(whole.map(|set| set.index().ends().to_vec()))?;
        Ok(Lent { whole, index: LevelIndex::new(ends), level: Shown::default() })
    }
}

impl Source for Lent<'_> {
    #[inline(always)]
    fn index(&self) -> &LevelIndex<Node> {
        &self.index
    }

    #[inline(always)]
    fn node(&self, node: Node) -> [Node; 2] {
        debug_assert!(self.level.has(2 * node.bits() as usize..2 * (node.bits() as usize + 1)));
        // SAFETY: sweeps ask only for nodes of the level that is being expanded.
        unsafe { *node.entry(self.level.base().cast()) }
    }

    #[inline(always)]
    fn prefetch(&self, node: Node) {
        prefetch(node.entry(self.level.base().cast::<[Node; 2]>()));
    }

    fn give(&self, level: Level) -> Cow<'_, [u32]> {
        self.whole.map_or(Cow::Borrowed(&[]), |set| {
            let nodes = &set.nodes()[self.index.places(level)];
            // SAFETY: a node is two words.
            unsafe { std::slice::from_raw_parts(nodes.as_ptr().cast(), 2 * nodes.len()) }.into()
        })
    }

    fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        self.level.show(2 * self.index.range(level).start as usize, parts, limits)
    }
}
