//! The files of a solution of all states at once. Writes the values and rounds of the states settled so far; looks up
//! the value of a state and its round. A lookup walks from the root of each of two or more diagrams.

use super::manifest::{BucketRecord, Progress, SettledRecord};
use super::{Kind, Manifest, Mapped, Store, StoreError, file, folder};
use kernel::{Context, Diagram};
use std::path::Path;

#[derive(Debug, Clone)]
pub struct SettledDiagrams<'a> {
    pub rounds: u32,
    pub base: u32,
    /// See [`SettledRecord::at_once`].
    pub at_once: Option<Vec<Option<u32>>>,
    /// See [`Kind::Outcomes`].
    pub outcomes: &'a Diagram,
    /// See [`Kind::Rounds`]; the least significant digit first.
    pub digits: &'a [&'a Diagram],
    /// See [`Kind::Plies`].
    pub plies: Option<&'a Diagram>,
}

pub struct ReadSettled {
    pub outcomes: Diagram,
    pub digits: Vec<Diagram>,
    pub plies: Option<Diagram>,
}

impl Store {
    pub fn settled(&self) -> Option<&SettledRecord> {
        self.manifest.as_ref()?.settled.as_ref()
    }

    /// Replaces the values and rounds of an earlier round. On return, the new ones are durable.
    pub fn push_settled(&mut self, settled: SettledDiagrams, context: &Context) -> Result<(), StoreError> {
        let SettledDiagrams { rounds, base, at_once, outcomes, digits, plies } = settled;
        let name = file::outcomes_name(rounds);
        let outcomes_file = self.write_as(name, Kind::Outcomes, rounds, outcomes, context)?;
        let mut rounds_files = Vec::with_capacity(digits.len());
        for (place, digits) in (0..).zip(digits) {
            let name = file::rounds_name(rounds, place);
            rounds_files.push(self.write_as(name, Kind::Rounds, place, digits, context)?);
        }
        let plies = plies.map(|plies| self.write_as(file::plies_name(rounds), Kind::Plies, rounds, plies, context));
        let plies_file = plies.transpose()?;
        let manifest = self.grow()?;
        manifest.settled = Some(SettledRecord { rounds, base, at_once, outcomes_file, rounds_files, plies_file });
        self.save()?;
        folder::remove_leftovers(&self.folder, self.manifest.as_ref()).map(drop)
    }

    /// Adds the buckets of the layers, if the manifest does not have them yet.
    pub fn finish_settled(&mut self, buckets: Vec<Vec<BucketRecord>>) -> Result<(), StoreError> {
        let complete = self.manifest().is_some_and(|manifest| manifest.phase == Progress::Complete);
        if complete && self.layers().iter().map(|layer| layer.buckets.as_ref()).eq(buckets.iter().map(Some)) {
            return Ok(());
        }
        let manifest = self.grow()?;
        for (layer, buckets) in manifest.layers.iter_mut().zip(buckets) {
            layer.buckets = Some(buckets);
        }
        manifest.phase = Progress::Complete;
        self.save()
    }
}

#[derive(Debug)]
pub struct Settled {
    base: u32,
    outcomes: Mapped,
    /// By digit of the rounds, the least significant one first.
    rounds: Vec<Mapped>,
    plies: Option<Mapped>,
}

impl Settled {
    pub fn open(folder: &Path, record: &SettledRecord, manifest: &Manifest) -> Result<Settled, StoreError> {
        let open = |file, kind, place| Mapped::new(manifest.file(folder, file, kind, place).open()?);
        let outcomes = open(&record.outcomes_file, Kind::Outcomes, record.rounds)?;
        let rounds = record.rounds_files.iter().zip(0..).map(|(file, place)| open(file, Kind::Rounds, place));
        let plies = record.plies_file.as_ref().map(|file| open(file, Kind::Plies, record.rounds)).transpose()?;
        Ok(Settled { base: record.base, outcomes, rounds: rounds.collect::<Result<_, _>>()?, plies })
    }

    pub fn outcomes(&self) -> &Mapped {
        &self.outcomes
    }

    /// The settled states with the plies to the end; `None` without distances.
    pub fn plies(&self) -> Option<&Mapped> {
        self.plies.as_ref()
    }

    /// All diagrams: the values first, then the rounds, then the plies if they are stored.
    pub fn diagrams(&self) -> impl Iterator<Item = &Mapped> {
        std::iter::once(&self.outcomes).chain(&self.rounds).chain(&self.plies)
    }

    /// The plies from a state (one value per level) to the end; `None` for an unsettled state, or without distances.
    pub fn plies_of(&self, assignment: &[bool]) -> Result<Option<u32>, StoreError> {
        let Some(plies) = &self.plies else { return Ok(None) };
        Ok(plies.terminal_of(assignment)?.checked_sub(1))
    }

    /// The value id of a state (one value per level); `None` if the state is unreachable. An unsettled state has the id
    /// after that of the last reward vector.
    pub fn value_of(&self, assignment: &[bool]) -> Result<Option<u32>, StoreError> {
        Ok(Some(self.outcomes.terminal_of(assignment)?).filter(|&id| id != 0))
    }

    /// The round of a state (one value per level); `None` if the state is not settled.
    pub fn round_of(&self, assignment: &[bool]) -> Result<Option<u32>, StoreError> {
        let mut round = 0u32;
        for digits in self.rounds.iter().rev() {
            let terminal = digits.terminal_of(assignment)?;
            let Some(digit) = terminal.checked_sub(1) else { return Ok(None) };
            let next = round.checked_mul(self.base).and_then(|round| round.checked_add(digit));
            round = next.filter(|_| digit < self.base).ok_or_else(|| digits.file().damaged("a round out of range"))?;
        }
        Ok(Some(round))
    }
}
