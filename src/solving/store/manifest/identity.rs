//! The identity of a solution, which distinguishes its files from those of other solutions.

use super::Manifest;
use crate::store::checksum::{Checksum, checksum, from_hex, hex};
use crate::store::{Kind, StoreError};
use std::path::Path;

/// A part of the identity of values with distances, which distinguishes them from values without.
const DISTANCES: &str = "distances";

impl Manifest {
    /// A hash of everything on which the bytes of the solution's states depend: the game, the algorithm and the
    /// encoding, but not runs, times, threads or memory, nor the way the rules are written.
    pub fn identity(&self) -> String {
        let Manifest { rules_hash, roles, algorithm, variables, defaults, rewards, .. } = self;
        let defaults: Vec<_> = defaults.iter().map(|default| (&default.fluent, &default.unless)).collect();
        let parts = serde_json::to_string(&(rules_hash, roles, algorithm, variables, defaults, rewards));
        hex(&checksum(parts.expect("lists of strings and numbers serialise").as_bytes()))
    }

    /// The identity in the headers of files of a kind: for states, that of the solution; for values, a hash of that,
    /// the opponent model, and whether there are distances. `None` in format versions 1 and 2.
    pub fn file_id(&self, kind: Kind) -> Option<Checksum> {
        let id = self.id.as_ref()?;
        match (kind, &self.opponent_model) {
            (Kind::States, _) | (_, None) => from_hex(id),
            (_, Some(model)) if self.distances => Some(checksum(format!("{id} {model} {DISTANCES}").as_bytes())),
            (_, Some(model)) => Some(checksum(format!("{id} {model}").as_bytes())),
        }
    }

    /// As [`Manifest::file_id`], for a new file.
    pub fn new_file_id(&self, folder: &Path, kind: Kind) -> Result<Checksum, StoreError> {
        self.file_id(kind).ok_or_else(|| {
            let what = format!("a solution in format version {}, which is only read", self.version);
            StoreError::foreign(folder, what)
        })
    }
}
