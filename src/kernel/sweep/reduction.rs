//! Makes the result of a request from the results of its children.

use crate::node::{Node, pack};

/// Makes results from the results of children. Results below the number of terminals are terminals; other results are
/// positions of nodes, counted in `Unit`s.
pub(crate) trait Reduction: Sync {
    const CHILDREN: usize;
    const UNIQUE: bool = true;
    /// Whether requests leave words for the way up (see `Output::leave`).
    const PAYLOAD: bool = false;
    type Unit: Copy;
    type Node: Copy;

    fn made(&self, children: &[u32], payload: Payload) -> Made<Self::Node>;

    /// A hash that spreads nodes evenly over all numbers.
    fn hash(node: &Self::Node) -> u32;

    fn units(node: &Self::Node) -> u32;

    /// # Safety
    /// `at` must have room for the node's units.
    unsafe fn write(node: &Self::Node, at: *mut Self::Unit);

    /// # Safety
    /// A node must have been written at `at`.
    unsafe fn is_at(node: &Self::Node, at: *const Self::Unit) -> bool;
}

pub(crate) trait Sendable: Reduction {
    /// # Safety
    /// As for [`Reduction::is_at`].
    unsafe fn read(at: *const Self::Unit) -> Self::Node;
}

#[derive(Clone, Copy)]
pub(crate) enum Made<N> {
    Known(u32),
    Node(N),
}

#[derive(Clone, Copy)]
pub(crate) struct Payload {
    pub(crate) words: *const u64,
    pub(crate) length: u32,
}

impl Payload {
    pub(super) const NONE: Payload = Payload { words: std::ptr::null(), length: 0 };
}

/// Nodes of a diagram, where a node whose `hi` is terminal 0 is replaced by its `lo`.
pub(crate) struct Nodes<const DONT_CARE: bool>;

/// Nodes of a set.
pub(crate) type ZeroSuppressed = Nodes<false>;

/// Nodes of a value diagram, where terminal 0 means "does not matter". A node with terminal 0 as a child, or with two
/// equal children, is replaced by its other child.
pub(crate) type DontCare = Nodes<true>;

impl<const DONT_CARE: bool> Reduction for Nodes<DONT_CARE> {
    const CHILDREN: usize = 2;
    type Unit = [Node; 2];
    type Node = [Node; 2];

    #[inline(always)]
    fn made(&self, children: &[u32], _payload: Payload) -> Made<[Node; 2]> {
        let (lo, hi) = (Node::from_bits(children[0]), Node::from_bits(children[1]));
        if hi == Node::ZERO {
            Made::Known(lo.bits())
        } else if DONT_CARE && (lo == Node::ZERO || lo == hi) {
            Made::Known(hi.bits())
        } else {
            Made::Node([lo, hi])
        }
    }

    #[inline(always)]
    fn hash(&[lo, hi]: &[Node; 2]) -> u32 {
        let x = pack(lo, hi).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
    }

    #[inline(always)]
    fn units(_node: &[Node; 2]) -> u32 {
        1
    }

    #[inline(always)]
    unsafe fn write(node: &[Node; 2], at: *mut [Node; 2]) {
        // SAFETY: by the trait's contract.
        unsafe { *at = *node };
    }

    #[inline(always)]
    unsafe fn is_at(node: &[Node; 2], at: *const [Node; 2]) -> bool {
        // SAFETY: by the trait's contract.
        unsafe { *at == *node }
    }
}

impl<const DONT_CARE: bool> Sendable for Nodes<DONT_CARE> {
    #[inline(always)]
    unsafe fn read(at: *const [Node; 2]) -> [Node; 2] {
        // SAFETY: by the trait's contract.
        unsafe { *at }
    }
}
