//! For each node of a value diagram, the worst and the best value below it in each mover's order.
//!
//! Four bytes a node and order; where the second mover's order is the first one's reversed, one table serves both.

use super::memory::Buffer;
use super::{DEAD_END, Diagram, Preferences, TERMINALS};
use crate::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Ranks of the values of one mover, and back.
pub(super) struct Order {
    /// Rank of a value id, 0 for ids that are none.
    ranks: Vec<u16>,
    /// Value id of a rank, [`DEAD_END`] for rank 0.
    values: Vec<u32>,
    /// Which table of [`Bounds`] to use, and whether its ranks are reversed.
    table: usize,
    reversed: bool,
}

/// See the module.
pub(super) struct Bounds {
    orders: Vec<Order>,
    tables: Vec<Buffer<[u16; 2]>>,
}

/// The worst and the best rank.
pub(super) type Interval = [u16; 2];

impl Order {
    fn new(preference: &[u32]) -> Order {
        let mut values: Vec<u32> = (1..preference.len() as u32).collect();
        values.sort_by_key(|&value| preference[value as usize]);
        // Rank 0 is left for what is no value, so that any value is better.
        values.insert(0, DEAD_END);
        let mut ranks = vec![0; values.len()];
        for (rank, &value) in values.iter().enumerate().skip(1) {
            ranks[value as usize] = rank as u16;
        }
        Order { ranks, values, table: 0, reversed: false }
    }

    #[inline(always)]
    pub(super) fn rank(&self, value: u32) -> u16 {
        self.ranks.get(value as usize).copied().unwrap_or(0)
    }

    #[inline(always)]
    pub(super) fn value(&self, rank: u16) -> u32 {
        self.values.get(rank as usize).copied().unwrap_or(DEAD_END)
    }

    fn is_reverse_of(&self, other: &Order) -> bool {
        self.values.len() == other.values.len() && self.values[1..].iter().eq(other.values[1..].iter().rev())
    }
}

impl Bounds {
    pub(super) fn new(
        value: &Diagram,
        preferences: &Preferences,
        limits: &Arc<Limits>,
    ) -> Result<Bounds, LimitReached> {
        let mut orders: Vec<Order> = preferences.ranks.iter().map(|ranks| Order::new(ranks)).collect();
        let mut tables = vec![];
        for k in 0..orders.len() {
            if k > 0 && orders[k].is_reverse_of(&orders[0]) {
                orders[k].reversed = true;
            } else {
                orders[k].table = tables.len();
                tables.push(table(value, &orders[k], limits)?);
            }
        }
        Ok(Bounds { orders, tables })
    }

    #[inline(always)]
    pub(super) fn order(&self, mover: u8) -> &Order {
        &self.orders[usize::from(mover).min(self.orders.len() - 1)]
    }

    /// The interval of a value node in a mover's order.
    #[inline(always)]
    pub(super) fn interval(&self, order: &Order, node: u32) -> Interval {
        let Some(k) = node.checked_sub(TERMINALS) else { return [order.rank(node); 2] };
        let [worst, best] = self.tables[order.table].as_slice()[k as usize];
        if order.reversed {
            let top = order.values.len() as u16;
            [top - best, top - worst]
        } else {
            [worst, best]
        }
    }
}

fn table(value: &Diagram, order: &Order, limits: &Arc<Limits>) -> Result<Buffer<[u16; 2]>, LimitReached> {
    let mut table: Buffer<[u16; 2]> = Buffer::zeroed(value.node_count() as usize, limits)?;
    let intervals = table.as_mut_slice();
    for (k, children) in value.nodes().iter().enumerate() {
        let [lo, hi] = children.map(|child| match child.checked_sub(TERMINALS) {
            Some(below) => intervals[below as usize],
            None => [order.rank(child); 2],
        });
        intervals[k] = [lo[0].min(hi[0]), lo[1].max(hi[1])];
    }
    Ok(table)
}
