//! The worst and the best value below each node of a value diagram, in a mover's order: an interval of ranks.
//!
//! The intervals in one order are stored with the children of each node (see `records`). This is the order of the only
//! mover that is needed, or otherwise of mover 0. Intervals in an equal or reverse order are derived from the stored
//! ones. Any other order that is needed has its own table, with four bytes per node.

use super::diagram::Given;
use super::filling::Filling;
use super::levels::LevelIndex;
use super::memory::Buffer;
use super::node::Node;
use super::records::{Interval, Narrow, Packing, Record, Records, best, hull, worst};
use super::{Context, DEAD_END, Diagram, Preferences};
use base::limits::LimitReached;

/// The ranks of values in one mover's order, and the inverse. Rank 0 means no value.
pub(super) struct Order {
    ranks: Vec<u16>,
    values: Vec<u32>,
    kept: Kept,
}

enum Kept {
    Beside,
    Reversed,
    Table(Buffer<u32>),
}

pub(super) struct Orders {
    orders: Vec<Order>,
    beside: usize,
    /// The only mover whose order is needed; `None` if every order may be needed.
    mover: Option<u8>,
}

pub(super) struct Bounds<P: Packing> {
    orders: Orders,
    records: Records<P>,
}

impl Order {
    /// `preference` is the rank of each value id; only values of `occurring` get a rank here.
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

impl Orders {
    pub(super) fn new(value: &Diagram, preferences: &Preferences, mover: Option<u8>) -> Orders {
        let occurring = value.terminals();
        let orders: Vec<Order> = preferences.ranks.iter().map(|ranks| Order::new(ranks, &occurring)).collect();
        let beside = usize::from(mover.unwrap_or(0)).min(orders.len() - 1);
        Orders { orders, beside, mover }
    }

    #[inline(always)]
    fn beside(&self) -> &Order {
        &self.orders[self.beside]
    }

    /// The format of narrow records; `None` if their fields are too small for this number of nodes.
    pub(super) fn narrow(&self, nodes: u64) -> Option<Narrow> {
        Narrow::fitting(nodes, self.beside().values.len())
    }
}

impl<P: Packing> Bounds<P> {
    pub(super) fn new(
        value: Given,
        mut orders: Orders,
        packing: P,
        context: &Context,
    ) -> Result<(LevelIndex<Node>, Bounds<P>), LimitReached> {
        for k in (0..orders.orders.len()).filter(|&k| k != orders.beside) {
            let kept = if orders.orders[k].values == orders.beside().values {
                Kept::Beside
            } else if orders.mover.is_some() || orders.orders[k].is_reverse_of(orders.beside()) {
                Kept::Reversed
            } else {
                Kept::Table(table(&value, &orders.orders[k], context)?)
            };
            orders.orders[k].kept = kept;
        }
        let beside = orders.beside();
        let (index, records) = Records::new(value, |terminal| beside.of_terminal(terminal), packing, context)?;
        Ok((index, Bounds { orders, records }))
    }

    pub(super) fn forget_from(&mut self, node: Node) {
        self.records.forget_from(node);
    }

    #[inline(always)]
    pub(super) fn order(&self, mover: u8) -> &Order {
        let Orders { orders, .. } = &self.orders;
        &orders[usize::from(mover).min(orders.len() - 1)]
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, node: Node) {
        self.records.prefetch(node);
    }

    #[inline(always)]
    pub(super) fn record(&self, node: Node) -> Record {
        self.records.record(node)
    }

    #[inline(always)]
    pub(super) fn interval(&self, node: Node) -> Interval {
        match node.as_terminal() {
            Some(terminal) => self.orders.beside().of_terminal(terminal),
            None => self.record(node).hull(),
        }
    }

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

fn table(value: &Diagram, order: &Order, context: &Context) -> Result<Buffer<u32>, LimitReached> {
    let buffer: Buffer<u32> = Buffer::zeroed(value.node_count() as usize, context.limits())?;
    let interval = |_, children: [Node; 2], filled: &Filling<u32>| {
        let [lo, hi] = children.map(|child| match child.as_terminal() {
            Some(terminal) => order.of_terminal(terminal),
            None => filled.below(child),
        });
        hull(lo, hi)
    };
    // SAFETY: the buffer has an entry for each node, and nobody writes the nodes.
    unsafe { Filling::new(value.first_node(), buffer.pointer()).fill(value.index(), interval, context)? };
    Ok(buffer)
}
