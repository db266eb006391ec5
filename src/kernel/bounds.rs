//! A value diagram with, beside each child, the worst and the best value below it in a mover's order: what a
//! preimage needs of a node lies in one place of 16 bytes.
//!
//! One order is kept so: the mover's where it is known from the start, else mover 0's. Another order that is the
//! reverse is read off it; any other has a table of its own, four bytes a node.

use super::level::Level;
use super::memory::{Buffer, Region, prefetch};
use super::node::{Node, TERMINALS};
use super::{Context, DEAD_END, Diagram, Preferences};
use crate::limits::LimitReached;
use std::ops::Range;

/// Ranks of values in one mover's order, and back. Rank 0 is for what is no value.
pub(super) struct Order {
    /// Rank of a value id; shorter than the largest id that may be asked for.
    ranks: Vec<u16>,
    /// Value id of a rank, [`DEAD_END`] for rank 0.
    values: Vec<u32>,
    kept: Kept,
}

/// Where an order's intervals are found.
enum Kept {
    Beside,
    Reversed,
    Table(Buffer<u32>),
}

/// The worst rank in the upper half, the best one in the lower half.
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
fn hull(a: Interval, b: Interval) -> Interval {
    worst(a).min(worst(b)) << 16 | best(a).max(best(b))
}

/// Children of a node and their intervals.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Record {
    pub(super) lo: Node,
    pub(super) hi: Node,
    pub(super) of_lo: Interval,
    pub(super) of_hi: Interval,
}

/// Bytes of a record.
const RECORD: usize = size_of::<Record>();

impl Record {
    /// At a level that a node skips.
    #[inline(always)]
    pub(super) fn of_skipped(node: Node, interval: Interval) -> Record {
        Record { lo: node, hi: node, of_lo: interval, of_hi: interval }
    }

    #[inline(always)]
    fn hull(&self) -> Interval {
        hull(self.of_lo, self.of_hi)
    }
}

/// See the module.
pub(super) struct Bounds {
    orders: Vec<Order>,
    beside: usize,
    records: Region,
    base: *const Record,
}

// SAFETY: `base` points into `records`, which is not written after construction.
unsafe impl Sync for Bounds {}

impl Order {
    /// Of the values that occur.
    fn new(preference: &[u32], occurring: &[u32]) -> Order {
        let with_rank = |&value: &u32| (value as usize) < preference.len();
        let mut values: Vec<u32> = occurring.iter().copied().filter(with_rank).collect();
        values.sort_by_key(|&value| preference[value as usize]);
        values.insert(0, DEAD_END);
        let mut ranks = vec![0; preference.len()];
        for (rank, &value) in values.iter().enumerate().skip(1) {
            ranks[value as usize] = rank as u16;
        }
        Order { ranks, values, kept: Kept::Beside }
    }

    #[inline(always)]
    pub(super) fn rank(&self, value: u32) -> u32 {
        self.ranks.get(value as usize).copied().unwrap_or(0).into()
    }

    #[inline(always)]
    pub(super) fn value(&self, rank: u32) -> u32 {
        self.values.get(rank as usize).copied().unwrap_or(DEAD_END)
    }

    #[inline(always)]
    fn of_terminal(&self, terminal: u32) -> Interval {
        self.rank(terminal) << 16 | self.rank(terminal)
    }

    fn is_reverse_of(&self, other: &Order) -> bool {
        self.values.len() == other.values.len() && self.values[1..].iter().eq(other.values[1..].iter().rev())
    }
}

impl Bounds {
    /// `mover`: whose order counts, where that is known.
    pub(super) fn new(
        value: &Diagram,
        preferences: &Preferences,
        mover: Option<u8>,
        context: &Context,
    ) -> Result<Bounds, LimitReached> {
        let occurring = value.terminals();
        let mut orders: Vec<Order> = preferences.ranks.iter().map(|ranks| Order::new(ranks, &occurring)).collect();
        let beside = usize::from(mover.unwrap_or(0)).min(orders.len() - 1);
        let records = beside_children(value, &orders[beside], context)?;
        for k in (0..orders.len()).filter(|&k| k != beside) {
            orders[k].kept = if mover.is_some() || orders[k].is_reverse_of(&orders[beside]) {
                Kept::Reversed
            } else {
                Kept::Table(table(value, &orders[k], context)?)
            };
        }
        let base = records.base().cast::<Record>().cast_const().wrapping_sub(TERMINALS as usize);
        Ok(Bounds { orders, beside, records, base })
    }

    /// Gives back the memory of nodes with this id and larger ones, which are not asked for again.
    pub(super) fn forget_from(&mut self, node: Node) {
        self.records.shrink(RECORD * node.index().unwrap_or(0));
    }

    #[inline(always)]
    pub(super) fn order(&self, mover: u8) -> &Order {
        &self.orders[usize::from(mover).min(self.orders.len() - 1)]
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, node: Node) {
        prefetch(node.entry(self.base));
    }

    /// Children and their intervals of an inner node.
    #[inline(always)]
    pub(super) fn record(&self, node: Node) -> Record {
        debug_assert!(node.index().is_some_and(|index| RECORD * index < self.records.taken()));
        // SAFETY: as for `Diagram::node`; there is a record for each node of the value diagram.
        unsafe { *node.entry(self.base) }
    }

    /// A node's interval in the order kept beside.
    #[inline(always)]
    pub(super) fn interval(&self, node: Node) -> Interval {
        match node.as_terminal() {
            Some(terminal) => self.orders[self.beside].of_terminal(terminal),
            None => self.record(node).hull(),
        }
    }

    /// The interval in any order, from that in the order kept beside.
    #[inline(always)]
    pub(super) fn convert(&self, order: &Order, node: Node, interval: Interval) -> Interval {
        match &order.kept {
            Kept::Beside => interval,
            Kept::Reversed => {
                let top = order.values.len() as u32;
                (top - best(interval)) << 16 | (top - worst(interval))
            }
            Kept::Table(table) => match node.index() {
                Some(index) => table.as_slice()[index],
                None => order.of_terminal(node.known_terminal()),
            },
        }
    }
}

/// Nodes that a thread takes at a time.
const PIECE: usize = 1 << 14;
/// How many nodes ahead children are prefetched.
const AHEAD: usize = 16;

/// Something of each node, made from the bottom level up.
struct Filling<'a, T>(*mut T, &'a [[Node; 2]]);
// SAFETY: threads write entries of nodes of their own, of one level at a time, and read those of deeper levels.
unsafe impl<T> Sync for Filling<'_, T> {}

impl<T: Copy> Filling<'_, T> {
    /// The entry of an inner node of a level that is done.
    #[inline(always)]
    fn below(&self, node: Node) -> T {
        // SAFETY: children are of deeper levels, whose entries are written.
        unsafe { *node.entry(self.0.cast_const().wrapping_sub(TERMINALS as usize)) }
    }

    /// Fills all entries: `of` gets a node's children and what finds the entry of a node below.
    fn fill(
        &self,
        value: &Diagram,
        of: impl Fn([Node; 2], &Self) -> T + Sync,
        context: &Context,
    ) -> Result<(), LimitReached> {
        let mut threads = vec![(); context.threads()];
        for level in Level::all(value.levels()).rev() {
            context.check()?;
            let Range { start, end } = value.index().places(level);
            let pieces: Vec<Range<usize>> =
                (start..end).step_by(PIECE).map(|first| first..end.min(first + PIECE)).collect();
            let fill = |piece: &Range<usize>| {
                for k in piece.clone() {
                    for &child in self.1.get(k + AHEAD).into_iter().flatten() {
                        prefetch(self.0.wrapping_add(child.index().unwrap_or(0)));
                    }
                    // SAFETY: an entry of this piece.
                    unsafe { *self.0.add(k) = of(self.1[k], self) };
                }
            };
            if context.shares((end - start) as u64 / LIGHTER) {
                context.share(&pieces, &mut threads, |_, piece, ()| fill(piece));
            } else {
                pieces.iter().for_each(fill);
            }
        }
        Ok(())
    }
}

/// A node is so much less work than a request.
const LIGHTER: u64 = 8;

fn beside_children(value: &Diagram, order: &Order, context: &Context) -> Result<Region, LimitReached> {
    let count = value.node_count() as usize;
    let mut region = Region::reserve(RECORD * count, context.limits())?;
    region.ensure(RECORD * count)?;
    let record = |[lo, hi]: [Node; 2], filled: &Filling<Record>| {
        let of = |child: Node| match child.as_terminal() {
            Some(terminal) => order.of_terminal(terminal),
            None => filled.below(child).hull(),
        };
        Record { lo, hi, of_lo: of(lo), of_hi: of(hi) }
    };
    Filling(region.base().cast::<Record>(), value.nodes()).fill(value, record, context)?;
    Ok(region)
}

fn table(value: &Diagram, order: &Order, context: &Context) -> Result<Buffer<u32>, LimitReached> {
    let buffer: Buffer<u32> = Buffer::zeroed(value.node_count() as usize, context.limits())?;
    let interval = |children: [Node; 2], filled: &Filling<u32>| {
        let [lo, hi] = children.map(|child| match child.as_terminal() {
            Some(terminal) => order.of_terminal(terminal),
            None => filled.below(child),
        });
        hull(lo, hi)
    };
    Filling(buffer.pointer(), value.nodes()).fill(value, interval, context)?;
    Ok(buffer)
}
