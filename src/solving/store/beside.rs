//! The guarantee of a role: the reward that it can force against all others together. It is a solution of its own in
//! the folder of the complete solution, with the same states (hard links, or copies if the file system has no links)
//! and other values.

use super::manifest::{LayerRecord, Manifest, NAME, Progress};
use super::runs::Run;
use super::subject::{Subject, find};
use super::writer::version_of;
use super::{Kind, Lock, Store, StoreError, atomic, folder};
use base::limits::Limits;
use base::scratch::Space;
use game::reward::Ranking;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// The manifest of the guarantee of a role (an index) beside a solution; `None` if there is no such guarantee. It is an
/// error if the guarantee belongs to another solution or role.
pub fn guarantee_beside(solution: &Path, manifest: &Manifest, role: usize) -> Result<Option<Manifest>, StoreError> {
    let own = folder::guarantee_folder(solution, role);
    if !own.join(NAME).exists() {
        // A run that was killed before it began to solve has left only states, and no manifest.
        return match folder::has_values(&own)? {
            true => Err(StoreError::damaged(&own.join(NAME), "is missing, and there are values beside it")),
            false => Ok(None),
        };
    }
    let found = Manifest::load(&own)?;
    let (id, ranking) = (&found.id, found.opponent_model.as_deref());
    if id != &manifest.id || ranking != Some(Ranking::Against(role).name().as_str()) {
        return Err(StoreError::damaged(&own.join(NAME), "not a guarantee of the solution that it lies beside"));
    }
    Ok(Some(found))
}

impl Store {
    /// Opens the guarantee in a complete solution's folder for writing. `role`: an index; `rewards`: by value id.
    pub fn beside(
        solution: &Path,
        manifest: &Manifest,
        role: usize,
        rewards: Vec<Vec<u8>>,
        run: &Run,
        limits: &Arc<Limits>,
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
            distances: false,
            algorithm: Some(manifest.algorithm.clone()),
        };
        guarantee_beside(solution, manifest, role)?;
        let found = find(&own, &subject)?;
        folder::remove_leftovers(&own, found.as_ref())?;
        let space = folder::space(solution, limits)?;
        let found = match found {
            Some(found) => found,
            None => begun(&own, solution, manifest, &subject, rewards, &space)?,
        };
        Store::new(&own, subject, Some(found), run, lock, space)
    }
}

/// The manifest of a solution with all states and without values.
fn begun(
    own: &Path,
    solution: &Path,
    manifest: &Manifest,
    subject: &Subject,
    rewards: Vec<Vec<u8>>,
    space: &Space,
) -> Result<Manifest, StoreError> {
    for record in &manifest.layers {
        share(&solution.join(&record.states_file.name), &own.join(&record.states_file.name), space)?;
    }
    atomic::write_small(&own.join(&manifest.rules_file), &subject.rules)?;
    let open = |layer: &LayerRecord| LayerRecord {
        values_file: None,
        buckets: None,
        numbers_file: None,
        shares: None,
        ends: None,
        ..layer.clone()
    };
    let mut begun = Manifest {
        opponent_model: subject.opponent_model.clone(),
        distances: false,
        phase: Progress::Backward,
        rewards,
        settled: None,
        ties: None,
        not_best: None,
        no_value: None,
        layers: manifest.layers.iter().map(open).collect(),
        ..manifest.clone()
    };
    begun.version = version_of(&begun);
    begun.save(own)?;
    Ok(begun)
}

/// Gives a file a second name, by a link or a copy. On return its bytes are durable.
fn share(from: &Path, to: &Path, space: &Space) -> Result<(), StoreError> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    space.take(fs::metadata(from).map_err(|error| StoreError::io(from, &error))?.len())?;
    let copied = fs::copy(from, to).and_then(|_| File::options().write(true).open(to));
    atomic::sync(to, &copied.map_err(|error| StoreError::io(to, &error))?)
}
