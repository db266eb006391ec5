//! The manifest of a stored solution: everything but the diagrams.
//!
//! It is rewritten whenever layers are finished, and names only files whose bytes are durable, so a folder always has
//! what its manifest says. Except for the records of the runs, two computations of the same solution give the same
//! manifest.

mod identity;
pub mod integer;
mod load;
#[cfg(test)]
mod tests;

use super::atomic;
use super::checksum::{checksum, hex};
use super::runs::RunRecord;
use super::{Kind, StoreError};
use crate::exact::{Value, as_text};
use game::ending::Endings;
use game::reward::Ranking;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the file.
pub const NAME: &str = "manifest.json";
/// Says what the file is.
pub const FORMAT: &str = "ggsolve solution";
/// The algorithm of solutions of all states at once.
pub const GLOBAL: &str = "global";
/// The algorithm of solutions with exact values.
pub const EXACT: &str = "exact";
/// Stands in the place of the checksum while that is computed.
const NO_SUM: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// How far a solution is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Layers of states are still to come.
    Forward,
    /// All states are there, values are still to come.
    Backward,
    Complete,
}

/// The manifest; fields in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    /// SHA-256 of the file with these 64 digits replaced by zeros.
    pub checksum: String,
    /// The identity of the solution, which the headers of its files have as well: see [`Manifest::file_id`]. `None` in
    /// format versions 1 and 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the game.
    pub game: String,
    /// Language of the rules.
    pub language: String,
    /// Name of the file with the rules.
    pub rules_file: String,
    /// SHA-256 of that file.
    pub rules_sha256: String,
    /// See [`game::rules::identity`].
    pub rules_hash: String,
    pub roles: Vec<String>,
    /// `None`: only counted so far.
    pub opponent_model: Option<String>,
    /// Values have distances; see [`Manifest::endings`]. In format version 4 only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub distances: bool,
    pub algorithm: String,
    pub phase: Progress,
    /// By level: the fluent.
    pub variables: Vec<String>,
    pub defaults: Vec<DefaultFluent>,
    /// A reward per role; by value id - 1, where values are no more than that.
    pub rewards: Vec<Vec<u8>>,
    pub encoding: Encoding,
    /// No state lies in two layers; `None` until all states are known.
    pub progress_measure: Option<bool>,
    pub turn_taking: bool,
    pub alternating: Option<bool>,
    /// Distinct states, once all are known.
    #[serde(with = "integer::optional")]
    pub states: Option<BigUint>,
    #[serde(with = "integer::optional")]
    pub terminal_states: Option<BigUint>,
    /// Only in a solution of all states at once, from its first round on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<SettledRecord>,
    /// How a state repeats, where play can go on for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleRecord>,
    /// Why there is no single value, where only what roles can force is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_value: Option<NoValueRecord>,
    /// Only in a guarantee, once counted: the states in which it equals what the role gets in the solution that the
    /// guarantee belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub forced: Option<BigUint>,
    /// If it was counted: the states in which the mover had several best moves that differ in the rewards of the
    /// others.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub ties: Option<BigUint>,
    pub layers: Vec<LayerRecord>,
    /// The runs that computed it, the first one first; none in format versions 1 and 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunRecord>,
}

/// What is left out of the file.
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A sequence of moves that returns to a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleRecord {
    /// The joint moves from the initial state to the state.
    pub path: Vec<String>,
    /// The fluents that hold in the state.
    pub state: Vec<String>,
    /// The joint moves from the state to itself.
    pub moves: Vec<String>,
}

/// A state without a single value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoValueRecord {
    /// Why it has none, in words.
    pub message: String,
    /// The fluents that hold in the state.
    pub state: Vec<String>,
    /// The joint moves from the initial state to it.
    pub path: Vec<String>,
}

/// The settled states: those whose values are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettledRecord {
    /// Number of rounds so far; terminal states are settled in round 0.
    pub rounds: u32,
    /// The base of the digits of rounds: from 2 to 8192.
    pub base: u32,
    pub outcomes_file: FileRecord,
    /// The file of each digit of the rounds, the least significant one first.
    pub rounds_files: Vec<FileRecord>,
    /// With distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies_file: Option<FileRecord>,
}

impl SettledRecord {
    /// Number of digits of the last round's number, at least one.
    pub fn places(rounds: u32, base: u32) -> u32 {
        rounds.saturating_sub(1).checked_ilog(base).unwrap_or(0) + 1
    }
}

/// A fluent without a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultFluent {
    pub fluent: String,
    /// It holds if and only if none of these levels is true.
    pub unless: Vec<u32>,
}

/// Size of the encoded game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    pub fluents: u64,
    pub groups: u64,
    pub bits: u64,
    pub moves: u64,
}

/// A layer whose states are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerRecord {
    pub layer: u32,
    #[serde(with = "integer")]
    pub states: BigUint,
    #[serde(with = "integer")]
    pub terminal: BigUint,
    pub nodes: u64,
    /// There are several roles, and no role with a choice in a state of this or an earlier layer has a choice in a
    /// successor of that state.
    pub alternating: bool,
    /// In a solution of all states at once: no successor of a state of this or an earlier layer lies in this or an
    /// earlier layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disjoint: Option<bool>,
    pub states_file: FileRecord,
    /// `None` until the values of the layer are stored.
    pub values_file: Option<FileRecord>,
    pub buckets: Option<Vec<BucketRecord>>,
    /// Of a solution with exact values, with its values: the file of the values that occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers_file: Option<FileRecord>,
    /// The same, in place of buckets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<ShareRecord>>,
    /// Of a solution with exact values: in how many states nobody, one player or chance is not all that chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed: Option<MixedRecord>,
    /// In one-player games and with distances, once the backward pass has begun: the terminal states by their rewards,
    /// ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Vec<EndRecord>>,
}

/// States of a layer with one exact value, or with those of a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareRecord {
    /// By player; `None`: all values of the range.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
    pub value: Option<Value>,
    /// The least that the first player gets; less than the next range has, but for the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    #[serde(with = "integer")]
    pub states: BigUint,
}

/// The states of a layer in which other values than those of games in turns are needed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixedRecord {
    /// Chance has several moves.
    #[serde(with = "integer")]
    pub chance: BigUint,
    /// Several players have a choice.
    #[serde(with = "integer")]
    pub joint: BigUint,
}

/// Terminal states of a layer that pay the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRecord {
    /// By role.
    pub rewards: Vec<u8>,
    #[serde(with = "integer")]
    pub states: BigUint,
}

/// A file of the solution; its extension is the name of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    pub name: String,
    /// Length of the file.
    pub bytes: u64,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// Number of inner nodes of the diagram; for values by rank, of the diagram of the layer's states.
    pub nodes: u64,
}

impl FileRecord {
    /// What is in the file.
    pub fn kind(&self) -> Option<Kind> {
        let (_, extension) = self.name.rsplit_once('.')?;
        Kind::ALL.into_iter().find(|kind| kind.name() == extension)
    }
}

/// The states of a layer that share a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketRecord {
    /// By role; `None`: infinite play.
    pub rewards: Option<Vec<u8>>,
    #[serde(with = "integer")]
    pub states: BigUint,
    pub nodes: u64,
    /// With distances, unless play is endless: how many of them are how far from the end, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plies: Vec<PliesRecord>,
}

/// States that are so many plies from the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PliesRecord {
    pub plies: u32,
    #[serde(with = "integer")]
    pub states: BigUint,
}

impl Manifest {
    /// The manifest of a folder, checked; see [`load`](mod@load).
    pub fn load(folder: &Path) -> Result<Manifest, StoreError> {
        load::load(folder)
    }

    /// Number of players of whom exact values tell: one where one plays against all others.
    pub fn told(&self) -> usize {
        match self.ranking_named() {
            Some(Ranking::Against(_)) => 1,
            _ => self.roles.len(),
        }
    }

    /// What its opponent model stands for, if that is known.
    pub fn ranking_named(&self) -> Option<Ranking> {
        Ranking::named(self.opponent_model.as_ref()?, self.roles.len())
    }

    /// The opponent model; `None`: states were only counted so far.
    pub fn ranking(&self, folder: &Path) -> Result<Option<Ranking>, StoreError> {
        let named = |name: &String| {
            let ranking = Ranking::named(name, self.roles.len());
            ranking.ok_or_else(|| StoreError::damaged(&folder.join(NAME), format!("unknown opponent model {name}")))
        };
        self.opponent_model.as_ref().map(named).transpose()
    }

    /// What value ids stand for, once the backward pass has begun.
    pub fn endings(&self) -> Endings {
        if !self.distances || self.is_global() {
            return Endings::plain(self.rewards.clone());
        }
        let ends = self.layers.iter().map(|layer| layer.ends.iter().flatten().map(|end| end.rewards.as_slice()));
        Endings::timed(self.rewards.clone(), ends)
    }

    /// The files of diagrams.
    pub fn files(&self) -> impl Iterator<Item = &FileRecord> {
        let layers = self
            .layers
            .iter()
            .flat_map(|layer| [Some(&layer.states_file), layer.values_file.as_ref(), layer.numbers_file.as_ref()]);
        let settled = self.settled.iter();
        let settled = settled.flat_map(|settled| {
            std::iter::once(&settled.outcomes_file).chain(&settled.rounds_files).chain(&settled.plies_file)
        });
        layers.flatten().chain(settled)
    }

    /// Whether nothing is left to be solved: all values are known, or there are none but of what roles can force.
    pub fn is_finished(&self) -> bool {
        self.phase == Progress::Complete || self.no_value.is_some()
    }

    /// Whether values are exact numbers, not rewards.
    pub fn is_exact(&self) -> bool {
        self.algorithm == EXACT
    }

    /// Whether all states are solved at once, by the global algorithm, not layer by layer.
    pub fn is_global(&self) -> bool {
        self.algorithm == GLOBAL
    }

    /// The text of the rules, compared with its checksum.
    pub fn rules(&self, folder: &Path) -> Result<Vec<u8>, StoreError> {
        let path = folder.join(&self.rules_file);
        let text = std::fs::read(&path).map_err(|error| StoreError::io_of_named(&path, &error))?;
        if hex(&checksum(&text)) != self.rules_sha256 {
            return Err(StoreError::damaged(&path, "its checksum is not that of the manifest"));
        }
        Ok(text)
    }

    /// Replaces the manifest of a folder. On return it is durable, and so are all names in the folder.
    pub fn save(&self, folder: &Path) -> Result<(), StoreError> {
        let text = self.text();
        // The names of the files that the manifest mentions must be durable before it.
        atomic::sync_folder(folder)?;
        atomic::write_small(&folder.join(NAME), text.as_bytes())?;
        atomic::sync_folder(folder)
    }

    /// The text of the file, with its checksum.
    fn text(&self) -> String {
        let manifest = Manifest { checksum: NO_SUM.to_owned(), ..self.clone() };
        let mut text = serde_json::to_string_pretty(&manifest).expect("maps with string keys and numbers serialise");
        text.push('\n');
        let sum = hex(&checksum(text.as_bytes()));
        text.replacen(NO_SUM, &sum, 1)
    }
}
