//! Decision diagrams by level sweeps.
//!
//! A [`Diagram`] is an immutable array of nodes. An operation on diagrams is one sweep over the levels, the image two
//! (see [`sweep`]): on the way down, each distinct request (a node, and what the operation must remember there) is
//! expanded into requests of deeper levels; on the way up, the results are reduced to nodes of a new diagram. There is
//! no manager, no reference count, no garbage collection and no lossy cache. The memory for requests is accounted in
//! [`Limits`](base::limits::Limits); if memory is short, data that is not needed at once goes to temporary files. A
//! limit that is reached is returned as an error.
//!
//! Level 0 is the top. A set (zero-suppressed) gives each element terminal 1, a multi-terminal set any terminal other
//! than 0; a value diagram gives every assignment a terminal (see [`diagram`]). Results do not depend on the number of
//! threads, and equal functions are written as equal bytes.

mod bitvector;
mod bounds;
mod canonical;
mod change;
mod combine;
mod context;
mod count;
pub mod diagram;
mod elements;
mod filling;
mod frames;
mod gather;
mod guarded;
mod ids;
mod image;
mod level;
mod levels;
mod lists;
mod memory;
mod node;
mod numbered;
mod pack;
mod pack_counts;
mod packed;
mod packed_counts;
mod paired;
mod pairs;
mod peers;
mod preimage;
mod ranking;
mod records;
mod relation;
mod restrict;
mod select;
mod select_together;
mod shown;
mod source;
mod sweep;
mod tally;
mod terminals;
mod threads;
mod unpack;

pub use bitvector::{Bitvector, Codes, code_bits};
pub use change::{Changes, MOST_WEIGHT, NO_PAIR, Row};
pub use combine::{difference, intersection, union};
pub use context::{Context, KINDS, Kind, Manner};
pub use diagram::{Diagram, Given, MAX_LEVELS};
pub use elements::{SetBuilder, true_levels};
pub use gather::{
    MOST_MOVERS, MOVES, Most, Prepared, RankedTally, Retrograde, Settling, Slices, UNRANKED_BYTES, Unsolved, Way,
    Wishes, execute, in_parts, labels, prepare, ranked, ranked_beside, ranked_codes, ranked_within, state_by_state,
    unranked, unranked_set, widened,
};
pub use guarded::{GUARDED_BYTES, Guarded, Reading, guarded};
pub use image::{image, image_together};
pub use level::Level;
pub use node::{Node, TERMINALS};
pub use numbered::Numbered;
pub use pack::Packed;
pub use packed::{Layout, UnpackError};
pub use packed_counts::CountLayout;
pub use peers::Exchange;
pub use preimage::preimage;
pub use ranking::{MOST_RANKED, Ranking};
pub use records::bytes_of_node;
pub use relation::{IDENTITY, NONE, RelationId, RelationNode, Relations};
pub use restrict::restrict;
pub use select::classify;
pub use select_together::{help_to_select, select_together};
pub use tally::tally;
pub use terminals::{as_values, overlay, renamed};

use base::limits::LimitReached;

/// The value of a state that is neither terminal nor has a successor, see [`preimage()`].
pub const DEAD_END: u32 = TERMINALS - 1;

/// The decision of an automaton that has read a part of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Undecided,
    Decided(u32),
}

/// A deterministic automaton that reads an assignment from the top level down. It makes its states on demand, with ids
/// below 2^31. Several threads may call it at once. It remains usable after an error, which ends the sweep.
pub trait Automaton: Sync {
    /// The level that a state reads; [`Level::NONE`] if it is decided. Skipped levels do not matter.
    fn level(&self, state: u32) -> Level;
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached>;
    fn outcome(&self, state: u32) -> Outcome;

    /// The size of all states that were made on demand so far. To make a unit takes about as long as [`UNIT`] words of
    /// keys.
    fn size(&self) -> u64 {
        0
    }
}

/// See [`Automaton::size`].
const UNIT: u64 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    Unknown,
    No,
    /// The state is terminal with this value (a terminal id of at least 1).
    Value(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayoffInfo {
    pub mover: Option<u8>,
    pub terminal: Terminal,
}

/// As [`Automaton`], for the mover of a state and the payoff of a terminal state.
pub trait Payoff: Sync {
    fn level(&self, state: u32) -> Level;
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached>;
    fn info(&self, state: u32) -> PayoffInfo;

    /// As [`Automaton::size`].
    fn size(&self) -> u64 {
        0
    }
}

/// The movers' orders of values: `ranks[mover][value]`, larger is better; `ranks[mover][0]` is unused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferences {
    pub ranks: Vec<Vec<u32>>,
    /// For each value of the payoff, the value that replaces it in terminal states; empty if values stay as they are.
    pub terminals: Vec<u32>,
}

impl Preferences {
    pub fn new(ranks: Vec<Vec<u32>>) -> Preferences {
        Preferences { ranks, terminals: Vec::new() }
    }
}

/// The value that replaces `value` in terminal states (see [`Preferences::terminals`]).
#[inline(always)]
pub fn of_terminal(terminals: &[u32], value: u32) -> u32 {
    terminals.get(value as usize).copied().unwrap_or(value)
}
