//! The errors of a session, and their kinds.

use crate::translate::TranslateError;
use base::limits::LimitReached;
use game::diagnostic::{Finding, Findings, Source};
use game::ground::GroundError;
use serde_json::{Value, json};
use solving::solution::{PositionError, ReadError};
use solving::solve::{Refusal, SolveError, Stage};
use solving::store::StoreError;
use std::io;
use std::path::{Path, PathBuf};

/// The kind of an error. The command line has an exit code for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A file that is missing or cannot be read or written.
    InputOutput,
    /// Options, moves or positions that are impossible here.
    Usage,
    /// The game is refused: its text has errors, or it is of a kind that cannot be solved.
    Rules,
    /// A limit was reached; finished parts are kept.
    Limit,
    /// The work was interrupted.
    Interrupted,
    /// A stored solution is damaged, or belongs to something else.
    Solution,
}

/// The reason why there is no result. [`Error::kind`] tells the kind.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}: {what} cannot be read: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The role of the file, such as "the rules".
        what: &'static str,
        /// The kind of the failure.
        kind: io::ErrorKind,
        /// The failure in words.
        message: String,
    },
    /// A text is longer than rules may be.
    #[error("error[too-long]: {} is longer than a gibibyte", .0.display())]
    TooLong(PathBuf),
    /// The rules have errors. All findings are listed, including warnings.
    #[error("{}", .0.errors().to_string().trim_end())]
    Rules(Findings),
    /// The game cannot be solved or translated.
    #[error("{}", format!("{game} is refused: {}\n{}", refusal.message, findings.of(refusal.code)).trim_end())]
    Refused {
        /// Name of the game.
        game: String,
        /// The reason, with a state that shows it.
        refusal: Box<Refusal>,
        /// All findings on the rules.
        findings: Findings,
    },
    /// Grounding exceeded a limit, at the rule that the finding shows.
    #[error("{}", .0.to_string().trim_end())]
    Outgrown(Box<Finding>),
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// The options do not suit the game.
    #[error("{0}")]
    Options(String),
    /// A position or a move does not exist.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A stored solution cannot be read or continued.
    #[error(transparent)]
    Store(StoreError),
    /// A solution cannot be written to the given folder.
    #[error(transparent)]
    Folder(StoreError),
    /// Temporary files cannot be written or read.
    #[error("{0}")]
    Storage(String),
    /// One of several processes failed.
    #[error("{0}")]
    Process(String),
    /// The requested values are not stored yet.
    #[error("{0}")]
    Unsolved(String),
    /// Stored values contradict the rules or each other.
    #[error("{0}")]
    Damaged(String),
    /// A run was stopped. Another run can continue from its folder.
    #[error("{error}")]
    Unfinished {
        /// The error that stopped the run.
        error: Box<Error>,
        /// The folder with the finished parts.
        folder: PathBuf,
    },
}

impl Error {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::File { .. } | Error::Storage(_) | Error::Process(_) => ErrorKind::InputOutput,
            Error::TooLong(_) | Error::Rules(_) | Error::Refused { .. } => ErrorKind::Rules,
            Error::Options(_) | Error::Position(_) => ErrorKind::Usage,
            Error::Limit(limit) => of_limit(limit),
            Error::Outgrown(_) | Error::Unsolved(_) => ErrorKind::Limit,
            Error::Damaged(_) => ErrorKind::Solution,
            Error::Store(error) | Error::Folder(error) => match error {
                StoreError::Io { .. } | StoreError::Sync { .. } | StoreError::Locked { .. } => ErrorKind::InputOutput,
                StoreError::Damaged { .. } | StoreError::Foreign { .. } | StoreError::Occupied { .. } => {
                    ErrorKind::Solution
                }
                StoreError::Limit(limit) => of_limit(limit),
            },
            Error::Unfinished { error, .. } => error.kind(),
        }
    }

    /// The JSON that is printed in place of a result if the rules have errors.
    pub fn document(&self) -> Option<Value> {
        match self {
            Error::Rules(findings) => Some(json!(findings)),
            Error::Refused { game, refusal, findings } => {
                Some(json!({"game": game, "error": refusal, "diagnostics": findings.diagnostics}))
            }
            Error::Unfinished { error, .. } => error.document(),
            _ => None,
        }
    }

    pub(crate) fn file(path: &Path, what: &'static str, error: &io::Error) -> Error {
        Error::File { path: path.to_owned(), what, kind: error.kind(), message: error.to_string() }
    }

    pub(super) fn folder(error: StoreError) -> Error {
        match error {
            StoreError::Damaged { .. } | StoreError::Foreign { .. } | StoreError::Occupied { .. } => {
                Error::Folder(error)
            }
            other => other.into(),
        }
    }

    pub(super) fn ground(source: &Source, error: GroundError) -> Error {
        match (error.finding(), error) {
            (None, GroundError::Limit(limit) | GroundError::Explosion { reason: limit, .. }) => {
                Stage::Ground.limit(limit).into()
            }
            (Some(finding), GroundError::Explosion { .. }) => Error::Outgrown(Box::new(Finding::new(source, &finding))),
            (finding, _) => Error::Rules(Findings::new(source, finding.as_slice())),
        }
    }

    pub(super) fn solve(game: &str, error: SolveError, findings: Findings) -> Error {
        let refused = |refusal| Error::Refused { game: game.to_owned(), refusal: Box::new(refusal), findings };
        match error {
            SolveError::Limit(limit) => limit.into(),
            SolveError::Refused(refusal) => refused(refusal),
            SolveError::TooComplex(reason) => refused(Refusal::of_game("too-complex", reason.to_string())),
            SolveError::Store(error) => error.into(),
            SolveError::Storage(_) => Error::Storage(error.to_string()),
            SolveError::Inconsistent(_) => Error::Damaged(error.to_string()),
            SolveError::Options(message) => Error::Options(message),
            SolveError::Process { .. } => Error::Process(error.to_string()),
        }
    }

    pub(super) fn translate(game: &str, error: TranslateError, findings: Findings) -> Error {
        match error {
            TranslateError::Refused(refusal) => {
                Error::Refused { game: game.to_owned(), refusal: Box::new(refusal), findings }
            }
            TranslateError::Limit(limit) => limit.into(),
        }
    }

    /// The same error after a run that has stored its layers in `folder`.
    pub(super) fn unfinished(self, folder: &Path) -> Error {
        match self.kind() {
            ErrorKind::Limit | ErrorKind::Interrupted | ErrorKind::InputOutput => {
                Error::Unfinished { error: Box::new(self), folder: folder.to_owned() }
            }
            _ => self,
        }
    }
}

fn of_limit(limit: &LimitReached) -> ErrorKind {
    match limit.reason() {
        LimitReached::Interrupted => ErrorKind::Interrupted,
        LimitReached::Scratch { .. } | LimitReached::Unreachable { .. } => ErrorKind::InputOutput,
        _ => ErrorKind::Limit,
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Limit(limit) => limit.into(),
            other => Error::Store(other),
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Position(error) => error.into(),
            ReadError::Store(error) => error.into(),
            ReadError::Unfinished { .. } | ReadError::Unsettled { .. } | ReadError::Unexplored { .. } => {
                Error::Unsolved(error.to_string())
            }
            ReadError::Damaged(_) => Error::Damaged(error.to_string()),
            ReadError::Exact | ReadError::Unknown { .. } | ReadError::NoValue => Error::Options(error.to_string()),
            ReadError::Limit(limit) => limit.into(),
        }
    }
}
