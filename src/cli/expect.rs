//! Checks that files and folders are what a command needs; otherwise the failure says what they are.

use super::failure::Failure;
use super::files::{Access, RULES, SOLUTION, entries, is_solution, meaning, near, refused};
use base::scratch::Space;
use game::diagnostic::Content;
use solving::store::{StoreError, is_aside, manifest, try_anywhere, write_anywhere};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The failure of an access to a file. `what`: the role of the file, such as "the rules".
pub fn failure(path: &Path, what: &str, access: Access, error: &Error) -> Failure {
    Failure::InputOutput(refused(path, what, access, error.kind(), &error.to_string()))
}

/// Whether the file is a pipe whose reader wants no more, which is no failure of a command.
pub fn is_unread(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { kind: ErrorKind::BrokenPipe, .. })
}

/// Writes a text to a file. If that fails, the file is as it was before. `what`: as for [`failure`].
pub fn write(path: &Path, what: &str, text: &str) -> Result<(), Failure> {
    match write_anywhere(path, &Space::unbounded(), |file| file.write_all(text.as_bytes())) {
        Err(error) if !is_unread(&error) => Err(unwritten(path, what, &error)),
        _ => Ok(()),
    }
}

/// Fails if [`write()`] could not write, before the work whose result it would be.
pub fn writable(path: &Path, what: &str) -> Result<(), Failure> {
    try_anywhere(path).map_err(|error| unwritten(path, what, &error))
}

fn unwritten(path: &Path, what: &str, error: &StoreError) -> Failure {
    Failure::InputOutput(match error {
        StoreError::Io { kind, message, .. } => refused(path, what, Access::Write, *kind, message),
        error => format!("{what} cannot be written: {error}"),
    })
}

/// Fails if the path is not the folder of a stored solution. The failure says what the path is, and gives advice.
pub fn solution(path: &Path) -> Result<(), Failure> {
    let name = path.display();
    let say = |what: String, advice: String| Err(Failure::InputOutput(format!("{name}: {what}\n  {advice}")));
    if path.is_dir() {
        // An unreadable folder is reported when it is opened.
        if is_solution(path) || std::fs::read_dir(path).is_err() {
            return Ok(());
        }
        let advice = match entries(path, &[SOLUTION]).as_slice() {
            _ if is_aside(path) => format!(
                "a run with --force that was to replace its solution ended at its beginning: \
                 `ggsolve solve GAME -o {name}` brings that back"
            ),
            [] => "`ggsolve GAME -o FOLDER` solves a game and stores the solution".to_owned(),
            folders => format!("name the folder of a solution, such as {}", folders.join(", ")),
        };
        return say("this folder holds no solution".to_owned(), advice);
    }
    if let Err(error) = std::fs::metadata(path) {
        let advice =
            near(path, true).unwrap_or_else(|| "`ggsolve GAME` solves a game and makes the folder GAME.ggs".to_owned());
        return say(format!("there is no such solution: {}", meaning(error.kind(), &error.to_string())), advice);
    }
    if path.file_name().is_some_and(|file| file == manifest::NAME) {
        return say("this is a file of a solution".to_owned(), "name the folder that it lies in".to_owned());
    }
    if !path.extension().is_some_and(|extension| RULES.iter().any(|known| extension.eq_ignore_ascii_case(known))) {
        let advice = "`ggsolve GAME` solves a game and makes the folder GAME.ggs".to_owned();
        return say("this is a file, and a solution is a folder".to_owned(), advice);
    }
    let stem = path.file_stem().unwrap_or_default();
    let solved = [path.with_extension(SOLUTION), PathBuf::from(stem).with_extension(SOLUTION)];
    let advice = match solved.iter().find(|folder| is_solution(folder)) {
        Some(folder) => format!("its solution seems to be in {}: name that folder", folder.display()),
        None => format!("solve it first: `ggsolve {name}`; then name the folder {}", solved[1].display()),
    };
    say("these are rules, and a stored solution is wanted".to_owned(), advice)
}

pub fn no_file(path: &Path) -> Result<(), Failure> {
    if !path.exists() || path.is_dir() {
        return Ok(());
    }
    Err(Failure::InputOutput(format!(
        "{}: this is a file, and a solution is stored in a folder\n  choose another name with -o",
        path.display()
    )))
}

/// Fails if bytes are not text. `what`: their role, such as "the match".
pub fn text(name: &str, what: &str, bytes: &[u8]) -> Result<String, Failure> {
    match Content::of(bytes) {
        Some(content) if content != Content::Empty => {
            Err(Failure::Usage(format!("{name}: {what} cannot be read: {content}\n  {}", content.advice())))
        }
        _ => String::from_utf8(bytes.to_vec()).map_err(|_| {
            Failure::Usage(format!("{name}: {what} cannot be read: it is not a text in UTF-8\n  save it as UTF-8"))
        }),
    }
}
