//! Slots: one 64-bit word for each request of a sweep, which holds one thing after the other.
//!
//! | the slot holds | how | written by | may be read by | until |
//! | --- | --- | --- | --- | --- |
//! | its **key** | the key itself where keys are one word, else position and length of its words | the thread that owns the queue (level and shard) of the request, when it adds it | the same thread, to compare keys | the level is closed |
//! | | | nobody | the thread that expands the request; [`Work::by_key`](super::work::Work::by_key), before any is expanded | the request is expanded |
//! | its **references** | two halves, one for each child; or position of words that the operation wrote, and a tag | terminals, position and tag: the thread that expands the request. A reference to a request: the thread that **owns the child's queue**, through the [`Target`] that came with the child, be it in a slot or in the operation's words. Each half is written once | nobody | the level is expanded by all threads |
//! | | | nobody | anybody | the way up comes to its level |
//! | its **result** | the lower half | the thread that works on the request's piece of the level | while the level is worked on: that thread; and others the words that its table has told them, see `up` | the level is done |
//! | | | nobody | anybody, from higher levels | the end of the sweep |
//!
//! From one row to the next all threads meet (they start and end together, or one works alone), or it is the same
//! thread that goes on; so no word is ever read while it is written, and none is written by two threads at once.
//! Slots below [`TERMINALS`] are the terminals: they hold themselves as results from the beginning.

use super::memory::{prefetch, prefetch_to_write};
use super::{Node, TERMINALS};
use std::num::NonZeroU32;

/// A request, by the number of its slot in the whole sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(super) struct RequestId(NonZeroU32);

impl RequestId {
    /// The request with a slot's number.
    #[inline(always)]
    pub(super) fn new(number: u32) -> RequestId {
        debug_assert!(number >= TERMINALS, "the slot of a terminal");
        // SAFETY: requests are numbered from `TERMINALS` on, see `Capacity`.
        RequestId(unsafe { NonZeroU32::new_unchecked(number) })
    }

    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.0.get()
    }
}

/// What a request knows of a child: the number of a terminal or of a request; or what else the operation means by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Reference(pub(super) u32);

impl From<RequestId> for Reference {
    #[inline(always)]
    fn from(request: RequestId) -> Reference {
        Reference(request.number())
    }
}

/// Words of a sweep by position: a key, or an operation's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Place(pub(super) u32);

/// Where a reference is to be written: half a slot, or half of one of an operation's words.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Target(*mut u32);

// SAFETY: only who finds or adds the child writes there, once; nobody reads before the level's threads have met.
unsafe impl Send for Target {}

impl Target {
    /// A half word at an address.
    #[inline(always)]
    pub(super) fn new(half: *mut u32) -> Target {
        Target(half)
    }

    /// The half word after this one.
    #[inline(always)]
    pub(super) fn after(self) -> Target {
        Target(self.0.wrapping_add(1))
    }

    /// # Safety
    /// The target must belong to a request being expanded, and nobody else may write it.
    #[inline(always)]
    pub(super) unsafe fn set(self, reference: Reference) {
        // SAFETY: by this function's contract.
        unsafe { *self.0 = reference.0 };
    }

    #[inline(always)]
    pub(super) fn prefetch(self) {
        prefetch_to_write(self.0);
    }
}

/// In the upper half of a slot, while several threads reduce its level: the lower half is not the result but a
/// request with the same one.
const SAME_AS: u32 = u32::MAX;

/// What a slot holds between the steps of a shared way up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Result,
    /// A node that this request was chosen to stand for.
    Node([Node; 2]),
    /// The result is that of a chosen request.
    SameAs(RequestId),
}

#[inline(always)]
fn word_of([lower, upper]: [u32; 2]) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

/// The word of a slot. The contract of every unsafe method is that of the module's table: the slot must hold what is
/// read, and the caller be the one who may read or write it.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(super) struct Slot(*mut u64);

#[allow(clippy::missing_safety_doc, reason = "one contract for all, told at the type")]
impl Slot {
    #[inline(always)]
    pub(super) fn new(word: *mut u64) -> Slot {
        Slot(word)
    }

    #[inline(always)]
    pub(super) fn prefetch(self) {
        prefetch(self.0);
    }

    /// The key of one word.
    #[inline(always)]
    pub(super) unsafe fn key(self) -> u64 {
        // SAFETY: by the type's contract, as in all that follow.
        unsafe { *self.0 }
    }

    /// The key of one word, where it stands.
    #[inline(always)]
    pub(super) unsafe fn key_in_place<'k>(self) -> &'k [u64] {
        unsafe { std::slice::from_raw_parts(self.0, 1) }
    }

    #[inline(always)]
    pub(super) unsafe fn set_key(self, key: u64) {
        unsafe { *self.0 = key };
    }

    /// Position and number of a longer key's words.
    #[inline(always)]
    pub(super) unsafe fn key_place(self) -> (Place, u32) {
        let word = unsafe { *self.0 };
        (Place((word >> 32) as u32), word as u32)
    }

    #[inline(always)]
    pub(super) unsafe fn set_key_place(self, Place(at): Place, words: u32) {
        unsafe { *self.0 = word_of([words, at]) };
    }

    /// Where the reference of the child `bit` goes.
    #[inline(always)]
    pub(super) fn child(self, bit: usize) -> Target {
        debug_assert!(bit < 2, "a slot has two halves");
        Target(self.0.cast::<u32>().wrapping_add(bit))
    }

    #[inline(always)]
    pub(super) unsafe fn references(self) -> [Reference; 2] {
        unsafe { *self.0.cast::<[Reference; 2]>() }
    }

    /// Position of the operation's words, and a tag: the upper and the lower half.
    #[inline(always)]
    pub(super) unsafe fn words(self) -> (Place, u32) {
        let word = unsafe { *self.0 };
        (Place((word >> 32) as u32), word as u32)
    }

    #[inline(always)]
    pub(super) unsafe fn set_words(self, Place(at): Place, tag: u32) {
        unsafe { *self.0 = word_of([tag, at]) };
    }

    #[inline(always)]
    pub(super) unsafe fn result(self) -> u32 {
        unsafe { *self.0 as u32 }
    }

    #[inline(always)]
    pub(super) unsafe fn set_result(self, result: u32) {
        unsafe { *self.0 = u64::from(result) };
    }

    /// The node that the slot holds while its level is reduced by several threads (its `hi` is neither 0 nor the
    /// largest number); another thread may ask once the table told it of the slot.
    #[inline(always)]
    pub(super) unsafe fn holds_node(self, node: [Node; 2]) -> bool {
        unsafe { *self.0 == word_of(node) }
    }

    #[inline(always)]
    pub(super) unsafe fn set_node(self, node: [Node; 2]) {
        debug_assert!(node[1] != 0 && node[1] != SAME_AS);
        unsafe { *self.0 = word_of(node) };
    }

    #[inline(always)]
    pub(super) unsafe fn set_same_as(self, chosen: RequestId) {
        unsafe { *self.0 = word_of([chosen.number(), SAME_AS]) };
    }

    #[inline(always)]
    pub(super) unsafe fn held(self) -> Held {
        let word = unsafe { *self.0 };
        match [word as u32, (word >> 32) as u32] {
            [_, 0] => Held::Result,
            [chosen, SAME_AS] => Held::SameAs(RequestId::new(chosen)),
            node => Held::Node(node),
        }
    }
}
