//! The files of a folder: which are a solution's, and what may be removed.

use super::{Manifest, StoreError, atomic, lock, manifest};
use std::fs;
use std::path::{Path, PathBuf};

/// Longer names are cut: file systems have bounds.
const LONGEST_NAME: usize = 100;

/// Where the solution of a game of this name goes unless somebody says otherwise: `NAME.ggs` in the current folder. The
/// name may come from a text, so what a path reads as more than a name is replaced.
pub fn default_folder(game: &str) -> PathBuf {
    let is_plain = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let mut name: String = game.chars().take(LONGEST_NAME).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.starts_with(['.', '-']) {
        name.insert(0, '_');
    }
    format!("{name}.ggs").into()
}

/// Whether a file of this name is one of a solution.
fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(atomic::TEMPORARY).unwrap_or(name);
    name == manifest::NAME
        || name == lock::NAME
        || ["layer-", "settled-", "rules."].iter().any(|start| name.starts_with(start))
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

/// Removes what a manifest that replaced another one does not name.
pub fn remove_unnamed(folder: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let mut named: Vec<&str> = manifest.files().map(|file| file.name.as_str()).collect();
    named.extend([manifest::NAME, lock::NAME, &manifest.rules_file]);
    remove(folder, |name| !named.contains(&name))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_names_a_folder_and_no_path() {
        for (game, folder) in [
            ("tictactoe", "tictactoe.ggs"),
            ("a game", "a game.ggs"),
            ("../../etc", "_.._.._etc.ggs"),
            ("/etc", "_etc.ggs"),
            ("-out", "_-out.ggs"),
            ("a:b\\c", "a_b_c.ggs"),
        ] {
            assert_eq!(default_folder(game), Path::new(folder), "{game}");
        }
        assert_eq!(default_folder(&"é".repeat(1000)).to_string_lossy().chars().count(), LONGEST_NAME + 4);
    }
}
