//! States as packed bits: which bit stands for which fluent.
//!
//! A fluent has a position, or it is a *default* and holds exactly where none of certain positions is set. Position 0
//! is the highest bit of the first word, so that packed states compare as their bits do from position 0 on.

use crate::interpreter::State;
use crate::propositional::{FluentId, Game};

/// The bits of the packed states of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Of the game.
    fluents: usize,
    /// By position.
    positions: Vec<FluentId>,
    /// Fluents without a position, each with the positions of which none may be set.
    defaults: Vec<(FluentId, Vec<u32>)>,
}

impl Layout {
    /// A position for every fluent.
    pub fn of_all(game: &Game) -> Layout {
        Layout { fluents: game.fluents.len(), positions: game.fluent_ids().collect(), defaults: Vec::new() }
    }

    /// With the given positions and defaults, in which every fluent of `fluents` has to occur once.
    pub fn new(fluents: usize, positions: Vec<FluentId>, defaults: Vec<(FluentId, Vec<u32>)>) -> Layout {
        assert_eq!(positions.len() + defaults.len(), fluents, "every fluent has a position or is a default");
        let known = |position: &u32| (*position as usize) < positions.len();
        assert!(defaults.iter().flat_map(|(_, unless)| unless).all(known), "defaults depend on positions");
        Layout { fluents, positions, defaults }
    }

    /// By position: the fluent.
    pub fn positions(&self) -> &[FluentId] {
        &self.positions
    }

    /// Fluents without a position, each with the positions of which none may be set where it holds.
    pub fn defaults(&self) -> &[(FluentId, Vec<u32>)] {
        &self.defaults
    }

    /// Words of a packed state, at least one.
    pub fn words(&self) -> usize {
        self.positions.len().div_ceil(64).max(1)
    }

    /// The packed form of a state; `None` if it is not one that the positions can tell.
    pub fn pack(&self, state: &State) -> Option<Vec<u64>> {
        let mut packed = vec![0; self.words()];
        for (position, &fluent) in self.positions.iter().enumerate() {
            packed[position / 64] |= u64::from(state.contains(fluent)) << bit(position);
        }
        let fits = |(fluent, unless): &(FluentId, Vec<u32>)| {
            state.contains(*fluent) != unless.iter().any(|&position| holds(&packed, position as usize))
        };
        self.defaults.iter().all(fits).then_some(packed)
    }

    /// The state of a packed form.
    pub fn state(&self, packed: &[u64]) -> State {
        let mut state = State::empty(self.fluents);
        let set = self.positions.iter().enumerate().filter(|(position, _)| holds(packed, *position));
        set.for_each(|(_, &fluent)| state.insert(fluent));
        for (fluent, unless) in &self.defaults {
            if !unless.iter().any(|&position| holds(packed, position as usize)) {
                state.insert(*fluent);
            }
        }
        state
    }
}

/// The bit of a position within its word.
#[inline]
pub(super) fn bit(position: usize) -> usize {
    63 - position % 64
}

/// Whether a packed state has a position set.
#[inline]
pub fn holds(packed: &[u64], position: usize) -> bool {
    packed[position / 64] >> bit(position) & 1 == 1
}
