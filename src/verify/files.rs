//! The checksums of all files, and the hash of the rules. The checksums of the manifest and of the rules were looked
//! at when the folder was opened.

use super::{Finding, Verification};
use crate::diagnostic::Source;
use crate::limits::Limits;
use crate::rules::{Language, identity};
use crate::solution::{ReadError, Stored};
use crate::store::manifest::FileRecord;
use crate::store::{Kind, LayerValues, Mapped, StoreError};
use std::path::Path;

/// Adds a finding for every file that is not as it was written. One pass over all bytes.
pub fn check(folder: &Path, stored: &Stored, limits: &Limits, result: &mut Verification) -> Result<(), ReadError> {
    let rules = folder.join(&stored.manifest.rules_file);
    let bytes = std::fs::read(&rules).map_err(|error| StoreError::io(&rules, &error))?;
    let source = Source::new(stored.manifest.rules_file.clone(), &bytes);
    let hash = Language::named(&stored.manifest.language).map(|language| identity(&language.rulesheet(&source)));
    if hash.as_ref() != Some(&stored.manifest.rules_hash) {
        let message = "the hash of the normalised rules is not that of the manifest".to_owned();
        result.findings.push(Finding { place: stored.manifest.rules_file.clone(), message });
    }
    if let Some(record) = &stored.manifest.settled {
        let files = std::iter::once((Kind::Outcomes, record.rounds, &record.outcomes_file));
        for (kind, number, file) in
            files.chain((0..).zip(&record.rounds_files).map(|(k, file)| (Kind::Rounds, k, file)))
        {
            limits.check()?;
            result.files += 1;
            result.bytes += file.bytes;
            if let Err(error) = check_file(folder, file, kind, number) {
                result.findings.push(Finding { place: file.name.clone(), message: error.to_string() });
            }
        }
    }
    for record in &stored.manifest.layers {
        let files = [(Kind::States, Some(&record.states_file)), (Kind::Values, record.values_file.as_ref())];
        for (kind, file) in files.into_iter().filter_map(|(kind, file)| Some((kind, file?))) {
            limits.check()?;
            result.files += 1;
            result.bytes += file.bytes;
            if let Err(error) = check_file(folder, file, kind, record.layer) {
                result.findings.push(Finding { place: file.name.clone(), message: error.to_string() });
            }
        }
    }
    Ok(())
}

fn check_file(folder: &Path, record: &FileRecord, kind: Kind, layer: u32) -> Result<(), StoreError> {
    match kind {
        Kind::States | Kind::Outcomes | Kind::Rounds => {
            Mapped::open_recorded(folder, record, kind, layer)?.file().check_recorded(record)
        }
        _ => LayerValues::open_recorded(folder, record, layer)?.file().check_recorded(record),
    }
}
