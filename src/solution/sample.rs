//! Random states of a layer, or of those with one value: every one exactly equally likely, whatever is stored.
//!
//! States are drawn by number. Where values lie by rank the file has the numbers; else the layer's diagram is taken
//! into memory with the count of what is below each node (16 bytes a node and more). Of a value that a good part of the
//! layer has, states of the layer are drawn until one has it. Of a rarer one the states are found once: diagrams are
//! restricted to it, and values by rank are counted block by block. What was found is kept for later draws, as long as
//! there is memory.

use super::{PositionError, Query, ReadError, Stored};
use crate::kernel::{self, Context, Diagram, Numbered};
use crate::limits::{Account, LimitReached, Limits};
use crate::random::Random;
use crate::store::manifest::{LayerRecord, Progress, integer};
use crate::store::{LayerValues, Ranked, StoreError};
use num_bigint::BigUint;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Which states of a layer are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among<'a> {
    All,
    /// Those of a value; `None`: play can be kept up for ever.
    Value(Option<&'a [u8]>),
}

/// One of some random states. Its JSON is that of a query, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sampled {
    /// Its number, from 1 on.
    pub sample: u64,
    pub seed: u64,
    /// How many states it was drawn from.
    #[serde(with = "integer")]
    pub population: BigUint,
    #[serde(flatten)]
    pub query: Query,
}

/// A value that more than one in so many states has is waited for.
const RARE: u32 = 1000;
/// So many draws without a state of such a value are no chance, but a wrong count.
const MOST_DRAWS: u32 = RARE << 8;
/// Sets of states that are kept.
const KEPT: usize = 16;

/// The states of layers and values that were drawn from, the last ones first.
#[derive(Debug, Default)]
pub struct Populations(Mutex<VecDeque<(Key, Arc<Population>)>>);

/// A layer, and the id of a value if not all of its states are meant.
type Key = (u32, Option<u32>);

/// States, each with a number.
#[derive(Debug)]
enum Population {
    Diagram(Numbered),
    /// Those whose value by rank has a code: by block, how many there are up to its end.
    Blocks {
        code: u32,
        ends: Vec<u64>,
        _account: Account,
    },
}

impl Populations {
    /// The states of a key, by `find` if they are not kept. What was kept makes room for them where memory is short.
    fn get(&self, key: Key, find: impl Fn() -> Result<Population, ReadError>) -> Result<Arc<Population>, ReadError> {
        // Whoever wants the same at the same time waits for it.
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
    match error {
        ReadError::Limit(limit) | ReadError::Store(StoreError::Limit(limit)) => {
            matches!(limit.reason(), LimitReached::Memory { .. })
        }
        _ => false,
    }
}

impl Stored {
    /// One of the states of a layer that are meant, one value per level.
    pub(super) fn draw_assignment(
        &self,
        layer: u32,
        among: Among,
        random: &mut Random,
        limits: &Arc<Limits>,
    ) -> Result<Vec<bool>, ReadError> {
        let (record, number, id) = self.among(layer, among)?;
        match id {
            Some(id) if number * RARE < record.states => self.drawn((layer, Some(id)), random, limits),
            Some(id) => self.awaited(layer, id, random, limits),
            None => self.drawn((layer, None), random, limits),
        }
    }

    /// What is recorded of a layer, how many states are meant, and the id of their value if not all are.
    pub(super) fn among(&self, layer: u32, among: Among) -> Result<(&LayerRecord, BigUint, Option<u32>), ReadError> {
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
            (settled, None) if manifest.is_global() => {
                let rounds = settled.as_ref().map_or(0, |settled| settled.rounds);
                return Err(ReadError::Unsettled { rounds });
            }
            _ => return Err(self.unfinished(layer)),
        };
        let Among::Value(value) = among else { return Ok((record, record.states.clone(), None)) };
        if let Some(given) = value.map(<[u8]>::len).filter(|&given| given != manifest.roles.len()) {
            return Err(PositionError::Rewards { given, roles: manifest.roles.len() }.into());
        }
        let occurring = || buckets.iter().filter(|bucket| bucket.states != BigUint::ZERO);
        let Some(bucket) = occurring().find(|bucket| bucket.rewards.as_deref() == value) else {
            let known = occurring().map(|bucket| bucket.rewards.clone()).collect();
            return Err(PositionError::NoValue { layer, value: value.map(<[u8]>::to_vec), known }.into());
        };
        // Endless play has the id after the last one.
        let index = value
            .map_or(Some(manifest.rewards.len()), |value| manifest.rewards.iter().position(|rewards| rewards == value));
        let index = index.ok_or_else(|| ReadError::Damaged(format!("layer {layer} has rewards without an id")))?;
        Ok((record, bucket.states.clone(), Some(index as u32 + 1)))
    }

    /// The first of random states of a layer that has a value.
    fn awaited(&self, layer: u32, id: u32, random: &mut Random, limits: &Arc<Limits>) -> Result<Vec<bool>, ReadError> {
        for _ in 0..MOST_DRAWS {
            let assignment = self.drawn((layer, None), random, limits)?;
            let found = match (self.layer_values(layer)?, self.states(layer)?) {
                (Some(values), Some(states)) => values.value_of(states, &assignment)?,
                _ => self.settled()?.map(|settled| settled.value_of(&assignment)).transpose()?.flatten(),
            };
            if found == Some(id) {
                return Ok(assignment);
            }
        }
        Err(ReadError::Damaged(format!("layer {layer} lacks states of a value that it is said to have")))
    }

    /// A random one of the states of a key.
    fn drawn(&self, key: Key, random: &mut Random, limits: &Arc<Limits>) -> Result<Vec<bool>, ReadError> {
        let (layer, id) = key;
        let ranked = match self.layer_values(layer)? {
            Some(LayerValues::Ranked(ranked)) => Some(ranked),
            _ => None,
        };
        let states = self.states(layer)?.ok_or_else(|| lacking(layer))?;
        if let (Some(ranked), None) = (ranked, id) {
            return Ok(ranked.state(states, number(random, &ranked.states().into(), layer)?)?);
        }
        let find = || match (ranked, id) {
            (Some(ranked), Some(id)) => blocks(ranked, id, limits),
            _ => Ok(Population::Diagram(Numbered::new(self.diagram_of(key, limits)?, limits)?)),
        };
        match (&*self.populations.get(key, find)?, ranked) {
            (Population::Blocks { code, ends, .. }, Some(ranked)) => {
                let rank = number(random, &ends.last().copied().unwrap_or(0).into(), layer)?;
                let block = ends.partition_point(|&end| end <= rank);
                let before = rank - block.checked_sub(1).map_or(0, |block| ends[block]);
                let rank = ranked.select(block as u64, *code, before)?.ok_or_else(|| lacking(layer))?;
                Ok(ranked.state(states, rank)?)
            }
            (Population::Diagram(numbered), _) => {
                let number = random.number(&numbered.elements());
                number.and_then(|number| numbered.element(&number)).ok_or_else(|| lacking(layer))
            }
            (Population::Blocks { .. }, None) => unreachable!("blocks are of values by rank"),
        }
    }

    /// The states of a key as a set.
    fn diagram_of(&self, (layer, id): Key, limits: &Arc<Limits>) -> Result<Diagram, ReadError> {
        let states = self.states(layer)?.ok_or_else(|| lacking(layer))?.diagram(limits)?;
        let Some(id) = id else { return Ok(states) };
        let context = Context::new(Arc::clone(limits), 1);
        let having = |set: &Diagram| kernel::renamed(set, |other| u32::from(other == id), &context);
        match self.layer_values(layer)? {
            Some(LayerValues::Diagram(values)) => {
                let values = values.diagram(limits)?;
                Ok(having(&kernel::restrict(&states, &values, &context)?)?)
            }
            _ => {
                let settled = self.settled()?.ok_or_else(|| lacking(layer))?;
                let having = having(&settled.outcomes().diagram(limits)?)?;
                Ok(kernel::intersection(&states, &having, &context)?)
            }
        }
    }
}

/// The states of a layer by rank that have a value.
fn blocks(ranked: &Ranked, id: u32, limits: &Arc<Limits>) -> Result<Population, ReadError> {
    let mut account = Account::new(limits);
    account.set(ranked.blocks().saturating_mul(8))?;
    let code = ranked.values().iter().position(|&value| value == id);
    let code = code.ok_or_else(|| ranked.file().damaged("a value without a code"))? as u32;
    Ok(Population::Blocks { code, ends: ranked.code_ends(code, limits)?, _account: account })
}

/// A random number below a bound of 64 bits.
fn number(random: &mut Random, bound: &BigUint, layer: u32) -> Result<u64, ReadError> {
    let number = random.number(bound).ok_or_else(|| lacking(layer))?;
    Ok(u64::try_from(number).expect("it is below a bound of 64 bits"))
}

/// States are recorded that are not there.
fn lacking(layer: u32) -> ReadError {
    ReadError::Damaged(format!("layer {layer} lacks states that it is said to have"))
}
