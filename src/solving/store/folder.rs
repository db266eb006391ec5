//! Finds the files of a folder that belong to a solution, and those that may be removed.

use super::manifest::Progress;
use super::{Kind, Lock, Manifest, StoreError, atomic, book, lock, manifest};
use base::limits::Limits;
use base::scratch::Space;
use game::rules::Language;
use serde_json::Value;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// File systems bound the length of names.
const LONGEST_NAME: usize = 100;

/// The folder of a game's solution, if no other is named: `NAME.ggs` in the current folder. The name may come from a
/// text, so characters with a meaning in paths are replaced.
pub fn default_folder(game: &str) -> PathBuf {
    let is_plain = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let mut name: String = game.chars().take(LONGEST_NAME).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.starts_with(['.', '-']) {
        name.insert(0, '_');
    }
    format!("{name}.ggs").into()
}

/// The start of the name of the rules' file; the extension is the language.
const RULES: &str = "rules.";

pub fn rules_name(language: &str) -> String {
    format!("{RULES}{language}")
}

fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(atomic::TEMPORARY).unwrap_or(name);
    name == manifest::NAME
        || name == lock::NAME
        || name == book::NAME
        || name.strip_prefix(RULES).is_some_and(|language| Language::named(language).is_some())
        || name.rsplit_once('.').is_some_and(|(stem, extension)| is_diagram(stem, extension))
}

/// Whether a file of this name may exceed the bound on disk space.
fn is_small(name: &str) -> bool {
    name == manifest::NAME || name == lock::NAME || name.starts_with(RULES)
}

/// The start of the name of a guarantee's folder; the index of the role follows.
const GUARANTEE: &str = "guarantee-";

pub fn guarantee_folder(folder: &Path, role: usize) -> PathBuf {
    folder.join(format!("{GUARANTEE}{role}"))
}

fn is_guarantee(name: &str) -> bool {
    let digits = name.strip_prefix(GUARANTEE);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Fails if a file belongs to a stored solution, which other files may not replace.
pub fn refuse_own(file: &Path) -> Result<(), StoreError> {
    let name = file.file_name().and_then(OsStr::to_str);
    if !file.exists() || !name.is_some_and(is_ours) || !file.parent().is_some_and(has_manifest) {
        return Ok(());
    }
    Err(StoreError::io(file, &std::io::Error::other("a file of a stored solution is not replaced")))
}

/// Whether a folder has the manifest of a solution, perhaps a damaged one, and not another file of that name.
fn has_manifest(folder: &Path) -> bool {
    let Ok(text) = fs::read(folder.join(manifest::NAME)) else { return false };
    serde_json::from_slice::<Value>(&text).map_or(true, |found| found["format"] == manifest::FORMAT)
}

/// Whether a file or folder of this name can belong to a solution.
fn is_of_solution(name: &str) -> bool {
    is_ours(name) || is_guarantee(name) || name == REPLACED
}

/// Whether a name is that of a file like `layer-00012.states`.
fn is_diagram(stem: &str, extension: &str) -> bool {
    let number = ["layer-", "settled-"].iter().find_map(|start| stem.strip_prefix(start));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number.is_some_and(|number| number.len() >= 5 && number.split('-').all(is_number))
        && Kind::ALL.iter().any(|kind| kind.name() == extension)
}

/// The folder, inside that of a solution, with the solution that a run replaces. It is there until the new one is
/// finished.
const REPLACED: &str = ".replaced";

/// Whether a solution is aside, beside a later one that is not finished. What an interrupted run left is brought back or
/// removed. The folder's lock must be held.
pub fn has_replaced(folder: &Path) -> Result<bool, StoreError> {
    let aside = folder.join(REPLACED);
    if aside.is_symlink() || !aside.is_dir() {
        return Ok(false);
    }
    let is_finished = || Manifest::load(folder).is_ok_and(|manifest| manifest.phase == Progress::Complete);
    match (is_aside(folder), folder.join(manifest::NAME).exists()) {
        (true, false) => bring_back(folder)?,
        (true, true) if !is_finished() => return Ok(true),
        _ => forget_replaced(folder)?,
    }
    Ok(false)
}

/// Whether the solution that a run replaces is aside in this folder.
pub fn is_aside(folder: &Path) -> bool {
    let aside = folder.join(REPLACED);
    !aside.is_symlink() && aside.join(manifest::NAME).exists()
}

/// Moves the solution in a folder to a folder inside it. If another one is aside, that is kept, and the later one is
/// removed.
pub fn set_aside(folder: &Path) -> Result<(), StoreError> {
    if is_aside(folder) {
        return empty(folder);
    }
    let aside = folder.join(REPLACED);
    if aside.is_symlink() {
        return Err(StoreError::foreign(
            &aside,
            "the solution that is replaced would be moved along this link; remove the link",
        ));
    }
    atomic::make_folder(&aside)?;
    // As soon as the manifest is aside, the other files belong to the solution that is aside.
    move_files(folder, &aside, |name| name == manifest::NAME)?;
    move_files(folder, &aside, |_| true)
}

/// Undoes [`set_aside`]; what was written since is removed.
pub fn bring_back(folder: &Path) -> Result<(), StoreError> {
    let aside = folder.join(REPLACED);
    remove(folder, |name| name == manifest::NAME)?;
    move_files(&aside, folder, |name| name != manifest::NAME)?;
    move_files(&aside, folder, |_| true)?;
    remove_if_empty(&aside)?;
    match Manifest::load(folder) {
        Ok(manifest) => remove_leftovers(folder, Some(&manifest)).map(drop),
        // A damaged solution stays as it is.
        Err(_) => Ok(()),
    }
}

/// Removes the solution that is aside, its manifest first.
pub fn forget_replaced(folder: &Path) -> Result<(), StoreError> {
    let aside = folder.join(REPLACED);
    remove(&aside, |_| true)?;
    remove_guarantees(&aside)?;
    remove_if_empty(&aside)
}

/// Moves files of a solution and guarantees durably.
fn move_files(from: &Path, to: &Path, which: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    for name in names(from)? {
        if which(&name) && name != lock::NAME && (is_ours(&name) || is_guarantee(&name)) {
            let path = from.join(&name);
            fs::rename(&path, to.join(&name)).map_err(|error| StoreError::io(&path, &error))?;
        }
    }
    atomic::sync_folder(to)?;
    atomic::sync_folder(from)
}

/// Removes a folder, unless there are files of somebody else in it.
fn remove_if_empty(folder: &Path) -> Result<(), StoreError> {
    if names(folder)?.is_empty() { remove_folder(folder) } else { Ok(()) }
}

fn remove_folder(folder: &Path) -> Result<(), StoreError> {
    fs::remove_dir(folder).map_err(|error| StoreError::io(folder, &error))
}

/// Counts the files of layers and values, including those of guarantees, for the bound on disk space. The manifest and
/// the rules are not counted, because they are small and the other files are useless without them.
pub fn space(folder: &Path, limits: &Arc<Limits>) -> Result<Space, StoreError> {
    let space = Space::new(limits);
    recount(folder, &space)?;
    Ok(space)
}

/// Counts the files in a folder anew, with those of a solution that is aside. A file that a guarantee shares with the
/// solution is counted once.
pub fn recount(folder: &Path, space: &Space) -> Result<(), StoreError> {
    let mut files: HashMap<(u64, u64), u64> = HashMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for name in names(&folder)? {
            let path = folder.join(&name);
            if is_ours(&name) && !is_small(&name) {
                let data = fs::metadata(&path).map_err(|error| StoreError::io(&path, &error))?;
                files.insert((data.dev(), data.ino()), data.len());
            } else if is_of_solution(&name) && path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    space.give_back(u64::MAX);
    space.take(files.values().sum())?;
    Ok(())
}

/// Whether a folder has files of values. The folder need not exist.
pub fn has_values(folder: &Path) -> Result<bool, StoreError> {
    let of_values = |name: &String| {
        let name = name.rsplit_once('.').filter(|(stem, extension)| is_diagram(stem, extension));
        name.is_some_and(|(_, extension)| extension != Kind::States.name())
    };
    Ok(folder.is_dir() && names(folder)?.iter().any(of_values))
}

/// Whether a folder exists and has no files.
pub fn is_empty(folder: &Path) -> Result<bool, StoreError> {
    Ok(folder.is_dir() && names(folder)?.is_empty())
}

fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| StoreError::io(folder, &error))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// Fails if a folder without a solution has other files, such as a user's own folder of rules. A folder without a
/// solution must be empty or have only files of a run that was killed early.
pub fn refuse_other_files(folder: &Path) -> Result<(), StoreError> {
    if !folder.is_dir() || folder.join(manifest::NAME).exists() || is_aside(folder) {
        return Ok(());
    }
    let names = names(folder)?;
    if names.is_empty()
        || (names.iter().all(|name| is_of_solution(name)) && names.iter().any(|name| name == lock::NAME))
    {
        return Ok(());
    }
    Err(StoreError::Occupied { folder: folder.to_owned() })
}

/// Fails if a file of the solution is a folder with files of its own, which are not removed with it.
pub fn refuse_full_folders(folder: &Path) -> Result<(), StoreError> {
    for name in names(folder)?.iter().filter(|name| is_ours(name)) {
        let path = folder.join(name);
        if path.is_dir() && !path.is_symlink() && !is_empty(&path)? {
            return Err(StoreError::io(&path, &std::io::ErrorKind::DirectoryNotEmpty.into()));
        }
    }
    Ok(())
}

/// Whether a folder has a solution of any game and format version, even a damaged one.
pub fn is_solution(folder: &Path) -> Result<bool, StoreError> {
    let Ok(text) = fs::read(folder.join(manifest::NAME)) else { return Ok(false) };
    if let Ok(value) = serde_json::from_slice::<Value>(&text) {
        return Ok(value["format"] == manifest::FORMAT);
    }
    // If the manifest cannot be read, the other files decide.
    let names = names(folder)?;
    Ok(names.iter().all(|name| is_of_solution(name)) && names.iter().any(|name| name == lock::NAME))
}

/// Removes files of killed runs, which the manifest does not name. Returns their number.
pub fn remove_leftovers(folder: &Path, manifest: Option<&Manifest>) -> Result<usize, StoreError> {
    remove(folder, |name| is_left(name, manifest))
}

fn is_left(name: &str, manifest: Option<&Manifest>) -> bool {
    let named = manifest.is_some_and(|manifest| {
        let mut files = manifest.files().map(|file| file.name.as_str());
        name == manifest::NAME || name == book::NAME || name == manifest.rules_file || files.any(|file| file == name)
    });
    name != lock::NAME && !named
}

/// As [`remove_leftovers`], for a finished solution, unless another process has the lock and perhaps the files.
pub fn tidy(folder: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let is_left = |name: &String| name == REPLACED || is_ours(name) && is_left(name, Some(manifest));
    if !names(folder)?.iter().any(is_left) {
        return Ok(());
    }
    let _lock = match Lock::take(folder) {
        Err(StoreError::Locked { .. }) => return Ok(()),
        lock => lock?,
    };
    if has_replaced(folder)? {
        forget_replaced(folder)?;
    }
    remove_leftovers(folder, Some(manifest)).map(drop)
}

/// Removes the files of a solution and of its guarantees. All other files stay. The caller must hold the lock.
pub fn empty(folder: &Path) -> Result<(), StoreError> {
    remove(folder, |name| name != lock::NAME)?;
    remove_guarantees(folder)?;
    atomic::sync_folder(folder)
}

/// Removes a solution and then, unless it `stays`, its folder, whose lock must be held. Other files stay, and are an
/// error.
pub fn clear(folder: &Path, stays: bool) -> Result<(), StoreError> {
    remove_guarantees(folder)?;
    remove(folder, |_| true)?;
    if stays {
        return Ok(());
    }
    remove_folder(folder)
}

/// Removes the guarantees. If the folder of a guarantee has other files, it stays with these files.
fn remove_guarantees(folder: &Path) -> Result<(), StoreError> {
    for name in names(folder)?.iter().filter(|name| is_guarantee(name)) {
        let inner = folder.join(name);
        if inner.is_dir() {
            remove(&inner, |_| true)?;
            remove_if_empty(&inner)?;
        }
    }
    Ok(())
}

fn remove(folder: &Path, which: impl Fn(&str) -> bool) -> Result<usize, StoreError> {
    let mut names = names(folder)?;
    names.retain(|name| is_ours(name) && which(name));
    // The manifest is removed first, because without it the other files are no solution. The lock is removed last,
    // because it excludes other runs until then.
    names.sort_by_key(|name| (name != manifest::NAME, name == lock::NAME));
    for name in &names {
        let path = folder.join(name);
        // A folder in place of a file is removed if it is empty.
        let remove = if path.is_dir() && !path.is_symlink() { fs::remove_dir } else { fs::remove_file };
        remove(&path).map_err(|error| StoreError::io(&path, &error))?;
    }
    Ok(names.len())
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

    #[test]
    fn only_names_that_are_written_are_ours() {
        for name in [
            "manifest.json",
            "lock",
            "rules.gdl",
            "book.distances",
            "book.distances.tmp",
            "layer-00012.states",
            "layer-123456.ranked.tmp",
            "settled-00012-1.rounds",
        ] {
            assert!(is_ours(name), "{name}");
        }
        assert!(is_guarantee("guarantee-0") && is_guarantee("guarantee-12"));
        assert!(!is_guarantee("guarantee-") && !is_guarantee("guarantee-x") && !is_ours("guarantee-0"));
        for name in
            ["rules.gdl.bak", "layer-1.states", "layer-00012.txt", "layer-notes", "rules.my.gdl", "rules.md", "states"]
        {
            assert!(!is_ours(name), "{name}");
        }
    }
}
