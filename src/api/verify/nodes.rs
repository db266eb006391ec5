//! The `nodes` of buckets: the inner nodes of the diagram of a layer's values with a path to a value of the bucket.
//!
//! Solutions of all states at once have no diagram of a layer's values, so it is built again from the states in their
//! order ([`Drawn`]). Cost: a pass over the nodes for each eight buckets, with a byte for each node; and some tens of
//! nanoseconds and bytes for each node that is built.

use super::Findings;
use super::diagram::TERMINALS;
use base::limits::{Account, LimitReached, Limits, table_bytes};
use rustc_hash::FxHashMap;
use solving::store::manifest::BucketRecord;
use std::collections::BTreeMap;

const AT_ONCE: usize = 8;
const BATCH: usize = 1 << 16;

/// By group of terminals: the number of inner nodes with a path to one of them. `nodes`: the children of each node,
/// which come before it. `groups`: the number of groups, and by terminal its group, if it is in one.
pub fn leading(
    nodes: &[[u32; 2]],
    (groups, of_terminal): (usize, &BTreeMap<u32, usize>),
    limits: &Limits,
) -> Result<Vec<u64>, LimitReached> {
    let _masks = limits.hold(nodes.len() as u64)?;
    let mut result = Vec::with_capacity(groups);
    for first in (0..groups).step_by(AT_ONCE) {
        let mut masks: Vec<u8> = Vec::with_capacity(nodes.len());
        let mut counts = [0u64; AT_ONCE];
        for (index, [lo, hi]) in nodes.iter().enumerate() {
            if index % BATCH == 0 {
                limits.check()?;
            }
            let mask = |child: &u32| match child.checked_sub(TERMINALS) {
                Some(inner) => masks[inner as usize],
                None => {
                    let bit = of_terminal.get(child).and_then(|group| group.checked_sub(first));
                    bit.filter(|bit| *bit < AT_ONCE).map_or(0, |bit| 1 << bit)
                }
            };
            let both = mask(lo) | mask(hi);
            masks.push(both);
            counts.iter_mut().enumerate().for_each(|(bit, count)| *count += u64::from(both >> bit & 1));
        }
        result.extend_from_slice(&counts[..AT_ONCE.min(groups - first)]);
    }
    Ok(result)
}

/// Says that the `nodes` of a layer's buckets are not checked.
pub fn tell_open(layer: u32) {
    tracing::warn!("layer {layer}: the `nodes` of its buckets are not checked: too little memory");
}

/// Compares the `nodes` of buckets with those that there are.
pub fn compare<'b>(buckets: impl Iterator<Item = (&'b BucketRecord, u64)>, findings: &mut Findings) {
    for (BucketRecord { rewards, nodes: told, .. }, found) in buckets {
        if *told != found {
            findings.add(|| format!("the manifest has {told} nodes that lead to {rewards:?}, there are {found}"));
        }
    }
}

/// The diagram of the values of states that are added in ascending order. Where there is no state, any value will do, so
/// a node with states below one child only is left out.
pub struct Drawn<'l> {
    nodes: Vec<[u32; 2]>,
    /// The node of a level with these children.
    known: FxHashMap<(usize, u32, u32), u32>,
    /// The last state, and its value.
    last: Option<(Vec<bool>, u32)>,
    /// By level that is true in the last state: what is below where it is false, if there are states.
    low: Vec<Option<u32>>,
    memory: Account<&'l Limits>,
}

impl<'l> Drawn<'l> {
    pub fn new(levels: usize, limits: &'l Limits) -> Self {
        let (low, memory) = (vec![None; levels], Account::new(&limits));
        Drawn { nodes: Vec::new(), known: FxHashMap::default(), last: None, low, memory }
    }

    pub fn add(&mut self, state: &[bool], value: u32) -> Result<(), LimitReached> {
        if let Some((last, _)) = &self.last {
            let Some(level) = (0..state.len()).find(|&level| last[level] != state[level]) else { return Ok(()) };
            self.low[level] = self.close(level + 1)?;
        }
        self.last = Some((state.to_vec(), value));
        Ok(())
    }

    /// The node for the states that have all levels before `first` in common with the last one.
    fn close(&mut self, first: usize) -> Result<Option<u32>, LimitReached> {
        let Some((last, value)) = &self.last else { return Ok(None) };
        let mut node = *value;
        for level in (first..last.len()).rev().filter(|&level| last[level]) {
            let Some(low) = self.low[level].take().filter(|low| *low != node) else { continue };
            let next = TERMINALS + self.nodes.len() as u32;
            let (nodes, known) = (&mut self.nodes, &mut self.known);
            if known.len() == known.capacity() {
                let entry = size_of::<((usize, u32, u32), u32)>();
                let more = known.len() + 1;
                self.memory.grow_to((table_bytes(more, entry) + 2 * more * size_of::<[u32; 2]>()) as u64)?;
            }
            let high = node;
            node = *known.entry((level, low, high)).or_insert_with(|| {
                nodes.push([low, high]);
                next
            });
        }
        Ok(Some(node))
    }

    /// As [`leading`], for the diagram of all states that were added.
    pub fn leading(
        mut self,
        groups: (usize, &BTreeMap<u32, usize>),
        limits: &Limits,
    ) -> Result<Vec<u64>, LimitReached> {
        self.close(0)?;
        leading(&self.nodes, groups, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// The nodes of a table (0: no state) by the definition: its parts that differ, without those that one half tells.
    fn plain(level: usize, table: &[u32], nodes: &mut BTreeMap<(usize, Vec<u32>), Vec<u32>>) -> Vec<u32> {
        let [only] = table else {
            let (low, high) = table.split_at(table.len() / 2);
            let children = [low, high].map(|half| plain(level + 1, half, nodes));
            return match children {
                [low, high] if low.iter().all(|value| *value == 0) => [high.clone(), high].concat(),
                [low, high] if low == high || high.iter().all(|value| *value == 0) => [low.clone(), low].concat(),
                children => {
                    let both = children.concat();
                    let mut values = both.clone();
                    values.sort_unstable();
                    values.dedup();
                    nodes.insert((level, both.clone()), values);
                    both
                }
            };
        };
        vec![*only]
    }

    #[test]
    fn nodes_that_lead_to_values_are_those_of_the_definition() {
        let (mut random, limits) = (Random::new(2), Limits::unlimited());
        let groups: BTreeMap<u32, usize> = (1..=12).map(|value| (value, value as usize - 1)).collect();
        for round in 0..300 {
            let (levels, most, empty) = (round % 8, 1 + random.below(12), random.below(100));
            let state = |bits: usize| -> Vec<bool> { (0..levels).rev().map(|bit| bits >> bit & 1 == 1).collect() };
            let mut value = |_| if random.chance(empty) { 0 } else { 1 + random.below(most) as u32 };
            let table: Vec<u32> = (0..1 << levels).map(&mut value).collect();
            let mut drawn = Drawn::new(levels, &limits);
            for (bits, &value) in table.iter().enumerate().filter(|(_, value)| **value != 0) {
                drawn.add(&state(bits), value).unwrap();
            }
            let mut nodes = BTreeMap::new();
            plain(0, &table, &mut nodes);
            let expected: Vec<u64> =
                (1..=12).map(|value| nodes.values().filter(|values| values.contains(&value)).count() as u64).collect();
            assert_eq!(drawn.leading((12, &groups), &limits).unwrap(), expected, "{table:?}");
        }
    }
}
