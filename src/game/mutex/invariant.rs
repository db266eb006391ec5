//! Claims about sets of fluents: how many of them hold in every reachable state.

use crate::propositional::FluentId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    AtMostOne,
    AtLeastOne,
}

/// A claim about every reachable state. It must hold in the initial state.
#[derive(Debug, Clone)]
pub(super) struct Invariant {
    /// Ascending.
    pub members: Vec<FluentId>,
    pub bound: Bound,
}
