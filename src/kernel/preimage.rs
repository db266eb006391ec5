//! Computes the values of a layer from those of the next one. One sweep covers all moves and the payoffs of terminal
//! states.
//!
//! Key: (care node, payoff state), then the sorted list of (value node, relation) pairs, which stand for the successors
//! by the moves that are still possible. A pair with the identity relation is a sure move: no further level can exclude
//! it. Once the mover is known, pairs are dropped that cannot be better than the best sure move; this is decided by the
//! interval of values below each value node. The result is arbitrary outside the care set, which saves a third of its
//! nodes.

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

/// `MOVES + m` as payoff state: the state is not terminal, and `m` moves. Smaller states are those of the automaton.
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

type Scratch = Vec<Interval>;

enum Normal {
    Terminal(u32),
    Request(Level),
}

impl<P: Payoff, R: Packing> Preimage<'_, P, R> {
    #[inline(always)]
    fn relation(&self, id: RelationId) -> &RelationNode {
        &self.relations[id.index()]
    }

    /// Follows the key from `start` on (room for its first word, then pairs) down to the level of `care`. `intervals`
    /// has the interval of each pair.
    #[inline(always)]
    fn normalise(
        &self,
        care: Node,
        mut state: u32,
        start: usize,
        keys: &mut Vec<u64>,
        intervals: &mut Vec<Interval>,
    ) -> Result<Normal, LimitReached> {
        let done = |keys: &mut Vec<u64>, terminal: u32| {
            keys.truncate(start);
            Ok(Normal::Terminal(terminal))
        };
        let (level, end) = (self.care.level(care), Level::end(self.care.levels()));
        let info = self.descend_payoff(&mut state, level)?;
        if !self.stuck_terminal
            && let Terminal::Value(value) = info.terminal
        {
            return done(keys, of_terminal(self.terminals, value));
        }
        let moves = self.descend_pairs(level, start, keys, intervals);
        if keys.len() == start + 1 {
            match info.terminal {
                Terminal::Value(value) => return done(keys, of_terminal(self.terminals, value)),
                Terminal::Unknown if level < end => {}
                _ => return done(keys, DEAD_END),
            }
        }
        let settled = matches!(info.terminal, Terminal::No) || (self.stuck_terminal && moves);
        if let Some(mover) = info.mover {
            if moves
                && let Some(value) = self.prune(self.bounds.order(mover), start, keys, intervals)
                && settled
            {
                return done(keys, value);
            }
            if settled {
                state = MOVES | u32::from(mover);
            }
        }
        if level == end {
            let order = self.bounds.order(info.mover.unwrap_or(0));
            let best = keys[start + 1..].iter().map(|&element| order.rank(node_of(element).known_terminal())).max();
            return done(keys, best.map_or(DEAD_END, |rank| order.value(rank)));
        }
        sort_and_dedup(keys, start + 1);
        keys[start] = pack(care, state);
        Ok(Normal::Request(level))
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

    /// Follows all pairs over the levels above `level`, which are false before the move. Returns whether there is a
    /// sure move.
    #[inline(always)]
    fn descend_pairs(&self, level: Level, start: usize, keys: &mut Vec<u64>, intervals: &mut Vec<Interval>) -> bool {
        let index = &self.value;
        let above = index.end(level);
        let (mut moves, mut i) = (false, start + 1);
        'pairs: while i < keys.len() {
            let (mut value, mut relation) = unpack(keys[i]);
            let mut interval = intervals[i - start - 1];
            loop {
                let test = self.relation(relation);
                if test.level < level && value < index.end(test.level) {
                    let at = value >= index.start(test.level);
                    let Record { lo, hi, of_lo, of_hi } =
                        if at { self.bounds.record(value) } else { Record::of_skipped(value, interval) };
                    if test.t[1] != NONE {
                        keys.push(pack(hi, test.t[1]));
                        intervals.push(of_hi);
                    }
                    (value, relation, interval) = (lo, test.t[0], of_lo);
                } else if value >= above {
                    let Record { lo, of_lo, .. } = self.bounds.record(value);
                    (value, interval) = (lo, of_lo);
                } else {
                    break;
                }
                if relation == NONE {
                    keys.swap_remove(i);
                    intervals.swap_remove(i - start - 1);
                    continue 'pairs;
                }
            }
            keys[i] = pack(value, relation);
            intervals[i - start - 1] = interval;
            moves |= relation == IDENTITY;
            i += 1;
        }
        moves
    }

    /// Drops the pairs that cannot be better than the best value that a sure move guarantees. Returns that value if no
    /// pair can be better.
    #[inline(always)]
    fn prune(&self, order: &Order, start: usize, keys: &mut Vec<u64>, intervals: &mut [Interval]) -> Option<u32> {
        let sure = |element: u64| unpack::<RelationId>(element).1 == IDENTITY;
        let mut guaranteed = 0;
        for (&element, interval) in keys[start + 1..].iter().zip(&mut *intervals) {
            *interval = self.bounds.convert(order, node_of(element), *interval);
            if sure(element) {
                guaranteed = guaranteed.max(worst(*interval));
            }
        }
        let (mut kept, mut kept_guarantee) = (start + 1, false);
        for (i, &interval) in (start + 1..keys.len()).zip(&*intervals) {
            if best(interval) > guaranteed {
                let element = keys[i];
                kept_guarantee |= sure(element) && worst(interval) == guaranteed;
                keys[kept] = element;
                kept += 1;
            }
        }
        keys.truncate(kept);
        let nothing_better = kept == start + 1;
        if !kept_guarantee {
            keys.push(pack(Node::terminal(order.value(guaranteed)), IDENTITY));
        }
        nothing_better.then(|| order.value(guaranteed))
    }
}

impl<P: Payoff, R: Packing> Preimage<'_, P, R> {
    #[inline(always)]
    fn children(
        &self,
        level: Level,
        key: &[u64],
        intervals: &mut Vec<Interval>,
        output: &mut Output,
    ) -> Result<(), LimitReached> {
        let (care, state) = unpack::<u32>(key[0]);
        let reads = state < MOVES && self.payoff.level(state) == level;
        let here = self.value.start(level);
        for (bit, child) in self.care.node(care).into_iter().enumerate() {
            if child == Node::ZERO {
                output.terminal(bit, 0);
                continue;
            }
            let keys = &mut output.keys;
            let start = keys.len();
            keys.push(0);
            intervals.clear();
            for &element in &key[1..] {
                let (value, relation) = unpack(element);
                let Record { lo, hi, of_lo, of_hi } = if value >= here {
                    self.bounds.record(value)
                } else {
                    Record::of_skipped(value, self.bounds.interval(value))
                };
                let test = self.relation(relation);
                if test.level == level {
                    let [to_lo, to_hi] = [test.t[2 * bit], test.t[2 * bit + 1]];
                    if to_lo != NONE {
                        keys.push(pack(lo, to_lo));
                        intervals.push(of_lo);
                    }
                    if to_hi != NONE {
                        keys.push(pack(hi, to_hi));
                        intervals.push(of_hi);
                    }
                } else if bit == 0 {
                    keys.push(pack(lo, relation));
                    intervals.push(of_lo);
                } else {
                    keys.push(pack(hi, relation));
                    intervals.push(of_hi);
                }
            }
            let state = if reads { self.payoff.next(state, bit == 1)? } else { state };
            match self.normalise(child, state, start, keys, intervals)? {
                Normal::Terminal(terminal) => output.terminal(bit, terminal),
                Normal::Request(level) => output.request::<Moves>(bit, level, child, start),
            }
        }
        Ok(())
    }
}

impl<P: Payoff, R: Packing> Operation for Preimage<'_, P, R> {
    type Form = Moves;
    type Local = Scratch;

    fn nodes(&self, level: Level) -> Range<u32> {
        self.care.index().range(level)
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
    fn expand(&self, level: Level, key: &[u64], local: &mut Scratch, output: &mut Output) {
        if let Err(limit) = self.children(level, key, local, output) {
            output.fail(limit);
        }
    }
}

/// A value diagram for the states of the set `care`, arbitrary elsewhere.
///
/// If `payoff`, started in `start`, says `Terminal::Value(v)` of a state in `care`, the state's value is `v`, replaced
/// by its entry in [`Preferences::terminals`] if there is one. Otherwise its value is the best one, in the mover's
/// order, that `value` has for the states to which the relations `roots` lead. `stuck_terminal` promises that a state
/// is terminal exactly if no relation leads anywhere; then the payoff counts only there and is not followed once a sure
/// move is found. A state that is not terminal and has no successor gets [`DEAD_END`]. If the payoff automaton ends
/// without a mover, the order of mover 0 is used.
///
/// `value` must have a value for every successor; `Diagram::constant(levels, 0)` means that there are no successors. If
/// it is owned, the sweep reuses its memory.
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
    match orders.narrow(job.value.node_count()).filter(|_| !context.is_wide()) {
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
        let roots = roots.iter().filter(|&&root| root != NONE && root_value != Node::ZERO);
        let mut key: Vec<u64> = std::iter::once(0).chain(roots.map(|&root| pack(root_value, root))).collect();
        let mut intervals = vec![operation.bounds.interval(root_value); key.len() - 1];
        let root = if care.is_empty() {
            Root::Terminal(0)
        } else {
            match operation.normalise(care.root(), start, 0, &mut key, &mut intervals)? {
                Normal::Terminal(terminal) => Root::Terminal(terminal),
                Normal::Request(level) => Root::request(level, care.root(), key),
            }
        };
        let expanded = descend(&mut operation, Kind::Preimage, care.levels(), vec![root], TERMINALS, context)?;
        drop(operation);
        reduce(expanded, &DontCare, Kind::Preimage, context)
    }
}
