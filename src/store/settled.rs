//! Values of all states at once: the value of a state and the round in which it was settled, from the mapped files.
//!
//! A lookup costs one walk from the root of each of two or three diagrams.

use super::manifest::SettledRecord;
use super::{Kind, Manifest, Mapped, StoreError};
use std::path::Path;

/// The mapped files.
#[derive(Debug)]
pub struct Settled {
    base: u32,
    outcomes: Mapped,
    /// By digit, the least significant one first.
    rounds: Vec<Mapped>,
}

impl Settled {
    /// Opens the files that a manifest names.
    pub fn open(folder: &Path, record: &SettledRecord, manifest: &Manifest) -> Result<Settled, StoreError> {
        let id = |kind| manifest.file_id(kind);
        let outcomes =
            Mapped::open_recorded(folder, &record.outcomes_file, Kind::Outcomes, record.rounds, id(Kind::Outcomes))?;
        let rounds = record.rounds_files.iter().zip(0..);
        let rounds =
            rounds.map(|(file, place)| Mapped::open_recorded(folder, file, Kind::Rounds, place, id(Kind::Rounds)));
        Ok(Settled { base: record.base, outcomes, rounds: rounds.collect::<Result<_, _>>()? })
    }

    /// All diagrams.
    pub fn diagrams(&self) -> impl Iterator<Item = &Mapped> {
        std::iter::once(&self.outcomes).chain(&self.rounds)
    }

    /// The value id of a state (one value per level), which also stands for a state that is not settled yet; `None`
    /// for what is no reachable state.
    pub fn value_of(&self, assignment: &[bool]) -> Result<Option<u32>, StoreError> {
        Ok(Some(self.outcomes.terminal_of(assignment)?).filter(|&id| id != 0))
    }

    /// The round in which a state was settled; `None` if it was not.
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
