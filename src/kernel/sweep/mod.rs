//! Sweeps over diagrams: on the way down each distinct request is expanded into requests of deeper levels; on the way up
//! their results are reduced to what a request is to have, mostly a node of a diagram. Where nothing is asked for but
//! weights, such as counts of states, they go down with the requests and there is no way up.
//!
//! **Partitions.** The requests of a level are divided into partitions by ranges of the ids of one of their nodes, so
//! that those of a partition read neighbouring nodes. A child is appended to the **stream** of its level and partition;
//! nobody looks it up before its partition is taken up, when a table that fits the processor's cache makes the stream's
//! records distinct. What is written is written in order, and the work of a level is shared among threads by whole
//! partitions, each of which has streams of its own: there is nothing to exchange and nothing to wait for within a level.
//!
//! **No pointers.** Making a stream distinct yields, for each of its records in order, the number of its request within
//! the partition: its **references**. A request that is expanded leaves its **codes**: for each child a terminal, or
//! which stream its record was appended to. On the way up, when a partition has its results, its references are turned
//! into results in order; and as the requests above it are taken in exactly the reverse of the order in which they were
//! expanded, each child's result is the last of the stream that its code names. So streams of results are stacks, all
//! that is noted on the way down is read once and in reverse, and what is looked up at random lies in one partition or
//! in the table that makes the nodes of a level unique.
//!
//! Cost: 100 to 250 ns a request. Memory: the records not yet taken up, some 20 bytes each; and of each request 4 to 8
//! bytes of codes and 2 to 4 bytes a reference until the way up has passed it.

mod distinct;
mod down;
mod form;
mod log;
mod numbers;
mod output;
mod plan;
mod pool;
mod reduction;
mod room;
mod spill;
mod up;

pub(super) use down::{Expanded, Operation, Root, descend};
pub(super) use form::{Ids, Moves, One, Weighted, Words};
pub(super) use output::Output;
pub(super) use plan::Hint;
pub(super) use reduction::{DontCare, Made, Payload, Reduction, ZeroSuppressed};
pub(super) use up::{Raised, raise, reduce};

use crate::limits::LimitReached;

/// More of something than 32 bits can number.
fn too_many(what: &str) -> LimitReached {
    LimitReached::Size { what: what.into(), limit: u32::MAX.into() }
}
