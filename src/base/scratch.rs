//! Temporary files and folders. The name of a file is removed as soon as the file is open, so that no file remains,
//! however a run ends; its space counts against the bound on files of [`Limits`]. A folder is removed when it is
//! dropped, or by [`remove_folders`] if the process ends at once.

use crate::limits::{LimitReached, Limits};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The temporary folders of this process at present.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    // A panic leaves the list of names consistent.
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary folder, which is removed with its contents on drop.
#[derive(Debug)]
pub struct TemporaryFolder(tempfile::TempDir);

impl TemporaryFolder {
    /// A new folder in `parent`, or in the system's folder for temporary files. `prefix`: the start of its name.
    pub fn new(parent: Option<&Path>, prefix: &str) -> io::Result<TemporaryFolder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix);
        let made = parent.map_or_else(|| builder.tempdir(), |parent| builder.tempdir_in(parent))?;
        folders().push(made.path().to_owned());
        Ok(TemporaryFolder(made))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        folders().retain(|folder| folder != self.0.path());
    }
}

/// Removes all temporary folders of this process, which must end at once: work that still uses a folder fails.
pub fn remove_folders() {
    for folder in folders().drain(..) {
        // There is nobody left to tell of an error.
        drop(std::fs::remove_dir_all(folder));
    }
}

/// Bytes of files, counted against the disk bound of [`Limits`] until they are given back or the `Space` is dropped.
#[derive(Debug)]
pub struct Space {
    limits: Arc<Limits>,
    held: AtomicU64,
}

impl Space {
    pub fn new(limits: &Arc<Limits>) -> Space {
        Space { limits: Arc::clone(limits), held: AtomicU64::new(0) }
    }

    pub fn unbounded() -> Space {
        Space::new(&Arc::new(Limits::unlimited()))
    }

    /// Counts bytes before they are written, if the bound permits.
    pub fn take(&self, bytes: u64) -> Result<(), LimitReached> {
        self.limits.reserve_disk(bytes)?;
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Gives back bytes, at most those that are counted.
    pub fn give_back(&self, bytes: u64) {
        let less = |held: u64| Some(held.saturating_sub(bytes));
        let before = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        self.limits.release_disk(bytes.min(before.expect("there is always a next number")));
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        self.give_back(u64::MAX);
    }
}

/// Makes temporary files in a folder.
#[derive(Debug, Clone)]
pub struct Scratch {
    folder: PathBuf,
    limits: Arc<Limits>,
}

/// A temporary file that is written from its start to its end, and read anywhere. One thread writes at a time.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    folder: PathBuf,
    /// Counts the bytes that still take space.
    space: Space,
    end: AtomicU64,
}

/// [`ScratchFile::release`] releases multiples of this number of bytes.
const BLOCK: u64 = 4096;

impl Scratch {
    /// `folder` must exist.
    pub fn new(folder: &Path, limits: &Arc<Limits>) -> Scratch {
        Scratch { folder: folder.to_owned(), limits: Arc::clone(limits) }
    }

    pub fn file(&self) -> Result<ScratchFile, LimitReached> {
        let file = tempfile::tempfile_in(&self.folder).map_err(|error| failed(&self.folder, &error))?;
        Ok(ScratchFile { file, folder: self.folder.clone(), space: Space::new(&self.limits), end: AtomicU64::new(0) })
    }
}

fn failed(folder: &Path, error: &io::Error) -> LimitReached {
    LimitReached::Scratch { folder: folder.display().to_string(), reason: error.to_string() }
}

impl ScratchFile {
    pub fn append(&self, bytes: &[u8]) -> Result<u64, LimitReached> {
        self.space.take(bytes.len() as u64)?;
        let start = self.end.load(Ordering::Relaxed);
        self.file.write_all_at(bytes, start).map_err(|error| failed(&self.folder, &error))?;
        self.end.store(start + bytes.len() as u64, Ordering::Relaxed);
        Ok(start)
    }

    /// Number of bytes written, including those that were released.
    pub fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    pub fn read(&self, start: u64, bytes: &mut [u8]) -> Result<(), LimitReached> {
        self.file.read_exact_at(bytes, start).map_err(|error| failed(&self.folder, &error))
    }

    /// Advises the system that these bytes will soon be read.
    pub fn expect(&self, start: u64, bytes: u64) {
        #[cfg(target_os = "linux")]
        // SAFETY: advice on an open file; failure changes nothing.
        unsafe {
            use std::os::fd::AsRawFd;
            libc::posix_fadvise(self.file.as_raw_fd(), start as i64, bytes as i64, libc::POSIX_FADV_WILLNEED);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// Releases the space of bytes that will not be read again, in whole blocks, if the file system supports it.
    pub fn release(&self, start: u64, bytes: u64) {
        let (first, last) = (start.next_multiple_of(BLOCK), (start + bytes) / BLOCK * BLOCK);
        if first >= last {
            return;
        }
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: an open file of our own.
            let done =
                unsafe { libc::fallocate(self.file.as_raw_fd(), mode, first as i64, (last - first) as i64) } == 0;
            if done {
                self.space.give_back(last - first);
            }
        }
    }

    /// Truncates the file to the length `end`. No later bytes may have been released by [`ScratchFile::release`].
    pub fn truncate(&self, end: u64) -> Result<(), LimitReached> {
        self.file.set_len(end).map_err(|error| failed(&self.folder, &error))?;
        self.space.give_back(self.end.load(Ordering::Relaxed) - end);
        self.end.store(end, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_comes_back_and_space_is_accounted() {
        let limits = Arc::new(Limits::unlimited().with_disk(100_000));
        let folder = tempfile::tempdir().unwrap();
        let file = Scratch::new(folder.path(), &limits).file().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no name is left in the folder");
        assert_eq!(file.append(&[1; 50_000]).unwrap(), 0);
        assert_eq!(file.append(&[2; 40_000]).unwrap(), 50_000);
        assert_eq!(limits.disk_used(), 90_000);
        assert!(matches!(file.append(&[3; 20_000]), Err(LimitReached::Disk { wanted: 20_000, used: 90_000, .. })));
        let mut back = [0; 3];
        file.read(49_999, &mut back).unwrap();
        assert_eq!(back, [1, 2, 2]);
        file.truncate(50_000).unwrap();
        assert_eq!(limits.disk_used(), 50_000);
        assert_eq!(file.append(&[4; 10]).unwrap(), 50_000);
        drop(file);
        assert_eq!(limits.disk_used(), 0);
    }

    #[test]
    fn folders_go_when_they_are_dropped_or_all_at_once() {
        let around = tempfile::tempdir().unwrap();
        let make = || TemporaryFolder::new(Some(around.path()), "ggsolve-").unwrap();
        let left = || std::fs::read_dir(around.path()).unwrap().count();
        let (first, second) = (make(), make());
        std::fs::write(first.path().join("file"), "text").unwrap();
        assert_eq!(left(), 2);
        drop(second);
        assert_eq!(left(), 1);
        remove_folders();
        assert_eq!(left(), 0);
        drop(first);
        assert!(TemporaryFolder::new(Some(Path::new("/nowhere/at/all")), "").is_err());
    }

    #[test]
    fn a_folder_that_is_missing_is_told() {
        let scratch = Scratch::new(Path::new("/nowhere/at/all"), &Arc::new(Limits::unlimited()));
        let error = scratch.file().unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
