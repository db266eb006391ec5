//! Breadth-first layers over an explored game.
//!
//! Layer 0 is the initial state; layer l+1 holds the successors of the non-terminal states of layer l, each once,
//! whether or not earlier layers hold them too.

use super::{Exploration, StateId};

/// States of one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerCount {
    pub states: u64,
    pub terminal: u64,
}

/// Calls `visit` with the states of each layer in turn, in the order of discovery, until a layer is empty or
/// `visit` returns false. Of a cyclic game there is no end otherwise.
pub(super) fn for_each_layer(exploration: &Exploration, mut visit: impl FnMut(&[StateId]) -> bool) {
    let mut layer = vec![StateId(0)];
    let mut seen = vec![false; exploration.len()];
    while !layer.is_empty() && visit(&layer) {
        let mut next = Vec::new();
        for target in layer.iter().flat_map(|id| exploration.successors(*id)) {
            if !seen[target.index()] {
                seen[target.index()] = true;
                next.push(*target);
            }
        }
        next.iter().for_each(|id| seen[id.index()] = false);
        layer = next;
    }
}

/// The sizes of the layers, but of no more than the first `limit`; those of a cyclic game never end.
pub fn layers(exploration: &Exploration, limit: usize) -> Vec<LayerCount> {
    let mut counts = Vec::new();
    for_each_layer(exploration, |layer| {
        if counts.len() < limit {
            counts.push(count(exploration, layer));
        }
        counts.len() < limit
    });
    counts
}

/// The states of each layer of a game whose layers end.
pub fn states_by_layer(exploration: &Exploration) -> Vec<Vec<StateId>> {
    let mut layers = Vec::new();
    for_each_layer(exploration, |layer| {
        layers.push(layer.to_vec());
        true
    });
    layers
}

pub(super) fn count(exploration: &Exploration, layer: &[StateId]) -> LayerCount {
    let terminal = layer.iter().filter(|id| exploration.terminal(**id)).count();
    LayerCount { states: layer.len() as u64, terminal: terminal as u64 }
}
