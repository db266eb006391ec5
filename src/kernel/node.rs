//! Ids of nodes, and how they are packed into keys.

use super::ids::{Id, id};
use super::memory::Plain;

pub const TERMINALS: u32 = 1 << 14;

id! {
    /// A terminal or an inner node. Ids of terminals come first; those of inner nodes ascend from the bottom level up.
    pub struct Node
}

// SAFETY: a node is an integer.
unsafe impl Plain for Node {}

impl Node {
    /// Terminal 0: the empty set; in a value diagram, "does not matter".
    pub const ZERO: Node = Node::terminal(0);
    /// Terminal 1; as a set, the set of the all-false assignment.
    pub const ONE: Node = Node::terminal(1);

    #[inline(always)]
    pub const fn terminal(terminal: u32) -> Node {
        debug_assert!(terminal < TERMINALS);
        Node::from_bits(terminal)
    }

    #[inline(always)]
    pub const fn inner(index: usize) -> Node {
        Node::from_bits(TERMINALS + index as u32)
    }

    #[inline(always)]
    pub const fn is_terminal(self) -> bool {
        self.bits() < TERMINALS
    }

    #[inline(always)]
    pub const fn as_terminal(self) -> Option<u32> {
        if self.is_terminal() { Some(self.bits()) } else { None }
    }

    #[inline(always)]
    pub(super) const fn known_terminal(self) -> u32 {
        debug_assert!(self.is_terminal());
        self.bits()
    }

    /// The index of an inner node among those of its diagram, from the bottom level up; `None` for a terminal.
    #[inline(always)]
    pub const fn index(self) -> Option<usize> {
        match self.bits().checked_sub(TERMINALS) {
            Some(index) => Some(index as usize),
            None => None,
        }
    }

    /// The node's entry in an array; `base` is the address that an entry for id 0 would have.
    #[inline(always)]
    pub(super) fn entry<T>(self, base: *const T) -> *const T {
        base.wrapping_add(self.bits() as usize)
    }
}

/// Packs a node (upper half) and another id (lower half) into a word.
#[inline(always)]
pub(super) fn pack(node: Node, other: impl Id) -> u64 {
    u64::from(node.bits()) << 32 | u64::from(other.to_bits())
}

#[inline(always)]
pub(super) fn unpack<T: Id>(word: u64) -> (Node, T) {
    (node_of(word), T::of_bits(word as u32))
}

#[inline(always)]
pub(super) fn node_of(word: u64) -> Node {
    Node::from_bits((word >> 32) as u32)
}

#[inline(always)]
pub(super) fn pack_alone(node: Node) -> u64 {
    node.bits().into()
}

#[inline(always)]
pub(super) fn unpack_alone(word: u64) -> Node {
    Node::from_bits(word as u32)
}
