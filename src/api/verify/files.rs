//! Checks the checksums of all files and the hash of the rules. Opening the folder has checked everything else. A file
//! that cannot be read is an error and no finding, because it may be right.

use super::{Finding, Verification};
use base::limits::Limits;
use base::together::shared;
use game::diagnostic::Source;
use game::rules::{Language, identity};
use solving::solution::{ReadError, Stored};
use solving::solve::{Event, Listener};
use solving::store::manifest::FileRecord;
use solving::store::{Kind, LayerValues, Manifest, Mapped, StoreError, read_numbers};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes one pass over all bytes, with several files at a time.
pub fn check(
    folder: &Path,
    stored: &Stored,
    threads: usize,
    limits: &Limits,
    listener: &dyn Listener,
    result: &mut Verification,
) -> Result<(), ReadError> {
    let rules = folder.join(&stored.manifest.rules_file);
    let bytes = std::fs::read(&rules).map_err(|error| StoreError::io(&rules, &error))?;
    let source = Source::new(stored.manifest.rules_file.clone(), &bytes);
    let hash =
        Language::named(&stored.manifest.language).and_then(|language| Some(identity(&language.rulesheet(&source)?)));
    if hash.as_ref() != Some(&stored.manifest.rules_hash) {
        let message = "the hash of the normalised rules is not that of the manifest".to_owned();
        result.findings.push(Finding { place: stored.manifest.rules_file.clone(), message });
    }
    let settled = stored.manifest.settled.iter().flat_map(|record| {
        let rounds = (0..).zip(&record.rounds_files).map(|(round, file)| (Kind::Rounds, file, round));
        let plies = record.plies_file.as_ref().map(|file| (Kind::Plies, file, record.rounds));
        std::iter::once((Kind::Outcomes, &record.outcomes_file, record.rounds)).chain(rounds).chain(plies)
    });
    let layers = stored.manifest.layers.iter().flat_map(|record| {
        let values = record.values_file.as_ref().map(|file| (Kind::Values, file, record.layer));
        let numbers = record.numbers_file.as_ref().map(|file| (Kind::Numbers, file, record.layer));
        std::iter::once((Kind::States, &record.states_file, record.layer)).chain(values).chain(numbers)
    });
    let files: Vec<(Kind, &FileRecord, u32)> = settled.chain(layers).collect();
    let (done, total) = (AtomicU64::new(0), files.len() as u64);
    let checked = |&(kind, file, number): &(Kind, &FileRecord, u32)| {
        limits.check()?;
        let finding = match check_file(folder, file, kind, number, &stored.manifest) {
            Ok(()) => None,
            Err(error @ StoreError::Damaged { .. }) => {
                Some(Finding { place: file.name.clone(), message: error.without_file() })
            }
            Err(error) => return Err(ReadError::from(error)),
        };
        listener.event(&Event::Work { what: "files", done: done.fetch_add(1, Ordering::Relaxed) + 1, total });
        Ok(finding)
    };
    let work = |found: &mut Vec<(u64, Finding)>, range: Range<u64>| {
        for index in range {
            found.extend(checked(&files[index as usize])?.map(|finding| (index, finding)));
        }
        Ok::<(), ReadError>(())
    };
    let mut findings = shared(0..total, 1, threads, Vec::new, work, |found| found, |all, found| all.extend(found))?;
    findings.sort_by_key(|(index, _)| *index);
    result.files += total;
    result.bytes += files.iter().map(|(_, file, _)| file.bytes).sum::<u64>();
    result.findings.extend(findings.into_iter().map(|(_, finding)| finding));
    Ok(())
}

fn check_file(
    folder: &Path,
    record: &FileRecord,
    kind: Kind,
    layer: u32,
    manifest: &Manifest,
) -> Result<(), StoreError> {
    match kind {
        Kind::States | Kind::Outcomes | Kind::Rounds | Kind::Plies => {
            Mapped::new(manifest.file(folder, record, kind, layer).open_checked()?).map(drop)
        }
        Kind::Numbers => read_numbers(&manifest.file(folder, record, kind, layer)).map(drop),
        _ => LayerValues::new(manifest.values_file(folder, record, layer).open_checked()?).map(drop),
    }
}
