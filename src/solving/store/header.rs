//! The header of a layer's file: its first 72 bytes, or 40 before format version 3.

use super::{Checksum, EXACT_VERSION, OLDEST_VERSION, StoreError, VERSION};
use serde::{Deserialize, Serialize};
use std::path::Path;

pub const MAGIC: [u8; 8] = *b"GGSOLVE\0";
/// Bytes of a header without the solution's identity.
const PLAIN: usize = 40;
const ID: usize = 32;
/// Bytes of a written header.
pub const LENGTH: usize = PLAIN + ID;
/// The first version whose headers have the identity.
pub const IDENTIFIED: u32 = 3;

/// In a header, a kind is its place in [`Kind::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The states of a layer, as a zero-suppressed set: the variable of a skipped level is false.
    States,
    /// The values of the states, as a multi-terminal diagram: the variable of a skipped level does not matter. Terminal
    /// `v` is the reward vector `v - 1` of the manifest. States outside the layer have arbitrary values.
    Values,
    /// See [`Ranked`](super::Ranked).
    Ranked,
    /// All states with their values, as a multi-terminal set: the variable of a skipped level is false. Terminal `v` is
    /// the reward vector `v - 1` of the manifest; the terminal after these is endless play, or no value yet.
    Outcomes,
    /// The settled states with one digit of their round: a set as `Outcomes`; terminal `d + 1` is the digit `d`.
    Rounds,
    /// The settled states with the plies to the end: a set as `Outcomes`, in which terminal `d + 1` is `d` plies.
    Plies,
    /// Not a diagram: the exact values that occur in a layer, as text. In the file of values by rank, the value ids are
    /// the numbers of the text's lines, from 1 on.
    Numbers,
}

impl Kind {
    pub const ALL: [Kind; 7] =
        [Kind::States, Kind::Values, Kind::Ranked, Kind::Outcomes, Kind::Rounds, Kind::Plies, Kind::Numbers];

    pub fn name(self) -> &'static str {
        match self {
            Kind::States => "states",
            Kind::Values => "values",
            Kind::Ranked => "ranked",
            Kind::Outcomes => "outcomes",
            Kind::Rounds => "rounds",
            Kind::Plies => "plies",
            Kind::Numbers => "numbers",
        }
    }

    /// The format version that introduced this kind; headers without the identity have this version.
    pub fn version(self) -> u32 {
        match self {
            Kind::States | Kind::Values => 1,
            Kind::Ranked => 2,
            Kind::Outcomes | Kind::Rounds | Kind::Plies => 3,
            Kind::Numbers => EXACT_VERSION,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Number of the layer, 0 for the initial state. For outcomes and plies, the number of rounds so far; for rounds,
    /// the position of the digit, 0 for the least significant one.
    pub layer: u32,
    /// Levels (variables) of the diagram; for values by rank, of the diagram of the layer's states.
    pub levels: u32,
    pub root: u32,
    /// Inner nodes of the diagram. For exact values, the number of values.
    pub nodes: u64,
    /// See [`Manifest::file_id`](super::Manifest::file_id); `None` in format versions 1 and 2.
    pub id: Option<Checksum>,
}

impl Header {
    pub fn length(&self) -> usize {
        PLAIN + self.id.map_or(0, |id| id.len())
    }

    pub fn to_bytes(self) -> Vec<u8> {
        let version = if self.id.is_some() { VERSION } else { self.kind.version() };
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.extend(MAGIC);
        for word in [version, self.kind as u32, self.layer, self.levels, self.root, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(self.nodes.to_le_bytes());
        bytes.extend(self.id.iter().flatten());
        bytes
    }

    /// The header of a file; `path` is its name in errors.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Header, StoreError> {
        let damaged = |what| StoreError::damaged(path, what);
        let rest = bytes.get(PLAIN..).unwrap_or_default();
        let Some(bytes) = bytes.first_chunk::<PLAIN>() else { return Err(damaged("cut short")) };
        if bytes[..8] != MAGIC {
            return Err(damaged("not the file of a layer"));
        }
        let word = |k: usize| u32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]]);
        let version = word(8);
        if !(OLDEST_VERSION..=VERSION).contains(&version) {
            let what = "unless its header is damaged; this program reads up to";
            return Err(StoreError::foreign(path, format!("format version {version}, {what} {VERSION}")));
        }
        let Some(&kind) = Kind::ALL.get(word(12) as usize) else {
            return Err(damaged("a kind that is not known"));
        };
        if version < IDENTIFIED && version != kind.version() {
            return Err(damaged("a version that does not have this kind"));
        }
        let id = match (version < IDENTIFIED, rest.first_chunk::<ID>()) {
            (true, _) => None,
            (false, Some(id)) => Some(*id),
            (false, None) => return Err(damaged("cut short")),
        };
        if word(28) != 0 {
            return Err(damaged("a reserved field is not zero"));
        }
        let nodes = u64::from(word(32)) | u64::from(word(36)) << 32;
        Ok(Header { kind, layer: word(16), levels: word(20), root: word(24), nodes, id })
    }
}
