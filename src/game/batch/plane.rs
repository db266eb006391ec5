//! Planes: one bit of each state of a batch. States become planes by transposing 64 × 64 bits, which takes six rounds
//! of swaps of halves (Warren, "Hacker's Delight", 2nd ed., section 7-3).

use base::bits::ones;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

pub(super) const WORDS: usize = 8;
pub const LANES: usize = 64 * WORDS;

/// The bit of lane `k` is bit `k % 64` of word `k / 64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(64))]
pub struct Plane(pub [u64; WORDS]);

impl Plane {
    pub const NONE: Plane = Plane([0; WORDS]);

    pub fn first(lanes: usize) -> Plane {
        let word = |index: usize| match lanes.saturating_sub(64 * index) {
            64.. => u64::MAX,
            lanes => (1 << lanes) - 1,
        };
        Plane(std::array::from_fn(word))
    }

    pub fn is_none(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Panics if the lane is not below [`LANES`].
    #[inline]
    pub fn get(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    #[inline]
    pub fn set(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    #[inline]
    pub fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| ones(word).map(move |bit| 64 * index + bit))
    }
}

macro_rules! operation {
    ($operation:ident, $name:ident, $assignment:ident, $assign:ident) => {
        impl $operation for Plane {
            type Output = Plane;
            #[inline]
            fn $name(self, other: Plane) -> Plane {
                Plane(std::array::from_fn(|index| self.0[index].$name(other.0[index])))
            }
        }

        impl $assignment for Plane {
            #[inline]
            fn $assign(&mut self, other: Plane) {
                *self = self.$name(other);
            }
        }
    };
}

operation!(BitAnd, bitand, BitAndAssign, bitand_assign);
operation!(BitOr, bitor, BitOrAssign, bitor_assign);

impl Not for Plane {
    type Output = Plane;
    #[inline]
    fn not(self) -> Plane {
        Plane(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lanes_are_as_many_as_asked_for() {
        for lanes in [0, 1, 63, 64, 65, 200, LANES - 1, LANES] {
            assert_eq!(Plane::first(lanes).lanes().collect::<Vec<_>>(), (0..lanes).collect::<Vec<_>>());
            assert_eq!(Plane::first(lanes).count(), lanes);
        }
    }
}
