//! The folder of what one role can force, in that of a complete solution of all roles: a solution of its own with the
//! states of the other one, whose files it shares (hard links, or copies where the file system has none), and values of its
//! own. What is finished in it stays there, as in any other.

use super::manifest::{LayerRecord, Manifest, NAME, Progress};
use super::runs::Run;
use super::subject::{Subject, find};
use super::{Kind, Lock, Store, StoreError, atomic, folder};
use crate::reward::Ranking;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// The manifest of what the role of index `role` can force, if anything of it is stored in the folder of a solution. Fails
/// where that is of another solution or of another role.
pub fn guarantee_beside(solution: &Path, manifest: &Manifest, role: usize) -> Result<Option<Manifest>, StoreError> {
    let own = folder::guarantee_folder(solution, role);
    if !own.join(NAME).exists() {
        return Ok(None);
    }
    let found = Manifest::load(&own)?;
    let (id, ranking) = (&found.id, found.opponent_model.as_deref());
    if id != &manifest.id || ranking != Some(Ranking::Against(role).name().as_str()) {
        return Err(StoreError::damaged(&own.join(NAME), "not a guarantee of the solution that it lies beside"));
    }
    Ok(Some(found))
}

impl Store {
    /// Opens the folder of a guarantee of the role of index `role`, in the folder of a complete solution; `rewards`: what
    /// values stand for.
    pub fn beside(
        solution: &Path,
        manifest: &Manifest,
        role: usize,
        rewards: Vec<Vec<u8>>,
        run: &Run,
    ) -> Result<Store, StoreError> {
        let own = folder::guarantee_folder(solution, role);
        manifest.new_file_id(&own, Kind::States)?;
        folder::refuse_other_files(&own)?;
        let lock = Lock::take(&own)?;
        let subject = Subject {
            game: manifest.game.clone(),
            language: manifest.language.clone(),
            rules: manifest.rules(solution)?,
            rules_hash: manifest.rules_hash.clone(),
            opponent_model: Some(Ranking::Against(role).name()),
            algorithm: Some(manifest.algorithm.clone()),
        };
        guarantee_beside(solution, manifest, role)?;
        let found = find(&own, &subject)?;
        folder::remove_leftovers(&own, found.as_ref())?;
        let found = match found {
            Some(found) => found,
            None => begun(&own, solution, manifest, &subject, rewards)?,
        };
        Store::new(&own, subject, Some(found), run, lock)
    }
}

/// A solution whose states are there and whose values are all to come.
fn begun(
    own: &Path,
    solution: &Path,
    manifest: &Manifest,
    subject: &Subject,
    rewards: Vec<Vec<u8>>,
) -> Result<Manifest, StoreError> {
    for record in &manifest.layers {
        share(&solution.join(&record.states_file.name), &own.join(&record.states_file.name))?;
    }
    atomic::write_synced(&own.join(&manifest.rules_file), |file| file.write_all(&subject.rules))?;
    let open = |layer: &LayerRecord| LayerRecord { values_file: None, buckets: None, ends: None, ..layer.clone() };
    let begun = Manifest {
        opponent_model: subject.opponent_model.clone(),
        phase: Progress::Backward,
        rewards,
        settled: None,
        ties: None,
        layers: manifest.layers.iter().map(open).collect(),
        ..manifest.clone()
    };
    begun.save(own)?;
    Ok(begun)
}

/// The same file under another name; on return its bytes last.
fn share(from: &Path, to: &Path) -> Result<(), StoreError> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    let copied = fs::copy(from, to).and_then(|_| File::options().write(true).open(to));
    atomic::sync(to, &copied.map_err(|error| StoreError::io(to, &error))?)
}
