//! The diagram of a layer as records of 32 bytes, so that a descent needs one cache line for each node.

use crate::Diagram;
use crate::context::BATCH;
use crate::gather::MOVES;
use crate::level::Level;
use crate::levels::LevelIndex;
use crate::memory::{Buffer, Plain, prefetch};
use crate::node::{Node, TERMINALS};
use crate::ranking::MOST_RANKED;
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Flag of a summary: states below the node have different terminals.
const MIXED: u32 = 1 << 30;
/// Flag of a summary: a role moves in some state below the node.
const MOVED: u32 = 1 << 31;

#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Record {
    pub lo: Node,
    pub hi: Node,
    pub level: Level,
    /// The terminal of all states below the node, or [`MIXED`] if they differ; and the flag [`MOVED`].
    summary: u32,
    pub states: u64,
    /// Number of states below the `lo` child.
    pub first: u64,
}

// SAFETY: all fields are integers.
unsafe impl Plain for Record {}

pub struct Side<'a> {
    set: &'a Diagram,
    /// The address that a record for id 0 would have.
    base: *const Record,
    _records: Buffer<Record>,
}

// SAFETY: records are not written after construction.
unsafe impl Sync for Side<'_> {}

impl<'a> Side<'a> {
    /// Fails if the set has more than [`MOST_RANKED`] states.
    pub fn new(set: &'a Diagram, limits: &Arc<Limits>) -> Result<Side<'a>, LimitReached> {
        let mut buffer: Buffer<Record> = Buffer::zeroed(set.node_count() as usize, limits)?;
        let records = buffer.as_mut_slice();
        let levels = Level::all(set.levels()).rev().flat_map(|level| set.index().places(level).map(move |_| level));
        for ((k, &[lo, hi]), level) in set.nodes().iter().enumerate().zip(levels) {
            if k % BATCH == 0 {
                limits.check()?;
            }
            let of = |node: Node| match node.index() {
                Some(index) => (records[index].states, records[index].summary),
                None => (u64::from(node != Node::ZERO), of_terminal(node.known_terminal())),
            };
            let ((first, of_lo), (second, of_hi)) = (of(lo), of(hi));
            let summary = if of_lo == of_hi || lo == Node::ZERO { of_hi } else { MIXED | ((of_lo | of_hi) & MOVED) };
            let states = first.checked_add(second).filter(|&sum| sum <= MOST_RANKED);
            let states =
                states.ok_or(LimitReached::Size { what: "ranked states of a layer".into(), limit: MOST_RANKED })?;
            records[k] = Record { lo, hi, level, summary, states, first };
        }
        let base = buffer.pointer().cast_const().wrapping_sub(TERMINALS as usize);
        Ok(Side { set, base, _records: buffer })
    }

    pub fn nodes(&self) -> u64 {
        self.set.node_count()
    }

    pub fn bytes(&self) -> u64 {
        self.nodes() * size_of::<Record>() as u64
    }

    pub fn root(&self) -> Node {
        self.set.root()
    }

    pub fn index(&self) -> &LevelIndex<Node> {
        self.set.index()
    }

    pub fn levels(&self) -> u32 {
        self.set.levels()
    }

    #[inline(always)]
    pub fn record(&self, node: Node) -> &Record {
        debug_assert!(node.index().is_some_and(|index| index < self.set.index().len()));
        // SAFETY: callers only pass ids that they read from this set's root or records, which are in range.
        unsafe { &*node.entry(self.base) }
    }

    #[inline(always)]
    pub fn prefetch(&self, node: Node) {
        prefetch(node.entry(self.base));
    }

    #[inline(always)]
    pub fn level(&self, node: Node) -> Level {
        if node.is_terminal() { Level::end(self.levels()) } else { self.record(node).level }
    }

    #[inline(always)]
    pub fn states(&self, node: Node) -> u64 {
        if node.is_terminal() { u64::from(node != Node::ZERO) } else { self.record(node).states }
    }

    #[inline(always)]
    fn summary(&self, node: Node) -> u32 {
        match node.as_terminal() {
            Some(terminal) => of_terminal(terminal),
            None => self.record(node).summary,
        }
    }

    #[inline(always)]
    pub fn one_terminal(&self, node: Node) -> Option<u32> {
        let summary = self.summary(node);
        (summary & MIXED == 0).then_some(summary & !MOVED)
    }

    /// The value of all states below a node, if all are terminal with the same value.
    #[inline(always)]
    pub fn one_value(&self, node: Node) -> Option<u32> {
        let summary = self.summary(node);
        (summary & (MIXED | MOVED) == 0).then_some(summary)
    }

    #[inline(always)]
    pub fn moves_below(&self, node: Node) -> bool {
        self.summary(node) & MOVED != 0
    }
}

#[inline(always)]
fn of_terminal(terminal: u32) -> u32 {
    if terminal >= MOVES { terminal | MOVED } else { terminal }
}
