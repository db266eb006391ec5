//! What the passes over layers have in common.

use super::expansion::Expansion;
use super::progress::Listener;
use crate::kernel::Context;
use crate::propositional::{Game, Group};

/// What the passes over layers work on and with.
pub struct Pass<'a> {
    pub game: &'a Game,
    pub groups: &'a [Group],
    pub expansion: &'a dyn Expansion,
    pub context: &'a Context,
    pub listener: &'a dyn Listener,
    /// Values are wanted afterwards, so that dead ends will show by themselves.
    pub solving: bool,
    /// The forward pass ends with [`LimitReached::Size`](crate::limits::LimitReached::Size) once its layers have more nodes
    /// than this together.
    pub most: u64,
}
