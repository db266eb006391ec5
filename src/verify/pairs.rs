//! How many states of a layer have each value, whatever the size of the layer: one walk over the pairs of nodes of states
//! and values, from the top level down, that adds up the number of ways to each pair.
//!
//! Exact. Time and memory grow with the number of pairs, which are at least the nodes of the values. The pairs can be
//! kept to draw states of one value: a way down along pairs below which the value occurs.

use super::diagram::{Function, Set, TERMINALS};
use crate::limits::Limits;
use crate::random::Random;
use crate::solution::ReadError;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes that a pair takes, at most.
const PAIR: u64 = 64;
/// Pairs expanded between two looks at the limits.
const BATCH: usize = 1 << 14;

type Pair = (u32, u32);

/// A pair's level, and where it goes for false and for true.
fn step(set: &Set, values: &Function, (state, value): Pair) -> (usize, [Pair; 2]) {
    let node = set.node(state);
    let level = node.level();
    let mut value = value;
    // A level that the states skip is false.
    while value >= TERMINALS && (values.node(value).level as usize) < level {
        value = values.node(value).lo;
    }
    let below = match value.checked_sub(TERMINALS) {
        Some(_) if values.node(value).level as usize == level => [values.node(value).lo, values.node(value).hi],
        _ => [value; 2],
    };
    (level, [(node.lo, below[0]), (node.hi, below[1])])
}

/// By value id: the number of states.
pub fn totals(set: &Set, values: &Function, limits: &Limits) -> Result<BTreeMap<u32, BigUint>, ReadError> {
    if set.states.is_some() {
        let found = ways::<u64>(set, values, limits)?;
        return Ok(found.into_iter().map(|(id, states)| (id, states.into())).collect());
    }
    ways::<BigUint>(set, values, limits)
}

/// By value id: the number of ways down to it.
fn ways<N>(set: &Set, values: &Function, limits: &Limits) -> Result<BTreeMap<u32, N>, ReadError>
where
    N: Clone + Default + From<u32> + for<'n> std::ops::AddAssign<&'n N>,
{
    let mut found: BTreeMap<u32, N> = BTreeMap::new();
    let mut levels: Vec<FxHashMap<Pair, N>> = vec![FxHashMap::default(); set.levels + 1];
    let mut reserved = 0;
    let mut arrive = |levels: &mut [FxHashMap<Pair, N>], pair: Pair, ways: &N| match pair.0 {
        0 => {}
        1 => *found.entry(values.lowest(pair.1)).or_default() += ways,
        state => *levels[set.node(state).level()].entry(pair).or_default() += ways,
    };
    arrive(&mut levels, (set.root, values.root), &N::from(1));
    let mut result = Ok(());
    'levels: for level in 0..set.levels {
        for (count, (pair, ways)) in std::mem::take(&mut levels[level]).into_iter().enumerate() {
            if count % BATCH == 0 {
                let held: u64 = levels.iter().map(|level| level.capacity() as u64 * PAIR).sum();
                result = limits.check().and_then(|()| limits.reserve(held.saturating_sub(reserved)));
                if result.is_err() {
                    break 'levels;
                }
                reserved = reserved.max(held);
            }
            let (_, children) = step(set, values, pair);
            children.into_iter().for_each(|child| arrive(&mut levels, child, &ways));
        }
    }
    limits.release(reserved);
    result?;
    Ok(found)
}

/// Draws states of one value.
pub struct Drawer<'a, 'l> {
    set: &'a Set<'l>,
    values: &'a Function<'l>,
    /// By pair that was looked at: the number of its states with the value (rounded).
    weights: FxHashMap<Pair, f64>,
}

impl<'a, 'l> Drawer<'a, 'l> {
    /// `None`: this takes too many pairs, or no state has the value.
    pub fn new(
        set: &'a Set<'l>,
        values: &'a Function<'l>,
        id: u32,
        most: usize,
        limits: &Limits,
    ) -> Result<Option<Self>, ReadError> {
        let mut drawer = Drawer { set, values, weights: FxHashMap::default() };
        let room = limits.memory().saturating_sub(limits.used()) / 2;
        let most = most.min(usize::try_from(room / PAIR).unwrap_or(usize::MAX));
        let _memory = limits.hold(most as u64 * PAIR)?;
        let mut open = vec![(set.root, values.root)];
        while let Some(&pair) = open.last() {
            if drawer.weights.len().is_multiple_of(BATCH) {
                limits.check()?;
            }
            if drawer.weights.len() > most {
                return Ok(None);
            }
            if pair.0 < TERMINALS || drawer.weights.contains_key(&pair) {
                open.pop();
                continue;
            }
            let children = step(set, values, pair).1;
            let missing = children.iter().filter(|child| drawer.weight(**child, id).is_none());
            let before = open.len();
            open.extend(missing);
            if open.len() == before {
                let weight = children.iter().filter_map(|child| drawer.weight(*child, id)).sum();
                drawer.weights.insert(pair, weight);
                open.pop();
            }
        }
        let any = drawer.weight((set.root, values.root), id).is_some_and(|weight| weight > 0.0);
        Ok(any.then_some(drawer))
    }

    fn weight(&self, pair: Pair, id: u32) -> Option<f64> {
        match pair.0 {
            0 => Some(0.0),
            1 => Some(if self.values.lowest(pair.1) == id { 1.0 } else { 0.0 }),
            _ => self.weights.get(&pair).copied(),
        }
    }

    /// A state, all about equally likely, one value per level.
    pub fn draw(&self, id: u32, random: &mut Random) -> Vec<bool> {
        let mut assignment = vec![false; self.set.levels];
        let mut pair = (self.set.root, self.values.root);
        while pair.0 >= TERMINALS {
            let (level, children) = step(self.set, self.values, pair);
            let [low, high] = children.map(|child| self.weight(child, id).unwrap_or(0.0));
            let point = random.word() as f64 / u64::MAX as f64 * (low + high);
            assignment[level] = high > 0.0 && (low == 0.0 || point >= low);
            pair = children[usize::from(assignment[level])];
        }
        assignment
    }
}
