//! Checks by weights whether layers are disjoint: if all states of a layer have the same sum of weights, and no two
//! layers have the same sum, no state is in two layers. The check is linear in the nodes of the layers, and exact.

use base::limits::LimitReached;
use game::encode::measure::Weights;
use kernel::{Context, Diagram, Level};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of candidates that are kept after [`FIRST_LAYERS`] layers.
const FOLLOWED: usize = 2;
const FIRST_LAYERS: usize = 8;

pub struct Measures {
    candidates: Vec<(Weights, BTreeSet<i64>)>,
    layers: usize,
}

impl Measures {
    pub fn new(candidates: Vec<Weights>) -> Self {
        Measures { candidates: candidates.into_iter().map(|weights| (weights, BTreeSet::new())).collect(), layers: 0 }
    }

    /// Checks the next layer; false once no candidate is left, so that layers may share states. Takes 8 bytes per node
    /// during the call.
    pub fn observe(&mut self, layer: &Diagram, context: &Context) -> Result<bool, LimitReached> {
        self.layers += 1;
        if self.layers > FIRST_LAYERS {
            self.candidates.truncate(FOLLOWED);
        }
        let mut kept = Vec::with_capacity(self.candidates.len());
        for (weights, mut seen) in self.candidates.drain(..) {
            if uniform_sum(layer, &weights, context)?.is_some_and(|sum| seen.insert(sum)) {
                kept.push((weights, seen));
            }
        }
        self.candidates = kept;
        Ok(!self.candidates.is_empty())
    }
}

/// Stands for the sum of an empty set.
const NONE: u64 = i64::MIN as u64;

/// The sum of the weights of the true levels, if it is the same for all elements of a non-empty set.
fn uniform_sum(set: &Diagram, weights: &Weights, context: &Context) -> Result<Option<i64>, LimitReached> {
    let differs = AtomicBool::new(false);
    let of = |level: Level, [without, with]: [u64; 2]| {
        let sum = (with as i64 + weights[level.index()]) as u64;
        if without != NONE && without != sum {
            differs.store(true, Ordering::Relaxed);
        }
        sum
    };
    let sum = set.fold(|terminal| if terminal == 0 { NONE } else { 0 }, of, context)?;
    Ok((!differs.into_inner() && sum != NONE).then_some(sum as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::limits::Limits;
    use std::sync::Arc;

    #[test]
    fn equal_sums_in_a_layer_and_different_ones_among_layers() {
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        let set = |elements: &[[bool; 3]]| {
            let singles: Vec<Diagram> = elements.iter().map(|element| Diagram::single(3, element)).collect();
            kernel::union(&singles.iter().collect::<Vec<_>>(), &context).unwrap()
        };
        let one = set(&[[true, false, false], [false, true, false]]);
        let two = set(&[[true, true, false], [false, true, true]]);
        assert_eq!(uniform_sum(&one, &vec![1, 1, 1], &context).unwrap(), Some(1));
        assert_eq!(uniform_sum(&two, &vec![1, 1, 1], &context).unwrap(), Some(2));
        assert_eq!(uniform_sum(&one, &vec![1, 2, 1], &context).unwrap(), None);
        let mut measures = Measures::new(vec![vec![1, 2, 1], vec![1, 1, 1]]);
        let mut observe = |layer| measures.observe(layer, &context).unwrap();
        assert!(observe(&one) && observe(&two));
        assert!(!observe(&one), "the same sum again");
    }
}
