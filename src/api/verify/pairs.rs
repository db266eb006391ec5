//! Counts the states of a layer with each value, and draws random states of one value, for layers of any size. Walks
//! (`sweep`) visit pairs of nodes of states and values. There are at least as many pairs as nodes of values. Drawing
//! keeps all pairs, at 12 bytes for each and 8 more for the weights of a value; up to 64 bytes while they are made.

use super::diagram::{Function, Set, SetNode, TERMINALS};
use super::sweep::{Beside, Fate, Joiner, Requests, Ways, parts, ways};
use base::limits::{Account, LimitReached, Limits, Reserved};
use base::random::Random;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const BATCH: usize = 1 << 14;
/// Bound on the bytes of a pair with its requests.
const PAIR: u64 = 64;

pub fn totals(
    set: &Set,
    values: &Function,
    threads: usize,
    limits: &Limits,
) -> Result<BTreeMap<u32, BigUint>, LimitReached> {
    fn of<N: Ways>(
        set: &Set,
        values: &Function,
        threads: usize,
        limits: &Limits,
    ) -> Result<BTreeMap<u32, N>, LimitReached> {
        let mut by_thread: Vec<BTreeMap<u32, N>> = vec![BTreeMap::new(); threads.max(1)];
        let arrive = |found: &mut BTreeMap<u32, N>, id, states: &N| {
            found.entry(id).and_modify(|sum| *sum += states).or_insert_with(|| states.clone());
            ControlFlow::Continue(())
        };
        let mut besides = vec![values; by_thread.len()];
        let mut arrive: Vec<_> =
            by_thread.iter_mut().map(|found| move |id: u32, states: &N| arrive(found, id, states)).collect();
        let all = ways(set, &mut besides, values.root, usize::MAX, limits, &mut arrive)?;
        all.expect("there is no bound on the pairs");
        drop(arrive);
        let mut found = by_thread.pop().expect("there is a thread");
        for (id, states) in by_thread.into_iter().flatten() {
            found.entry(id).and_modify(|sum| *sum += &states).or_insert(states);
        }
        Ok(found)
    }
    if set.states.is_some() {
        let found = of::<u64>(set, values, threads, limits)?;
        return Ok(found.into_iter().map(|(id, states)| (id, states.into())).collect());
    }
    of(set, values, threads, limits)
}

/// Marks a child that needs no pair, because no level below changes its value; the lower bits are the value id. A child
/// without states is [`NOTHING`].
const SETTLED: u32 = 1 << 31;
const NOTHING: u32 = u32::MAX;
const ROOT: u32 = u32::MAX;
/// Bound on the pairs: an index has 31 bits, because one bit of a request distinguishes the children of the parent.
const MOST: usize = 1 << 30;

#[derive(Debug)]
pub struct Pairs<'a, 'l> {
    set: &'a Set<'l>,
    /// By pair, from the top level down: its node of the states.
    nodes: Vec<u32>,
    /// By pair: its children, for the variable of its level false and true.
    children: Vec<[u32; 2]>,
    root: u32,
    limits: &'a Limits,
    _account: Account<&'a Limits>,
}

/// By pair: the number of states below it that have a certain value.
#[derive(Debug)]
pub struct Weights<'a> {
    id: u32,
    /// By pair: the number of states, rounded.
    weights: Vec<f64>,
    /// Number of states with the value.
    pub total: f64,
    _memory: Reserved<'a>,
}

impl<'a, 'l> Pairs<'a, 'l> {
    /// All pairs of the two diagrams; `None` if there are more than `most` pairs, or not enough memory.
    pub fn new(
        set: &'a Set<'l>,
        values: &'a Function<'l>,
        most: usize,
        limits: &'a Limits,
    ) -> Result<Option<Self>, LimitReached> {
        match Pairs::made(set, values, most.min(MOST), limits) {
            Err(LimitReached::Memory { .. }) => Ok(None),
            made => made,
        }
    }

    fn made(
        set: &'a Set<'l>,
        mut values: &'a Function<'l>,
        most: usize,
        limits: &'a Limits,
    ) -> Result<Option<Self>, LimitReached> {
        let mut account = Account::new(&limits);
        let mut lists: Vec<Requests<u32>> = (0..set.levels).map(|_| Requests::default()).collect();
        let (mut nodes, mut children, mut joiner) = (Vec::<u32>::new(), Vec::<[u32; 2]>::new(), Joiner::default());
        // A child that needs no pair gets its value id or [`NOTHING`]; any other child is requested.
        let place = |values: &mut &Function, lists: &mut [Requests<u32>], (node, id): (u32, u32), asker: u32| {
            if node == 0 {
                return NOTHING;
            }
            let level = if node < TERMINALS { set.levels } else { set.node(node).level() };
            let id = values.skip(id, level as u32);
            // In a set with too many states to count them below nodes, pairs are followed down to a terminal.
            if values.fate(id) == Fate::Settled && (set.states.is_some() || node < TERMINALS) {
                return SETTLED | id;
            }
            lists[level].push(node, id, asker);
            NOTHING
        };
        let whole = (set.root, values.root);
        let mut root = place(&mut values, &mut lists, whole, ROOT);
        for level in 0..set.levels {
            let asked = std::mem::take(&mut lists[level]);
            joiner.start(asked.len());
            let (first, mut known) = (nodes.len(), Vec::new());
            for place in 0..asked.len() {
                let (pair, asker) = (asked.pair(place), *asked.with(place));
                let index = joiner.find(pair, known.len(), |index| known[index]).unwrap_or_else(|new| {
                    known.push(pair);
                    new
                });
                match asker {
                    ROOT => root = (first + index) as u32,
                    _ => children[asker as usize / 2][asker as usize % 2] = (first + index) as u32,
                }
            }
            drop(asked);
            if first + known.len() > most {
                return Ok(None);
            }
            for (index, pair) in (first..).zip(&known) {
                if index % BATCH == 0 || index == first {
                    limits.check()?;
                    let waiting = known.len() + lists[level..].iter().map(Requests::len).sum::<usize>();
                    let pairs = index + waiting + 2 * BATCH;
                    account.grow_to(pairs as u64 * PAIR + joiner.bytes() as u64)?;
                }
                let (node, id) = parts(*pair);
                let (node_below, ids) = (set.node(node), values.children(id, level as u32));
                let asker = 2 * index as u32;
                let low = place(&mut values, &mut lists, (node_below.lo, ids[0]), asker);
                let high = place(&mut values, &mut lists, (node_below.hi, ids[1]), asker + 1);
                nodes.push(node);
                children.push([low, high]);
            }
        }
        account.shrink_to((nodes.capacity() * 4 + children.capacity() * 8) as u64);
        Ok(Some(Pairs { set, nodes, children, root, limits, _account: account }))
    }

    /// The weights for a value; `None` if memory does not suffice.
    pub fn weights(&self, id: u32) -> Result<Option<Weights<'a>>, LimitReached> {
        let memory = match self.limits.hold(self.nodes.len() as u64 * 8) {
            Err(LimitReached::Memory { .. }) => return Ok(None),
            memory => memory?,
        };
        let mut weights = Weights { id, weights: vec![0.0; self.nodes.len()], total: 0.0, _memory: memory };
        // A child has a larger index than its parent.
        for index in (0..self.nodes.len()).rev() {
            if index % BATCH == 0 {
                self.limits.check()?;
            }
            let node = self.set.node(self.nodes[index]);
            let [low, high] = self.children[index];
            weights.weights[index] = self.weight(&weights, low, node.lo) + self.weight(&weights, high, node.hi);
        }
        weights.total = self.weight(&weights, self.root, self.set.root);
        Ok(Some(weights))
    }

    /// Number of states with the value below a child of a pair. `node`: the child's node of the states.
    fn weight(&self, weights: &Weights, place: u32, node: u32) -> f64 {
        match place {
            NOTHING => 0.0,
            place if place & SETTLED == 0 => weights.weights[place as usize],
            place if place & !SETTLED == weights.id => self.states(node) as f64,
            _ => 0.0,
        }
    }

    fn states(&self, node: u32) -> u64 {
        if node < TERMINALS { node.into() } else { self.set.count(node) }
    }

    /// A random state with the value, almost uniformly distributed, as a value per level. There must be such a state.
    pub fn draw(&self, weights: &Weights, random: &mut Random) -> Vec<bool> {
        let mut assignment = vec![false; self.set.levels];
        let (mut place, mut node) = (self.root, self.set.root);
        while node >= TERMINALS {
            let SetNode { lo, hi, .. } = *self.set.node(node);
            let (places, [low, high]) = if place & SETTLED == 0 {
                let places = self.children[place as usize];
                (places, [self.weight(weights, places[0], lo), self.weight(weights, places[1], hi)])
            } else {
                ([place; 2], [self.states(lo) as f64, self.states(hi) as f64])
            };
            let point = random.word() as f64 / u64::MAX as f64 * (low + high);
            let true_here = high > 0.0 && (low == 0.0 || point >= low);
            assignment[self.set.node(node).level()] = true_here;
            (place, node) = if true_here { (places[1], hi) } else { (places[0], lo) };
        }
        assignment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::diagram::testing::{function, random_set, states};

    #[test]
    fn totals_and_draws_are_those_of_all_states() {
        let limits = Limits::unlimited();
        let mut random = Random::new(7);
        for _ in 0..40 {
            let levels = 1 + random.below(9);
            let set = random_set(levels, &mut random, &limits);
            let values = function(levels, 3, &mut random, &limits);
            let mut expected: BTreeMap<u32, BigUint> = BTreeMap::new();
            let all = states(&set);
            for state in &all {
                *expected.entry(values.value(state)).or_default() += 1u32;
            }
            for threads in [1, 2, 5] {
                assert_eq!(totals(&set, &values, threads, &limits).unwrap(), expected);
            }
            let pairs = Pairs::new(&set, &values, usize::MAX, &limits).unwrap().unwrap();
            for id in 1..=3 {
                let weights = pairs.weights(id).unwrap().unwrap();
                let total = expected.get(&id).cloned().unwrap_or_default();
                assert_eq!(BigUint::from(weights.total as u64), total);
                for _ in 0..if weights.total > 0.0 { 20 } else { 0 } {
                    let drawn = pairs.draw(&weights, &mut random);
                    assert!(all.contains(&drawn) && values.value(&drawn) == id);
                }
            }
            let none = Pairs::new(&set, &values, 0, &limits).unwrap().is_none();
            assert_eq!(none, !pairs.nodes.is_empty(), "more than no pairs are too many");
        }
        assert_eq!(limits.used(), 0);
    }
}
