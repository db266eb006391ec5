//! Why a command did not end well, and the exit code that says so.

use super::files;
use crate::limits::LimitReached;
use crate::solution::ReadError;
use crate::solve::{Refusal, SolveError};
use crate::store::StoreError;
use std::path::{Path, PathBuf};

/// What ends a command.
#[derive(Debug)]
pub enum Failure {
    /// What clap says, which may also be the help that was asked for.
    Arguments(clap::Error),
    /// Arguments that are well formed but make no sense.
    Usage(String),
    /// An input/output error, with the file.
    InputOutput(String),
    /// A stored solution that is damaged or does not belong to this game.
    Solution(String),
    /// Findings in the rules; `report` shows them.
    Invalid {
        report: String,
    },
    /// The game cannot be solved.
    Refused {
        game: String,
        refusal: Box<Refusal>,
    },
    Limit(LimitReached),
    /// Values that are asked for are not stored yet.
    Unsolved(String),
    /// Grounding outgrew a limit; `report` shows the rule.
    Exploded {
        report: String,
    },
    /// A run that another one can go on from, with its folder.
    Unfinished {
        failure: Box<Failure>,
        folder: PathBuf,
    },
}

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Arguments(error) if !error.use_stderr() => 0,
            Failure::Arguments(_) | Failure::Usage(_) => 2,
            Failure::InputOutput(_) => 1,
            Failure::Solution(_) => 5,
            Failure::Invalid { .. } | Failure::Refused { .. } => 3,
            Failure::Limit(limit) => match limit.reason() {
                LimitReached::Interrupted => 130,
                LimitReached::Scratch { .. } => 1,
                _ => 4,
            },
            Failure::Exploded { .. } | Failure::Unsolved(_) => 4,
            Failure::Unfinished { failure, .. } => failure.exit_code(),
        }
    }

    /// What is wrong with a stored solution.
    pub fn store(error: StoreError) -> Self {
        match error {
            StoreError::Limit(limit) => Failure::Limit(limit),
            StoreError::Io { file, kind, message } => {
                let step =
                    files::next_step(kind, files::Access::Write).unwrap_or("choose another folder, or repair this one");
                let text = format!("{}: {}\n  {step}", file.display(), files::meaning(kind, &message));
                Failure::InputOutput(text)
            }
            StoreError::Sync { .. } => {
                let step = "the disk or its file system fails: see the system's log before going on";
                Failure::InputOutput(format!("{error}\n  {step}"))
            }
            StoreError::Locked { .. } => {
                Failure::InputOutput(format!("{error}\n  wait for it to end, or choose another folder with -o"))
            }
            StoreError::Damaged { .. } | StoreError::Foreign { .. } | StoreError::Occupied { .. } => {
                Failure::Solution(error.to_string())
            }
        }
    }

    /// As [`Failure::store`], for a folder that a run was to write to.
    pub fn folder(error: StoreError) -> Self {
        let way_out = match error {
            StoreError::Damaged { .. } | StoreError::Foreign { .. } => {
                "choose another folder with -o, or replace this solution with --force"
            }
            StoreError::Occupied { .. } => "choose another folder with -o",
            _ => return Failure::store(error),
        };
        Failure::Solution(format!("{error}\n  {way_out}"))
    }

    /// The failure of a run that stored its layers in `folder`.
    pub fn unfinished(failure: Failure, folder: &Path) -> Self {
        match failure {
            Failure::Limit(_) | Failure::InputOutput(_) => {
                Failure::Unfinished { failure: Box::new(failure), folder: folder.to_owned() }
            }
            other => other,
        }
    }

    /// What the solver says about a game.
    pub fn solve(game: &str, error: SolveError) -> Self {
        match error {
            SolveError::Limit(limit) => Failure::Limit(limit),
            SolveError::Refused(refusal) => Failure::Refused { game: game.to_owned(), refusal: refusal.into() },
            SolveError::TooComplex(reason) => {
                let message = reason.to_string();
                let refusal =
                    Refusal { code: "too-complex", message, state: Vec::new(), path: Vec::new(), cycle: Vec::new() };
                Failure::Refused { game: game.to_owned(), refusal: refusal.into() }
            }
            SolveError::Store(error) => Failure::store(error),
            SolveError::Storage(_) => {
                let step = "make room where temporary files go (TMPDIR), or let them go to another disk";
                Failure::InputOutput(format!("{error}\n  {step}"))
            }
            SolveError::Inconsistent(_) => Failure::Solution(error.to_string()),
            SolveError::Options(message) => Failure::Usage(message),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Position(error) => Failure::Usage(error.to_string()),
            ReadError::Store(error) => Failure::store(error),
            ReadError::Unfinished { .. } | ReadError::Unsettled { .. } => Failure::Unsolved(error.to_string()),
            ReadError::Damaged(_) => Failure::Solution(error.to_string()),
            ReadError::Limit(limit) => limit.into(),
        }
    }
}

impl From<LimitReached> for Failure {
    fn from(limit: LimitReached) -> Self {
        Failure::Limit(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_the_contract() {
        let refusal = Refusal { code: "c", message: String::new(), state: vec![], path: vec![], cycle: vec![] };
        let memory = LimitReached::Memory { wanted: 1, used: 2, limit: 2 };
        let codes = [
            Failure::InputOutput(String::new()).exit_code(),
            Failure::Usage(String::new()).exit_code(),
            Failure::solve("g", SolveError::Refused(refusal)).exit_code(),
            Failure::from(memory).exit_code(),
            Failure::from(LimitReached::Interrupted).exit_code(),
            Failure::store(StoreError::damaged(Path::new("f"), "cut short")).exit_code(),
            Failure::store(StoreError::foreign(Path::new("f"), "another game")).exit_code(),
            Failure::store(StoreError::Locked { folder: "f".into() }).exit_code(),
        ];
        assert_eq!(codes, [1, 2, 3, 4, 130, 5, 5, 1]);
    }
}
