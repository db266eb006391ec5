//! The manifest of a stored solution: everything except the files that it names.
//!
//! The manifest is rewritten whenever layers are finished. It names only files whose bytes are durable, so a folder
//! always agrees with its manifest. Two computations of the same solution differ only in the records of the runs.

mod identity;
pub mod integer;
mod load;
#[cfg(test)]
mod tests;

use super::atomic;
use super::checksum::{checksum, hex};
use super::runs::RunRecord;
use super::{Kind, LayerFigures, StoreError};
use crate::exact::{Value, as_text};
use game::ending::Endings;
use game::reward::Ranking;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use std::path::Path;

pub const NAME: &str = "manifest.json";
/// Identifies the format in the file.
pub const FORMAT: &str = "ggsolve solution";
/// The name of the algorithm that solves all states at once.
pub const GLOBAL: &str = "global";
/// The name of the algorithm for exact values.
pub const EXACT: &str = "exact";
/// The names of all algorithms whose solutions are stored.
pub const ALGORITHMS: [&str; 3] = ["layered", GLOBAL, EXACT];
/// Replaces the checksum while the checksum is computed.
const NO_SUM: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Some layers of states are missing.
    #[default]
    Forward,
    /// All states are stored, some values are missing.
    Backward,
    Complete,
}

/// Fields are in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    /// SHA-256 of the file with these 64 digits replaced by zeros.
    pub checksum: String,
    /// The solution's identity; see [`Manifest::file_id`]. `None` in format versions 1 and 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub game: String,
    pub language: String,
    pub rules_file: String,
    pub rules_sha256: String,
    /// See [`game::rules::identity`].
    pub rules_hash: String,
    pub roles: Vec<String>,
    /// `None` if states were only counted so far, or have no single value.
    pub opponent_model: Option<String>,
    /// Whether values have distances; see [`Manifest::endings`]. In format versions 4 and 5 only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub distances: bool,
    pub algorithm: String,
    pub phase: Progress,
    /// The fluent of each level.
    pub variables: Vec<String>,
    pub defaults: Vec<DefaultFluent>,
    /// The reward vectors (a reward per role). Without distances, the vector of a value id is at index `id - 1`.
    pub rewards: Vec<Vec<u8>>,
    pub encoding: EncodingSize,
    /// Whether it is proved that no state lies in two layers; `None` until all states are known.
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
    /// A play that goes on for ever, if one was found. With exact values: where states repeat, without moves if none was
    /// found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleRecord>,
    /// Present if only guarantees are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_value: Option<NoValueRecord>,
    /// In a guarantee, once counted: the number of states in which it equals the role's reward in the main solution.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub forced: Option<BigUint>,
    /// The number of states in which best moves of the mover differ in the rewards of the others, if counted.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub ties: Option<BigUint>,
    /// If all states are solved at once, there may be any, and there was room to count them: the states in which another
    /// move is worth more to the mover than the value.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "integer::optional")]
    pub not_best: Option<BigUint>,
    pub layers: Vec<LayerRecord>,
    /// Until all states are known: the work of the steps so far, by which a run chooses between diagrams and single
    /// states, in approximate nanoseconds. A time would be longer on a busy machine, and the choice another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_ns: Option<u64>,
    /// The runs that computed the solution, in their order; none in format versions 1 and 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunRecord>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoValueRecord {
    pub message: String,
    /// The fluents that hold in the state.
    pub state: Vec<String>,
    /// The joint moves from the initial state to it.
    pub path: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettledRecord {
    /// Rounds so far; terminal states are settled in round 0.
    pub rounds: u32,
    /// The base of the digits of rounds: [`SettledRecord::BASE`].
    pub base: u32,
    /// For each role, the value id with which it settles states at once after these rounds, if any (see
    /// `solve::global`). `None`: roles settle by choice only, in rounds without forced states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<Vec<Option<u32>>>,
    pub outcomes_file: FileRecord,
    pub rounds_files: Vec<FileRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies_file: Option<FileRecord>,
}

impl SettledRecord {
    /// The digits of rounds are stored as terminals, of which there are few.
    pub const BASE: u32 = 8192;

    /// Number of digits of the last round's number, at least one.
    pub fn places(rounds: u32, base: u32) -> u32 {
        rounds.saturating_sub(1).checked_ilog(base).unwrap_or(0) + 1
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultFluent {
    pub fluent: String,
    /// The fluent holds if and only if none of these levels is true.
    pub unless: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncodingSize {
    pub fluents: usize,
    /// Mutex groups of the cover, including single fluents.
    pub groups: usize,
    /// Variables of a state.
    pub bits: usize,
    pub moves: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerRecord {
    pub layer: u32,
    #[serde(with = "integer")]
    pub states: BigUint,
    #[serde(with = "integer")]
    pub terminal: BigUint,
    pub nodes: u64,
    /// Whether no role, of several, chooses both in a state of this or an earlier layer and in a successor of it.
    pub alternating: bool,
    /// If all states are solved at once: no successor so far lies in the layer of its predecessor or before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disjoint: Option<bool>,
    pub states_file: FileRecord,
    /// `None` until the values of the layer are stored.
    pub values_file: Option<FileRecord>,
    pub buckets: Option<Vec<BucketRecord>>,
    /// The file of the values that occur, if values are exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers_file: Option<FileRecord>,
    /// The states by exact value, in place of buckets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<ShareRecord>>,
    /// With exact values: the states in which chance or several players choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed: Option<MixedRecord>,
    /// The terminal states by rewards, ascending; with distances or one player, from the backward pass on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Vec<EndRecord>>,
}

impl LayerRecord {
    pub fn figures(&self) -> LayerFigures {
        LayerFigures {
            states: self.states.clone(),
            terminal: self.terminal.clone(),
            nodes: self.nodes,
            alternating: self.alternating,
            disjoint: self.disjoint,
            mixed: self.mixed.clone(),
        }
    }
}

/// The number of states of a layer with one exact value, or with exact values in a range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareRecord {
    /// The exact value, by player; `None` for a range.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
    pub value: Option<Value>,
    /// For a range: its least average reward of the first player. It ends before the next range; the last is unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    #[serde(with = "integer")]
    pub states: BigUint,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixedRecord {
    /// States in which chance has several moves.
    #[serde(with = "integer")]
    pub chance: BigUint,
    /// States in which several players have a choice.
    #[serde(with = "integer")]
    pub joint: BigUint,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRecord {
    pub rewards: Vec<u8>,
    #[serde(with = "integer")]
    pub states: BigUint,
}

/// The extension of the file is the name of its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    pub name: String,
    pub bytes: u64,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// Inner nodes of the diagram; for values by rank, of the diagram of the layer's states.
    pub nodes: u64,
}

impl FileRecord {
    pub fn kind(&self) -> Option<Kind> {
        let (_, extension) = self.name.rsplit_once('.')?;
        Kind::ALL.into_iter().find(|kind| kind.name() == extension)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketRecord {
    /// By role: the reward; `None` for endless play.
    pub rewards: Option<Vec<u8>>,
    #[serde(with = "integer")]
    pub states: BigUint,
    pub nodes: u64,
    /// The states by distance, ascending; empty without distances, and for endless play.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plies: Vec<PliesRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PliesRecord {
    pub plies: u32,
    #[serde(with = "integer")]
    pub states: BigUint,
}

impl Manifest {
    pub fn load(folder: &Path) -> Result<Manifest, StoreError> {
        load::load(folder)
    }

    /// Number of players whose exact values are stored: one if one player plays against all others.
    pub fn told(&self) -> usize {
        match self.ranking() {
            Some(Ranking::Against(_)) => 1,
            _ => self.roles.len(),
        }
    }

    /// How movers rank rewards; `None` if there are no values.
    pub fn ranking(&self) -> Option<Ranking> {
        Ranking::named(self.opponent_model.as_ref()?, self.roles.len())
    }

    /// The meaning of value ids, once the backward pass has begun.
    pub fn endings(&self) -> Endings {
        if !self.distances || self.is_global() {
            return Endings::plain(self.rewards.clone());
        }
        let ends = self.layers.iter().map(|layer| layer.ends.iter().flatten().map(|end| end.rewards.as_slice()));
        Endings::timed(self.rewards.clone(), ends)
    }

    /// The files of states and values.
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

    /// Whether nothing is left to solve: all values are known, or only guarantees are stored.
    pub fn is_finished(&self) -> bool {
        self.phase == Progress::Complete || self.no_value.is_some()
    }

    pub fn is_exact(&self) -> bool {
        self.algorithm == EXACT
    }

    /// Whether exact values are those of all states at once, by distance, because states repeat.
    pub fn goes_round(&self) -> bool {
        self.is_exact() && self.cycle.is_some()
    }

    /// A play that goes on for ever, if one was found.
    pub fn cycle_found(&self) -> Option<&CycleRecord> {
        self.cycle.as_ref().filter(|cycle| !(self.is_exact() && cycle.moves.is_empty()))
    }

    /// Whether all states are solved at once, not layer by layer.
    pub fn is_global(&self) -> bool {
        self.algorithm == GLOBAL
    }

    /// The text of the rules; an error if it does not have the recorded checksum.
    pub fn rules(&self, folder: &Path) -> Result<Vec<u8>, StoreError> {
        let path = folder.join(&self.rules_file);
        let text = std::fs::read(&path).map_err(|error| StoreError::io_of_named(&path, &error))?;
        if hex(&checksum(&text)) != self.rules_sha256 {
            return Err(StoreError::damaged(&path, "its checksum is not that of the manifest"));
        }
        Ok(text)
    }

    /// Replaces the manifest of a folder. On return the manifest and the directory entries of the folder are durable.
    pub fn save(&self, folder: &Path) -> Result<(), StoreError> {
        let text = self.text();
        // The files that the manifest names must be durable before it.
        atomic::sync_folder(folder)?;
        atomic::write_small(&folder.join(NAME), text.as_bytes())?;
        atomic::sync_folder(folder)
    }

    fn text(&self) -> String {
        let manifest = Manifest { checksum: NO_SUM.to_owned(), ..self.clone() };
        let mut text = serde_json::to_string_pretty(&manifest).expect("maps with string keys and numbers serialise");
        text.push('\n');
        let sum = hex(&checksum(text.as_bytes()));
        text.replacen(NO_SUM, &sum, 1)
    }
}
