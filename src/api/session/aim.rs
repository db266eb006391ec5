//! The aim of a single player: states from which it cannot be reached, and a highest reward that no state pays.

use super::RunReport;
use base::limits::Limits;
use game::aim::Aim;
use game::propositional::Game;
use kernel::Context;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solution::{ReadError, Stored};
use solving::solve::{Bucket, Event, Listener};
use solving::store::manifest::integer;
use solving::unmet::{Search, Unmet};
use std::path::Path;
use std::sync::Arc;

/// The highest reward that the rules name, if no reachable state pays it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreached {
    /// The reward.
    pub reward: u8,
    /// The best reward that can be reached; `None` if endless play is the best.
    pub best: Option<u8>,
    /// Number of reachable states.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// Whether the rules exclude the reward in every state. Findings on the rules give the place.
    pub by_rules: bool,
    /// The conditions of the reward that no reachable state meets; `None` if the rules exclude the reward, or the
    /// conditions were too large or memory too small to examine them.
    #[serde(flatten)]
    pub unmet: Option<Unmet>,
}

/// Number of states from which the player can't reach its aim.
pub fn dead_ends(aim: Aim, buckets: &[Bucket]) -> BigUint {
    buckets.iter().filter(|bucket| aim.is_missed(bucket.rewards.as_deref())).map(|bucket| &bucket.states).sum()
}

impl RunReport {
    /// Adds the aim of a single player and the dead ends, if there are values. `named`: the rewards that the rules
    /// name.
    pub(super) fn aimed(mut self, named: &[u8]) -> RunReport {
        if let (Some(value), Some(buckets), [_]) = (&self.value, &self.buckets, self.roles.as_slice()) {
            let best = value.as_ref().map(|rewards| rewards[0]);
            self.aim = Aim::new(named, best);
            self.dead_ends = self.aim.map(|aim| dead_ends(aim, buckets));
            let missed = named.iter().copied().max().filter(|&reward| reward > best.unwrap_or(0));
            let states = &self.states;
            self.unreached =
                missed.map(|reward| Unreached { reward, best, states: states.clone(), by_rules: false, unmet: None });
        }
        self
    }
}

impl Unreached {
    pub(super) fn explain(&mut self, game: &Game, unmet: Option<Unmet>) {
        self.by_rules = !game.goals[0].iter().any(|(possible, _)| *possible == self.reward);
        self.unmet = unmet.filter(|_| !self.by_rules);
    }

    /// Adds the conditions that hold in no state of a stored solution, as far as memory suffices.
    pub(super) fn look(
        &mut self,
        folder: &Path,
        limits: &Arc<Limits>,
        listener: &dyn Listener,
    ) -> Result<(), ReadError> {
        let stored = Stored::open_without_book(folder, None, limits)?;
        let unmet = match unmet(&stored, self.reward, limits) {
            Err(error) if error.limit().is_some_and(|limit| !limit.ends_all()) => {
                listener.event(&Event::Notice(format!("the conditions of the goal are not looked at: {error}")));
                None
            }
            found => found?,
        };
        self.explain(&stored.game, unmet);
        Ok(())
    }
}

fn unmet(stored: &Stored, reward: u8, limits: &Arc<Limits>) -> Result<Option<Unmet>, ReadError> {
    let Some(mut search) = Search::new(&stored.game, reward) else { return Ok(None) };
    let (literals, context) = (stored.codec.literals(), Context::new(Arc::clone(limits), 1));
    for layer in 0..stored.manifest.layers.len() as u32 {
        let states = stored.states(layer)?.expect("the manifest has the layer");
        search.look(&states.diagram(limits)?, &literals, &context)?;
    }
    Ok(Some(search.finish()))
}
