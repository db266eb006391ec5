//! Reads the finished layers of an unfinished run, in the run's own folder or in the folder of the solution to which a
//! guarantee belongs.

use super::manifest::{FileRecord, LayerRecord};
use super::ranked::Ranked;
use super::{Kind, Manifest, Mapped, ReadSettled, Store, StoreError, StoredFile, read_numbers};
use base::limits::{Account, Limits};
use kernel::{Bitvector, Context, Diagram};
use num_bigint::BigUint;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
pub struct Archive<'a> {
    pub folder: &'a Path,
    pub manifest: &'a Manifest,
}

impl Store {
    /// The finished layers. Fails until the game is encoded.
    pub fn archive(&self) -> Result<Archive<'_>, StoreError> {
        let manifest = self.manifest.as_ref().ok_or_else(|| missing(&self.folder))?;
        Ok(Archive { folder: &self.folder, manifest })
    }
}

impl Archive<'_> {
    fn layers(&self) -> &[LayerRecord] {
        &self.manifest.layers
    }

    fn file(&self, record: &FileRecord, kind: Kind, layer: usize) -> StoredFile {
        self.manifest.file(self.folder, record, kind, layer as u32)
    }

    pub fn states(&self, layer: usize, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        self.read(self.layers().get(layer).map(|record| &record.states_file), Kind::States, layer, limits)
    }

    /// The kind of a layer's values: [`Kind::Values`] or [`Kind::Ranked`]; `None` if they are not stored yet.
    pub fn values_kind(&self, layer: usize) -> Option<Kind> {
        self.layers().get(layer)?.values_file.as_ref()?.kind()
    }

    pub fn files(&self, layer: usize) -> Result<[StoredFile; 2], StoreError> {
        let record = self.layers().get(layer).ok_or_else(|| self.missing())?;
        if self.folder.to_str().is_none() {
            return Err(StoreError::foreign(
                self.folder,
                "a folder whose name is not UTF-8, which processes cannot share",
            ));
        }
        let values = record.values_file.as_ref().ok_or_else(|| self.missing())?;
        let kind = values.kind().ok_or_else(|| self.missing())?;
        Ok([self.file(&record.states_file, Kind::States, layer), self.file(values, kind, layer)])
    }

    /// Compares the file of a layer's values with its checksum. It is an error if the values are not stored by rank.
    pub fn check_ranked(&self, layer: usize) -> Result<(), StoreError> {
        self.rewarded(layer).map(drop)
    }

    /// The values of a layer by rank, which are compared with their checksum.
    fn ranked(&self, layer: usize) -> Result<Ranked, StoreError> {
        let record = self.layers().get(layer).ok_or_else(|| self.missing())?;
        let values = record.values_file.as_ref().ok_or_else(|| self.missing())?;
        let ranked = Ranked::new(self.file(values, Kind::Ranked, layer).open_checked()?)?;
        match BigUint::from(ranked.states()) == record.states {
            true => Ok(ranked),
            false => Err(ranked.file().damaged("other states than the manifest")),
        }
    }

    /// As [`Archive::ranked`]; all values must have rewards.
    fn rewarded(&self, layer: usize) -> Result<Ranked, StoreError> {
        let ranked = self.ranked(layer)?;
        match self.has_all(ranked.values(), 0) {
            true => Ok(ranked),
            false => Err(ranked.file().damaged("values without rewards")),
        }
    }

    /// The values of a layer by rank, in a table of those that occur. An error if they are stored otherwise.
    pub fn ranked_values(&self, layer: usize, context: &Context) -> Result<Bitvector, StoreError> {
        self.rewarded(layer)?.bitvector(context)
    }

    /// Whether the game has all value ids, or ids up to `more` beyond them.
    fn has_all(&self, ids: &[u32], more: usize) -> bool {
        let most = self.manifest.endings().count() + more;
        ids.iter().all(|&id| id as usize <= most)
    }

    /// The line of each state's value in the text, by rank and from 0 on, with the account of their bytes; and the text.
    pub fn exact_values(&self, layer: usize, limits: &Arc<Limits>) -> Result<(Vec<u32>, Account, String), StoreError> {
        let numbers = self.layers().get(layer).and_then(|record| record.numbers_file.as_ref());
        let Some(numbers) = numbers else { return Err(self.missing()) };
        let text = read_numbers(&self.file(numbers, Kind::Numbers, layer))?;
        let ranked = self.ranked(layer)?;
        let ((mut codes, account), lines) = (ranked.numbers(limits)?, text.lines().count());
        for code in &mut codes {
            *code = code
                .checked_sub(1)
                .filter(|&line| (line as usize) < lines)
                .ok_or_else(|| ranked.file().damaged("a value that the text lacks"))?;
        }
        Ok((codes, account, text))
    }

    /// The values of a layer as a diagram. It is an error if they are stored otherwise.
    pub fn values(&self, layer: usize, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        let record = self.layers().get(layer).and_then(|record| record.values_file.as_ref());
        self.with_rewards((record, Kind::Values, layer), 0, limits)
    }

    /// Values as a diagram; all of them must have rewards, see [`Archive::has_all`].
    fn with_rewards(
        &self,
        (record, kind, layer): (Option<&FileRecord>, Kind, usize),
        more: usize,
        limits: &Arc<Limits>,
    ) -> Result<Diagram, StoreError> {
        let values = self.read(record, kind, layer, limits)?;
        match record.filter(|_| !self.has_all(&values.terminals(), more)) {
            None => Ok(values),
            Some(FileRecord { name, .. }) => {
                Err(StoreError::damaged(&self.folder.join(name), "values without rewards"))
            }
        }
    }

    /// The values and digits of rounds of the states settled so far and, with distances, their plies to the end.
    pub fn read_settled(&self, limits: &Arc<Limits>) -> Result<ReadSettled, StoreError> {
        let Some(record) = &self.manifest.settled else { return Err(self.missing()) };
        let file = (Some(&record.outcomes_file), Kind::Outcomes, record.rounds as usize);
        // Endless play has the id after those of the rewards.
        let outcomes = self.with_rewards(file, 1, limits)?;
        let digits = record.rounds_files.iter().enumerate();
        let digits = digits.map(|(place, file)| self.read(Some(file), Kind::Rounds, place, limits));
        let digits = digits.collect::<Result<_, _>>()?;
        let read = |file| self.read(Some(file), Kind::Plies, record.rounds as usize, limits);
        let plies = record.plies_file.as_ref().map(read).transpose()?;
        Ok(ReadSettled { outcomes, digits, plies })
    }

    fn read(
        &self,
        record: Option<&FileRecord>,
        kind: Kind,
        layer: usize,
        limits: &Arc<Limits>,
    ) -> Result<Diagram, StoreError> {
        let Some(record) = record else { return Err(self.missing()) };
        let diagram = Mapped::new(self.file(record, kind, layer).open_checked()?)?.diagram(limits)?;
        let levels = self.manifest.variables.len();
        if diagram.levels() as usize != levels {
            return Err(StoreError::damaged(&self.folder.join(&record.name), "other variables than the manifest"));
        }
        Ok(diagram)
    }

    fn missing(&self) -> StoreError {
        missing(self.folder)
    }
}

fn missing(folder: &Path) -> StoreError {
    StoreError::damaged(folder, "a layer or the values of all states are missing")
}
