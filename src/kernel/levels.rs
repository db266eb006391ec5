//! The level of a node from its id: ids ascend from the bottom level, so a table of level ends is enough, and a
//! table of one entry per block of ids makes the search short.

use super::{Node, TERMINALS};

/// Ids this far above the terminals have an entry of their own: bottom levels are small and asked for most.
const SINGLE: usize = 4096;
/// Ids per block, as a power of two.
const BLOCK: u32 = 10;

/// Level boundaries of one diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LevelIndex {
    /// `ends[v]`: first id above the ids of level `v`; `ends[levels]` is [`TERMINALS`].
    ends: Vec<u32>,
    single: Vec<u16>,
    block: Vec<u16>,
}

impl LevelIndex {
    /// From `ends` as described at the field: descending, the last one [`TERMINALS`].
    pub(super) fn new(ends: Vec<u32>) -> LevelIndex {
        let levels = ends.len() - 1;
        let nodes = (ends[0] - TERMINALS) as usize;
        let mut level = levels.saturating_sub(1);
        let mut at = |id: u32| {
            while level > 0 && id >= ends[level] {
                level -= 1;
            }
            level as u16
        };
        let single: Vec<u16> = (0..nodes.min(SINGLE)).map(|k| at(TERMINALS + k as u32)).collect();
        let mut block = vec![0; SINGLE >> BLOCK];
        block.extend((SINGLE >> BLOCK..(nodes >> BLOCK) + 1).map(|k| at(TERMINALS + ((k as u32) << BLOCK))));
        LevelIndex { ends, single, block }
    }

    pub(super) fn levels(&self) -> u32 {
        (self.ends.len() - 1) as u32
    }

    /// First id above the nodes of `level` (`level ≤ levels`; for `levels`, above the terminals).
    #[inline(always)]
    pub(super) fn end(&self, level: u32) -> u32 {
        self.ends[level as usize]
    }

    /// Ids of the nodes of `level < levels`.
    #[inline(always)]
    pub(super) fn range(&self, level: u32) -> std::ops::Range<u32> {
        self.start(level)..self.end(level)
    }

    /// First id of the nodes of `level < levels`.
    #[inline(always)]
    pub(super) fn start(&self, level: u32) -> u32 {
        self.ends[level as usize + 1]
    }

    /// The level of a node; `levels` for a terminal.
    #[inline(always)]
    pub(super) fn level(&self, id: Node) -> u32 {
        if id < TERMINALS {
            return self.levels();
        }
        let k = (id - TERMINALS) as usize;
        if let Some(&level) = self.single.get(k) {
            return u32::from(level);
        }
        let mut level = self.block[k >> BLOCK] as usize;
        while level > 0 && id >= self.ends[level] {
            level -= 1;
        }
        level as u32
    }
}
