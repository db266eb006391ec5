//! Printing.

use super::failure::Failure;
use super::files::{self, Access};
use crate::limits::LimitReached;
use crate::report;
use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Who reads standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Listening,
    /// Standard output was closed by its reader, who has seen enough.
    Gone,
}

/// Prints a text on standard output. A reader who has gone away is no failure, and changes nothing about how the
/// command ends: what comes of it is told by the exit code alone.
pub fn print(text: &str) -> Result<(), Failure> {
    say(text).map(|_| ())
}

/// As [`print()`], for a command that only goes on while somebody listens.
pub fn say(text: &str) -> Result<Reader, Failure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => Ok(Reader::Listening),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(files::failure(Path::new("standard output"), "the report", Access::Write, &error)),
    }
}

/// Prints one object on standard output.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    // A value serialises to a string without fail.
    print(&format!("{value:#}\n"))
}

/// Prints a text on standard error; if that fails there is nobody to tell.
pub fn print_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Says why a command ended without a result.
pub fn report_failure(failure: &Failure) {
    match failure {
        Failure::Arguments(error) => {
            // Help goes to standard output, errors to standard error.
            let _ = error.print();
        }
        Failure::Usage(message) | Failure::InputOutput(message) | Failure::Solution(message) => {
            print_error(&format!("error: {message}\n"));
        }
        Failure::Unsolved(message) => {
            print_error(&format!("error: {message}\n  `ggsolve solve` with the same game and folder goes on\n"));
        }
        Failure::Invalid { report } | Failure::Exploded { report } => print_error(report),
        Failure::Refused { game, refusal } => print_error(&report::refusal_text(game, refusal)),
        Failure::Limit(limit) => print_error(&limit_text(limit)),
        Failure::Unfinished { failure, folder } => {
            report_failure(failure);
            print_error(&format!(
                "  what was finished is kept in {}: the same command goes on from there\n",
                folder.display()
            ));
        }
    }
}

fn limit_text(limit: &LimitReached) -> String {
    match limit {
        LimitReached::Interrupted => "interrupted\n".to_owned(),
        LimitReached::Memory { wanted, used, limit } => format!(
            "error: memory limit reached: {} more needed, {} of {} in use\n  give more with --memory\n",
            report::bytes(*wanted),
            report::bytes(*used),
            report::bytes(*limit)
        ),
        LimitReached::Disk { wanted, used, limit } => format!(
            "error: disk limit reached: {} more needed for temporary files, {} of {} in use\n  give more with --disk, or another folder with --scratch\n",
            report::bytes(*wanted),
            report::bytes(*used),
            report::bytes(*limit)
        ),
        LimitReached::Scratch { .. } => {
            format!("error: {limit}\n  make room there, or name another folder with --scratch\n")
        }
        LimitReached::Size { .. } => format!("error: {limit}\n"),
        LimitReached::During { what, limit } => {
            let text = limit_text(limit);
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            format!("{first}\n  {what}\n{rest}")
        }
    }
}
