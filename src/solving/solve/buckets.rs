//! The buckets of a layer: for each value the number of states, the nodes of the value diagram with a path to the value
//! and, with distances, the number of states at each distance from the end.

use super::outcome::Bucket;
use crate::store::manifest::PliesRecord;
use base::limits::LimitReached;
use game::ending::Endings;
use kernel::{self, Context, Diagram, Node};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Number of buckets whose nodes are counted in one walk.
const AT_ONCE: usize = 8;
/// Nodes between two checks of the limits.
const BATCH: usize = 1 << 16;

/// The buckets of the layer `states` with these values, ascending. An id that `endings` lacks means endless play.
pub fn of_layer(
    states: &Diagram,
    values: &Diagram,
    endings: &Endings,
    layer: usize,
    context: &Context,
) -> Result<Vec<Bucket>, LimitReached> {
    let counts: Vec<(u32, BigUint)> = kernel::tally(states, values, context)?;
    let mut ids: BTreeMap<Option<usize>, Vec<u32>> = BTreeMap::new();
    counts.iter().for_each(|(id, _)| ids.entry(endings.index(*id)).or_default().push(*id));
    let nodes = nodes_leading_to(values, &ids.into_values().collect::<Vec<_>>(), context)?;
    let mut buckets = of_counts(counts, endings, layer);
    // Value ids ascend with the rewards, and endless play comes first in both orders.
    buckets.iter_mut().zip(nodes).for_each(|(bucket, nodes)| bucket.nodes = Some(nodes));
    Ok(buckets)
}

/// The buckets of a layer from the number of states of each value, ascending, without nodes.
pub fn of_counts(counts: impl IntoIterator<Item = (u32, BigUint)>, endings: &Endings, layer: usize) -> Vec<Bucket> {
    let mut buckets: BTreeMap<Option<usize>, (BigUint, BTreeMap<u32, BigUint>)> = BTreeMap::new();
    for (id, states) in counts {
        let (sum, plies) = buckets.entry(endings.index(id)).or_default();
        *sum += &states;
        if let Some(distance) = endings.plies(id, layer as u32) {
            *plies.entry(distance).or_default() += states;
        }
    }
    let bucket = |(index, (states, plies)): (Option<usize>, (BigUint, BTreeMap<u32, BigUint>))| Bucket {
        rewards: index.map(|index| endings.all_rewards()[index].clone()),
        states,
        nodes: None,
        plies: histogram(plies),
    };
    buckets.into_iter().map(bucket).collect()
}

fn histogram(plies: BTreeMap<u32, BigUint>) -> Vec<PliesRecord> {
    plies.into_iter().map(|(plies, states)| PliesRecord { plies, states }).collect()
}

/// The buckets of all layers together: by rewards, the sums of nodes (if layers have them) and of states by distance.
pub fn total<'a>(layers: impl IntoIterator<Item = &'a Vec<Bucket>>) -> Vec<Bucket> {
    #[derive(Default)]
    struct Sum {
        states: BigUint,
        nodes: Option<u64>,
        plies: BTreeMap<u32, BigUint>,
    }
    let mut total: BTreeMap<Option<Vec<u8>>, Sum> = BTreeMap::new();
    for bucket in layers.into_iter().flatten() {
        let sum = total.entry(bucket.rewards.clone()).or_default();
        sum.states += &bucket.states;
        sum.nodes = sum.nodes.into_iter().chain(bucket.nodes).reduce(|sum, nodes| sum + nodes);
        for PliesRecord { plies, states } in &bucket.plies {
            *sum.plies.entry(*plies).or_default() += states;
        }
    }
    let bucket = |(rewards, Sum { states, nodes, plies })| Bucket { rewards, states, nodes, plies: histogram(plies) };
    total.into_iter().map(bucket).collect()
}

/// By group of terminals: the number of inner nodes with a path to one of them.
fn nodes_leading_to(values: &Diagram, groups: &[Vec<u32>], context: &Context) -> Result<Vec<u64>, LimitReached> {
    let mut result = Vec::with_capacity(groups.len());
    let _masks = context.limits().hold(values.node_count())?;
    let terminals = groups.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    for chunk in groups.chunks(AT_ONCE) {
        let mut of_terminal = vec![0u8; terminals];
        for (bit, group) in chunk.iter().enumerate() {
            group.iter().for_each(|&id| of_terminal[id as usize] |= 1 << bit);
        }
        let mut masks = vec![0u8; values.node_count() as usize];
        let mut counts = [0u64; AT_ONCE];
        for (index, node) in values.node_ids().enumerate() {
            if index % BATCH == 0 {
                context.limits().check()?;
            }
            let mask = |node: Node| match (node.index(), node.as_terminal()) {
                (Some(inner), _) => masks[inner],
                (None, id) => id.and_then(|id| of_terminal.get(id as usize)).copied().unwrap_or(0),
            };
            let [lo, hi] = values.children(node);
            let both = mask(lo) | mask(hi);
            masks[index] = both;
            counts.iter_mut().enumerate().for_each(|(bit, count)| *count += u64::from(both >> bit & 1));
        }
        result.extend_from_slice(&counts[..chunk.len()]);
    }
    Ok(result)
}
