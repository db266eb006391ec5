//! The positions of a solution with exact values as data of the page: the recorded answers of the server for each
//! state. Mixed strategies and losses are solutions of exact linear programs, which the page cannot solve. A layer
//! consists of the stored diagram of its states and of the records by rank, as compressed JSON.
//!
//! Memory: the diagram of a layer, its base-64 text, and the records of one part.

use super::super::answers::exact_position;
use super::super::exact::{plies, told_line};
use super::files::{Parts, Work};
use api::session::Error;
use base::limits::{Account, Limits};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde_json::{Value, json};
use solving::solution::{ExactSolution, Position, ReadError};
use solving::solve::Common;
use std::io::Write;

/// A part is full from this number of bytes on.
const FULL: usize = 1 << 18;

/// The mixed strategy of a role: each legal move with its probability.
type Mixture = Vec<(String, f64)>;

#[derive(Serialize)]
struct Recorded {
    /// The answer about the position, without the names that are the same for all positions.
    position: Value,
    /// The continuation of best play; null if the solution has no values.
    line: Option<Value>,
    /// By joint move, in the order of the position's moves: the ply in a reviewed match.
    plies: Vec<Value>,
    /// By role: its mixed strategy, if it is known.
    mixtures: Vec<Option<Mixture>>,
    /// The lower end of the range of the first player's average; null without a value.
    range: Option<u32>,
}

/// Writes the positions of a solution with exact values, and the description of them for the page.
pub struct Recorder<'r> {
    pub exact: &'r ExactSolution,
    pub work: Work<'r>,
}

impl Recorder<'_> {
    /// Adds `layers` and the common data of all positions to the data of a game.
    pub fn write(mut self, data: &mut Value) -> Result<(), Error> {
        let layers = (0..self.exact.manifest().layers.len() as u32).map(|layer| self.layer(layer));
        data["layers"] = layers.collect::<Result<_, _>>()?;
        self.work.parts.flush()?;
        data["exact"] = json!(true);
        if self.exact.manifest().goes_round() {
            // A state lies in one layer, whatever led to it.
            data["goes_round"] = json!(true);
        }
        data["roles"] = json!(self.exact.solution().game().player_names());
        data["chance"] = json!(self.exact.solution().game().has_chance);
        data["has_values"] = json!(self.exact.has_values());
        data["no_value"] = json!(ReadError::NoValue.to_string());
        Ok(())
    }

    /// The description of a layer for the page: by part of the records, the number of its file and the rank of its first
    /// state.
    fn layer(&mut self, layer: u32) -> Result<Value, Error> {
        let (number, states_file, _held) = self.work.add_states(layer)?;
        let mut records = Records {
            layer,
            files: Vec::new(),
            firsts: Vec::new(),
            states: 0,
            text: Vec::new(),
            held: Account::new(self.work.limits),
        };
        let (exact, limits, work) = (self.exact, self.work.limits, &mut self.work);
        exact.solution().each_position(layer, limits, |position| {
            work.pass(1)?;
            records.add(&recorded(exact, &position, limits)?, &mut work.parts)
        })?;
        records.flush(&mut work.parts)?;
        Ok(json!({
            "states": number, "states_file": states_file, "records_files": records.files,
            "records_firsts": records.firsts
        }))
    }
}

struct Records {
    layer: u32,
    files: Vec<usize>,
    firsts: Vec<u64>,
    states: u64,
    /// The current part: a JSON list without its closing bracket.
    text: Vec<u8>,
    held: Account,
}

impl Records {
    fn add(&mut self, record: &Recorded, parts: &mut Parts) -> Result<(), Error> {
        let record = serde_json::to_vec(record).expect("records have texts as keys, and nothing else can fail");
        if self.text.len() >= FULL {
            self.flush(parts)?;
        }
        if self.text.is_empty() {
            self.firsts.push(self.states);
        }
        // The compressed part and its text take less memory than the part itself.
        self.held.add(2 * record.len() as u64 + 2)?;
        self.text.push(if self.text.is_empty() { b'[' } else { b',' });
        self.text.extend(record);
        self.states += 1;
        Ok(())
    }

    fn flush(&mut self, parts: &mut Parts) -> Result<(), Error> {
        if self.text.is_empty() {
            return Ok(());
        }
        self.text.push(b']');
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        let packed = encoder.write_all(&self.text).and_then(|()| encoder.finish()).expect("memory takes every byte");
        self.files.push(parts.add(&format!("records-{}-{}", self.layer, self.files.len()), &packed)?);
        self.text.clear();
        self.held.shrink_to(0);
        Ok(())
    }
}

fn recorded(exact: &ExactSolution, position: &Position, limits: &Limits) -> Result<Recorded, Error> {
    let query = exact.query_within(position, limits)?;
    let joints: Vec<Vec<String>> = query.moves.iter().map(|option| option.joint.clone()).collect();
    let plies = plies(exact, position, &joints, limits)?;
    let line = match exact.has_values() {
        true => Some(told_line(exact, position, query.clone(), limits)?),
        false => None,
    };
    let value = exact.value(position)?;
    let mut told = exact_position(exact.solution(), &query);
    // These are the same for all positions of the solution or the layer.
    for shared in ["game", "roles", "opponent_model", "layer"] {
        told.as_object_mut().and_then(|told| told.remove(shared)).expect("every position has it");
    }
    Ok(Recorded {
        position: told,
        line,
        plies,
        mixtures: mixtures(exact, position, limits)?,
        range: value.map(|value| Common::Value(value.clone()).range()),
    })
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
