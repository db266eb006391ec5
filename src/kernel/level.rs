//! Levels of diagrams.

use super::ids::id;
use std::fmt;

id! {
    /// A level of a diagram; the top is 0.
    pub struct Level
}

impl Level {
    /// Deeper than all others, for what reads no level.
    pub const NONE: Level = Level::from_bits(u32::MAX);

    /// The level with this number; `u32::MAX` is [`Level::NONE`], as for levels of formulas.
    #[inline(always)]
    pub const fn new(number: u32) -> Level {
        Level::from_bits(number)
    }

    /// The level of terminals: the one after the last of a number of levels.
    #[inline(always)]
    pub const fn end(levels: u32) -> Level {
        Level::from_bits(levels)
    }

    /// The levels from the top, a number of them.
    pub fn all(levels: u32) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + Clone {
        // A range of `usize`, as ranges of `u32` have no exact size.
        (0..levels as usize).map(|number| Level::new(number as u32))
    }

    /// Its index in tables by level, which is also the number of levels above it.
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
