//! Many positions of a solution: all of some layers, or a random sample with repetitions. For a sample, the numbers of
//! positions from each layer (and value) are drawn first, so that each layer is loaded once.

use super::{Among, Position, ReadError, Solution};
use base::limits::{LimitReached, Limits};
use base::random::Random;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;
use std::sync::Arc;

const BETWEEN: u64 = 1 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    States,
    /// First a value is drawn, then one of its states.
    Values,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sample {
    pub number: u64,
    pub seed: u64,
    pub over: Over,
}

pub struct Positions {
    layers: Vec<Part>,
    sample: Option<Sample>,
    /// For a sample over values: for each value, the layers with states that have it.
    values: Vec<Vec<Part>>,
}

struct Part {
    layer: u32,
    value: Option<Option<Vec<u8>>>,
    states: BigUint,
}

impl Part {
    fn among(&self) -> Among<'_> {
        self.value.as_ref().map_or(Among::All, |value| Among::Value(value.as_deref()))
    }
}

impl Positions {
    /// The positions of one layer, or of all layers. It is an error if a layer does not exist or has no values, or if
    /// there are no layers yet.
    pub fn new(solution: &Solution, layer: Option<u32>, sample: Option<Sample>) -> Result<Positions, ReadError> {
        let layers = match layer {
            Some(layer) => vec![layer],
            None => (0..solution.values().layers()).collect(),
        };
        let part = |layer| Ok(Part { layer, value: None, states: solution.states_among(layer, Among::All)? });
        let layers = layers.into_iter().map(part).collect::<Result<Vec<Part>, ReadError>>()?;
        if layers.is_empty() {
            return Err(ReadError::Unfinished { layer: 0, solved: None });
        }
        let mut values: IndexMap<Option<Vec<u8>>, Vec<Part>> = IndexMap::new();
        if sample.is_some_and(|sample| sample.over == Over::Values) {
            for Part { layer, .. } in &layers {
                let buckets =
                    solution.manifest().and_then(|manifest| manifest.layers.get(*layer as usize)?.buckets.as_ref());
                for bucket in buckets.into_iter().flatten().filter(|bucket| bucket.states != BigUint::ZERO) {
                    let (value, states) = (Some(bucket.rewards.clone()), bucket.states.clone());
                    values.entry(bucket.rewards.clone()).or_default().push(Part { layer: *layer, value, states });
                }
            }
            if values.is_empty() {
                // Exact solutions do not count the states of a value.
                return Err(ReadError::Exact);
            }
        }
        Ok(Positions { layers, sample, values: values.into_values().collect() })
    }

    pub fn are_drawn(&self) -> bool {
        self.sample.is_some()
    }

    /// The number of positions, including symmetric ones; `u64::MAX` if it is larger.
    pub fn total(&self) -> u64 {
        let all = || self.layers.iter().map(|part| &part.states).sum::<BigUint>();
        self.sample.map_or_else(|| u64::try_from(all()).unwrap_or(u64::MAX), |sample| sample.number)
    }

    pub fn each<E: From<ReadError> + From<LimitReached>>(
        &self,
        solution: &Solution,
        limits: &Arc<Limits>,
        visit: &mut dyn FnMut(Position) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(sample) = self.sample else {
            let all = |part: &Part| solution.each_position(part.layer, limits, &mut *visit);
            return self.layers.iter().try_for_each(all);
        };
        let mut random = Random::new(sample.seed);
        let all = std::slice::from_ref(&self.layers);
        let groups = if sample.over == Over::Values { self.values.as_slice() } else { all };
        let ends: Vec<Vec<BigUint>> = groups.iter().map(|parts| ends(parts)).collect();
        let mut drawn: Vec<Vec<u64>> = groups.iter().map(|parts| vec![0; parts.len()]).collect();
        for number in 0..sample.number {
            if number % BETWEEN == 0 {
                limits.check()?;
            }
            let group = random.below(groups.len());
            let last = ends[group].last().expect("a value that occurs has states, and so has a solution");
            let place = random.number(last).expect("there is a state");
            drawn[group][ends[group].partition_point(|end| *end <= place)] += 1;
        }
        let parts = groups.iter().flatten().zip(drawn.iter().flatten());
        let mut parts: Vec<(&Part, u64)> = parts.map(|(part, &number)| (part, number)).collect();
        parts.sort_by_key(|(part, _)| part.layer);
        for (part, number) in parts {
            for _ in 0..number {
                visit(solution.sample(part.layer, part.among(), &mut random, limits)?)?;
            }
        }
        Ok(())
    }
}

fn ends(parts: &[Part]) -> Vec<BigUint> {
    let sum = |sum: &mut BigUint, part: &Part| {
        *sum += &part.states;
        Some(sum.clone())
    };
    parts.iter().scan(BigUint::ZERO, sum).collect()
}
