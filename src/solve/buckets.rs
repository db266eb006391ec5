//! The reward buckets of a layer: how many states have which value, and how many nodes of the value diagram lead
//! to it.

use super::outcome::Bucket;
use crate::kernel::{self, Context, Diagram, Node};
use crate::limits::LimitReached;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Number of value ids whose nodes are counted in one walk.
const AT_ONCE: usize = 8;

/// The buckets of the states `layer` with the values `values` (value id = index in `rewards` + 1; the next one
/// is endless play), ascending.
pub fn of_layer(
    layer: &Diagram,
    values: &Diagram,
    rewards: &[Vec<u8>],
    context: &Context,
) -> Result<Vec<Bucket>, LimitReached> {
    let mut counts: Vec<(u32, BigUint)> = kernel::tally(layer, values, context)?;
    counts.sort_unstable_by_key(|count| count.0);
    let ids: Vec<u32> = counts.iter().map(|count| count.0).collect();
    let nodes = nodes_leading_to(values, &ids, context)?;
    let bucket = |((id, states), nodes): ((u32, BigUint), u64)| Bucket {
        rewards: rewards.get(id as usize - 1).cloned(),
        states,
        nodes: Some(nodes),
    };
    let mut buckets: Vec<Bucket> = counts.into_iter().zip(nodes).map(bucket).collect();
    buckets.sort_by(|left, right| left.rewards.cmp(&right.rewards));
    Ok(buckets)
}

/// Adds up the buckets of all layers by their rewards, and the nodes of those that have a diagram.
pub fn total<'a>(layers: impl IntoIterator<Item = &'a Vec<Bucket>>) -> Vec<Bucket> {
    let mut total: BTreeMap<Option<Vec<u8>>, (BigUint, Option<u64>)> = BTreeMap::new();
    for bucket in layers.into_iter().flatten() {
        let sum = total.entry(bucket.rewards.clone()).or_default();
        sum.0 += &bucket.states;
        sum.1 = sum.1.into_iter().chain(bucket.nodes).reduce(|sum, nodes| sum + nodes);
    }
    total.into_iter().map(|(rewards, (states, nodes))| Bucket { rewards, states, nodes }).collect()
}

/// By terminal: the number of inner nodes from which it can be reached.
fn nodes_leading_to(values: &Diagram, terminals: &[u32], context: &Context) -> Result<Vec<u64>, LimitReached> {
    let mut result = Vec::with_capacity(terminals.len());
    let bytes = values.node_count();
    context.limits().reserve(bytes)?;
    for chunk in terminals.chunks(AT_ONCE) {
        let mut masks = vec![0u8; values.node_count() as usize];
        let mut counts = [0u64; AT_ONCE];
        for (index, node) in values.node_ids().enumerate() {
            let mask = |node: Node| match node.index() {
                Some(inner) => masks[inner],
                None => chunk.iter().position(|&id| Node::terminal(id) == node).map_or(0, |bit| 1 << bit),
            };
            let [lo, hi] = values.children(node);
            let both = mask(lo) | mask(hi);
            masks[index] = both;
            counts.iter_mut().enumerate().for_each(|(bit, count)| *count += u64::from(both >> bit & 1));
        }
        result.extend_from_slice(&counts[..chunk.len()]);
    }
    context.limits().release(bytes);
    Ok(result)
}
