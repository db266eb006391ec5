//! Whether the layers are disjoint, checked by weights: if each layer's states all have the same sum of weights and
//! no two layers have the same sum, no state is in two layers. Linear in the nodes of the layers, and exact.

use crate::encode::measure::Weights;
use crate::kernel::{Diagram, Node};
use crate::limits::{LimitReached, Limits};
use std::collections::BTreeSet;

/// Candidates that are followed beyond the first layers.
const FOLLOWED: usize = 2;
/// Layers after which only those are.
const FIRST_LAYERS: usize = 8;

/// Watches the layers of a forward pass.
pub struct Measures {
    candidates: Vec<(Weights, BTreeSet<i64>)>,
    layers: usize,
}

impl Measures {
    pub fn new(candidates: Vec<Weights>) -> Self {
        Measures { candidates: candidates.into_iter().map(|weights| (weights, BTreeSet::new())).collect(), layers: 0 }
    }

    /// Looks at the next layer; false once no candidate is left, so that the layers may overlap.
    /// Takes 8 bytes a node meanwhile.
    pub fn observe(&mut self, layer: &Diagram, limits: &Limits) -> Result<bool, LimitReached> {
        self.layers += 1;
        if self.layers > FIRST_LAYERS {
            self.candidates.truncate(FOLLOWED);
        }
        let bytes = 8 * layer.node_count();
        limits.reserve(bytes)?;
        self.candidates.retain_mut(|(weights, seen)| uniform_sum(layer, weights).is_some_and(|sum| seen.insert(sum)));
        limits.release(bytes);
        Ok(!self.candidates.is_empty())
    }
}

/// The sum of the weights of the true levels, if it is the same for all elements of a non-empty set.
fn uniform_sum(set: &Diagram, weights: &Weights) -> Option<i64> {
    if set.is_empty() {
        return None;
    }
    let mut sums = vec![0i64; set.node_count() as usize];
    let sum = |sums: &[i64], node: Node| node.index().map_or(0, |index| sums[index]);
    for (index, node) in set.node_ids().enumerate() {
        let [lo, hi] = set.children(node);
        let with = sum(&sums, hi) + weights[set.level(node).index()];
        if lo != Node::ZERO && sum(&sums, lo) != with {
            return None;
        }
        sums[index] = with;
    }
    Some(sum(&sums, set.root()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Context;
    use crate::limits::Limits;
    use std::sync::Arc;

    #[test]
    fn equal_sums_in_a_layer_and_different_ones_among_layers() {
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        let set = |elements: &[[bool; 3]]| {
            let singles: Vec<Diagram> = elements.iter().map(|element| Diagram::single(3, element)).collect();
            crate::kernel::union(&singles.iter().collect::<Vec<_>>(), &context).unwrap()
        };
        let one = set(&[[true, false, false], [false, true, false]]);
        let two = set(&[[true, true, false], [false, true, true]]);
        assert_eq!(uniform_sum(&one, &vec![1, 1, 1]), Some(1));
        assert_eq!(uniform_sum(&two, &vec![1, 1, 1]), Some(2));
        assert_eq!(uniform_sum(&one, &vec![1, 2, 1]), None);
        let mut measures = Measures::new(vec![vec![1, 2, 1], vec![1, 1, 1]]);
        let mut observe = |layer| measures.observe(layer, context.limits()).unwrap();
        assert!(observe(&one) && observe(&two));
        assert!(!observe(&one), "the same sum again");
    }
}
