//! The way up of a sweep: from the bottom level, children are looked up, the reduction rule applied, and equal
//! nodes made one by a table of the level. Request slots end up holding their results.

use super::context::{Context, Kind, Statistics};
use super::diagram::{Diagram, Nodes};
use super::down::Expanded;
use super::memory::{Buffer, Region, prefetch};
use super::requests::Requests;
use super::{Node, TERMINALS};
use crate::limits::LimitReached;
use std::ops::Range;
use std::time::Instant;

/// Which nodes are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// A node whose `hi` is 0 is its `lo`.
    ZeroSuppressed,
    /// 0 means "does not matter": a node with such a child, or with two equal ones, is the other child.
    DontCare,
}

const BATCH: usize = 32;

/// The diagram that the single root of a sweep stands for.
pub(super) fn reduce(
    mut expanded: Expanded,
    rule: Rule,
    kind: Kind,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let begin = Instant::now();
    expanded.requests.end_of_keys();
    let Expanded { requests, levels, roots } = expanded;
    let counts: Vec<u64> = levels.iter().map(|level| level.count()).collect();
    let total: u64 = counts.iter().sum();
    if total > u64::from(u32::MAX - TERMINALS) {
        return Err(LimitReached::Size { what: "nodes of one diagram".into(), limit: u32::MAX.into() });
    }
    let limits = context.limits();
    let largest = counts.iter().copied().max().unwrap_or(0) as usize;
    let mut unique = Unique {
        table: Buffer::zeroed((2 * largest).next_power_of_two(), limits)?,
        nodes: Region::reserve(8 * total as usize, limits)?,
        next: TERMINALS,
    };
    let mut ends = vec![TERMINALS; levels.len() + 1];
    for (level, requested) in levels.iter().enumerate().rev() {
        context.check()?;
        let count = counts[level] as usize;
        if count > 0 {
            let entries = (2 * count).next_power_of_two();
            unique.table.as_mut_slice()[..entries].fill(0);
            unique.nodes.ensure(8 * (unique.next as usize - TERMINALS as usize + count))?;
            for range in &requested.ranges {
                match rule {
                    Rule::ZeroSuppressed => unique.reduce_range::<false>(range.clone(), entries, &requests),
                    Rule::DontCare => unique.reduce_range::<true>(range.clone(), entries, &requests),
                }
            }
        }
        ends[level] = unique.next;
    }
    let Unique { mut nodes, next, .. } = unique;
    // SAFETY: the root's slot holds its result.
    let root = unsafe { *requests.slot(roots[0]) } as u32;
    nodes.shrink(8 * (next - TERMINALS) as usize);
    let up = begin.elapsed().as_nanos() as u64;
    context.add(kind, Statistics { nodes: u64::from(next - TERMINALS), up, ..Default::default() });
    // SAFETY: nodes were made level by level from the bottom, of results of deeper levels.
    Ok(unsafe { Diagram::from_parts(Nodes::Region(nodes), ends, root) })
}

/// The nodes so far and the table of the level being made.
struct Unique {
    /// Ids, zero for none.
    table: Buffer<u32>,
    nodes: Region,
    next: Node,
}

#[inline(always)]
fn hash_node(node: [u32; 2]) -> usize {
    let x = (u64::from(node[0]) << 32 | u64::from(node[1])).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as usize
}

impl Unique {
    fn reduce_range<const DONT_CARE: bool>(&mut self, range: Range<u32>, entries: usize, requests: &Requests) {
        let (mask, table) = (entries - 1, self.table.pointer());
        let nodes = self.nodes.base().cast::<[u32; 2]>().wrapping_sub(TERMINALS as usize);
        let mut next = self.next;
        let mut batch = [([0; 2], 0); BATCH];
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + BATCH as u32);
            // SAFETY: slots of this level hold references of children, slots of deeper levels and of terminals
            // their results; table and nodes have room for all requests of the level.
            unsafe {
                for slot in end..range.end.min(end + BATCH as u32) {
                    let [lo, hi] = *requests.slot(slot).cast::<[u32; 2]>();
                    prefetch(requests.slot(lo));
                    prefetch(requests.slot(hi));
                }
                for (slot, place) in (start..end).zip(&mut batch) {
                    let [lo, hi] = *requests.slot(slot).cast::<[u32; 2]>();
                    let node = [*requests.slot(lo) as u32, *requests.slot(hi) as u32];
                    let index = hash_node(node) & mask;
                    prefetch(table.add(index));
                    *place = (node, index);
                }
                for (slot, &(node, index)) in (start..end).zip(&batch) {
                    let [lo, hi] = node;
                    let mut index = index;
                    let result = if hi == 0 {
                        lo
                    } else if DONT_CARE && (lo == 0 || lo == hi) {
                        hi
                    } else {
                        loop {
                            let id = *table.add(index);
                            if id == 0 {
                                *nodes.add(next as usize) = node;
                                *table.add(index) = next;
                                next += 1;
                                break next - 1;
                            }
                            if *nodes.add(id as usize) == node {
                                break id;
                            }
                            index = (index + 1) & mask;
                        }
                    };
                    *requests.slot(slot) = u64::from(result);
                }
            }
            start = end;
        }
        self.next = next;
    }
}
