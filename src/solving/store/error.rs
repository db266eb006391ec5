//! Errors of stored solutions.

use base::limits::LimitReached;
use kernel::UnpackError;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("{}: {message}", file.display())]
    Io { file: PathBuf, kind: io::ErrorKind, message: String },
    /// It is unknown whether the bytes written to a file are durable.
    #[error("{}: cannot be written to the disk durably: {message}", file.display())]
    Sync { file: PathBuf, message: String },
    /// The bytes of a file are not those that were written.
    #[error("{}: damaged: {what}", file.display())]
    Damaged { file: PathBuf, what: String },
    /// The folder has a solution of another game, model or version, or no solution at all.
    #[error("{}: {what}", folder.display())]
    Foreign { folder: PathBuf, what: String },
    #[error("{}: holds other files and no solution", folder.display())]
    Occupied { folder: PathBuf },
    #[error("{}: another run is writing this solution", folder.display())]
    Locked { folder: PathBuf },
    #[error(transparent)]
    Limit(#[from] LimitReached),
}

impl StoreError {
    /// The error of an operation on a file. If the operation failed because of a limit, the error is that limit.
    pub fn io(file: &Path, error: &io::Error) -> Self {
        if let Some(limit) = error.get_ref().and_then(|inner| inner.downcast_ref::<LimitReached>()) {
            return StoreError::Limit(limit.clone());
        }
        StoreError::Io { file: file.to_owned(), kind: error.kind(), message: error.to_string() }
    }

    /// As [`StoreError::io`], for a file that a manifest names: if it is missing, the solution is damaged.
    pub fn io_of_named(file: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => StoreError::damaged(file, "the file is missing"),
            io::ErrorKind::IsADirectory => StoreError::damaged(file, "a folder in place of the file"),
            _ => StoreError::io(file, error),
        }
    }

    /// The message without the name of the file, for a finding that already has the name.
    pub fn without_file(&self) -> String {
        match self {
            StoreError::Damaged { what, .. } => format!("damaged: {what}"),
            StoreError::Io { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }

    pub fn sync(file: &Path, error: &io::Error) -> Self {
        StoreError::Sync { file: file.to_owned(), message: error.to_string() }
    }

    pub fn damaged(file: &Path, what: impl ToString) -> Self {
        StoreError::Damaged { file: file.to_owned(), what: what.to_string() }
    }

    pub fn foreign(folder: &Path, what: impl ToString) -> Self {
        StoreError::Foreign { folder: folder.to_owned(), what: what.to_string() }
    }

    pub fn unpack(file: &Path, error: UnpackError) -> Self {
        match error {
            UnpackError::Limit(limit) => limit.into(),
            UnpackError::Damaged(what) => StoreError::damaged(file, what),
        }
    }
}
