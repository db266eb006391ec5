//! The nodes of the set that a sweep reads: in a diagram of this process; or, in a sweep of several processes, level by
//! level from the parts of the processes.

use super::diagram::Diagram;
use super::level::Level;
use super::levels::LevelIndex;
use super::memory::{Buffer, prefetch};
use super::node::Node;
use super::peers::Peers;
use super::shown::Shown;
use base::limits::{Account, LimitReached, Limits};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

pub(super) trait Source: Sync {
    fn index(&self) -> &LevelIndex<Node>;

    /// The children of a node of the level that is being expanded.
    fn node(&self, node: Node) -> [Node; 2];

    fn prefetch(&self, node: Node);

    /// `give` and `take` as in [`Operation`](super::sweep::Operation).
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

/// Process 0 sends parts of a set when its messages together have more than this number of words.
const ROUND: usize = 1 << 20;

/// A set that is divided among processes: each has a part of every level, and all have the level being expanded.
pub(super) struct Lent {
    index: LevelIndex<Node>,
    /// The nodes of this process as words, top level first.
    own: Buffer<u32>,
    places: Vec<Range<usize>>,
    level: Shown,
    processes: usize,
}

fn share(nodes: usize, process: usize, processes: usize) -> Range<usize> {
    let start = |process| (nodes as u128 * process as u128 / processes as u128) as usize;
    start(process)..start(process + 1)
}

fn words(nodes: &[[Node; 2]]) -> &[u32] {
    // SAFETY: a node is two words.
    unsafe { std::slice::from_raw_parts(nodes.as_ptr().cast(), 2 * nodes.len()) }
}

impl Lent {
    /// Only process 0 has the set; it sends each process its part.
    pub(super) fn new(whole: Option<&Diagram>, peers: &Peers, limits: &Arc<Limits>) -> Result<Lent, LimitReached> {
        let index: LevelIndex<Node> = LevelIndex::new(peers.hear(whole.map(|set| set.index().ends().to_vec()))?);
        let processes = peers.size();
        let (mut places, mut end) = (Vec::new(), 0);
        for level in Level::all(index.levels()) {
            let start = end;
            end += 2 * share(index.places(level).len(), peers.number(), processes).len();
            places.push(start..end);
        }
        let mut own = Buffer::zeroed(end, limits)?;
        // Process 0 holds the nodes that it sends, and each process those that it receives.
        let mut account = Account::new(limits);
        let (mut messages, mut held, mut filled) = (vec![Vec::new(); processes], 0, 0);
        for level in Level::all(index.levels()) {
            let here = index.places(level);
            held += 2 * here.len();
            account.grow_to(4 * (if whole.is_some() { held } else { held.div_ceil(processes) }) as u64)?;
            for (process, message) in messages.iter_mut().enumerate() {
                let part = share(here.len(), process, processes);
                let nodes = whole.map(|set| &set.nodes()[here.start + part.start..here.start + part.end]);
                message.extend_from_slice(nodes.map_or(&[], words));
            }
            // `held` is the same in all processes, so they exchange messages after the same levels.
            if held > ROUND || level.index() + 1 == places.len() {
                let received = peers.exchange(std::mem::replace(&mut messages, vec![Vec::new(); processes]))?;
                own.as_mut_slice()[filled..filled + received[0].len()].copy_from_slice(&received[0]);
                (held, filled) = (0, filled + received[0].len());
            }
        }
        Ok(Lent { index, own, places, level: Shown::default(), processes })
    }

    pub(super) fn given(&self, level: Level, process: usize) -> usize {
        2 * share(self.index.places(level).len(), process, self.processes).len()
    }
}

impl Source for Lent {
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
        self.own.as_slice()[self.places[level.index()].clone()].into()
    }

    fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        self.level.show(2 * self.index.range(level).start as usize, parts, limits)
    }
}
