//! Adds the number of orbits of the states to the report of a run.

use super::{Error, RunReport};
use base::limits::{LimitReached, Limits};
use kernel::Context;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solution::{Counted, Orbits, OrbitsError, Stored, orbits};
use solving::solve::{Event, Listener, SolveOptions};
use solving::store::manifest::integer;
use std::path::Path;
use std::sync::Arc;

/// The orbits of the reachable states under the symmetries of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrbitsReport {
    /// Number of orbits under the symmetries that keep the initial state.
    #[serde(with = "integer")]
    pub orbits: BigUint,
    /// The symmetries.
    pub symmetries: SymmetriesFound,
}

/// The symmetries that keep the initial state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SymmetriesFound {
    /// Number of symmetries, including the identity.
    #[serde(with = "integer")]
    pub order: BigUint,
    /// Whether the search found all symmetries of the formulas; otherwise it was given up.
    pub complete: bool,
    /// The symmetries that keep the set of reachable states and may move the initial state. `None` if there are too
    /// many symmetries or memory does not suffice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_states: Option<OrbitsOfStates>,
}

/// Symmetries that keep the set of reachable states, and the orbits of these states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrbitsOfStates {
    /// Number of symmetries, including the identity.
    #[serde(with = "integer")]
    pub order: BigUint,
    /// Whether the search found all symmetries of the formulas; otherwise it was given up.
    pub complete: bool,
    /// Number of orbits.
    #[serde(with = "integer")]
    pub orbits: BigUint,
}

impl RunReport {
    /// Counts the orbits of the states in a folder. If there are too many symmetries or memory does not suffice, a
    /// notice says so.
    pub(super) fn add_orbits(
        &mut self,
        folder: &Path,
        options: &SolveOptions,
        limits: &Arc<Limits>,
        listener: &dyn Listener,
    ) -> Result<(), Error> {
        let stored = Stored::open_without_book(folder, None, limits)?;
        let context = Context::new(Arc::clone(limits), options.threads);
        let tell = |done, total| listener.event(&Event::Work { what: "orbits", done, total });
        match orbits(&stored, &context, &tell) {
            Ok(Orbits { layers, of_start, of_states }) => {
                for (layer, orbits) in self.layers.iter_mut().zip(layers) {
                    layer.orbits = Some(orbits);
                }
                let of_states = match of_states {
                    Ok(Counted { orbits, symmetries: order, complete }) => {
                        Some(OrbitsOfStates { order, complete, orbits })
                    }
                    Err(error) => {
                        let what = "orbits under symmetries that move the initial state";
                        listener.event(&Event::Notice(format!("{what} are not counted: {error}")));
                        None
                    }
                };
                let Counted { orbits, symmetries: order, complete } = of_start;
                self.orbits = Some(OrbitsReport { orbits, symmetries: SymmetriesFound { order, complete, of_states } });
            }
            Err(OrbitsError::Read(error)) if error.limit().is_none_or(LimitReached::ends_all) => {
                return Err(error.into());
            }
            Err(error) => listener.event(&Event::Notice(format!("orbits are not counted: {error}"))),
        }
        Ok(())
    }
}
