//! A value diagram with, beside each child, the worst and the best value below it in a mover's order: what a
//! preimage needs of a node lies in one place of 16 bytes.
//!
//! One order is kept so: the mover's where it is known from the start, else mover 0's. Another order that is the
//! reverse is read off it; any other has a table of its own, four bytes a node.

use super::memory::{Buffer, Region, prefetch};
use super::{DEAD_END, Diagram, Preferences, TERMINALS};
use crate::limits::{LimitReached, Limits};
use std::sync::Arc;

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

/// See the module.
pub(super) struct Bounds {
    orders: Vec<Order>,
    beside: usize,
    /// Of `[lo, hi, of lo, of hi]`.
    records: Region,
    base: *const [u32; 4],
}

// SAFETY: `base` points into `records`, which is not written after construction.
unsafe impl Sync for Bounds {}

impl Order {
    fn new(preference: &[u32]) -> Order {
        let mut values: Vec<u32> = (1..preference.len() as u32).collect();
        values.sort_by_key(|&value| preference[value as usize]);
        values.insert(0, DEAD_END);
        let mut ranks = vec![0; values.len()];
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
        limits: &Arc<Limits>,
    ) -> Result<Bounds, LimitReached> {
        let mut orders: Vec<Order> = preferences.ranks.iter().map(|ranks| Order::new(ranks)).collect();
        let beside = usize::from(mover.unwrap_or(0)).min(orders.len() - 1);
        let records = beside_children(value, &orders[beside], limits)?;
        for k in (0..orders.len()).filter(|&k| k != beside) {
            orders[k].kept = if mover.is_some() || orders[k].is_reverse_of(&orders[beside]) {
                Kept::Reversed
            } else {
                Kept::Table(table(value, &orders[k], limits)?)
            };
        }
        let base = records.base().cast::<[u32; 4]>().cast_const().wrapping_sub(TERMINALS as usize);
        Ok(Bounds { orders, beside, records, base })
    }

    /// Gives back the memory of nodes with this id and larger ones, which are not asked for again.
    pub(super) fn forget_from(&mut self, node: u32) {
        self.records.shrink(16 * node.saturating_sub(TERMINALS) as usize);
    }

    #[inline(always)]
    pub(super) fn order(&self, mover: u8) -> &Order {
        &self.orders[usize::from(mover).min(self.orders.len() - 1)]
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, node: u32) {
        prefetch(self.base.wrapping_add(node as usize));
    }

    /// Children and their intervals, `[lo, hi, of lo, of hi]`, of an inner node.
    #[inline(always)]
    pub(super) fn record(&self, node: u32) -> [u32; 4] {
        debug_assert!(16 * (node.wrapping_sub(TERMINALS) as usize) < self.records.taken());
        // SAFETY: as for `Diagram::node`; there is a record for each node of the value diagram.
        unsafe { *self.base.wrapping_add(node as usize) }
    }

    /// A node's interval in the order kept beside.
    #[inline(always)]
    pub(super) fn interval(&self, node: u32) -> Interval {
        if node < TERMINALS {
            return self.orders[self.beside].of_terminal(node);
        }
        let [.., lo, hi] = self.record(node);
        hull(lo, hi)
    }

    /// The interval in any order, from that in the order kept beside.
    #[inline(always)]
    pub(super) fn convert(&self, order: &Order, node: u32, interval: Interval) -> Interval {
        match &order.kept {
            Kept::Beside => interval,
            Kept::Reversed => {
                let top = order.values.len() as u32;
                (top - best(interval)) << 16 | (top - worst(interval))
            }
            Kept::Table(table) => match node.checked_sub(TERMINALS) {
                Some(k) => table.as_slice()[k as usize],
                None => order.of_terminal(node),
            },
        }
    }
}

fn beside_children(value: &Diagram, order: &Order, limits: &Arc<Limits>) -> Result<Region, LimitReached> {
    let count = value.node_count() as usize;
    let mut region = Region::reserve(16 * count, limits)?;
    region.ensure(16 * count)?;
    // SAFETY: so many records of zeros, which nobody else knows of yet.
    let records = unsafe { std::slice::from_raw_parts_mut(region.base().cast::<[u32; 4]>(), count) };
    for (k, &[lo, hi]) in value.nodes().iter().enumerate() {
        let [of_lo, of_hi] = [lo, hi].map(|child| match child.checked_sub(TERMINALS) {
            Some(below) => hull(records[below as usize][2], records[below as usize][3]),
            None => order.of_terminal(child),
        });
        records[k] = [lo, hi, of_lo, of_hi];
    }
    Ok(region)
}

fn table(value: &Diagram, order: &Order, limits: &Arc<Limits>) -> Result<Buffer<u32>, LimitReached> {
    let mut buffer: Buffer<u32> = Buffer::zeroed(value.node_count() as usize, limits)?;
    let intervals = buffer.as_mut_slice();
    for (k, children) in value.nodes().iter().enumerate() {
        let [lo, hi] = children.map(|child| match child.checked_sub(TERMINALS) {
            Some(below) => intervals[below as usize],
            None => order.of_terminal(child),
        });
        intervals[k] = hull(lo, hi);
    }
    Ok(buffer)
}
