//! What the passes over layers have in common.

use super::expansion::Expansion;
use super::progress::Listener;
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

/// How far the forward pass goes: it ends with [`LimitReached::Size`](base::limits::LimitReached::Size) beyond either.
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
