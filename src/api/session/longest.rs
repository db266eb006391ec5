//! The longest plays of a solution with distances: the largest distance of each value, and a state at it.

use super::LayerReport;
use base::limits::Limits;
use base::random::Random;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solution::{Among, Drawing, ReadError, Solution};
use solving::solve::{Bucket, Event, Listener};
use solving::store::manifest::integer;
use std::path::Path;
use std::sync::Arc;

/// The longest play with one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LongestPlay {
    /// By role: the reward.
    pub rewards: Vec<u8>,
    /// Plies to the end.
    pub plies: u32,
    /// The first layer that has a state with this value and distance.
    pub layer: usize,
    /// Number of states with this value and distance, in all layers.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// The fluents of such a state of `layer`; `None` if nothing was stored, not even in a
    /// temporary folder, or memory does not suffice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Vec<String>>,
    /// The state as a board, if it looks like one.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

/// The longest plays, ascending by rewards, without states.
pub(super) fn longest(layers: &[LayerReport], buckets: &[Bucket]) -> Vec<LongestPlay> {
    let of_bucket = |bucket: &Bucket| {
        let (rewards, last) = (bucket.rewards.clone()?, bucket.plies.last()?);
        let has = |layer: &&LayerReport| {
            let own = layer.buckets.iter().flatten().find(|own| own.rewards == bucket.rewards);
            own.is_some_and(|own| own.plies.last().is_some_and(|own| own.plies == last.plies))
        };
        let layer = layers.iter().find(has)?.layer;
        let (plies, states) = (last.plies, last.states.clone());
        Some(LongestPlay { rewards, plies, layer, states, state: None, drawing: None })
    };
    buckets.iter().filter_map(of_bucket).collect()
}

/// Adds a state of a stored solution to each play, as far as memory suffices. The choice is the same in every run.
pub(super) fn with_states(
    longest: &mut [LongestPlay],
    folder: &Path,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<(), ReadError> {
    if longest.is_empty() {
        return Ok(());
    }
    let found = Solution::open(folder, limits).and_then(|solution| {
        longest.iter_mut().try_for_each(|play| {
            let among = Among::Plies(&play.rewards, play.plies);
            let position = solution.sample(play.layer as u32, among, &mut Random::new(0), limits)?;
            play.state = Some(solution.state_names(&position.state));
            play.drawing = solution.board().map(|board| board.drawing(solution.game(), &position.state));
            Ok(())
        })
    });
    match found {
        Err(error) if error.limit().is_some_and(|limit| !limit.ends_all()) => {
            listener.event(&Event::Notice(format!("positions of the longest plays are left out: {error}")));
            Ok(())
        }
        found => found,
    }
}
