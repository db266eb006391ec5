//! Finds the level of a node from its id. Ids ascend from the bottom level up, so a table of the ends of levels
//! suffices; a second table, with an entry for each block of ids, shortens the search.

use super::ids::Id;
use super::level::Level;
use super::node::TERMINALS;
use std::marker::PhantomData;
use std::ops::Range;

/// Number of the lowest ids that have an entry each, because bottom levels are small and looked up most often.
const SINGLE: usize = 4096;
const BLOCK: u32 = 10;

/// The ends of the levels of a diagram, for ids of nodes or of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LevelIndex<I> {
    /// `ends[v]`: the first id above those of level `v`, descending in `v`; `ends[levels]` is [`TERMINALS`].
    ends: Vec<u32>,
    single: Vec<u16>,
    block: Vec<u16>,
    ids: PhantomData<I>,
}

impl<I: Id> LevelIndex<I> {
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

    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    pub(super) fn levels(&self) -> u32 {
        (self.ends.len() - 1) as u32
    }

    pub(super) fn bytes(&self) -> u64 {
        (size_of_val(&*self.ends) + size_of_val(&*self.single) + size_of_val(&*self.block)) as u64
    }

    pub(super) fn len(&self) -> usize {
        (self.ends[0] - TERMINALS) as usize
    }

    /// The first id above those of a level; for [`Level::end`], the first id above the terminals.
    #[inline(always)]
    pub(super) fn end(&self, level: Level) -> I {
        I::of_bits(self.ends[level.index()])
    }

    /// The first id of a level other than [`Level::end`].
    #[inline(always)]
    pub(super) fn start(&self, level: Level) -> I {
        I::of_bits(self.ends[level.index() + 1])
    }

    #[inline(always)]
    pub(super) fn range(&self, level: Level) -> Range<u32> {
        self.ends[level.index() + 1]..self.ends[level.index()]
    }

    pub(super) fn places(&self, level: Level) -> Range<usize> {
        let Range { start, end } = self.range(level);
        (start - TERMINALS) as usize..(end - TERMINALS) as usize
    }

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

    /// The id that determines the partition of a request of `level`. If `id` lies on a deeper level and `level` has
    /// ids, the result is one of these, by a hash that spreads such requests.
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
