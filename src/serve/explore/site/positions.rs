//! The positions of a solution as data of the page. A layer consists of the stored diagram of its states and of codes:
//! by rank of the state, the number of its kind. States of one kind have the same stored data. Memory: the diagram of a
//! layer, its base-64 text, and four bytes for each of its states.

use super::files::Work;
use api::session::Error;
use indexmap::IndexMap;
use serde_json::{Value, json};
use solving::solution::{Position, ReadError, Solution};
use solving::words::query::outcome_of;

/// Bound on the bytes of the codes in a part.
const BLOCK: u64 = 1 << 18;
/// States between two checks of the limits.
const BETWEEN: u64 = 1 << 12;

#[derive(PartialEq, Eq, Hash)]
struct Kind {
    value: Option<Vec<u8>>,
    plies: Option<u32>,
    round: Option<u32>,
    /// By role with a stored guarantee: the reward that it can force.
    guarantees: Vec<Option<u8>>,
}

/// Writes the positions of a solution, and the description of them for the page.
pub struct Writer<'w> {
    pub solution: &'w Solution,
    pub work: Work<'w>,
}

impl Writer<'_> {
    /// Adds `layers` and `values` to the data of a game.
    pub fn write(mut self, data: &mut Value) -> Result<(), Error> {
        let mut values = IndexMap::new();
        let layers = (0..self.work.stored.manifest.layers.len() as u32).map(|layer| self.layer(layer, &mut values));
        data["layers"] = layers.collect::<Result<_, _>>()?;
        self.work.parts.flush()?;
        data["values"] = values.into_values().collect();
        Ok(())
    }

    /// The description of a layer for the page. The value of a kind is an index into the list of values.
    fn layer(&mut self, layer: u32, values: &mut IndexMap<Option<Vec<u8>>, Value>) -> Result<Value, Error> {
        let (number, states_file, _held) = self.work.add_states(layer)?;
        let _codes = self.work.limits.hold(number.saturating_mul(4))?;
        let (kinds, codes) = self.codes(layer, number)?;
        let width = kinds.len().next_power_of_two().trailing_zeros();
        // The number of states is a power of two, so that a part ends with a whole byte.
        let block = (8 * BLOCK) >> width.next_power_of_two().trailing_zeros();
        let mut codes_files = Vec::new();
        if width > 0 {
            for (at, codes) in codes.chunks(block as usize).enumerate() {
                codes_files.push(self.work.parts.add(&format!("codes-{layer}-{at}"), &packed(codes, width))?);
            }
        }
        let aim = self.solution.aim()?;
        let mut told = Vec::with_capacity(kinds.len());
        for (kind, states) in kinds {
            let value = values.entry(kind.value.clone());
            let place = value.index();
            value.or_insert_with(|| {
                let (outcome, dead_end) = outcome_of(&self.solution.roles(), kind.value.as_deref(), aim);
                json!({"value": kind.value, "outcome": outcome, "dead_end": dead_end})
            });
            let Kind { plies, round, guarantees, .. } = kind;
            told.push(json!({
                "value": place, "plies": plies, "round": round, "guarantees": guarantees, "states": states
            }));
        }
        Ok(json!({
            "states": number, "states_file": states_file, "kinds": told, "width": width, "block": block,
            "codes_files": codes_files
        }))
    }

    /// The kinds of a layer's states with their numbers of states, and the code of each state by rank.
    fn codes(&mut self, layer: u32, number: u64) -> Result<(IndexMap<Kind, u64>, Vec<u32>), Error> {
        let (mut kinds, mut codes): (IndexMap<Kind, u64>, Vec<u32>) = (IndexMap::new(), Vec::new());
        codes.reserve_exact(number as usize);
        let (solution, limits, work) = (self.solution, self.work.limits, &mut self.work);
        solution.each_position(layer, limits, |position| {
            work.pass(BETWEEN)?;
            let entry = kinds.entry(kind(solution, &position)?);
            codes.push(entry.index() as u32);
            *entry.or_insert(0) += 1;
            Ok::<_, ReadError>(())
        })?;
        Ok((kinds, codes))
    }
}

fn kind(solution: &Solution, position: &Position) -> Result<Kind, ReadError> {
    let worth = solution.worth(position)?;
    let guarantees = solution.guarantees(position, worth.value)?;
    Ok(Kind {
        value: worth.value.map(<[u8]>::to_vec),
        plies: worth.plies,
        round: worth.round,
        guarantees: guarantees.into_values().map(|guarantee| guarantee.value).collect(),
    })
}

/// The codes without gaps, `width` bits each, the least significant bit first.
fn packed(codes: &[u32], width: u32) -> Vec<u8> {
    let mut bytes = vec![0; (codes.len() * width as usize).div_ceil(8)];
    for (index, &code) in codes.iter().enumerate() {
        for bit in 0..width as usize {
            let at = index * width as usize + bit;
            bytes[at / 8] |= ((code >> bit & 1) as u8) << (at % 8);
        }
    }
    bytes
}
