//! Numbers of paths: exact in 64 bits, exact in any size, or not counted at all.

use crate::verify::diagram::Set;
use num_bigint::BigUint;

pub trait Ways: Clone + Send + From<u32> + for<'n> std::ops::AddAssign<&'n Self> {
    fn bytes(levels: usize) -> usize;
    /// The number of paths times the number of states below a node; `None` if the latter is unknown.
    fn times_states(&self, set: &Set, node: u32) -> Option<Self>;
}

/// For sets of fewer than 2^48 states.
impl Ways for u64 {
    fn bytes(_: usize) -> usize {
        size_of::<u64>()
    }

    fn times_states(&self, set: &Set, node: u32) -> Option<u64> {
        Some(self * set.count(node))
    }
}

impl Ways for BigUint {
    fn bytes(levels: usize) -> usize {
        levels / 8 + 40
    }

    fn times_states(&self, _: &Set, node: u32) -> Option<BigUint> {
        (node == 1).then(|| self.clone())
    }
}

/// For walks that only need to know whether there is a path.
#[derive(Debug, Clone, Copy)]
pub struct AtLeastOne;

impl From<u32> for AtLeastOne {
    fn from(_: u32) -> Self {
        AtLeastOne
    }
}

impl std::ops::AddAssign<&AtLeastOne> for AtLeastOne {
    fn add_assign(&mut self, _: &AtLeastOne) {}
}

impl Ways for AtLeastOne {
    fn bytes(_: usize) -> usize {
        0
    }

    fn times_states(&self, _: &Set, _: u32) -> Option<AtLeastOne> {
        Some(AtLeastOne)
    }
}
