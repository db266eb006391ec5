//! The positions of a solution with exact values for the page: the answers of the server, recorded for each state.
//!
//! Mixtures and losses take linear programs in exact numbers. A page could not solve these, so nothing is left for it to
//! compute. Each layer has the stored diagram of its states, and the records in the order of ranks, as compressed JSON.
//!
//! Memory: the diagram of a layer, its file in base 64, and the records of a block.

use super::super::answers::exact_position;
use super::super::exact::{reviewed, told_line};
use super::files::Parts;
use api::review::Record;
use api::session::Error;
use base::limits::Limits;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde_json::{Map, Value, json};
use solving::solution::{ExactSolution, Position, ReadError, Stored};
use solving::solve::{Common, Event, Listener};
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

/// States of a part of the records.
const BLOCK: u64 = 64;

/// A layer in the data of the page.
#[derive(Serialize)]
struct ToldLayer {
    states: u64,
    states_file: usize,
    /// Number of states in a part of the records.
    block: u64,
    /// The file of each part.
    records_files: Vec<usize>,
}

/// The legal moves of a role, each with its probability for the program.
type Mixture = Vec<(String, f64)>;

/// What is recorded for a state.
#[derive(Serialize)]
struct Recorded {
    /// The answer about the position, without the names that all positions share.
    position: Value,
    /// How best play goes on; null if there are no values.
    line: Option<Value>,
    /// By joint move, in the order of the moves of the position: that ply in a reviewed match.
    plies: Vec<Value>,
    /// By role, if it is known.
    mixtures: Vec<Option<Mixture>>,
    /// The beginning of the range of the value, if there is one.
    range: Option<u32>,
}

/// Writes the positions of a solution with exact values, and the description of them for the page.
pub struct Recorder<'r> {
    pub stored: &'r Stored,
    pub exact: &'r ExactSolution,
    pub parts: Parts<'r>,
    pub limits: &'r Arc<Limits>,
    pub listener: &'r dyn Listener,
    /// Number of positions of all solutions, and of those that are written.
    pub total: u64,
    pub done: &'r mut u64,
}

impl Recorder<'_> {
    /// Adds `layers` and what all positions share to the data of a game.
    pub fn write(mut self, data: &mut Value) -> Result<(), Error> {
        let layers = (0..self.exact.manifest().layers.len() as u32).map(|layer| self.layer(layer));
        let layers: Vec<ToldLayer> = layers.collect::<Result<_, _>>()?;
        self.parts.flush()?;
        data["layers"] = json!(layers);
        data["exact"] = json!(true);
        data["roles"] = json!(self.exact.solution().game().player_names());
        data["chance"] = json!(self.exact.solution().game().has_chance);
        data["has_values"] = json!(self.exact.has_values());
        data["no_value"] = json!(ReadError::NoValue.to_string());
        Ok(())
    }

    fn layer(&mut self, layer: u32) -> Result<ToldLayer, Error> {
        let record = &self.exact.manifest().layers[layer as usize];
        let states = self.stored.states(layer)?.expect("the manifest has a record of the layer");
        states.file().check_recorded(&record.states_file)?;
        let (number, bytes) = (u64::try_from(&record.states).unwrap_or(u64::MAX), states.file().bytes());
        let _held = self.limits.hold(2 * bytes.len() as u64)?;
        let states_file = self.parts.add(&format!("states-{layer}"), bytes)?;
        let (mut records_files, mut block, mut failed) = (Vec::new(), Vec::new(), None);
        let (exact, limits) = (self.exact, self.limits);
        exact.solution().each_position(layer, limits, &mut |position| {
            self.listener.event(&Event::Work { what: "positions", done: *self.done, total: self.total });
            *self.done += 1;
            let added = recorded(exact, &position, limits).and_then(|record| {
                block.push(record);
                match block.len() as u64 == BLOCK {
                    true => {
                        self.parts.add(&name(layer, &records_files), &packed(&std::mem::take(&mut block))).map(Some)
                    }
                    false => Ok(None),
                }
            });
            match added {
                Ok(file) => {
                    records_files.extend(file);
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok(()), Err)?;
        if !block.is_empty() {
            records_files.push(self.parts.add(&name(layer, &records_files), &packed(&block))?);
        }
        Ok(ToldLayer { states: number, states_file, block: BLOCK, records_files })
    }
}

/// The name of the next part of the records of a layer.
fn name(layer: u32, before: &[usize]) -> String {
    format!("records-{layer}-{}", before.len())
}

fn packed(block: &[Recorded]) -> Vec<u8> {
    let text = serde_json::to_vec(block).expect("records have texts as keys, and nothing else can fail");
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&text).and_then(|()| encoder.finish()).expect("memory takes every byte")
}

fn recorded(exact: &ExactSolution, position: &Position, limits: &Limits) -> Result<Recorded, Error> {
    limits.check()?;
    let query = exact.query_within(position, limits)?;
    let plies = query.moves.iter().map(|option| {
        let record = Record::Match { moves: vec![option.joint.clone()], states: Vec::new() };
        let mut found = reviewed(exact, position, &record, limits)?;
        Ok(found["moves"][0].take())
    });
    let plies = plies.collect::<Result<_, ReadError>>()?;
    let line = match exact.has_values() {
        true => Some(told_line(exact, position, query.clone(), limits)?),
        false => None,
    };
    let value = exact.value(position)?;
    let mut told = exact_position(exact.solution(), &query);
    let shared = told.as_object_mut().expect("a position is an object");
    remove_shared(shared);
    Ok(Recorded {
        position: told,
        line,
        plies,
        mixtures: mixtures(exact, position, limits)?,
        range: value.map(|value| Common::Value(value.clone()).range()),
    })
}

/// Removes what is the same for all positions.
fn remove_shared(told: &mut Map<String, Value>) {
    for shared in ["game", "roles", "opponent_model", "layer"] {
        told.remove(shared).expect("every position has it");
    }
}

fn mixtures(exact: &ExactSolution, position: &Position, limits: &Limits) -> Result<Vec<Option<Mixture>>, ReadError> {
    let situation = exact.situation(position)?;
    let names = exact.solution();
    let of = |(role, legal): (usize, &Vec<_>)| {
        let mixture = exact.mixture(position, role, limits)?;
        let named = |mixture: Vec<_>| {
            let each = legal.iter().zip(&mixture);
            each.map(|(&action, likely)| (names.move_name(action).to_owned(), solving::exact::float(likely))).collect()
        };
        Ok(mixture.map(named))
    };
    situation.legal.iter().enumerate().map(of).collect()
}
