//! Prevents two runs from writing to one folder. The lock is one of the operating system on a separate file; it ends
//! with the process, however that ends.
//!
//! The holder of the lock may remove the file. Another run with the open file then locks a file that is no longer in
//! the folder; it notices this and starts over.

use super::{StoreError, atomic};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

pub const NAME: &str = "lock";
/// Largest number of times that the file may vanish between opening and locking it.
const TRIES: usize = 100;
/// A new process briefly holds the open files of its parent. So a lock that seems to be held is tried this many times.
const LOOKS: usize = 20;
/// The time between two such tries.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Creates the folder if it does not exist. Fails if another run has the lock.
    pub fn take(folder: &Path) -> Result<Lock, StoreError> {
        let path = folder.join(NAME);
        let error = |error: io::Error| StoreError::io(&path, &error);
        let mut looks = 0;
        for _ in 0..TRIES {
            atomic::make_folder(folder)?;
            let file = match File::create(&path) {
                // Another run removed the folder.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                file => file.map_err(error)?,
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path).map_err(error)? => return Ok(Lock { _file: file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if looks < LOOKS => {
                    looks += 1;
                    thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Locked { folder: folder.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, &error)),
            }
        }
        Err(StoreError::Locked { folder: folder.to_owned() })
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
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

    #[test]
    fn a_lock_that_is_removed_is_nobodys() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path().join("a.ggs");
        let (inside, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for _ in 0..500 {
                        let Ok(lock) = Lock::take(&folder) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two hold the lock");
                        taken.fetch_add(1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        fs::remove_file(folder.join(NAME)).unwrap();
                        // Another thread may have created its own file by now.
                        let _ = fs::remove_dir(&folder);
                        drop(lock);
                    }
                });
            }
        });
        assert!(taken.load(Ordering::SeqCst) > 0);
    }
}
