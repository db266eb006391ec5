//! Mutex groups: fluents of which at most one holds in every reachable state.

use super::FluentId;

/// How many fluents of a group hold in a reachable state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKind {
    ExactlyOne,
    AtMostOne,
}

/// Fluents of which at most one holds in every reachable state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Ascending, at least one.
    pub fluents: Vec<FluentId>,
    pub kind: GroupKind,
}

impl Group {
    /// Number of values of the group as a variable: its fluents, and "none" if that can be.
    pub fn values(&self) -> usize {
        self.fluents.len() + usize::from(self.kind == GroupKind::AtMostOne)
    }

    /// Bits that number the values.
    pub fn bits(&self) -> u32 {
        self.values().next_power_of_two().trailing_zeros()
    }
}
