//! Keeps two runs from writing to one folder: a lock of the operating system on a file of its own, which ends with
//! the process however that ends.

use super::StoreError;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Name of the file.
pub const NAME: &str = "lock";

/// Held while a run writes.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder, or tells that another run has it.
    pub fn take(folder: &Path) -> Result<Lock, StoreError> {
        let path = folder.join(NAME);
        let file = File::create(&path).map_err(|error| StoreError::io(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => Err(StoreError::io(&path, &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path()).unwrap();
        assert_eq!(Lock::take(folder.path()).unwrap_err(), StoreError::Locked { folder: folder.path().to_owned() });
        drop(first);
        Lock::take(folder.path()).unwrap();
    }
}
