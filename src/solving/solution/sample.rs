//! Random states of a layer, or of the states of a layer that have a value, all with exactly the same probability.
//!
//! States are drawn by number. A file of values by rank has the numbers; otherwise the layer's diagram is loaded, with
//! the number of states below each node (16 bytes per node and more). For a frequent value, states of the layer are
//! drawn until one has it. For a rarer value, its states are determined once: diagrams are restricted to it, and values
//! by rank are counted block by block. The result is kept for later draws as long as memory suffices.

use super::{PositionError, Query, ReadError, Stored};
use crate::store::manifest::{LayerRecord, Progress, integer};
use crate::store::{LayerValues, Ranked};
use base::limits::{Account, LimitReached, Limits};
use base::random::Random;
use kernel::{self, Context, Diagram, Numbered};
use num_bigint::BigUint;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among<'a> {
    All,
    /// The states with a value; `None` is endless play.
    Value(Option<&'a [u8]>),
    /// The states with a value that are some plies from the end; needs stored distances.
    Plies(&'a [u8], u32),
}

/// A drawn state. Its JSON is that of a query, and the origin of the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sampled<Q = Query> {
    /// The number of the state in the sample, from 1 on.
    pub sample: u64,
    pub seed: u64,
    /// Number of states from which it was drawn.
    #[serde(with = "integer")]
    pub population: BigUint,
    #[serde(flatten)]
    pub query: Q,
}

/// A value is frequent if at least one in this number of states has it; its states are drawn by trial.
const RARE: u32 = 1000;
/// If this number of draws finds no state with a frequent value, the stored count is considered wrong.
const MOST_DRAWS: u32 = RARE << 8;
const KEPT: usize = 16;

#[derive(Debug, Default)]
pub struct Populations(Mutex<VecDeque<(Key, Arc<Population>)>>);

/// A layer, and the selected values; `None` if all states are selected.
type Key = (u32, Option<Meant>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meant {
    ids: Vec<u32>,
    /// Plies to the end, if the ids do not determine them.
    plies: Option<u32>,
}

#[derive(Debug)]
enum Population {
    Diagram(Numbered),
    /// For values by rank. `wanted`: by code, whether to draw it; `ends`: by block, the wanted states up to its end.
    Blocks {
        wanted: Wanted,
        ends: Vec<u64>,
        _account: Account,
    },
}

type Wanted = Vec<bool>;

impl Populations {
    /// The states of a key: a kept set, or the result of `find`, which is kept then. If memory does not suffice for
    /// `find`, drops all kept sets and calls `find` again.
    fn get(&self, key: Key, find: impl Fn() -> Result<Population, ReadError>) -> Result<Arc<Population>, ReadError> {
        // The lock is held while `find` runs, so that other threads that need the same set wait for it.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match kept.iter().position(|(other, _)| *other == key).and_then(|place| kept.remove(place)) {
            Some((_, found)) => found,
            None => match find() {
                Err(error) if is_memory(&error) && !kept.is_empty() => {
                    kept.clear();
                    Arc::new(find()?)
                }
                found => Arc::new(found?),
            },
        };
        kept.truncate(KEPT - 1);
        kept.push_front((key, Arc::clone(&found)));
        Ok(found)
    }
}

fn is_memory(error: &ReadError) -> bool {
    error.limit().is_some_and(|limit| matches!(limit.reason(), LimitReached::Memory { .. }))
}

impl Stored {
    pub(super) fn draw_assignment(
        &self,
        layer: u32,
        among: Among,
        random: &mut Random,
        limits: &Arc<Limits>,
    ) -> Result<Vec<bool>, ReadError> {
        let (record, number, meant) = self.among(layer, among)?;
        match meant {
            Some(meant) if number * RARE >= record.states => self.awaited(layer, &meant, random, limits),
            meant => self.drawn(&(layer, meant), random, limits),
        }
    }

    /// The record of a layer, the number of selected states, and the selected values; `None` for all states.
    pub(super) fn among(&self, layer: u32, among: Among) -> Result<(&LayerRecord, BigUint, Option<Meant>), ReadError> {
        let manifest = &self.manifest;
        let Some(record) = manifest.layers.get(layer as usize) else {
            let layers = manifest.layers.len() as u32;
            return Err(match manifest.phase {
                Progress::Forward => self.unfinished(layer),
                Progress::Backward | Progress::Complete => PositionError::NoLayer { layer, layers }.into(),
            });
        };
        let buckets = match (&manifest.settled, &record.buckets) {
            (_, Some(buckets)) => buckets,
            _ if manifest.is_exact() && matches!(among, Among::All) => {
                return Ok((record, record.states.clone(), None));
            }
            _ if manifest.is_exact() => return Err(ReadError::Exact),
            (settled, None) if manifest.is_global() => {
                let rounds = settled.as_ref().map_or(0, |settled| settled.rounds);
                return Err(ReadError::Unsettled { rounds });
            }
            _ => return Err(self.unfinished(layer)),
        };
        let (value, plies) = match among {
            Among::All => return Ok((record, record.states.clone(), None)),
            Among::Value(value) => (value, None),
            Among::Plies(value, plies) => (Some(value), Some(plies)),
        };
        if let Some(given) = value.map(<[u8]>::len).filter(|&given| given != manifest.roles.len()) {
            return Err(PositionError::Rewards { given, roles: manifest.roles.len() }.into());
        }
        let occurring = || buckets.iter().filter(|bucket| bucket.states != BigUint::ZERO);
        let Some(bucket) = occurring().find(|bucket| bucket.rewards.as_deref() == value) else {
            let known = occurring().map(|bucket| bucket.rewards.clone()).collect();
            return Err(PositionError::NoValue { layer, value: value.map(<[u8]>::to_vec), known }.into());
        };
        let states = match plies {
            None => &bucket.states,
            Some(wanted) => match bucket.plies.iter().find(|record| record.plies == wanted) {
                Some(record) => &record.states,
                None => {
                    let known = bucket.plies.iter().map(|record| record.plies).collect();
                    return Err(PositionError::NoDistance { layer, plies: wanted, known }.into());
                }
            },
        };
        let endings = self.endings();
        let ids: Vec<u32> = match value {
            // Endless play has the id after the last one.
            None => vec![endings.count() as u32 + 1],
            Some(_) => (1..=endings.count() as u32)
                .filter(|&id| endings.rewards(id) == value)
                .filter(|&id| plies.is_none() || !endings.is_timed() || endings.plies(id, layer) == plies)
                .collect(),
        };
        if ids.is_empty() {
            return Err(ReadError::Damaged(format!("layer {layer} has rewards without an id")));
        }
        let plies = plies.filter(|_| !endings.is_timed());
        Ok((record, states.clone(), Some(Meant { ids, plies })))
    }

    fn awaited(
        &self,
        layer: u32,
        meant: &Meant,
        random: &mut Random,
        limits: &Arc<Limits>,
    ) -> Result<Vec<bool>, ReadError> {
        for _ in 0..MOST_DRAWS {
            let assignment = self.drawn(&(layer, None), random, limits)?;
            let (found, plies) = match (self.layer_values(layer)?, self.states(layer)?, self.settled()?) {
                (Some(values), Some(states), _) => (values.value_of(states, &assignment)?, None),
                (_, _, Some(settled)) => (settled.value_of(&assignment)?, settled.plies_of(&assignment)?),
                _ => return Err(lacking(layer)),
            };
            if found.is_some_and(|found| meant.ids.contains(&found)) && (meant.plies.is_none() || meant.plies == plies)
            {
                return Ok(assignment);
            }
        }
        Err(ReadError::Damaged(format!("layer {layer} lacks states of a value that it is said to have")))
    }

    fn drawn(&self, key: &Key, random: &mut Random, limits: &Arc<Limits>) -> Result<Vec<bool>, ReadError> {
        let (layer, meant) = (key.0, key.1.as_ref());
        let ranked = match self.layer_values(layer)? {
            Some(LayerValues::Ranked(ranked)) => Some(ranked),
            _ => None,
        };
        let states = self.states(layer)?.ok_or_else(|| lacking(layer))?;
        if let (Some(ranked), None) = (ranked, meant) {
            return Ok(ranked.state(states, number(random, &ranked.states().into(), layer)?)?);
        }
        let find = || match (ranked, meant) {
            (Some(ranked), Some(meant)) => blocks(ranked, &meant.ids, limits),
            _ => Ok(Population::Diagram(Numbered::new(self.diagram_of(key, limits)?, limits)?)),
        };
        match (&*self.populations.get(key.clone(), find)?, ranked) {
            (Population::Blocks { wanted, ends, .. }, Some(ranked)) => {
                let rank = number(random, &ends.last().copied().unwrap_or(0).into(), layer)?;
                let block = ends.partition_point(|&end| end <= rank);
                let before = rank - block.checked_sub(1).map_or(0, |block| ends[block]);
                let rank = ranked.select(block as u64, wanted, before)?.ok_or_else(|| lacking(layer))?;
                Ok(ranked.state(states, rank)?)
            }
            (Population::Diagram(numbered), _) => {
                let number = random.number(&numbered.elements());
                number.and_then(|number| numbered.element(&number)).ok_or_else(|| lacking(layer))
            }
            (Population::Blocks { .. }, None) => unreachable!("blocks are of values by rank"),
        }
    }

    fn diagram_of(&self, (layer, meant): &Key, limits: &Arc<Limits>) -> Result<Diagram, ReadError> {
        let layer = *layer;
        let states = self.states(layer)?.ok_or_else(|| lacking(layer))?.diagram(limits)?;
        let Some(Meant { ids, plies }) = meant else { return Ok(states) };
        let context = Context::new(Arc::clone(limits), 1);
        let having = |set: &Diagram| kernel::renamed(set, |other| u32::from(ids.contains(&other)), &context);
        match self.layer_values(layer)? {
            Some(LayerValues::Diagram(values)) => {
                let values = values.diagram(limits)?;
                Ok(having(&kernel::restrict(&states, &values, &context)?)?)
            }
            _ => {
                let settled = self.settled()?.ok_or_else(|| lacking(layer))?;
                let having = having(&settled.outcomes().diagram(limits)?)?;
                let mut meant = kernel::intersection(&states, &having, &context)?;
                if let Some(plies) = plies {
                    let all = settled.plies().ok_or_else(|| lacking(layer))?.diagram(limits)?;
                    let far = kernel::renamed(&all, |terminal| u32::from(terminal == plies + 1), &context)?;
                    meant = kernel::intersection(&meant, &far, &context)?;
                }
                Ok(meant)
            }
        }
    }
}

fn blocks(ranked: &Ranked, ids: &[u32], limits: &Arc<Limits>) -> Result<Population, ReadError> {
    let mut account = Account::new(limits);
    account.set(ranked.blocks().saturating_mul(8))?;
    let wanted: Wanted = ranked.values().iter().map(|value| ids.contains(value)).collect();
    if !wanted.contains(&true) {
        return Err(ranked.file().damaged("a value without a code").into());
    }
    let ends = ranked.code_ends(&wanted, limits)?;
    Ok(Population::Blocks { wanted, ends, _account: account })
}

fn number(random: &mut Random, bound: &BigUint, layer: u32) -> Result<u64, ReadError> {
    let number = random.number(bound).ok_or_else(|| lacking(layer))?;
    Ok(u64::try_from(number).expect("it is below a bound of 64 bits"))
}

fn lacking(layer: u32) -> ReadError {
    ReadError::Damaged(format!("layer {layer} lacks states that it is said to have"))
}
