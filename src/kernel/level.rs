//! Levels of diagrams.

use super::ids::id;
use std::fmt;

id! {
    pub struct Level
}

impl Level {
    /// A number larger than that of any level, for nodes that read no level.
    pub const NONE: Level = Level::from_bits(u32::MAX);

    /// The level with this number. `u32::MAX`, which formulas use if they read no level, gives [`Level::NONE`].
    #[inline(always)]
    pub const fn new(number: u32) -> Level {
        Level::from_bits(number)
    }

    /// The level of terminals, below all `levels` levels.
    #[inline(always)]
    pub const fn end(levels: u32) -> Level {
        Level::from_bits(levels)
    }

    pub fn all(levels: u32) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + Clone {
        // A range of `usize`, because ranges of `u32` have no exact size.
        (0..levels as usize).map(|number| Level::new(number as u32))
    }

    /// The index in tables by level, which is also the number of levels above.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.bits() as usize
    }

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
