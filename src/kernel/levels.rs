//! Finds the level of a node from its id. Ids ascend from the bottom level, so a table of level ends suffices; a second
//! table with an entry per block of ids makes the search short.

use super::ids::Id;
use super::level::Level;
use super::node::TERMINALS;
use std::marker::PhantomData;
use std::ops::Range;

/// Ids this far above the terminals each have an entry: bottom levels are small and looked up most.
const SINGLE: usize = 4096;
/// Ids per block, as a power of two.
const BLOCK: u32 = 10;

/// Level boundaries of one diagram, of nodes or of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LevelIndex<I> {
    /// `ends[v]`: first id above the ids of level `v`; `ends[levels]` is [`TERMINALS`].
    ends: Vec<u32>,
    single: Vec<u16>,
    block: Vec<u16>,
    ids: PhantomData<I>,
}

impl<I: Id> LevelIndex<I> {
    /// An index from `ends` as described at the field: descending, and ending with [`TERMINALS`].
    pub(super) fn new(ends: Vec<u32>) -> LevelIndex<I> {
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
        LevelIndex { ends, single, block, ids: PhantomData }
    }

    pub(super) fn levels(&self) -> u32 {
        (self.ends.len() - 1) as u32
    }

    pub(super) fn len(&self) -> usize {
        (self.ends[0] - TERMINALS) as usize
    }

    /// First id above those of a level; for [`Level::end`], the first above the terminals.
    #[inline(always)]
    pub(super) fn end(&self, level: Level) -> I {
        I::of_bits(self.ends[level.index()])
    }

    /// First id of a level that is not the level of terminals.
    #[inline(always)]
    pub(super) fn start(&self, level: Level) -> I {
        I::of_bits(self.ends[level.index() + 1])
    }

    /// The bits of the ids of a level.
    #[inline(always)]
    pub(super) fn range(&self, level: Level) -> Range<u32> {
        self.ends[level.index() + 1]..self.ends[level.index()]
    }

    /// The indices of the ids of a level among all ids.
    pub(super) fn places(&self, level: Level) -> Range<usize> {
        let Range { start, end } = self.range(level);
        (start - TERMINALS) as usize..(end - TERMINALS) as usize
    }

    /// The level of an id; [`Level::end`] for a terminal.
    #[inline(always)]
    pub(super) fn level(&self, id: I) -> Level {
        let id = id.to_bits();
        if id < TERMINALS {
            return Level::end(self.levels());
        }
        let k = (id - TERMINALS) as usize;
        if let Some(&level) = self.single.get(k) {
            return Level::new(level.into());
        }
        let mut level = self.block[k >> BLOCK] as usize;
        while level > 0 && id >= self.ends[level] {
            level -= 1;
        }
        Level::new(level as u32)
    }

    /// The id that assigns a request of a level to a partition: the given one if it is of this level; otherwise an
    /// arbitrary one, so that such requests are spread.
    #[inline(always)]
    pub(super) fn divider(&self, level: Level, id: I) -> I {
        let ids = self.range(level);
        if id.to_bits() >= ids.start || ids.is_empty() {
            return id;
        }
        let spread = u64::from(id.to_bits().wrapping_mul(0x9E37_79B9));
        I::of_bits(ids.start + ((spread * ids.len() as u64) >> 32) as u32)
    }
}
