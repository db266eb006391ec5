//! Levels of diagrams.

use super::ids::id;
use std::fmt;

id! {
    /// A level of a diagram; the top is 0.
    pub struct Level
}

impl Level {
    /// Deeper than all others: where nothing is read any more.
    pub const NONE: Level = Level::from_bits(u32::MAX);

    /// The level with this number; `u32::MAX` is [`Level::NONE`], as for levels of formulas.
    #[inline(always)]
    pub const fn new(number: u32) -> Level {
        Level::from_bits(number)
    }

    /// Where terminals are: behind the last of so many levels.
    #[inline(always)]
    pub const fn end(levels: u32) -> Level {
        Level::from_bits(levels)
    }

    /// So many levels, from the top.
    pub fn all(levels: u32) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + Clone {
        // Of `usize`, as ranges of `u32` do not know their size.
        (0..levels as usize).map(|number| Level::new(number as u32))
    }

    /// Its place in what has an entry for each level, and the number of levels above it.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.bits() as usize
    }

    /// The next level.
    #[inline(always)]
    pub const fn below(self) -> Level {
        Level::from_bits(self.bits() + 1)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.bits().fmt(formatter)
    }
}
