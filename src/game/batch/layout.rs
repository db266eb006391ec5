//! States as packed bits: the bits that encode each fluent.
//!
//! A fluent holds if and only if certain bits are set and certain other bits are not. There are three cases: the fluent
//! has its own bit; or it is a *default*, which holds if none of certain bits is set; or it belongs to a block, of
//! whose fluents at most one holds, and the bits of the block are the number of this fluent. Bit 0 is the highest bit
//! of the first word, so that packed states compare in the order of their bits.

use crate::interpreter::State;
use crate::propositional::{FluentId, Game};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FluentBits {
    /// Bits that are set if the fluent holds.
    pub ones: Vec<u32>,
    /// Bits that are not set if the fluent holds.
    pub zeros: Vec<u32>,
}

/// A condition that a state must satisfy to have a packed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Demand {
    pub members: Vec<FluentId>,
    /// Whether at most one of the members may hold.
    pub exclusive: bool,
    pub default: Option<FluentId>,
}

/// Fluents of which at most one holds at a time; the number of the one that holds is packed into few bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coded {
    pub fluents: Vec<FluentId>,
    /// The fluent that holds exactly if none of `fluents` does.
    pub default: Option<FluentId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    bits: Vec<Vec<FluentId>>,
    fluents: Vec<FluentBits>,
    demands: Vec<Demand>,
}

impl Layout {
    pub fn of_all(game: &Game) -> Layout {
        Layout::new(game.fluents.len(), game.fluent_ids().collect(), Vec::new())
    }

    /// A layout with one bit for each fluent of `positions`, in this order. A fluent of `defaults` holds if none of its
    /// positions is set. Each of the `fluents` fluents must occur exactly once; only their number is asserted.
    pub fn new(fluents: usize, positions: Vec<FluentId>, defaults: Vec<(FluentId, Vec<u32>)>) -> Layout {
        assert_eq!(positions.len() + defaults.len(), fluents, "every fluent has a position or is a default");
        let mut fluents = vec![FluentBits::default(); fluents];
        (0..).zip(&positions).for_each(|(bit, fluent)| fluents[fluent.index()].ones.push(bit));
        let demand = |(fluent, unless): (FluentId, Vec<u32>)| {
            let members = unless.iter().map(|&position| positions[position as usize]).collect();
            fluents[fluent.index()].zeros = unless;
            Demand { members, exclusive: false, default: Some(fluent) }
        };
        let demands = defaults.into_iter().map(demand).collect();
        Layout { bits: positions.into_iter().map(|fluent| vec![fluent]).collect(), fluents, demands }
    }

    /// A layout of blocks, each in as few bits as the numbers of its fluents need; no block crosses the end of a word.
    /// States compare by their blocks, in order. Each of the `fluents` fluents must occur exactly once; only their
    /// number is asserted.
    pub fn coded(fluents: usize, blocks: &[Coded]) -> Layout {
        let occurring = blocks.iter().map(|block| block.fluents.len() + usize::from(block.default.is_some()));
        assert_eq!(occurring.sum::<usize>(), fluents, "every fluent is in one block");
        let mut layout =
            Layout { bits: Vec::new(), fluents: vec![FluentBits::default(); fluents], demands: Vec::new() };
        for block in blocks {
            let (values, width) = (block.fluents.len(), bits_for(block.fluents.len()));
            if layout.bits.len() % 64 + width > 64 {
                layout.bits.resize(layout.bits.len().next_multiple_of(64), Vec::new());
            }
            let first = layout.bits.len();
            layout.bits.resize(first + width, Vec::new());
            // The first fluent has the largest number, so a state with this fluent comes after a state without it.
            for (number, &fluent) in (1..=values).rev().zip(&block.fluents) {
                let bits_of = &mut layout.fluents[fluent.index()];
                for bit in 0..width {
                    if number >> (width - 1 - bit) & 1 == 1 {
                        bits_of.ones.push((first + bit) as u32);
                        layout.bits[first + bit].push(fluent);
                    } else {
                        bits_of.zeros.push((first + bit) as u32);
                    }
                }
            }
            if let Some(default) = block.default {
                layout.fluents[default.index()].zeros = (first as u32..(first + width) as u32).collect();
            }
            if values > 1 || block.default.is_some() {
                let (members, default) = (block.fluents.clone(), block.default);
                layout.demands.push(Demand { members, exclusive: values > 1, default });
            }
        }
        layout
    }

    /// For each bit, the fluents that set it; none if it is never set.
    pub(super) fn bits(&self) -> &[Vec<FluentId>] {
        &self.bits
    }

    pub(super) fn demands(&self) -> &[Demand] {
        &self.demands
    }

    pub fn fluent_bits(&self) -> &[FluentBits] {
        &self.fluents
    }

    /// Number of words of a packed state, at least one.
    pub fn words(&self) -> usize {
        self.bits.len().div_ceil(64).max(1)
    }

    /// The packed form of a state; `None` if the state breaks a demand of the layout.
    pub fn pack(&self, state: &State) -> Option<Vec<u64>> {
        let mut packed = vec![0; self.words()];
        for fluent in state.fluents() {
            self.fluents[fluent.index()].ones.iter().for_each(|&bit| packed[bit as usize / 64] |= mask(bit));
        }
        (self.state(&packed) == *state).then_some(packed)
    }

    pub fn state(&self, packed: &[u64]) -> State {
        let mut state = State::empty(self.fluents.len());
        for (fluent, bits_of) in (0..).map(FluentId).zip(&self.fluents) {
            let set = |bit: &u32| holds(packed, *bit as usize);
            if bits_of.ones.iter().all(set) && !bits_of.zeros.iter().any(set) {
                state.insert(fluent);
            }
        }
        state
    }
}

fn bits_for(values: usize) -> usize {
    (usize::BITS - values.leading_zeros()) as usize
}

#[inline]
pub(super) fn shift(bit: usize) -> usize {
    63 - bit % 64
}

#[inline]
pub fn mask(bit: u32) -> u64 {
    1 << shift(bit as usize)
}

#[inline]
pub fn holds(packed: &[u64], bit: usize) -> bool {
    packed[bit / 64] >> shift(bit) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(range: std::ops::Range<u32>) -> Vec<FluentId> {
        range.map(FluentId).collect()
    }

    fn state(fluents: usize, holding: &[u32]) -> State {
        let mut state = State::empty(fluents);
        holding.iter().for_each(|&fluent| state.insert(FluentId(fluent)));
        state
    }

    #[test]
    fn numbers_of_blocks_keep_the_order_of_their_fluents() {
        let blocks = [
            Coded { fluents: ids(0..5), default: Some(FluentId(5)) },
            Coded { fluents: ids(6..7), default: None },
            Coded { fluents: ids(7..10), default: None },
        ];
        let layout = Layout::coded(10, &blocks);
        assert_eq!((layout.words(), layout.bits().len()), (1, 3 + 1 + 2));
        let (mut states, mut packed) = (Vec::new(), Vec::new());
        // In ascending order: first a block without a value, then its fluents from the last to the first.
        for first in [5, 4, 3, 2, 1, 0] {
            for second in [&[][..], &[6]] {
                for third in [&[][..], &[9], &[8], &[7]] {
                    states.push(state(10, &[&[first], second, third].concat()));
                }
            }
        }
        for state in &states {
            packed.push(layout.pack(state).expect("one of each block"));
            assert_eq!(layout.state(packed.last().unwrap()), *state);
        }
        assert!(packed.is_sorted());
        for unfit in [&[0, 1][..], &[6], &[4, 5], &[5, 7, 8]] {
            assert_eq!(layout.pack(&state(10, unfit)), None, "{unfit:?}");
        }
    }

    #[test]
    fn no_block_goes_over_the_end_of_a_word() {
        let blocks: Vec<Coded> =
            (0..30).map(|block| Coded { fluents: ids(7 * block..7 * block + 7), default: None }).collect();
        let layout = Layout::coded(210, &blocks);
        assert_eq!((layout.words(), layout.bits().len()), (2, 64 + 27));
        assert!(layout.bits()[63].is_empty());
        let state = state(210, &(0..30).map(|block| 7 * block + block % 7).collect::<Vec<_>>());
        assert_eq!(layout.state(&layout.pack(&state).unwrap()), state);
    }
}
