//! Computes the values of a layer from those of the next one, in one sweep for all moves and payoffs.
//!
//! Key: (care node, payoff state), then the sorted list of (value node, relation) pairs, which stand for the successors
//! by the moves that are still possible. A pair with the identity relation is a sure move: no deeper level can exclude
//! it. Once the mover is known, pairs are dropped that cannot be better than the best sure move, by the interval of
//! values below each value node. The result is arbitrary outside the care set, which saves a third of its nodes.

use super::bounds::{Bounds, Order, Orders};
use super::context::{Context, Kind};
use super::diagram::{Diagram, Given};
use super::level::Level;
use super::levels::LevelIndex;
use super::lists::sort_and_dedup;
use super::node::{Node, TERMINALS, node_of, pack, unpack};
use super::records::{Interval, Packing, Record, Wide, best, worst};
use super::relation::{IDENTITY, NONE, RelationId, RelationNode, Relations};
use super::sweep::{DontCare, Moves, Operation, Output, Root, descend, reduce};
use super::{DEAD_END, Payoff, PayoffInfo, Preferences, Terminal, of_terminal};
use base::limits::LimitReached;
use std::ops::Range;

/// The payoff state `MOVES + m`: not terminal, role `m` moves. Smaller numbers are states of the payoff automaton.
const MOVES: u32 = 1 << 31;

struct Preimage<'a, P, R: Packing> {
    care: &'a Diagram,
    value: LevelIndex<Node>,
    relations: &'a [RelationNode],
    payoff: &'a P,
    stuck_terminal: bool,
    terminals: &'a [u32],
    bounds: Bounds<R>,
}

/// Memory for a key under construction.
#[derive(Default)]
struct Pairs {
    /// A first word, then pairs of (value node, relation).
    key: Vec<u64>,
    intervals: Vec<Interval>,
    /// Pairs that still have to be followed down.
    pending: Vec<(u64, Interval)>,
}

enum Normal {
    Terminal(u32),
    Request(Level),
}

enum Begun<'a> {
    Terminal(u32),
    Draft(Draft<'a>),
}

/// A request under construction: the care node and its level, the payoff state and its decision, and the pairs.
struct Draft<'a> {
    care: Node,
    level: Level,
    state: u32,
    info: PayoffInfo,
    /// The first id above those of `level`.
    above: Node,
    /// The order for intervals, if they matter.
    order: Option<&'a Order>,
    /// Pairs and intervals are written through pointers: vectors would load and store their lengths for each pair.
    elements: *mut u64,
    intervals: *mut Interval,
    count: usize,
    sure: bool,
    /// The best rank that a sure move guarantees.
    guaranteed: u32,
}

impl<P: Payoff, R: Packing> Preimage<'_, P, R> {
    #[inline(always)]
    fn relation(&self, id: RelationId) -> &RelationNode {
        &self.relations[id.index()]
    }

    /// Starts a request with room for `most` pairs, and for one that `prune` may add; or returns its terminal.
    #[inline(always)]
    fn begin(&self, care: Node, mut state: u32, most: usize, pairs: &mut Pairs) -> Result<Begun<'_>, LimitReached> {
        if care == Node::ZERO {
            return Ok(Begun::Terminal(0));
        }
        let level = self.care.level(care);
        let info = self.descend_payoff(&mut state, level)?;
        if !self.stuck_terminal
            && let Terminal::Value(value) = info.terminal
        {
            return Ok(Begun::Terminal(of_terminal(self.terminals, value)));
        }
        let Pairs { key, intervals, .. } = pairs;
        key.clear();
        key.reserve(most + 2);
        key.push(0);
        intervals.clear();
        intervals.reserve(most);
        Ok(Begun::Draft(Draft {
            care,
            level,
            state,
            info,
            above: self.value.end(level),
            order: info.mover.map(|mover| self.bounds.order(mover)),
            elements: key.as_mut_ptr().wrapping_add(1),
            intervals: intervals.as_mut_ptr(),
            count: 0,
            sure: false,
            guaranteed: 0,
        }))
    }

    /// Follows the pending pairs, and completes the key.
    ///
    /// # Safety
    /// `most` and `pairs` must be those with which the draft was begun.
    #[inline(always)]
    unsafe fn complete(&self, mut draft: Draft, most: usize, pairs: &mut Pairs) -> Normal {
        if !pairs.pending.is_empty() {
            // SAFETY: by this function's contract.
            unsafe { self.follow_pending(&mut draft, most, pairs) };
        }
        let (info, level, end) = (draft.info, draft.level, Level::end(self.care.levels()));
        if draft.count == 0 {
            match info.terminal {
                Terminal::Value(value) => return Normal::Terminal(of_terminal(self.terminals, value)),
                Terminal::Unknown if level < end => {}
                _ => return Normal::Terminal(DEAD_END),
            }
        }
        let settled = matches!(info.terminal, Terminal::No) || (self.stuck_terminal && draft.sure);
        if let (Some(mover), Some(order)) = (info.mover, draft.order) {
            if draft.sure
                // SAFETY: the pairs were written, and there is room for one more.
                && let Some(value) = unsafe { prune(order, &mut draft) }
                && settled
            {
                return Normal::Terminal(value);
            }
            if settled {
                draft.state = MOVES | u32::from(mover);
            }
        }
        if level == end {
            // SAFETY: the pairs were written.
            let elements = unsafe { std::slice::from_raw_parts(draft.elements, draft.count) };
            let order = draft.order.unwrap_or_else(|| self.bounds.order(0));
            let best = elements.iter().map(|&element| order.rank(node_of(element).known_terminal())).max();
            return Normal::Terminal(best.map_or(DEAD_END, |rank| order.value(rank)));
        }
        let key = &mut pairs.key;
        key[0] = pack(draft.care, draft.state);
        // SAFETY: the pairs were written.
        unsafe { key.set_len(1 + draft.count) };
        sort_and_dedup(key, 1);
        Normal::Request(level)
    }

    /// # Safety
    /// As for [`Preimage::complete`].
    #[cold]
    #[inline(never)]
    unsafe fn follow_pending(&self, draft: &mut Draft, most: usize, pairs: &mut Pairs) {
        let mut room = most;
        while let Some((element, interval)) = pairs.pending.pop() {
            let Pairs { key, intervals, pending } = pairs;
            if draft.count == room {
                room += 1 + pending.len();
                // SAFETY: these pairs have been written.
                unsafe {
                    key.set_len(1 + draft.count);
                    intervals.set_len(draft.count);
                }
                key.reserve(room + 1 - draft.count);
                intervals.reserve(room - draft.count);
                draft.elements = key.as_mut_ptr().wrapping_add(1);
                draft.intervals = intervals.as_mut_ptr();
            }
            let (value, relation) = unpack(element);
            // SAFETY: there is room for one more pair.
            unsafe { self.follow(value, relation, interval, draft, pending) };
        }
    }

    /// Runs the payoff automaton over the levels above `level`, which are false because the care set skips them.
    #[inline(always)]
    fn descend_payoff(&self, state: &mut u32, level: Level) -> Result<PayoffInfo, LimitReached> {
        if *state >= MOVES {
            return Ok(PayoffInfo { mover: Some((*state - MOVES) as u8), terminal: Terminal::No });
        }
        while self.payoff.level(*state) < level {
            *state = self.payoff.next(*state, false)?;
        }
        Ok(self.payoff.info(*state))
    }

    /// Follows a pair over the levels above that of the draft, which are false before the move, and adds it.
    ///
    /// # Safety
    /// The draft must have room for a pair.
    #[inline(always)]
    unsafe fn follow(
        &self,
        mut value: Node,
        mut relation: RelationId,
        mut interval: Interval,
        draft: &mut Draft,
        pending: &mut Vec<(u64, Interval)>,
    ) {
        let index = &self.value;
        loop {
            if relation == NONE {
                return;
            }
            let test = self.relation(relation);
            if test.level < draft.level && value < index.end(test.level) {
                let at = value >= index.start(test.level);
                let Record { lo, hi, of_lo, of_hi } =
                    if at { self.bounds.record(value) } else { Record::of_skipped(value, interval) };
                if test.t[1] != NONE {
                    pending.push((pack(hi, test.t[1]), of_hi));
                }
                (value, relation, interval) = (lo, test.t[0], of_lo);
            } else if value >= draft.above {
                let Record { lo, of_lo, .. } = self.bounds.record(value);
                (value, interval) = (lo, of_lo);
            } else {
                break;
            }
        }
        let interval = draft.order.map_or(interval, |order| self.bounds.convert(order, value, interval));
        let sure = relation == IDENTITY;
        draft.sure |= sure;
        draft.guaranteed = draft.guaranteed.max(if sure { worst(interval) } else { 0 });
        // SAFETY: by this function's contract.
        unsafe {
            *draft.elements.add(draft.count) = pack(value, relation);
            *draft.intervals.add(draft.count) = interval;
        }
        draft.count += 1;
    }
}

/// Drops the pairs that cannot be better than the value that a sure move guarantees; returns it if all are dropped.
///
/// # Safety
/// The pairs must have been written, and there must be room for one more.
#[inline(always)]
unsafe fn prune(order: &Order, draft: &mut Draft) -> Option<u32> {
    let guaranteed = draft.guaranteed;
    let (mut kept, mut kept_guarantee) = (0, false);
    // SAFETY: by this function's contract. Pairs are kept without a branch, which would often be mispredicted.
    unsafe {
        for k in 0..draft.count {
            let (element, interval) = (*draft.elements.add(k), *draft.intervals.add(k));
            let is_better = best(interval) > guaranteed;
            let sure = unpack::<RelationId>(element).1 == IDENTITY;
            kept_guarantee |= is_better & sure & (worst(interval) == guaranteed);
            *draft.elements.add(kept) = element;
            kept += usize::from(is_better);
        }
        let nothing_better = kept == 0;
        if !kept_guarantee {
            *draft.elements.add(kept) = pack(Node::terminal(order.value(guaranteed)), IDENTITY);
            kept += 1;
        }
        draft.count = kept;
        nothing_better.then(|| order.value(guaranteed))
    }
}

impl<P: Payoff, R: Packing> Preimage<'_, P, R> {
    #[inline(always)]
    fn children(&self, level: Level, key: &[u64], pairs: &mut Pairs, output: &mut Output) -> Result<(), LimitReached> {
        let (care, state) = unpack::<u32>(key[0]);
        let reads = state < MOVES && self.payoff.level(state) == level;
        let (here, most) = (self.value.start(level), 2 * (key.len() - 1));
        for (bit, child) in self.care.node(care).into_iter().enumerate() {
            let state = if reads && child != Node::ZERO { self.payoff.next(state, bit == 1)? } else { state };
            let mut draft = match self.begin(child, state, most, pairs)? {
                Begun::Draft(draft) => draft,
                Begun::Terminal(terminal) => {
                    output.terminal(bit, terminal);
                    continue;
                }
            };
            for &element in &key[1..] {
                let (value, relation) = unpack(element);
                let Record { lo, hi, of_lo, of_hi } = if value >= here {
                    self.bounds.record(value)
                } else {
                    Record::of_skipped(value, self.bounds.interval(value))
                };
                let test = self.relation(relation);
                // SAFETY: there is room for two pairs for each pair of the key.
                unsafe {
                    if test.level == level {
                        self.follow(lo, test.t[2 * bit], of_lo, &mut draft, &mut pairs.pending);
                        self.follow(hi, test.t[2 * bit + 1], of_hi, &mut draft, &mut pairs.pending);
                    } else {
                        let (value, interval) = if bit == 0 { (lo, of_lo) } else { (hi, of_hi) };
                        self.follow(value, relation, interval, &mut draft, &mut pairs.pending);
                    }
                }
            }
            // SAFETY: the draft was begun with these.
            match unsafe { self.complete(draft, most, pairs) } {
                Normal::Terminal(terminal) => output.terminal(bit, terminal),
                Normal::Request(level) => {
                    std::mem::swap(&mut output.keys, &mut pairs.key);
                    output.request::<Moves>(bit, level, child, 0);
                }
            }
        }
        Ok(())
    }
}

impl<P: Payoff, R: Packing> Operation for Preimage<'_, P, R> {
    type Form = Moves;
    type Local = Pairs;

    fn nodes(&self, level: Level) -> Range<u32> {
        self.care.index().range(level)
    }

    fn size(&self) -> u64 {
        self.payoff.size()
    }

    /// Requests of deeper levels read only value nodes of deeper levels.
    fn passed(&mut self, level: Level) {
        self.bounds.forget_from(self.value.start(level));
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        self.care.prefetch(node_of(key[0]));
        for &element in &key[1..] {
            self.bounds.prefetch(node_of(element));
        }
    }

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], local: &mut Pairs, output: &mut Output) {
        if let Err(limit) = self.children(level, key, local, output) {
            output.fail(limit);
        }
    }
}

/// A value diagram for the states of the set `care`, arbitrary elsewhere.
///
/// The value of a state in `care` is `v` if `payoff`, started in `start`, gives it `Terminal::Value(v)`; the entry of
/// `v` in [`Preferences::terminals`] replaces `v` if there is one. Otherwise it is the best value, in the mover's
/// order, that `value` has for the states to which the relations `roots` lead. `stuck_terminal` promises that a state
/// is terminal if and only if no relation leads anywhere; then the payoff counts only there and is not followed once
/// the mover and a sure move are found. A state that is not terminal and has no successor gets [`DEAD_END`]. If the
/// payoff automaton ends without a mover, the order of mover 0 is used.
///
/// `value` must have a value for every successor; `Diagram::constant(levels, 0)` means that there are no successors. If
/// it is owned, the sweep reuses its memory for narrow records (see `records`), or frees it.
#[allow(clippy::too_many_arguments)]
pub fn preimage<P: Payoff>(
    care: &Diagram,
    value: Given,
    relations: &Relations,
    roots: &[RelationId],
    payoff: &P,
    start: u32,
    stuck_terminal: bool,
    preferences: &Preferences,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    assert!(care.levels() == value.levels(), "diagrams over the same levels");
    assert!(!preferences.ranks.is_empty(), "an order for at least one mover");
    let orders = Orders::new(&value, preferences, payoff.info(start).mover);
    let (relations, terminals) = (relations.nodes(), preferences.terminals.as_slice());
    let job = Job { care, value, relations, roots, payoff, start, stuck_terminal, terminals, context };
    match orders.narrow(job.value.node_count()).filter(|_| !context.manner.wide) {
        Some(narrow) => job.run(orders, narrow),
        None => job.run(orders, Wide),
    }
}

struct Job<'a, P> {
    care: &'a Diagram,
    value: Given<'a>,
    relations: &'a [RelationNode],
    roots: &'a [RelationId],
    payoff: &'a P,
    start: u32,
    stuck_terminal: bool,
    terminals: &'a [u32],
    context: &'a Context,
}

impl<P: Payoff> Job<'_, P> {
    fn run<R: Packing>(self, orders: Orders, packing: R) -> Result<Diagram, LimitReached> {
        let Job { care, value, relations, roots, payoff, start, stuck_terminal, terminals, context } = self;
        let root_value = value.root();
        let (value, bounds) = Bounds::new(value, orders, packing, context)?;
        let mut operation = Preimage { care, value, relations, payoff, stuck_terminal, terminals, bounds };
        let interval = operation.bounds.interval(root_value);
        let mut pairs = Pairs::default();
        let root = match operation.begin(care.root(), start, roots.len(), &mut pairs)? {
            Begun::Terminal(terminal) => Root::Terminal(terminal),
            Begun::Draft(mut draft) => {
                for &root in roots.iter().filter(|_| root_value != Node::ZERO) {
                    // SAFETY: there is room for a pair for each root.
                    unsafe { operation.follow(root_value, root, interval, &mut draft, &mut pairs.pending) };
                }
                // SAFETY: the draft was begun with these.
                match unsafe { operation.complete(draft, roots.len(), &mut pairs) } {
                    Normal::Terminal(terminal) => Root::Terminal(terminal),
                    Normal::Request(level) => Root::request(level, care.root(), pairs.key),
                }
            }
        };
        let expanded = descend(&mut operation, Kind::Preimage, care.levels(), vec![root], TERMINALS, context)?;
        drop(operation);
        reduce(expanded, &DontCare {}, Kind::Preimage, context)
    }
}
