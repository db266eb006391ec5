//! The distances of the states from which play ends, as a diagram or by rank.
//!
//! A store needs the diagram. If nothing is stored, tables by rank suffice: distances vary among states, so their
//! diagram may be far larger than those of the states and of the values.

use super::super::SolveError;
use super::super::pass::Pass;
use super::orders::Orders;
use super::plies::ended;
use super::terminals::{all_as, only};
use crate::store::manifest::PliesRecord;
use base::limits::LimitReached;
use kernel::{self, Bitvector, Diagram, Ranking};
use num_bigint::BigUint;
use std::collections::BTreeMap;

pub enum Distances {
    /// The states; the terminal encodes the distance.
    Diagram(Diagram),
    Ranked {
        /// The set whose ranks number the states.
        places: Diagram,
        /// By place: the terminal that encodes the distance; 0 for states without one.
        terminals: Bitvector,
    },
}

/// The terminal that encodes the distance of a state; 0 for none.
type Lookup<'a> = Box<dyn Fn(&[bool]) -> u32 + 'a>;

impl Distances {
    pub fn into_diagram(self, pass: &Pass) -> Result<Diagram, LimitReached> {
        match self {
            Distances::Diagram(plies) => Ok(plies),
            Distances::Ranked { places, terminals } => kernel::unranked_set(&places, &terminals, pass.context),
        }
    }

    pub fn lookup(&self, pass: &Pass) -> Result<Lookup<'_>, LimitReached> {
        Ok(match self {
            Distances::Diagram(plies) => Box::new(|state| plies.contains(state)),
            Distances::Ranked { places, terminals } => {
                let ranking = Ranking::new(places, pass.context.limits())?;
                Box::new(move |state| ranking.rank(state).map_or(0, |rank| terminals.value(rank)))
            }
        })
    }

    /// By value id: the number of `states` at each distance. `values`: all states with their value ids.
    pub fn histograms(
        &self,
        states: &Diagram,
        values: &Diagram,
        orders: &Orders,
        pass: &Pass,
    ) -> Result<BTreeMap<u32, Vec<PliesRecord>>, SolveError> {
        let values = &kernel::intersection(values, states, pass.context)?;
        let ids = ended(values, orders);
        let mut found = BTreeMap::<u32, Vec<PliesRecord>>::new();
        let mut record = |id: u32, terminal: u32, states: BigUint| {
            found.entry(id).or_default().push(PliesRecord { plies: terminal - 1, states });
        };
        match self {
            Distances::Diagram(plies) => {
                for id in ids {
                    let own = kernel::intersection(plies, &only(id, values, 1, pass)?, pass.context)?;
                    let own_values = kernel::as_values(&own, pass.context)?;
                    let mut counts = kernel::tally(&all_as(1, &own, pass)?, &own_values, pass.context)?;
                    counts.sort_unstable_by_key(|count| count.0);
                    counts.into_iter().for_each(|(terminal, states)| record(id, terminal, states));
                }
            }
            Distances::Ranked { places, terminals } => {
                let order = std::iter::once(orders.endless).chain(ids).collect();
                let by_place = kernel::ranked_beside(places, orders.endless, values, order, pass.context)?;
                let counts = by_place.pairs(terminals, pass.context.limits())?;
                counts.into_iter().for_each(|((id, terminal), states)| record(id, terminal, states.into()));
            }
        }
        Ok(found)
    }
}
