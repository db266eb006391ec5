//! What the passes over layers have in common.

use super::SolveError;
use super::expansion::Expansion;
use super::progress::Listener;
use base::limits::LimitReached;
use game::propositional::{Game, Group};
use kernel::Context;

/// What the passes over layers work on and with.
pub struct Pass<'a> {
    pub game: &'a Game,
    pub groups: &'a [Group],
    pub expansion: &'a dyn Expansion,
    pub context: &'a Context,
    pub listener: &'a dyn Listener,
    /// Values are wanted afterwards, so that dead ends will show by themselves.
    pub solving: bool,
    /// A state on a cycle, by level, if one is known.
    pub repeating: Option<&'a [bool]>,
    pub bounds: Bounds,
}

/// How far the forward pass goes: it ends with [`LimitReached::Size`] beyond either.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Of all its layers together.
    pub nodes: u64,
    /// 64-bit words of keys of all its sweeps: where moves make a layer's sweeps much larger than the layer, its nodes say
    /// little of the time they take.
    pub words: u64,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { nodes: u64::MAX, words: u64::MAX };
}

impl Pass<'_> {
    /// Fails if so many nodes of layers are more than there may be.
    pub fn check_nodes(&self, nodes: u64) -> Result<(), LimitReached> {
        match nodes > self.bounds.nodes {
            true => Err(LimitReached::Size { what: "nodes of all layers".to_owned(), limit: self.bounds.nodes }),
            false => Ok(()),
        }
    }

    /// A step of the forward pass, whose sweeps may have the keys that are left since there were so many words of them.
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
