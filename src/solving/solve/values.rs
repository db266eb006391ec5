//! The values of a layer in one of three forms: a diagram; a bitvector by rank, whose ranges several processes may hold
//! until they are stored; or a list of states with values, which becomes a diagram to be stored.

use super::expansion::Listed;
use super::outcome::Bucket;
use super::team::Shared;
use super::{SolveError, buckets};
use crate::store::{Archive, Kind};
use game::ending::Endings;
use kernel::{self, Bitvector, Context, DEAD_END, Diagram, Preferences};

#[derive(Debug)]
pub enum LayerValues {
    Diagram(Diagram),
    Ranked(Bitvector),
    Listed(Listed),
    /// By rank, in several processes: they can only be counted and stored.
    Shared(Shared),
}

/// Message of a panic: a bug of the solver, which must store shared values before it reads them.
const ELSEWHERE: &str = "values that several processes have are stored before they are used";

impl LayerValues {
    pub fn stored(archive: &Archive, layer: usize, context: &Context) -> Result<LayerValues, SolveError> {
        Ok(match archive.values_kind(layer) {
            Some(Kind::Ranked) => LayerValues::Ranked(archive.ranked_values(layer, context)?),
            _ => LayerValues::Diagram(archive.values(layer, context.limits())?),
        })
    }

    /// Converts the values to a diagram; `layer`: the states of the layer.
    pub fn into_diagram(self, layer: &Diagram, context: &Context) -> Result<Diagram, SolveError> {
        let diagram = self.into_small_diagram(layer, u64::MAX, context)?;
        Ok(diagram.unwrap_or_else(|_| unreachable!("no diagram has so many nodes")))
    }

    /// Converts the values to a diagram, or returns values by rank unchanged if it would have more than `most` nodes.
    pub fn into_small_diagram(
        self,
        layer: &Diagram,
        most: u64,
        context: &Context,
    ) -> Result<Result<Diagram, Self>, SolveError> {
        match self {
            LayerValues::Diagram(diagram) => Ok(Ok(diagram)),
            LayerValues::Ranked(ranked) => {
                Ok(kernel::unranked(layer, &ranked, most, context)?.ok_or(LayerValues::Ranked(ranked)))
            }
            LayerValues::Listed(listed) => Ok(Ok(listed.diagram(context)?)),
            LayerValues::Shared(_) => unreachable!("{ELSEWHERE}"),
        }
    }

    /// Converts the values to a bitvector by rank, with codes in the first mover's order.
    pub fn into_ranked(
        self,
        layer: &Diagram,
        preferences: &Preferences,
        context: &Context,
    ) -> Result<Bitvector, SolveError> {
        match self {
            LayerValues::Diagram(diagram) => {
                Ok(kernel::ranked(layer, &diagram, LayerValues::occurring(&diagram, preferences), context)?)
            }
            LayerValues::Ranked(ranked) => Ok(ranked),
            LayerValues::Listed(listed) => {
                let diagram = listed.diagram(context)?;
                LayerValues::Diagram(diagram).into_ranked(layer, preferences, context)
            }
            LayerValues::Shared(_) => unreachable!("{ELSEWHERE}"),
        }
    }

    /// The values that occur in a diagram, in the first mover's order, worst first.
    pub fn occurring(diagram: &Diagram, preferences: &Preferences) -> Vec<u32> {
        let mut values = diagram.terminals();
        values.retain(|&value| value != DEAD_END);
        let ranks = &preferences.ranks[0];
        values.sort_unstable_by_key(|&value| ranks[value as usize]);
        values
    }

    /// Whether some state is not terminal and has no successor.
    pub fn has_dead_end(&self) -> bool {
        match self {
            LayerValues::Diagram(values) => values.terminals().contains(&DEAD_END),
            LayerValues::Listed(listed) => listed.has_dead_end(),
            // A layer with a dead end is solved by a sweep, never by a bitvector.
            LayerValues::Ranked(_) | LayerValues::Shared(_) => false,
        }
    }

    /// The buckets of the states of a layer.
    pub fn buckets(
        &self,
        states: &Diagram,
        endings: &Endings,
        layer: usize,
        context: &Context,
    ) -> Result<Vec<Bucket>, SolveError> {
        match self {
            LayerValues::Diagram(values) => Ok(buckets::of_layer(states, values, endings, layer, context)?),
            LayerValues::Ranked(ranked) => {
                let counts = ranked.values().iter().copied().zip(ranked.counts());
                let occurring = counts.filter(|(_, states)| *states > 0).map(|(id, states)| (id, states.into()));
                Ok(buckets::of_counts(occurring, endings, layer))
            }
            LayerValues::Listed(listed) => match listed.drawn() {
                Some(values) => Ok(buckets::of_layer(states, values, endings, layer, context)?),
                None => {
                    let counts = listed.counts().into_iter().map(|(id, states)| (id, states.into()));
                    Ok(buckets::of_counts(counts, endings, layer))
                }
            },
            LayerValues::Shared(shared) => {
                let counts = shared.counts().map(|(id, states)| (id, states.into()));
                Ok(buckets::of_counts(counts, endings, layer))
            }
        }
    }

    /// Nodes of the diagram, if there is one.
    pub fn nodes(&self) -> u64 {
        match self {
            LayerValues::Diagram(values) => values.node_count(),
            LayerValues::Listed(listed) => listed.drawn().map_or(0, Diagram::node_count),
            LayerValues::Ranked(_) | LayerValues::Shared(_) => 0,
        }
    }

    /// Bytes of the bitvector; 0 for another form.
    pub fn ranked_bytes(&self) -> u64 {
        match self {
            LayerValues::Diagram(_) | LayerValues::Listed(_) | LayerValues::Shared(_) => 0,
            LayerValues::Ranked(ranked) => Bitvector::bytes(ranked.states(), ranked.values().len()),
        }
    }
}
