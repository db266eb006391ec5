//! The files of a folder: which are a solution's, and what may be removed.

use super::{StoreError, atomic, lock, manifest};
use std::fs;
use std::path::Path;

/// Whether a file of this name is one of a solution.
fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(atomic::TEMPORARY).unwrap_or(name);
    name == manifest::NAME || name == lock::NAME || name.starts_with("layer-") || name.starts_with("rules.")
}

fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| StoreError::io(folder, &error))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// A folder with files that are not a solution's is not written to.
pub fn refuse_other_files(folder: &Path) -> Result<(), StoreError> {
    if folder.join(manifest::NAME).exists() || names(folder)?.iter().all(|name| is_ours(name)) {
        return Ok(());
    }
    Err(StoreError::foreign(folder, "holds other files and no solution"))
}

/// What an interrupted run left half written.
pub fn remove_leftovers(folder: &Path) -> Result<(), StoreError> {
    remove(folder, |name| name.ends_with(atomic::TEMPORARY))
}

/// Removes all files of a solution, and the folder if nothing else is in it.
pub fn clear(folder: &Path) -> Result<(), StoreError> {
    remove(folder, |_| true)?;
    fs::remove_dir(folder).map_err(|error| StoreError::io(folder, &error))
}

fn remove(folder: &Path, which: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    let mut names = names(folder)?;
    names.retain(|name| is_ours(name) && which(name));
    // The manifest first: without it, the rest is nothing.
    names.sort_by_key(|name| name != manifest::NAME);
    for name in names {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(|error| StoreError::io(&path, &error))?;
    }
    Ok(())
}
