//! The backward pass: the values of all states, from the last layer to the first, two layers at a time.

use super::forward::{self, Forward, Pass};
use super::outcome::Bucket;
use super::progress::{Event, Phase, Silent};
use super::{SolveError, buckets, witness};
use crate::kernel::{self, DEAD_END, Diagram, Preferences, TERMINALS};
use crate::reward::OpponentModel;
use std::time::Instant;

/// Values of all layers.
pub struct Backward {
    /// Of the initial state.
    pub value: Vec<u8>,
    /// By layer.
    pub buckets: Vec<Vec<Bucket>>,
}

/// Runs the pass over the layers that the forward pass `pass` kept, which are used up.
pub fn backward(pass: &Pass, forward: &mut Forward, model: OpponentModel) -> Result<Backward, SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let preferences = preferences(model, game.roles.len(), expansion.rewards());
    let total = forward.spool.len();
    let mut values = Diagram::constant(expansion.variables().levels(), 0);
    let mut by_layer = vec![Vec::new(); total];
    for index in (0..total).rev() {
        let start = Instant::now();
        let layer = forward.spool.take(index)?;
        values = expansion.values(&layer, &values, &preferences)?;
        if has_dead_end(&values) {
            // A forward pass that looks for dead ends finds the one that is nearest to the start.
            forward::forward(&Pass { keep: false, listener: &Silent, ..*pass })?;
            let state = kernel::restrict(&layer, &values, context)?.pick(DEAD_END).unwrap_or_default();
            return Err(witness::refusal(game, expansion, index, state)?);
        }
        by_layer[index] = buckets::of_layer(&layer, &values, expansion.rewards(), context)?;
        listener.event(&Event::LayerFinished {
            phase: Phase::Backward,
            layer: index as u32,
            total: Some(total as u32),
            states: Some(forward.layers[index].states.clone()),
            nodes: values.node_count(),
            seconds: start.elapsed().as_secs_f64(),
        });
    }
    let id = values.value_at(expansion.initial());
    Ok(Backward { value: expansion.rewards()[id as usize - 1].clone(), buckets: by_layer })
}

/// Whether some state is not terminal and has no successor.
fn has_dead_end(values: &Diagram) -> bool {
    let mut nodes = (0..values.node_count()).map(|index| values.children(TERMINALS + index as u32));
    values.root() == DEAD_END || nodes.any(|children| children.contains(&DEAD_END))
}

/// By mover: the rank of each value id in the mover's order, larger is better.
fn preferences(model: OpponentModel, roles: usize, rewards: &[Vec<u8>]) -> Preferences {
    let rank = |mover: usize| {
        let mut ids: Vec<usize> = (0..rewards.len()).collect();
        ids.sort_by(|&left, &right| model.compare(mover, &rewards[left], &rewards[right]));
        let mut ranks = vec![0; rewards.len() + 1];
        for (rank, id) in ids.into_iter().enumerate() {
            ranks[id + 1] = rank as u32 + 1;
        }
        ranks
    };
    Preferences { ranks: (0..roles).map(rank).collect() }
}
