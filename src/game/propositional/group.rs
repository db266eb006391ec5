//! Mutex groups: fluents of which at most one holds in every reachable state.

use super::FluentId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKind {
    ExactlyOne,
    AtMostOne,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The fluents, ascending, at least one.
    pub fluents: Vec<FluentId>,
    pub kind: GroupKind,
}

impl Group {
    /// Number of variables of the group: one per fluent, but none for the default of an exactly-one group.
    pub fn bits(&self) -> u32 {
        self.fluents.len() as u32 - u32::from(self.kind == GroupKind::ExactlyOne)
    }
}
