//! Sweeps over diagrams. On the way down, each distinct request is expanded into requests of deeper levels; on the way
//! up, their results are reduced to the result of the request, usually a node of a diagram. If only weights are needed,
//! such as counts of states, they go down with the requests, and there is no way up.
//!
//! **Partitions.** The requests of a level are divided into partitions by ranges of the ids of one of their nodes, so
//! that the requests of a partition read neighbouring nodes. A child is appended as a record to the **stream** of its
//! level and partition, so all writes are sequential. When a partition is expanded, a hash table that fits the
//! processor's cache finds equal records. Threads share a level by whole partitions and have their own streams, so
//! within a level they share only the next partition's number and the supply of memory.
//!
//! **No pointers.** Each record gets a **reference**, the number of its request within the partition. An expanded
//! request leaves a **code** for each child: a terminal, or the stream to which the child's record was appended. On the
//! way up, once the results of a partition are known, they replace its references, in order. Requests are processed in
//! exactly the reverse order of their expansion, so the result of a child is always the last one of the stream that its
//! code names. Hence streams of results are stacks; everything written on the way down is read once and in reverse; and
//! random accesses stay within one partition or within the unique table of a level.
//!
//! Cost: 100 to 250 ns per request. Memory: about 20 bytes for each record not yet expanded; until the way up has
//! passed, 4 to 8 bytes of codes for each request and 2 to 4 bytes for each reference to it.

mod distinct;
mod down;
mod form;
mod log;
mod numbers;
mod output;
mod partition;
mod plan;
mod pool;
mod reduction;
mod room;
mod spill;
mod stacks;
mod together;
mod trade;
mod up;

pub(super) use down::{Expanded, Operation, Root, descend};
pub(super) use form::{List, Moves, One, Weighted};
pub(super) use output::{Child, Output};
pub(super) use plan::Hint;
pub(super) use reduction::{DontCare, Made, Payload, Reduction, Sendable, ZeroSuppressed};
pub(super) use together::{Parts, raise_together, reduce_together};
pub(super) use up::{Raised, raise, reduce, set_of};

use base::limits::LimitReached;

fn too_many(what: &str) -> LimitReached {
    LimitReached::Size { what: what.into(), limit: u32::MAX.into() }
}
