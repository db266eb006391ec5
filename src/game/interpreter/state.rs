//! A state as a bit set of fluents.

use crate::propositional::{FluentId, Game};
use base::bits::ones;
use smallvec::{SmallVec, smallvec};

/// Bytes that an allocation takes in addition to its contents, about.
const ALLOCATION: usize = 16;
/// Number of words that take no allocation. Tables may have millions of states.
const FEW: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(SmallVec<[u64; FEW]>);

impl State {
    pub fn empty(fluents: usize) -> Self {
        State(smallvec![0; fluents.div_ceil(64)])
    }

    pub fn from_flags(flags: &[bool]) -> Self {
        let mut state = State::empty(flags.len());
        for (index, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
            state.insert(FluentId(index as u32));
        }
        state
    }

    /// Bytes that the state takes elsewhere.
    pub fn bytes(&self) -> usize {
        if self.0.spilled() { size_of_val(&*self.0) + ALLOCATION } else { 0 }
    }

    pub fn words(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn set_word(&mut self, place: usize, bits: u64) {
        self.0[place] = bits;
    }

    pub fn contains(&self, fluent: FluentId) -> bool {
        self.0[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1
    }

    pub fn insert(&mut self, fluent: FluentId) {
        self.0[fluent.index() / 64] |= 1 << (fluent.index() % 64);
    }

    pub fn differences(&self, other: &State) -> u32 {
        self.0.iter().zip(&other.0).map(|(left, right)| (left ^ right).count_ones()).sum()
    }

    /// The number of fluents that differ both from `before` and from `other`.
    pub fn changes(&self, before: &State, other: &State) -> u32 {
        let words = self.0.iter().zip(&before.0).zip(&other.0);
        words.map(|((own, before), other)| ((own ^ before) & (own ^ other)).count_ones()).sum()
    }

    pub fn fluents(&self) -> impl Iterator<Item = FluentId> + '_ {
        let words = self.0.iter().enumerate();
        words.flat_map(|(word, &bits)| ones(bits).map(move |bit| FluentId((word * 64 + bit) as u32)))
    }

    pub fn names(&self, game: &Game) -> Vec<String> {
        let mut names: Vec<String> = self.fluents().map(|fluent| game.fluents[fluent.index()].to_string()).collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fluents_come_back_in_order_across_words() {
        let mut state = State::empty(130);
        for fluent in [129, 0, 64, 63] {
            state.insert(FluentId(fluent));
        }
        assert_eq!(state.fluents().map(|fluent| fluent.0).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(state.contains(FluentId(64)) && !state.contains(FluentId(65)));
    }
}
