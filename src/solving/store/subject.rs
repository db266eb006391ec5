//! What a solution is about, and the search for a solution of the same subject in a folder.

use super::StoreError;
use super::layer_file::LayerFile;
use super::manifest::{self, Manifest};
use std::fs;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub game: String,
    /// The language of the rules, which is the extension of their file.
    pub language: String,
    pub rules: Vec<u8>,
    /// See [`game::rules::identity`].
    pub rules_hash: String,
    /// The opponent model; `None` if states are only counted.
    pub opponent_model: Option<String>,
    /// Whether values have distances; has no meaning if states are only counted.
    pub distances: bool,
    /// The algorithm; `None` accepts the algorithm of the solution in the folder.
    pub algorithm: Option<String>,
}

/// The manifest of a folder, if any. Fails for another subject, and for files that [`check_files`] refuses.
pub fn find(folder: &Path, subject: &Subject) -> Result<Option<Manifest>, StoreError> {
    if !folder.join(manifest::NAME).exists() {
        return Ok(None);
    }
    let manifest = Manifest::load(folder)?;
    let foreign = |what: String| Err(StoreError::foreign(folder, what));
    if manifest.rules_hash != subject.rules_hash {
        return foreign(format!("holds a solution of another game ({}, with other rules)", manifest.game));
    }
    if let Some(ours) = &subject.algorithm
        && manifest.algorithm != *ours
    {
        return foreign(format!("holds a solution by the algorithm {}, not {ours}", manifest.algorithm));
    }
    if let (Some(theirs), Some(ours)) = (&manifest.opponent_model, &subject.opponent_model)
        && theirs != ours
    {
        return foreign(format!("holds a solution under the opponent model {theirs}, not {ours}"));
    }
    if manifest.opponent_model.is_some() && subject.opponent_model.is_some() && manifest.distances != subject.distances
    {
        let with = |distances| if distances { "with distances" } else { "without distances" };
        return foreign(format!("holds a solution {}, not one {}", with(manifest.distances), with(subject.distances)));
    }
    manifest.rules(folder)?;
    check_files(folder, &manifest)?;
    Ok(Some(manifest))
}

/// Compares the files of states and values with their recorded lengths, and small ones with their checksums.
pub fn check_files(folder: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    manifest.files().try_for_each(|file| {
        let path = folder.join(&file.name);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() || metadata.len() == file.bytes => {
                LayerFile::open(&path)?.check_small(file)
            }
            Ok(_) => Err(StoreError::damaged(&path, "not as long as the manifest says")),
            Err(error) => Err(StoreError::io_of_named(&path, &error)),
        }
    })
}
