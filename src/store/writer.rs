//! A solution that is being written: layers are added as they are finished, and what was finished before is there
//! when the same game is taken up again.
//!
//! A layer's file is written at once; it counts as finished once its bytes are synced and the manifest names it.
//! Syncing takes milliseconds whatever the size, so small layers are finished together: a tenth of the time goes into
//! it at most.

use super::checksum::{checksum, hex};
use super::manifest::{
    self, BucketRecord, DefaultFluent, Encoding, FileRecord, LayerRecord, Manifest, Progress, SettledRecord,
};
use super::ranked::{Ranked, write_ranked};
use super::subject::{Subject, find};
use super::{DIAGRAM_VERSION, Kind, Lock, Mapped, RANKED_VERSION, StoreError, VERSION, atomic, file, folder};
use crate::kernel::{Bitvector, Context, Diagram};
use crate::limits::Limits;
use num_bigint::BigUint;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two saves, in units of what a save takes.
const PACE: u32 = 10;
/// Most files that wait for a save.
const MOST_UNSYNCED: usize = 64;

/// What is known of a game once it is encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pub roles: Vec<String>,
    pub variables: Vec<String>,
    pub defaults: Vec<DefaultFluent>,
    pub rewards: Vec<Vec<u8>>,
    pub encoding: Encoding,
}

/// Figures of a layer of states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerFigures {
    pub states: BigUint,
    pub terminal: BigUint,
    /// See [`LayerRecord::alternating`].
    pub alternating: bool,
    /// See [`LayerRecord::disjoint`].
    pub disjoint: Option<bool>,
}

/// What is known of all states when some are settled.
#[derive(Debug, Clone, Copy)]
pub struct SettledDiagrams<'a> {
    pub rounds: u32,
    /// What rounds are counted in.
    pub base: u32,
    /// See [`Kind::Outcomes`].
    pub outcomes: &'a Diagram,
    /// See [`Kind::Rounds`]; the least significant digit first.
    pub digits: &'a [&'a Diagram],
}

/// Figures of all layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Distinct ones.
    pub states: BigUint,
    pub terminal: BigUint,
    /// No state lies in two layers.
    pub progress_measure: bool,
    pub alternating: bool,
}

/// A folder that a run writes to.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    subject: Subject,
    /// `None` until the game is encoded.
    manifest: Option<Manifest>,
    /// Files named in the manifest in memory but not in that on the disk.
    unsynced: Vec<File>,
    saved: Instant,
    /// What the last save took.
    cost: Duration,
    /// Nothing in the folder is worth keeping.
    void: bool,
    _lock: Lock,
}

impl Store {
    /// Takes a folder up, or makes it. The rules of a folder that is taken up are those it holds.
    pub fn open(folder: &Path, mut subject: Subject) -> Result<Store, StoreError> {
        fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, &error))?;
        folder::refuse_other_files(folder)?;
        let lock = Lock::take(folder)?;
        let manifest = find(folder, &subject)?;
        folder::remove_leftovers(folder)?;
        if let Some(manifest) = &manifest {
            subject.rules = manifest.rules(folder)?;
            subject.game.clone_from(&manifest.game);
            subject.language.clone_from(&manifest.language);
        }
        let void = manifest.is_none();
        let (saved, cost) = (Instant::now(), Duration::ZERO);
        Ok(Store { folder: folder.to_owned(), subject, manifest, unsynced: Vec::new(), saved, cost, void, _lock: lock })
    }

    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `None` until [`Store::begin`] where the folder was empty.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Starts over by another algorithm, as [`Store::begin`] does with an empty folder.
    pub fn begin_again(&mut self, encoded: Encoded, algorithm: &str) -> Result<(), StoreError> {
        self.manifest = None;
        self.unsynced.clear();
        self.begin(encoded, algorithm)?;
        let Some(manifest) = &self.manifest else { return Err(not_begun(&self.folder)) };
        folder::remove_unnamed(&self.folder, manifest)
    }

    /// Starts a new solution, or makes sure that the one in the folder is encoded in the same way.
    pub fn begin(&mut self, encoded: Encoded, algorithm: &str) -> Result<(), StoreError> {
        if let Some(manifest) = &mut self.manifest {
            let Encoded { roles, variables, defaults, rewards, encoding } = &encoded;
            let same = (roles, variables, defaults) == (&manifest.roles, &manifest.variables, &manifest.defaults)
                && (rewards, encoding, algorithm) == (&manifest.rewards, &manifest.encoding, &manifest.algorithm);
            if !same {
                let what = "was written by another version of ggsolve, which encodes this game in another way";
                return Err(StoreError::foreign(&self.folder, what));
            }
            if manifest.opponent_model.is_none() && self.subject.opponent_model.is_some() {
                manifest.opponent_model.clone_from(&self.subject.opponent_model);
                return self.save();
            }
            return Ok(());
        }
        let subject = &self.subject;
        let rules_file = format!("rules.{}", subject.language);
        atomic::write_synced(&self.folder.join(&rules_file), |file| file.write_all(&subject.rules))?;
        self.manifest = Some(Manifest {
            format: manifest::FORMAT.to_owned(),
            version: if algorithm == manifest::GLOBAL { VERSION } else { DIAGRAM_VERSION },
            checksum: String::new(),
            game: subject.game.clone(),
            language: subject.language.clone(),
            rules_file,
            rules_sha256: hex(&checksum(&subject.rules)),
            rules_hash: subject.rules_hash.clone(),
            roles: encoded.roles,
            opponent_model: subject.opponent_model.clone(),
            algorithm: algorithm.to_owned(),
            phase: Progress::Forward,
            variables: encoded.variables,
            defaults: encoded.defaults,
            rewards: encoded.rewards,
            encoding: encoded.encoding,
            progress_measure: None,
            turn_taking: true,
            alternating: None,
            states: None,
            terminal_states: None,
            settled: None,
            layers: Vec::new(),
        });
        self.save().inspect_err(|_| self.manifest = None)
    }

    /// The layers that are there.
    pub fn layers(&self) -> &[LayerRecord] {
        self.manifest.as_ref().map_or(&[], |manifest| &manifest.layers)
    }

    /// Figures of all layers, once the forward pass is complete.
    pub fn totals(&self) -> Option<Totals> {
        let manifest = self.manifest.as_ref()?;
        Some(Totals {
            states: manifest.states.clone()?,
            terminal: manifest.terminal_states.clone()?,
            progress_measure: manifest.progress_measure?,
            alternating: manifest.alternating?,
        })
    }

    /// Adds the next layer of states.
    pub fn push_states(
        &mut self,
        layer: &Diagram,
        figures: &LayerFigures,
        context: &Context,
    ) -> Result<(), StoreError> {
        let number = self.layers().len() as u32;
        let states_file = self.write(Kind::States, number, layer, context)?;
        let Some(manifest) = &mut self.manifest else { return Err(not_begun(&self.folder)) };
        manifest.layers.push(LayerRecord {
            layer: number,
            states: figures.states.clone(),
            terminal: figures.terminal.clone(),
            nodes: layer.node_count(),
            alternating: figures.alternating,
            disjoint: figures.disjoint,
            states_file,
            values_file: None,
            buckets: None,
        });
        self.save_if_due()
    }

    /// Ends the forward pass.
    pub fn finish_forward(&mut self, totals: &Totals) -> Result<(), StoreError> {
        let Some(manifest) = &mut self.manifest else { return Err(not_begun(&self.folder)) };
        manifest.phase = Progress::Backward;
        manifest.states = Some(totals.states.clone());
        manifest.terminal_states = Some(totals.terminal.clone());
        manifest.progress_measure = Some(totals.progress_measure);
        manifest.alternating = Some(totals.alternating);
        self.save()
    }

    /// Adds the values of a layer, from the last one to the first; those of the first complete the solution.
    pub fn push_values(
        &mut self,
        layer: usize,
        values: &Diagram,
        buckets: Vec<BucketRecord>,
        context: &Context,
    ) -> Result<(), StoreError> {
        let values_file = self.write(Kind::Values, layer as u32, values, context)?;
        self.add_values(layer, values_file, buckets)
    }

    /// As [`Store::push_values`], for values by the rank of the layer's states.
    pub fn push_ranked_values(
        &mut self,
        layer: usize,
        states: &Diagram,
        values: &Bitvector,
        buckets: Vec<BucketRecord>,
        context: &Context,
    ) -> Result<(), StoreError> {
        let counts = states.pack_counts(context)?;
        let (values_file, file) = write_ranked(&self.folder, layer as u32, &counts, values, context)?;
        self.unsynced.push(file);
        if let Some(manifest) = &mut self.manifest {
            manifest.version = RANKED_VERSION;
        }
        self.add_values(layer, values_file, buckets)
    }

    fn add_values(
        &mut self,
        layer: usize,
        values_file: FileRecord,
        buckets: Vec<BucketRecord>,
    ) -> Result<(), StoreError> {
        let Some(manifest) = &mut self.manifest else { return Err(not_begun(&self.folder)) };
        if let Some(record) = manifest.layers.get_mut(layer) {
            record.values_file = Some(values_file);
            record.buckets = Some(buckets);
        }
        if layer == 0 {
            manifest.phase = Progress::Complete;
            return self.save();
        }
        self.save_if_due()
    }

    /// The rounds that are stored.
    pub fn settled(&self) -> Option<&SettledRecord> {
        self.manifest.as_ref()?.settled.as_ref()
    }

    /// Replaces what is known of all states; on return it lasts.
    pub fn push_settled(&mut self, settled: SettledDiagrams, context: &Context) -> Result<(), StoreError> {
        let SettledDiagrams { rounds, base, outcomes, digits } = settled;
        let name = file::outcomes_name(rounds);
        let outcomes_file = self.write_as(name, Kind::Outcomes, rounds, outcomes, context)?;
        let mut rounds_files = Vec::with_capacity(digits.len());
        for (place, digits) in (0..).zip(digits) {
            let name = file::rounds_name(rounds, place);
            rounds_files.push(self.write_as(name, Kind::Rounds, place, digits, context)?);
        }
        let Some(manifest) = &mut self.manifest else { return Err(not_begun(&self.folder)) };
        manifest.settled = Some(SettledRecord { rounds, base, outcomes_file, rounds_files });
        self.save()?;
        let Some(manifest) = &self.manifest else { return Err(not_begun(&self.folder)) };
        folder::remove_unnamed(&self.folder, manifest)
    }

    /// What is known of all states: their values, and the digits of the rounds of those that are settled.
    pub fn read_settled(&self, limits: &Arc<Limits>) -> Result<(Diagram, Vec<Diagram>), StoreError> {
        let Some(record) = self.settled() else { return Err(self.missing()) };
        let outcomes = self.read(Some(&record.outcomes_file), Kind::Outcomes, record.rounds as usize, limits)?;
        let digits = record.rounds_files.iter().enumerate();
        let digits = digits.map(|(place, file)| self.read(Some(file), Kind::Rounds, place, limits));
        Ok((outcomes, digits.collect::<Result<_, _>>()?))
    }

    /// Completes a solution of all states at once by the buckets of its layers.
    pub fn finish_settled(&mut self, buckets: Vec<Vec<BucketRecord>>) -> Result<(), StoreError> {
        let Some(manifest) = &mut self.manifest else { return Err(not_begun(&self.folder)) };
        for (layer, buckets) in manifest.layers.iter_mut().zip(buckets) {
            layer.buckets = Some(buckets);
        }
        manifest.phase = Progress::Complete;
        self.save()
    }

    /// The states of a layer that is there.
    pub fn states(&self, layer: usize, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        self.read(self.layers().get(layer).map(|record| &record.states_file), Kind::States, layer, limits)
    }

    /// In which form a layer has values: [`Kind::Values`] or [`Kind::Ranked`]; `None` while it has none.
    pub fn values_kind(&self, layer: usize) -> Option<Kind> {
        self.layers().get(layer)?.values_file.as_ref()?.kind()
    }

    /// The values of a layer that has them by rank. Of the values that may occur, those that do are left.
    pub fn ranked_values(&self, layer: usize, limits: &Arc<Limits>) -> Result<Bitvector, StoreError> {
        let record = self.layers().get(layer).and_then(|record| record.values_file.as_ref().zip(Some(&record.states)));
        let Some((record, states)) = record else { return Err(self.missing()) };
        let ranked = Ranked::open_recorded(&self.folder, record, layer as u32)?;
        ranked.file().check_recorded(record)?;
        if BigUint::from(ranked.states()) != *states {
            return Err(ranked.file().damaged("other states than the manifest"));
        }
        let rewards = self.manifest.as_ref().map_or(0, |manifest| manifest.rewards.len());
        if ranked.values().iter().any(|&value| value as usize > rewards) {
            return Err(ranked.file().damaged("values without rewards"));
        }
        ranked.bitvector(limits)
    }

    /// The values of a layer that has them as a diagram.
    pub fn values(&self, layer: usize, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        let record = self.layers().get(layer).and_then(|record| record.values_file.as_ref());
        self.read(record, Kind::Values, layer, limits)
    }

    /// Makes everything that was added so far last.
    pub fn save(&mut self) -> Result<(), StoreError> {
        let Some(manifest) = &self.manifest else { return Ok(()) };
        let start = Instant::now();
        for file in &self.unsynced {
            file.sync_all().map_err(|error| StoreError::io(&self.folder, &error))?;
        }
        manifest.save(&self.folder)?;
        self.unsynced.clear();
        self.void = false;
        (self.saved, self.cost) = (Instant::now(), start.elapsed());
        Ok(())
    }

    /// Removes the solution: the game turned out to have none.
    pub fn discard(&mut self) {
        self.void = true;
        self.manifest = None;
    }

    fn save_if_due(&mut self) -> Result<(), StoreError> {
        if self.unsynced.len() >= MOST_UNSYNCED || self.saved.elapsed() >= self.cost * PACE {
            return self.save();
        }
        Ok(())
    }

    fn write(
        &mut self,
        kind: Kind,
        layer: u32,
        diagram: &Diagram,
        context: &Context,
    ) -> Result<FileRecord, StoreError> {
        self.write_as(file::layer_name(layer, kind), kind, layer, diagram, context)
    }

    fn write_as(
        &mut self,
        name: String,
        kind: Kind,
        number: u32,
        diagram: &Diagram,
        context: &Context,
    ) -> Result<FileRecord, StoreError> {
        let (record, file) = file::write_diagram(&self.folder, name, kind, number, &diagram.pack(context)?)?;
        self.unsynced.push(file);
        Ok(record)
    }

    fn read(
        &self,
        record: Option<&FileRecord>,
        kind: Kind,
        layer: usize,
        limits: &Arc<Limits>,
    ) -> Result<Diagram, StoreError> {
        let Some(record) = record else { return Err(self.missing()) };
        let mapped = Mapped::open_recorded(&self.folder, record, kind, layer as u32)?;
        mapped.file().check_recorded(record)?;
        let diagram = mapped.diagram(limits)?;
        let levels = self.manifest.as_ref().map_or(0, |manifest| manifest.variables.len());
        if diagram.levels() as usize != levels {
            return Err(StoreError::damaged(&self.folder.join(&record.name), "other variables than the manifest"));
        }
        Ok(diagram)
    }

    fn missing(&self) -> StoreError {
        StoreError::damaged(&self.folder, "a layer or the values of all states are missing")
    }
}

impl Drop for Store {
    /// A folder without a solution goes.
    fn drop(&mut self) {
        if self.void {
            // What cannot be removed does no harm: it is taken over by the next run.
            let _ = folder::clear(&self.folder);
        }
    }
}

fn not_begun(folder: &Path) -> StoreError {
    StoreError::foreign(folder, "no solution was begun")
}
