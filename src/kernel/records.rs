//! The nodes of a value diagram with their children's intervals: a preimage needs one cache line per node.
//!
//! A child and its interval take 32 bits if the ids of all nodes and two ranks fit ([`Narrow`]); a record is then as
//! large as a node. Otherwise they take 64 bits ([`Wide`]).

use super::Context;
use super::diagram::{Given, Nodes};
use super::filling::Filling;
use super::levels::LevelIndex;
use super::memory::{Region, prefetch};
use super::node::{Node, TERMINALS};
use base::limits::LimitReached;

/// An interval of values: rank of the worst one in the upper half, of the best one in the lower half.
pub(super) type Interval = u32;

#[inline(always)]
pub(super) fn worst(interval: Interval) -> u32 {
    interval >> 16
}

#[inline(always)]
pub(super) fn best(interval: Interval) -> u32 {
    interval & 0xFFFF
}

#[inline(always)]
pub(super) fn hull(a: Interval, b: Interval) -> Interval {
    worst(a).min(worst(b)) << 16 | best(a).max(best(b))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) lo: Node,
    pub(super) hi: Node,
    pub(super) of_lo: Interval,
    pub(super) of_hi: Interval,
}

impl Record {
    #[inline(always)]
    pub(super) fn of_skipped(node: Node, interval: Interval) -> Record {
        Record { lo: node, hi: node, of_lo: interval, of_hi: interval }
    }

    #[inline(always)]
    pub(super) fn hull(&self) -> Interval {
        hull(self.of_lo, self.of_hi)
    }
}

pub(super) trait Packing: Copy + Sync {
    type Packed: Copy;

    fn pack(self, record: Record) -> Self::Packed;
    fn unpack(self, packed: Self::Packed) -> Record;
}

/// Four bytes for each child: from the lowest bits up, the best rank, the worst rank and the child's id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Narrow {
    bits: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Wide;

impl Narrow {
    pub(super) fn fitting(nodes: u64, ranks: usize) -> Option<Narrow> {
        let bits = ranks.max(2).next_power_of_two().ilog2();
        let ids = u64::from(TERMINALS) + nodes;
        (2 * bits < u32::BITS && ids <= 1 << (u32::BITS - 2 * bits)).then_some(Narrow { bits })
    }
}

impl Packing for Narrow {
    type Packed = [u32; 2];

    #[inline(always)]
    fn pack(self, record: Record) -> [u32; 2] {
        let pack = |child: Node, interval| {
            let packed = (child.bits() << self.bits | worst(interval)) << self.bits | best(interval);
            debug_assert!(packed >> (2 * self.bits) == child.bits() && best(interval) >> self.bits == 0);
            packed
        };
        [pack(record.lo, record.of_lo), pack(record.hi, record.of_hi)]
    }

    #[inline(always)]
    fn unpack(self, [lo, hi]: [u32; 2]) -> Record {
        let child = |packed: u32| Node::from_bits(packed >> (2 * self.bits));
        let mask = (1 << self.bits) - 1;
        let interval = |packed: u32| (packed >> self.bits & mask) << 16 | packed & mask;
        Record { lo: child(lo), hi: child(hi), of_lo: interval(lo), of_hi: interval(hi) }
    }
}

impl Packing for Wide {
    type Packed = Record;

    #[inline(always)]
    fn pack(self, record: Record) -> Record {
        record
    }

    #[inline(always)]
    fn unpack(self, record: Record) -> Record {
        record
    }
}

/// Bytes for each node of an owned diagram and its record, which replaces the node if narrow; `ranks` includes rank 0.
pub fn bytes_of_node(nodes: u64, ranks: usize) -> u64 {
    let node = size_of::<[Node; 2]>() as u64;
    if Narrow::fitting(nodes, ranks).is_some() { node } else { node + size_of::<Record>() as u64 }
}

pub(super) struct Records<P: Packing> {
    packing: P,
    region: Region,
    base: *const P::Packed,
}

// SAFETY: `base` points into `region`, which is not written after construction.
unsafe impl<P: Packing> Sync for Records<P> {}

impl<P: Packing> Records<P> {
    /// Narrow records replace the nodes in memory if the diagram is owned. `of_terminal`: the interval of a terminal.
    pub(super) fn new(
        value: Given,
        of_terminal: impl Fn(u32) -> Interval + Sync,
        packing: P,
        context: &Context,
    ) -> Result<(LevelIndex<Node>, Records<P>), LimitReached> {
        let children = value.first_node();
        let bytes = size_of::<P::Packed>() * value.node_count() as usize;
        let record = |_, [lo, hi]: [Node; 2], filled: &Filling<P::Packed>| {
            let of = |child: Node| match child.as_terminal() {
                Some(terminal) => of_terminal(terminal),
                None => packing.unpack(filled.below(child)).hull(),
            };
            packing.pack(Record { lo, hi, of_lo: of(lo), of_hi: of(hi) })
        };
        let fill = |index: &LevelIndex<Node>, region: &Region| {
            // SAFETY: the region has room for a record of each node. If records replace the nodes, nobody else reads
            // these, and each record takes the bytes of its own node.
            unsafe { Filling::new(children, region.base().cast()).fill(index, record, context) }
        };
        let in_place = size_of::<P::Packed>() == size_of::<[Node; 2]>();
        let (index, region) = match value {
            Given::UsedUp(diagram) if in_place && diagram.is_region() => {
                let (index, nodes) = diagram.into_parts();
                let Nodes::Region(region) = nodes else { unreachable!("as was asked") };
                fill(&index, &region)?;
                (index, region)
            }
            value => {
                let mut region = Region::reserve(bytes, context.limits())?;
                region.ensure(bytes)?;
                fill(value.index(), &region)?;
                (value.into_index(), region)
            }
        };
        let base = region.base().cast::<P::Packed>().cast_const().wrapping_sub(TERMINALS as usize);
        Ok((index, Records { packing, region, base }))
    }

    /// Frees the records of the nodes from this id on, which nobody may ask for again.
    pub(super) fn forget_from(&mut self, node: Node) {
        self.region.shrink(size_of::<P::Packed>() * node.index().unwrap_or(0));
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, node: Node) {
        prefetch(node.entry(self.base));
    }

    #[inline(always)]
    pub(super) fn record(&self, node: Node) -> Record {
        debug_assert!(node.index().is_some_and(|index| size_of::<P::Packed>() * index < self.region.taken()));
        // SAFETY: as for `Diagram::node`; there is a record for each node of the value diagram.
        self.packing.unpack(unsafe { *node.entry(self.base) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_records_are_what_they_were() {
        for ranks in [1, 2, 3, 4, 5, 8, 9, 100, 1 << 8] {
            for nodes in [0, 1, 1000, 1 << 15] {
                let Some(narrow) = Narrow::fitting(nodes, ranks) else {
                    assert!(ranks > 1 << 7, "{ranks} ranks and {nodes} nodes fit");
                    continue;
                };
                let last = Node::from_bits(TERMINALS + nodes as u32 - u32::from(nodes > 0));
                let top = ranks as u32 - 1;
                let record = Record { lo: last, hi: Node::terminal(TERMINALS - 1), of_lo: top, of_hi: top << 16 | top };
                assert_eq!(narrow.unpack(narrow.pack(record)), record);
                assert_eq!(Wide.unpack(Wide.pack(record)), record);
            }
        }
    }

    #[test]
    fn records_are_narrow_only_where_ids_and_ranks_fit() {
        let most = |bits: u32| (1 << (32 - 2 * bits)) - u64::from(TERMINALS);
        for (ranks, bits) in [(2, 1), (4, 2), (5, 3), (8, 3), (200, 8)] {
            assert_eq!(Narrow::fitting(most(bits), ranks).map(|narrow| narrow.bits), Some(bits));
            assert!(Narrow::fitting(most(bits) + 1, ranks).is_none());
            assert_eq!((bytes_of_node(most(bits), ranks), bytes_of_node(most(bits) + 1, ranks)), (8, 24));
        }
        assert!(Narrow::fitting(0, 1 << 16).is_none() && Narrow::fitting(0, 1 << 15).is_none());
    }
}
