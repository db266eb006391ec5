//! Messages for unusable files and folders: what each is, and the next step.

use solving::store::manifest;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

pub const RULES: [&str; 4] = ["gdl", "kif", "gddl", "pddl"];
/// Extension of the folders of solutions.
pub const SOLUTION: &str = "ggs";
/// Largest number of names that a message lists.
const SHOWN: usize = 3;
/// Bound on the entries of a folder that are examined for such names.
const LOOKED_AT: usize = 10_000;
/// Number of letters of a name for each accepted misspelling.
const LETTERS_PER_SLIP: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// The message for a failed access. `what`: the role of the file, such as "the rules"; `system`: the system's message.
pub fn refused(path: &Path, what: &str, access: Access, kind: ErrorKind, system: &str) -> String {
    if path.is_dir() {
        return folder(path, what, access);
    }
    let advice = match kind {
        ErrorKind::NotFound if access == Access::Read => near(path, false),
        ErrorKind::NotFound => Some("make its folder first, or choose another place".to_owned()),
        kind => next_step(kind, access).map(str::to_owned),
    };
    let advice = advice.unwrap_or_else(|| "check the path".to_owned());
    let what =
        format!("{}: {what} cannot be {}", path.display(), if access == Access::Read { "read" } else { "written" });
    format!("{what}: {}\n  {advice}", meaning(kind, system))
}

pub fn no_folder(path: &Path, error: &Error) -> String {
    let (what, advice) = match error.kind() {
        _ if path.is_file() => ("this is a file".to_owned(), None),
        kind => {
            let meant = Some(path).filter(|_| kind == ErrorKind::NotFound).and_then(|path| near(path, true));
            let advice = meant.or_else(|| next_step(kind, Access::Read).map(str::to_owned));
            (meaning(kind, &error.to_string()), advice)
        }
    };
    format!("{}: {what}\n  {}", path.display(), advice.as_deref().unwrap_or("name a folder"))
}

/// The meaning of an error: in plain words if its kind is known, otherwise in the system's words.
pub fn meaning(kind: ErrorKind, system: &str) -> String {
    let known = match kind {
        ErrorKind::NotFound => "there is no such file or folder",
        ErrorKind::PermissionDenied => "the permissions do not allow it",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::AlreadyExists => "there is a file of that name already",
        ErrorKind::NotADirectory => "a part of the path is a file and not a folder",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::QuotaExceeded => "your share of the disk is used up",
        ErrorKind::FileTooLarge => "the file would be larger than is allowed here",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        ErrorKind::NotSeekable => "it is a pipe or standard output, and this form is not written from front to back",
        ErrorKind::InvalidFilename => "the name is too long or not allowed",
        ErrorKind::InvalidInput => "the name is not allowed",
        // The error number adds nothing to the words before it.
        _ => return system.split(" (os error").next().unwrap_or(system).to_owned(),
    };
    known.to_owned()
}

/// The next step, if it follows from the kind of the error.
pub fn next_step(kind: ErrorKind, access: Access) -> Option<&'static str> {
    Some(match (kind, access) {
        (ErrorKind::PermissionDenied, Access::Read) => {
            "change them with `chmod`, or ask somebody who has access for a copy"
        }
        (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem, Access::Write) => "choose another place",
        (ErrorKind::StorageFull | ErrorKind::QuotaExceeded, _) => "make room, or choose a place on another disk",
        (ErrorKind::FileTooLarge, _) => "raise the limit (`ulimit -f`), or choose a place on another disk",
        (ErrorKind::NotFound, _) => "check the path",
        (ErrorKind::NotSeekable, Access::Write) => "name a file",
        (ErrorKind::IsADirectory, Access::Write) => "name a file in it",
        _ => return None,
    })
}

fn folder(path: &Path, what: &str, access: Access) -> String {
    let name = path.display();
    if access == Access::Write {
        return format!("{name}: {what} cannot be written to a folder\n  name a file in it");
    }
    if is_solution(path) {
        return format!(
            "{name}: {what} cannot be read: this is the folder of a stored solution\n  \
             `ggsolve query {name}` looks up positions in it, `ggsolve play {name}` plays against it"
        );
    }
    let rules = if is_rules(what) { entries(path, &RULES) } else { Vec::new() };
    let advice = match rules.as_slice() {
        [] => format!("name a file of {}", if is_rules(what) { "rules" } else { what }),
        rules => format!("name a file in it, such as {}", rules.join(", ")),
    };
    format!("{name}: {what} cannot be read: this is a folder\n  {advice}")
}

fn is_rules(what: &str) -> bool {
    ["the rules", "the problem"].contains(&what)
}

pub fn is_solution(folder: &Path) -> bool {
    folder.join(manifest::NAME).is_file()
}

/// A few entries of a folder with one of the extensions, ascending.
pub fn entries(folder: &Path, extensions: &[&str]) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.take(LOOKED_AT).flatten().map(|entry| entry.path());
    let fits = |path: &PathBuf| path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted));
    let mut found: Vec<String> = paths.filter(fits).map(|path| path.display().to_string()).collect();
    found.sort_unstable();
    found.truncate(SHOWN);
    found
}

/// Advice on a wrong path, by near names; among equally near ones a solution's folder comes first or, without
/// `solution`, last.
pub fn near(path: &Path, solution: bool) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().to_lowercase();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return folder.map(|folder| format!("there is no folder {}", folder.display()));
    };
    let slips = |name: &str| strsim::damerau_levenshtein(&wanted, &name.to_lowercase());
    let stem =
        |name: &str| Path::new(name).file_stem().is_some_and(|stem| stem.to_string_lossy().to_lowercase() == wanted);
    let names = entries.take(LOOKED_AT).flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let inside = |name: &str| folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
    let names = names.map(|name| (if stem(&name) { 0 } else { slips(&name) }, name));
    let names = names.filter(|(slips, name)| *slips <= name.chars().count() / LETTERS_PER_SLIP);
    let best = names.min_by_key(|(slips, name)| (*slips, solution != is_solution(&inside(name)), name.clone()))?;
    let meant = inside(&best.1);
    Some(format!("did you mean {}?", meant.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &Path, access: Access, error: &Error) -> String {
        refused(path, "the rules", access, error.kind(), &error.to_string())
    }

    #[test]
    fn every_refusal_of_the_system_is_said_in_words_with_a_next_step() {
        for number in 1..134 {
            let error = Error::from_raw_os_error(number);
            for access in [Access::Read, Access::Write] {
                let text = said(Path::new("no/such/place"), access, &error);
                assert!(!text.contains("os error"), "{text}");
                assert!(text.lines().count() == 2 && text.contains("the rules"), "{text}");
            }
        }
    }

    #[test]
    fn a_missing_file_is_told_with_the_one_that_was_meant() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("lamps.gdl"), "(role x)").unwrap();
        let missing = Error::from(ErrorKind::NotFound);
        for name in ["lamps", "lamp.gdl", "Lamps.GDL", "lamps.gddl"] {
            let text = said(&place.path().join(name), Access::Read, &missing);
            assert!(text.contains("lamps.gdl?"), "{text}");
        }
        let text = said(&place.path().join("go.gdl"), Access::Read, &missing);
        assert!(!text.contains('?'), "{text}");
    }
}
