//! The way up of a sweep: from the bottom level, children are looked up, the reduction rule applied, and equal
//! nodes made one by a table of the level. Request slots end up holding their results.

use super::context::{Context, Kind, Statistics};
use super::diagram::{Diagram, Nodes};
use super::down::Expanded;
use super::memory::{Buffer, Region, prefetch, prefetch_to_write};
use super::requests::Requests;
use super::slot::{Held, Reference, RequestId};
use super::threads::{share, units};
use super::{Node, TERMINALS};
use crate::limits::LimitReached;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
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
/// Reducing a request is so much less work than expanding it.
const LIGHTER: u64 = 8;

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
    // Each request makes one node at most, so that nodes have enough numbers if requests had.
    let total: u64 = counts.iter().sum();
    debug_assert!(total < u64::from(u32::MAX - TERMINALS));
    let limits = context.limits();
    let largest = counts.iter().copied().max().unwrap_or(0) as usize;
    let mut table: Buffer<u32> = Buffer::zeroed((2 * largest).next_power_of_two(), limits)?;
    let mut nodes = Region::reserve(8 * total as usize, limits)?;
    let mut next = TERMINALS;
    let mut ends = vec![TERMINALS; levels.len() + 1];
    for (level, requested) in levels.iter().enumerate().rev() {
        context.check()?;
        let count = counts[level] as usize;
        if count > 0 {
            let entries = (2 * count).next_power_of_two();
            nodes.ensure(8 * (next as usize - TERMINALS as usize + count))?;
            let unique = Unique {
                requests: &requests,
                table: table.pointer(),
                mask: entries - 1,
                nodes: nodes.base().cast::<[u32; 2]>().wrapping_sub(TERMINALS as usize),
                dont_care: rule == Rule::DontCare,
            };
            if context.shares(counts[level] / LIGHTER) {
                next = unique.reduce_shared(&requested.ranges, next, context);
            } else {
                table.as_mut_slice()[..entries].fill(0);
                for range in &requested.ranges {
                    next = match rule {
                        Rule::ZeroSuppressed => unique.reduce_range::<false>(range.clone(), next),
                        Rule::DontCare => unique.reduce_range::<true>(range.clone(), next),
                    };
                }
            }
        }
        ends[level] = next;
    }
    // SAFETY: the way up is over, so that slots hold results.
    let root = unsafe { requests.slot_of(roots[0]).result() };
    nodes.shrink(8 * (next - TERMINALS) as usize);
    let up = begin.elapsed().as_nanos() as u64;
    context.add(kind, Statistics { nodes: u64::from(next - TERMINALS), up, ..Default::default() });
    // SAFETY: nodes were made level by level from the bottom, of results of deeper levels.
    Ok(unsafe { Diagram::from_parts(Nodes::Region(nodes), ends, root) })
}

/// One level being reduced.
struct Unique<'a> {
    requests: &'a Requests,
    /// Ids, or requests while several threads work; zero for none.
    table: *mut u32,
    mask: usize,
    /// Where the node with id 0 would stand.
    nodes: *mut [u32; 2],
    dont_care: bool,
}

// SAFETY: threads write slots of their own pieces of work, nodes of ids of their own, and the table atomically; they
// read slots of others where the table tells them to, which are written before and not changed in the same step.
unsafe impl Sync for Unique<'_> {}

#[inline(always)]
fn hash_node(node: [u32; 2]) -> usize {
    let x = (u64::from(node[0]) << 32 | u64::from(node[1])).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // More than 32 bits, as a level may have more than 2^31 requests.
    ((x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 30) as usize
}

impl Unique<'_> {
    /// Calls `each` on every slot of a range with the node that its children make and where to look for it.
    #[inline(always)]
    fn for_nodes<const SHARED: bool>(&self, range: Range<u32>, mut each: impl FnMut(RequestId, [Node; 2], usize)) {
        let requests = self.requests;
        let mut batch = [([0; 2], 0); BATCH];
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + BATCH as u32);
            // SAFETY: slots of this level's piece hold references of children, slots of deeper levels and of terminals
            // their results. Indices are masked to the table's size.
            unsafe {
                for request in (end..range.end.min(end + BATCH as u32)).map(RequestId::new) {
                    let [lo, hi] = requests.slot(request).references();
                    requests.slot_of(lo).prefetch();
                    requests.slot_of(hi).prefetch();
                }
                for (request, place) in (start..end).map(RequestId::new).zip(&mut batch) {
                    let [lo, hi] = requests.slot(request).references();
                    let node = [requests.slot_of(lo).result(), requests.slot_of(hi).result()];
                    let index = hash_node(node) & self.mask;
                    let entry = self.table.wrapping_add(index);
                    if SHARED {
                        prefetch_to_write(entry)
                    } else {
                        prefetch(entry)
                    }
                    *place = (node, index);
                }
                if SHARED {
                    for &(_, index) in &batch[..(end - start) as usize] {
                        let known = AtomicU32::from_ptr(self.table.add(index)).load(Ordering::Relaxed);
                        requests.slot_of(Reference(known)).prefetch();
                    }
                }
            }
            for (request, &(node, index)) in (start..end).map(RequestId::new).zip(&batch) {
                each(request, node, index);
            }
            start = end;
        }
    }

    /// By one thread: results from id `next` on; the next one after.
    fn reduce_range<const DONT_CARE: bool>(&self, range: Range<u32>, mut next: Node) -> Node {
        let (table, nodes) = (self.table, self.nodes);
        self.for_nodes::<false>(range, |request, node, mut index| {
            let [lo, hi] = node;
            let result = if hi == 0 {
                lo
            } else if DONT_CARE && (lo == 0 || lo == hi) {
                hi
            } else {
                // SAFETY: table and nodes have room for all requests of the level.
                unsafe {
                    loop {
                        let id = *table.add(index);
                        if id == 0 {
                            *nodes.wrapping_add(next as usize) = node;
                            *table.add(index) = next;
                            next += 1;
                            break next - 1;
                        }
                        if *nodes.wrapping_add(id as usize) == node {
                            break id;
                        }
                        index = (index + 1) & self.mask;
                    }
                }
            };
            // SAFETY: a request of this level, whose children were read.
            unsafe { self.requests.slot(request).set_result(result) };
        });
        next
    }

    /// By several threads, in three steps: first one request is chosen for each distinct node, which its slot then
    /// holds; then the chosen ones get ids; then the others get
    /// those of the chosen ones.
    fn reduce_shared(&self, ranges: &[Range<u32>], next: Node, context: &Context) -> Node {
        let work: Vec<Range<u32>> = units(ranges.iter().cloned()).collect();
        let (pool, mut states) = (context.pool(), vec![(); context.threads()]);
        let clear: Vec<Range<usize>> =
            (0..=self.mask).step_by(1 << 16).map(|start| start..(start + (1 << 16)).min(self.mask + 1)).collect();
        share(pool, &clear, &mut states, |_, part, ()| {
            // SAFETY: each part of the table is cleared by one thread.
            unsafe { std::ptr::write_bytes(self.table.add(part.start), 0, part.len()) };
        });
        let chosen: Vec<AtomicU32> = work.iter().map(|_| AtomicU32::new(0)).collect();
        share(pool, &work, &mut states, |number, unit, ()| {
            chosen[number].store(self.choose(unit.clone()), Ordering::Relaxed);
        });
        let mut ids = next;
        let first: Vec<Node> = chosen
            .iter()
            .map(|count| {
                let first = ids;
                ids += count.load(Ordering::Relaxed);
                first
            })
            .collect();
        share(pool, &work, &mut states, |number, unit, ()| {
            let mut id = first[number];
            for slot in unit.clone().map(|number| self.requests.slot(RequestId::new(number))) {
                // SAFETY: slots of this piece of work, and nodes of ids given to it.
                unsafe {
                    if let Held::Node(node) = slot.held() {
                        *self.nodes.wrapping_add(id as usize) = node;
                        slot.set_result(id);
                        id += 1;
                    }
                }
            }
        });
        share(pool, &work, &mut states, |_, unit, ()| self.settle(unit.clone()));
        ids
    }

    /// The last step of [`Unique::reduce_shared`] for one piece of work.
    fn settle(&self, unit: Range<u32>) {
        let slot = |number: u32| self.requests.slot(RequestId::new(number));
        for number in unit.clone() {
            let ahead = number.saturating_add(BATCH as u32);
            // SAFETY: slots of this piece of work; a chosen request's slot holds its id and does not change in this
            // step.
            unsafe {
                if ahead < unit.end
                    && let Held::SameAs(chosen) = slot(ahead).held()
                {
                    self.requests.slot(chosen).prefetch();
                }
                if let Held::SameAs(chosen) = slot(number).held() {
                    slot(number).set_result(self.requests.slot(chosen).result());
                }
            }
        }
    }

    /// The first step of [`Unique::reduce_shared`] for one piece of work: the number of requests chosen.
    fn choose(&self, unit: Range<u32>) -> u32 {
        let mut chosen = 0;
        self.for_nodes::<true>(unit, |request, node, mut index| {
            let slot = self.requests.slot(request);
            let [lo, hi] = node;
            // SAFETY: the slot is of this thread's piece of work. Others read it once the table tells it to them,
            // and then it does not change in this step. Indices are masked to the table's size.
            unsafe {
                if hi == 0 {
                    return slot.set_result(lo);
                }
                if self.dont_care && (lo == 0 || lo == hi) {
                    return slot.set_result(hi);
                }
                slot.set_node(node);
                loop {
                    let entry = AtomicU32::from_ptr(self.table.add(index));
                    let known = match entry.compare_exchange(0, request.number(), Ordering::AcqRel, Ordering::Acquire) {
                        Ok(_) => {
                            chosen += 1;
                            return;
                        }
                        Err(known) => known,
                    };
                    let known = RequestId::new(known);
                    if self.requests.slot(known).holds_node(node) {
                        return slot.set_same_as(known);
                    }
                    index = (index + 1) & self.mask;
                }
            }
        });
        chosen
    }
}
