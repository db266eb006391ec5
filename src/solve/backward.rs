//! The backward pass: the values of all states, from the last layer to the first, two layers at a time.

use super::forward::{self, Pass};
use super::outcome::{Bucket, PlayedMove};
use super::progress::{Event, Phase, Silent};
use super::scratch::Scratch;
use super::spool::Spool;
use super::{SolveError, buckets, global, witness};
use crate::kernel::{self, DEAD_END, Diagram, Preferences, TERMINALS};
use crate::reward::OpponentModel;
use std::time::Instant;

/// Values of all layers.
pub struct Backward {
    /// Of the initial state.
    pub value: Option<Vec<u8>>,
    /// By layer.
    pub buckets: Vec<Vec<Bucket>>,
    /// A line of best play, if wanted.
    pub line: Option<Vec<PlayedMove>>,
}

/// Runs the pass over the layers of a spool, which are used up, from the last layer whose values are not stored.
pub fn backward(pass: &Pass, spool: &mut Spool, model: OpponentModel, line: bool) -> Result<Backward, SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let preferences = preferences(model, game.roles.len(), expansion.rewards());
    let mut by_layer = spool.stored_buckets();
    let total = by_layer.len();
    let done = by_layer.iter().rev().take_while(|buckets| buckets.is_some()).count();
    let mut values = match done {
        0 => Diagram::constant(expansion.variables().levels(), 0),
        _ if done == total => Diagram::constant(0, 0),
        _ => spool.stored_values(total - done)?,
    };
    // From the last layer to the first, for the line.
    let (mut scratch, mut kept) = (Scratch::default(), Vec::new());
    for index in (0..total - done).rev() {
        let start = Instant::now();
        let layer = spool.take(index)?;
        values = expansion.values(&layer, &values, &preferences)?;
        if has_dead_end(&values) {
            // A forward pass that looks for dead ends finds the one that is nearest to the start.
            let again = Pass { solving: false, listener: &Silent, ..*pass };
            forward::forward(&again, &mut Spool::new(None, None, context))?;
            let state = kernel::restrict(&layer, &values, context)?.pick(DEAD_END).unwrap_or_default();
            return Err(witness::refusal(game, expansion, index, state)?);
        }
        let buckets = buckets::of_layer(&layer, &values, expansion.rewards(), context)?;
        spool.push_values(index, &values, &buckets)?;
        if line && !spool.is_stored() {
            kept.push(scratch.push(&values, context)?);
        }
        by_layer[index] = Some(buckets);
        listener.event(&Event::LayerFinished {
            phase: Phase::Backward,
            layer: index as u32,
            total: Some(total as u32),
            states: Some(spool.figures()[index].states.clone()),
            nodes: values.node_count(),
            seconds: start.elapsed().as_secs_f64(),
        });
    }
    let buckets: Vec<Vec<Bucket>> = by_layer.into_iter().map(Option::unwrap_or_default).collect();
    // The first layer holds one state.
    let value = buckets.first().and_then(|first| first.first()).and_then(|bucket| bucket.rewards.clone());
    let values_of = |layer: usize| match kept.get(total - 1 - layer) {
        Some(slot) => scratch.read(slot, context.limits()),
        None => spool.stored_values(layer),
    };
    let line = if line { Some(global::in_layers(pass, values_of)?) } else { None };
    Ok(Backward { value, buckets, line })
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
