//! Sets of states as sorted lists of packed states, and what the rules make of them: for games with few enough states to
//! be looked at one by one, whatever the diagrams of their rules are.
//!
//! The rules are evaluated on many states at once (see [`batch`](crate::batch)); a list holds a state in as many words as
//! its [`Layout`](crate::batch::Layout) has, without duplicates, ascending, so that the place of a state in it is its
//! rank. Successors are collected in sorted runs of twice the length each, and merged; ranks of successors are looked up
//! in a hash table of the list they lie in. Threads take ranges of a list, and what they find does not depend on them.
//!
//! Cost: a tenth of a microsecond a state and some 50 ns a successor; bytes of a list as packed, 8 more a state for
//! ranks, and up to three times those of the successors while they are collected.

mod engine;
mod index;
mod keys;
mod list;

pub use engine::{Engine, Expanded, Graph, Wrong};
pub use index::{Index, MISSING};
pub use list::{Collector, List};
