//! What all passes over layers share.

use super::expansion::Expansion;
use super::outcome::Engine;
use super::progress::Listener;
use super::{SolveError, growth};
use crate::store::LayerFigures;
use base::limits::LimitReached;
use game::encode::{EncodeError, SymbolicGame};
use game::propositional::{Game, Group};
use kernel::Context;
use num_bigint::BigUint;

pub struct Pass<'a> {
    pub game: &'a Game,
    pub groups: &'a [Group],
    pub expansion: &'a dyn Expansion,
    pub context: &'a Context,
    pub listener: &'a dyn Listener,
    /// Values are computed, so the backward pass finds dead ends instead of the forward pass.
    pub solving: bool,
    /// A state on a cycle, by level, if one is known.
    pub repeating: Option<&'a [bool]>,
    /// The probe found all states, and no state repeats.
    pub ends: bool,
    pub bounds: Bounds,
}

/// Bounds on the forward pass, which ends with [`LimitReached::Size`] beyond any of them.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Nodes of all layers together.
    pub nodes: u64,
    /// 64-bit words of keys of all sweeps together. If moves make the sweeps of a layer much larger than the layer,
    /// nodes tell little about the time.
    pub words: u64,
    /// States that are expanded one by one, because the layers of such states may have very few nodes.
    pub states: u64,
    /// The pass ends with [`EncodeError::TooLong`] where a look at every state is quicker.
    pub may_list: bool,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { nodes: u64::MAX, words: u64::MAX, states: u64::MAX, may_list: false };
}

impl Pass<'_> {
    /// The game of layers that are solved by rank; only where [`Expansion::by_rank`] has it.
    pub fn ranked_game(&self) -> &SymbolicGame {
        self.expansion.by_rank().expect("only moves that are relations are used by rank")
    }

    /// Fails if the layers together have more nodes than the bound.
    pub fn check_nodes(&self, nodes: u64) -> Result<(), LimitReached> {
        match nodes > self.bounds.nodes {
            true => Err(LimitReached::Size { what: "nodes of all layers".to_owned(), limit: self.bounds.nodes }),
            false => Ok(()),
        }
    }

    /// Fails if the pass may end where a look at every state is quicker, and it is, by the layers so far.
    pub fn check_pace(&self, layers: &[LayerFigures]) -> Result<(), SolveError> {
        let states = || growth::all(layers.iter().map(|layer| &layer.states));
        match self.bounds.may_list && self.expansion.falls_behind(&states) {
            true => Err(SolveError::TooComplex(EncodeError::TooLong)),
            false => Ok(()),
        }
    }

    /// Adds the states of a layer to those expanded before. Fails beyond the bound if states are expanded one by one.
    pub fn check_states(&self, before: &mut u64, layer: &BigUint) -> Result<(), LimitReached> {
        *before = before.saturating_add(u64::try_from(layer).unwrap_or(u64::MAX));
        match self.expansion.engine() == Engine::Explicit && *before > self.bounds.states {
            true => {
                Err(LimitReached::Size { what: "states expanded one by one".to_owned(), limit: self.bounds.states })
            }
            false => Ok(()),
        }
    }

    /// Runs a step of the forward pass. Its sweeps may have as many words of keys as the bound has left, where `words`
    /// was the count before the pass.
    pub fn within<T>(&self, words: u64, step: impl FnOnce() -> Result<T, SolveError>) -> Result<T, SolveError> {
        let left = self.bounds.words.saturating_sub(self.context.words() - words);
        self.context.within_words(left, step).map_err(|error| match error {
            SolveError::Limit(limit) if matches!(limit.reason(), LimitReached::Work { .. }) => {
                let what = "words of keys of all sweeps".to_owned();
                LimitReached::Size { what, limit: self.bounds.words }.into()
            }
            error => error,
        })
    }
}
