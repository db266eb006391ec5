//! Writes a solution: layers are added as they are finished, and a later run of the same game continues after the
//! finished layers.
//!
//! A layer's file is written at once. It counts as finished when its bytes are synced and the manifest names it. A sync
//! takes milliseconds even for a small file, so small files are synced together. Syncs take at most a tenth of the
//! time, unless many files wait for one.
//!
//! After a failed sync, the state of the disk is unknown, even if a later sync succeeds, because the system drops pages
//! that it could not write. So nothing more is written.

use super::checksum::{Checksum, checksum, hex};
use super::manifest::{
    self, CycleRecord, DefaultFluent, EncodingSize, FileRecord, LayerRecord, Manifest, MixedRecord, Progress,
};
use super::runs::{Run, RunRecord};
use super::subject::{Subject, find};
use super::{
    DEPTH_VERSION, DISTANCES_VERSION, EXACT_VERSION, Kind, Lock, ROUND_VERSION, StoreError, VERSION, atomic, file,
    folder,
};
use base::limits::Limits;
use base::scratch::Space;
use kernel::{Context, Diagram};
use num_bigint::BigUint;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Shortest time between two saves, as a multiple of the duration of a save.
const PACE: u32 = 10;
/// A save happens when this many files wait for one.
const MOST_UNSYNCED: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pub roles: Vec<String>,
    pub variables: Vec<String>,
    pub defaults: Vec<DefaultFluent>,
    pub rewards: Vec<Vec<u8>>,
    pub encoding: EncodingSize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerFigures {
    pub states: BigUint,
    pub terminal: BigUint,
    pub nodes: u64,
    /// See [`LayerRecord::alternating`].
    pub alternating: bool,
    /// See [`LayerRecord::disjoint`].
    pub disjoint: Option<bool>,
    /// See [`LayerRecord::mixed`].
    pub mixed: Option<MixedRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    pub states: BigUint,
    pub terminal: BigUint,
    /// Whether it is proved that no state lies in two layers.
    pub progress_measure: bool,
    pub alternating: bool,
}

#[derive(Debug)]
pub struct Store {
    pub(super) folder: PathBuf,
    subject: Subject,
    /// The manifest; `None` until the game is encoded.
    pub(super) manifest: Option<Manifest>,
    /// Files that the manifest names in memory but not on disk.
    pub(super) unsynced: Vec<File>,
    pub(super) space: Space,
    saved: Instant,
    /// Duration of the last save.
    cost: Duration,
    /// Whether the folder has nothing to keep.
    void: bool,
    /// Whether the folder was there and empty before, so that it stays if there is nothing to keep.
    stays: bool,
    /// Whether the folder has another solution, which is removed once this one is finished.
    replaces: bool,
    /// Number of files that were removed because the folder had no manifest that names them.
    unnamed: usize,
    run: Run,
    /// The index of the current run's record in the manifest, once the run has added something.
    record: Option<usize>,
    /// The records of the runs of a solution that another algorithm began.
    earlier: Vec<RunRecord>,
    cycle: Option<CycleRecord>,
    /// The error after which nothing more is written.
    broken: Option<StoreError>,
    _lock: Lock,
}

impl Store {
    /// Opens or creates a folder for a run. A solution in it keeps the rules with which it was begun. `limits` bound
    /// the disk space of all files of the solution.
    pub fn open(folder: &Path, subject: Subject, run: &Run, limits: &Arc<Limits>) -> Result<Store, StoreError> {
        folder::refuse_other_files(folder)?;
        let stays = folder::is_empty(folder)?;
        let lock = Lock::take(folder)?;
        let replaces = folder::has_replaced(folder)?;
        let manifest = find(folder, &subject)?;
        if let Some(manifest) = manifest.as_ref().filter(|manifest| manifest.phase != Progress::Complete) {
            manifest.new_file_id(folder, Kind::States)?;
        }
        let removed = folder::remove_leftovers(folder, manifest.as_ref())?;
        let unnamed = if manifest.is_none() { removed } else { 0 };
        let space = folder::space(folder, limits)?;
        let mut store = Store::new(folder, subject, manifest, run, lock, space)?;
        (store.replaces, store.stays, store.unnamed) = (replaces, stays, unnamed);
        Ok(store)
    }

    /// As [`Store::open`], but replaces a solution of any game, which stays until the new one is finished.
    pub fn replace(folder: &Path, subject: Subject, run: &Run, limits: &Arc<Limits>) -> Result<Store, StoreError> {
        folder::refuse_other_files(folder)?;
        let stays = folder::is_empty(folder)?;
        let lock = Lock::take(folder)?;
        folder::has_replaced(folder)?;
        let replaces = folder.join(manifest::NAME).exists();
        if replaces && !folder::is_solution(folder)? {
            return Err(StoreError::Occupied { folder: folder.to_owned() });
        }
        folder::refuse_full_folders(folder)?;
        let unnamed = if replaces { 0 } else { folder::remove_leftovers(folder, None)? };
        let space = folder::space(folder, limits)?;
        let mut store = Store::new(folder, subject, None, run, lock, space)?;
        (store.replaces, store.stays, store.unnamed) = (replaces, stays, unnamed);
        Ok(store)
    }

    pub(super) fn new(
        folder: &Path,
        mut subject: Subject,
        manifest: Option<Manifest>,
        run: &Run,
        lock: Lock,
        space: Space,
    ) -> Result<Store, StoreError> {
        if let Some(manifest) = &manifest {
            subject.rules = manifest.rules(folder)?;
            subject.game.clone_from(&manifest.game);
            subject.language.clone_from(&manifest.language);
        }
        let void = manifest.is_none();
        Ok(Store {
            folder: folder.to_owned(),
            subject,
            manifest,
            unsynced: Vec::new(),
            space,
            saved: Instant::now(),
            cost: Duration::ZERO,
            void,
            stays: false,
            replaces: false,
            unnamed: 0,
            run: run.clone(),
            record: None,
            earlier: Vec::new(),
            cycle: None,
            broken: None,
            _lock: lock,
        })
    }

    /// Number of files of a solution without a manifest that opening removed.
    pub fn unnamed(&self) -> usize {
        self.unnamed
    }

    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn has_grown(&self) -> bool {
        self.record.is_some()
    }

    /// The manifest; `None` before [`Store::begin`] if the folder was empty.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Starts over with another algorithm, as [`Store::begin`] in an empty folder. `cycle`: how a state repeats.
    pub fn begin_again(
        &mut self,
        encoded: Encoded,
        algorithm: &str,
        cycle: Option<CycleRecord>,
    ) -> Result<(), StoreError> {
        self.cycle = cycle;
        self.earlier = self.manifest.take().map(|manifest| manifest.runs).unwrap_or_default();
        self.unsynced.clear();
        self.begin(encoded, algorithm)?;
        folder::remove_leftovers(&self.folder, self.manifest.as_ref())?;
        folder::recount(&self.folder, &self.space)
    }

    /// Starts a new solution, or checks that the solution in the folder has the same encoding.
    pub fn begin(&mut self, encoded: Encoded, algorithm: &str) -> Result<(), StoreError> {
        if let Some(manifest) = &mut self.manifest {
            let Encoded { roles, variables, defaults, rewards, encoding } = &encoded;
            let same = (roles, variables, defaults) == (&manifest.roles, &manifest.variables, &manifest.defaults)
                && (rewards, encoding, algorithm) == (&manifest.rewards, &manifest.encoding, &manifest.algorithm);
            if !same {
                let what = "encodes this game in another way: it was written with another bound on memory, or by another version of ggsolve; remove it, or take another folder (--out)";
                return Err(StoreError::foreign(&self.folder, what));
            }
            if manifest.opponent_model.is_none() && self.subject.opponent_model.is_some() {
                manifest.opponent_model.clone_from(&self.subject.opponent_model);
                manifest.no_value = None;
                if self.subject.distances {
                    manifest.distances = true;
                    manifest.version = version_of(manifest);
                }
                self.grow()?;
                return self.save();
            }
            return Ok(());
        }
        self.whole()?;
        // A run that created the folder may have been killed before the folder was durable.
        if let Some(parent) = self.folder.parent() {
            let synced = atomic::sync_folder(parent);
            self.believe(synced)?;
        }
        if self.replaces {
            let moved = folder::set_aside(&self.folder).and_then(|()| folder::recount(&self.folder, &self.space));
            self.believe(moved)?;
        }
        let subject = &self.subject;
        let rules_file = folder::rules_name(&subject.language);
        let written = atomic::write_small(&self.folder.join(&rules_file), &subject.rules);
        self.believe(written)?;
        let subject = &self.subject;
        let distances = subject.distances && subject.opponent_model.is_some();
        let mut manifest = Manifest {
            format: manifest::FORMAT.to_owned(),
            version: VERSION,
            game: subject.game.clone(),
            language: subject.language.clone(),
            rules_file,
            rules_sha256: hex(&checksum(&subject.rules)),
            rules_hash: subject.rules_hash.clone(),
            roles: encoded.roles,
            opponent_model: subject.opponent_model.clone(),
            distances,
            algorithm: algorithm.to_owned(),
            variables: encoded.variables,
            defaults: encoded.defaults,
            rewards: encoded.rewards,
            encoding: encoded.encoding,
            turn_taking: true,
            cycle: self.cycle.take(),
            runs: std::mem::take(&mut self.earlier),
            ..Manifest::default()
        };
        manifest.version = version_of(&manifest);
        manifest.id = Some(manifest.identity());
        self.manifest = Some(manifest);
        self.grow()?;
        self.save().inspect_err(|_| self.manifest = None)
    }

    pub fn layers(&self) -> &[LayerRecord] {
        self.manifest.as_ref().map_or(&[], |manifest| &manifest.layers)
    }

    /// The totals over all layers; `None` until the forward pass is complete.
    pub fn totals(&self) -> Option<Totals> {
        let manifest = self.manifest.as_ref()?;
        Some(Totals {
            states: manifest.states.clone()?,
            terminal: manifest.terminal_states.clone()?,
            progress_measure: manifest.progress_measure?,
            alternating: manifest.alternating?,
        })
    }

    /// `work`: see [`Manifest::work_ns`].
    pub fn push_states(
        &mut self,
        layer: &Diagram,
        figures: &LayerFigures,
        work: Option<u64>,
        context: &Context,
    ) -> Result<(), StoreError> {
        let number = self.layers().len() as u32;
        let states_file = self.write(Kind::States, number, layer, context)?;
        let manifest = self.grow()?;
        manifest.work_ns = work;
        manifest.layers.push(LayerRecord {
            layer: number,
            states: figures.states.clone(),
            terminal: figures.terminal.clone(),
            nodes: layer.node_count(),
            alternating: figures.alternating,
            disjoint: figures.disjoint,
            states_file,
            mixed: figures.mixed.clone(),
            ..LayerRecord::default()
        });
        self.save_if_due()
    }

    pub fn finish_forward(&mut self, totals: &Totals) -> Result<(), StoreError> {
        let manifest = self.grow()?;
        manifest.phase = Progress::Backward;
        manifest.work_ns = None;
        manifest.states = Some(totals.states.clone());
        manifest.terminal_states = Some(totals.terminal.clone());
        manifest.progress_measure = Some(totals.progress_measure);
        let in_turns = |layer: &LayerRecord| layer.mixed.as_ref().is_none_or(|mixed| mixed.joint == BigUint::ZERO);
        manifest.turn_taking = manifest.layers.iter().all(in_turns);
        manifest.alternating = Some(totals.alternating);
        self.save()
    }

    /// On return, everything that was added so far is durable.
    pub fn save(&mut self) -> Result<(), StoreError> {
        self.whole()?;
        let Some(manifest) = &mut self.manifest else { return Ok(()) };
        // A run that has added nothing does not change the manifest.
        let Some(record) = self.record.and_then(|place| manifest.runs.get_mut(place)) else { return Ok(()) };
        *record = self.run.record();
        let start = Instant::now();
        let saved = self.unsynced.iter().try_for_each(|file| atomic::sync(&self.folder, file));
        let saved = saved.and_then(|()| manifest.save(&self.folder));
        self.believe(saved)?;
        self.unsynced.clear();
        self.void = false;
        (self.saved, self.cost) = (Instant::now(), start.elapsed());
        Ok(())
    }

    /// Records durably that the current run has added a file beside the solution. Returns the records of all runs.
    pub fn add_run(mut self) -> Result<Vec<RunRecord>, StoreError> {
        self.grow()?;
        self.save()?;
        Ok(self.manifest.as_ref().expect("it has grown").runs.clone())
    }

    /// Saves everything, with a record that the run finished its work.
    pub fn finish(&mut self) -> Result<(), StoreError> {
        self.run.finish();
        self.save()
    }

    /// Removes the solution that this one replaces.
    pub fn forget_replaced(&mut self) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.replaces) {
            return Ok(());
        }
        if folder::has_replaced(&self.folder)? {
            folder::forget_replaced(&self.folder)?;
        }
        folder::recount(&self.folder, &self.space)
    }

    /// The manifest, to which something is added; it has a record of this run then.
    pub(super) fn grow(&mut self) -> Result<&mut Manifest, StoreError> {
        self.whole()?;
        let Some(manifest) = &mut self.manifest else { return Err(not_begun(&self.folder)) };
        if self.record.is_none() {
            self.record = Some(manifest.runs.len());
            manifest.runs.push(self.run.record());
        }
        Ok(manifest)
    }

    fn whole(&self) -> Result<(), StoreError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// Returns the result of a sync. After a failed sync, nothing more is written.
    fn believe(&mut self, synced: Result<(), StoreError>) -> Result<(), StoreError> {
        if let Err(error @ StoreError::Sync { .. }) = &synced {
            self.broken = Some(error.clone());
        }
        synced
    }

    pub(super) fn new_file_id(&self, kind: Kind) -> Result<Checksum, StoreError> {
        self.whole()?;
        let Some(manifest) = &self.manifest else { return Err(not_begun(&self.folder)) };
        manifest.new_file_id(&self.folder, kind)
    }

    /// Removes the solution, on drop if none was replaced, because there is none to keep. One that would have been
    /// replaced stays.
    pub fn discard(&mut self) -> Result<(), StoreError> {
        self.void = true;
        let has_begun = self.manifest.take().is_some();
        match has_begun && self.replaces && folder::has_replaced(&self.folder)? {
            true => folder::bring_back(&self.folder),
            false => Ok(()),
        }
    }

    pub(super) fn save_if_due(&mut self) -> Result<(), StoreError> {
        if self.unsynced.len() >= MOST_UNSYNCED || self.saved.elapsed() >= self.cost * PACE {
            return self.save();
        }
        Ok(())
    }

    pub(super) fn write(
        &mut self,
        kind: Kind,
        layer: u32,
        diagram: &Diagram,
        context: &Context,
    ) -> Result<FileRecord, StoreError> {
        self.write_as(file::layer_name(layer, kind), kind, layer, diagram, context)
    }

    pub(super) fn write_as(
        &mut self,
        name: String,
        kind: Kind,
        number: u32,
        diagram: &Diagram,
        context: &Context,
    ) -> Result<FileRecord, StoreError> {
        let id = self.new_file_id(kind)?;
        let (record, file) =
            file::write_diagram(&self.folder, &self.space, name, kind, number, &diagram.pack(context)?, id)?;
        self.unsynced.push(file);
        Ok(record)
    }
}

impl Drop for Store {
    /// Removes the folder if it has no solution; one that was there and empty before is emptied. A solution that would
    /// have been replaced is brought back.
    fn drop(&mut self) {
        if self.void {
            // What fails here is done by the next run.
            let _ = match self.replaces {
                true => folder::has_replaced(&self.folder).map(|_| ()),
                false => folder::clear(&self.folder, self.stays),
            };
        }
    }
}

fn not_begun(folder: &Path) -> StoreError {
    StoreError::foreign(folder, "no solution was begun")
}

pub(super) fn version_of(manifest: &Manifest) -> u32 {
    match (manifest.distances, manifest.is_global()) {
        _ if manifest.goes_round() => ROUND_VERSION,
        _ if manifest.is_exact() => EXACT_VERSION,
        (false, _) => VERSION,
        (true, false) => DISTANCES_VERSION,
        (true, true) => DEPTH_VERSION,
    }
}
