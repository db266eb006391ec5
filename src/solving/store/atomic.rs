//! Replaces files atomically: a file is written under a temporary name, then renamed, so that readers see either the
//! old contents or the new ones. The new contents are durable once the file and its folder are synced.

use super::{StoreError, folder};
use base::scratch::Space;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf, is_separator};

/// The end of the name of a file that is being written.
pub const TEMPORARY: &str = ".tmp";

pub fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// A file whose bytes are counted before they are written.
pub struct Counted<'a> {
    file: File,
    space: &'a Space,
    /// The position at which the next bytes are written.
    position: u64,
    /// The end of the bytes that `space` has counted.
    end: u64,
    /// Positions in these bytes are positions in the file, which other programs do not write.
    seekable: bool,
}

pub type Output<'a> = BufWriter<Counted<'a>>;

impl Counted<'_> {
    /// The bytes that the file has so far.
    pub fn bytes(&self) -> u64 {
        self.end
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.position + bytes.len() as u64;
        if end > self.end {
            self.space.take(end - self.end)?;
            self.end = end;
        }
        let written = self.file.write(bytes)?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if !self.seekable {
            return Err(io::ErrorKind::NotSeekable.into());
        }
        self.position = self.file.seek(to)?;
        Ok(self.position)
    }
}

/// Writes a file by `fill`, counted in `space`. Returns the result and the unsynced file. A failure changes no file.
pub fn write<T>(
    path: &Path,
    space: &Space,
    fill: impl FnOnce(&mut Output) -> io::Result<T>,
) -> Result<(T, File), StoreError> {
    finish(path, space, fill, |_| Ok(()))
}

/// As [`write()`], but syncs the file before it is renamed.
pub fn write_synced(
    path: &Path,
    space: &Space,
    fill: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), StoreError> {
    finish(path, space, fill, |file| sync(path, file)).map(drop)
}

/// Fails where [`write_anywhere`] would before it has anything to write. What is no plain file is not tried.
pub fn try_anywhere(path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(path, &error);
    if path.is_dir() || is_named_as_folder(path) {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    if path.exists() && !path.is_file() || is_output(path) {
        return Ok(());
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    folder::refuse_own(&path)?;
    let name = temporary(&path);
    File::create(&name).and_then(|_| fs::remove_file(&name)).map_err(failed)
}

fn is_named_as_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| is_separator(last.into()))
}

/// Whether the file is where standard output goes.
pub fn is_output(path: &Path) -> bool {
    let place = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    place(path).is_some_and(|there| place(Path::new("/dev/stdout")) == Some(there))
}

/// As [`write_synced`], but follows links, and writes in place to standard output and to a target that is no plain file,
/// such as a device.
pub fn write_anywhere(
    path: &Path,
    space: &Space,
    fill: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(path, &error);
    if is_named_as_folder(path) {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let found = path.metadata();
    let in_place = match &found {
        // Opened anew, a file would be written from its start, over what others have written.
        Ok(_) if is_output(path) => Some((io::stdout().as_fd().try_clone_to_owned().map(File::from), false)),
        Ok(found) if !found.is_file() && !found.is_dir() => Some((File::options().write(true).open(path), true)),
        _ => None,
    };
    if let Some((file, seekable)) = in_place {
        let mut writer = BufWriter::new(Counted { file: file.map_err(failed)?, space, position: 0, end: 0, seekable });
        return fill(&mut writer).and_then(|()| writer.flush()).map_err(failed);
    }
    if found.is_err() {
        return write_synced(path, space, fill);
    }
    let path = path.canonicalize().map_err(failed)?;
    folder::refuse_own(&path)?;
    write_synced(&path, space, fill)
}

/// Writes and syncs a small file without which the other files are useless. It may exceed the bound on disk space.
pub fn write_small(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_synced(path, &Space::unbounded(), |file| file.write_all(bytes))
}

/// The length of a file; 0 if there is no such file.
fn length(path: &Path) -> Result<u64, StoreError> {
    match fs::metadata(path) {
        Ok(data) => Ok(data.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(StoreError::io(path, &error)),
    }
}

fn finish<T>(
    path: &Path,
    space: &Space,
    fill: impl FnOnce(&mut Output) -> io::Result<T>,
    sync: impl FnOnce(&File) -> Result<(), StoreError>,
) -> Result<(T, File), StoreError> {
    let name = temporary(path);
    let error = |error: io::Error| StoreError::io(path, &error);
    let file = File::create(&name).map_err(error)?;
    let mut writer = BufWriter::with_capacity(1 << 18, Counted { file, space, position: 0, end: 0, seekable: true });
    let filled = fill(&mut writer).and_then(|result| writer.flush().map(|()| result));
    let (Counted { file, end, .. }, _) = writer.into_parts();
    let written = filled.map_err(error).and_then(|result| {
        sync(&file)?;
        let before = length(path)?;
        fs::rename(&name, path).map_err(error)?;
        space.give_back(before);
        Ok((result, file))
    });
    written.inspect_err(|_| {
        // The partial file would take space. If it cannot be removed, it does no harm except for that.
        let _ = fs::remove_file(&name);
        space.give_back(end);
    })
}

pub fn sync(path: &Path, file: &File) -> Result<(), StoreError> {
    #[cfg(test)]
    faults::pass(path).map_err(|error| StoreError::sync(path, &error))?;
    file.sync_all().map_err(|error| StoreError::sync(path, &error))
}

pub fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = File::open(folder).map_err(|error| StoreError::io(folder, &error))?;
    sync(folder, &file)
}

pub fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let missing = || folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
    let parents: Vec<PathBuf> = missing().filter_map(|path| path.parent().map(Path::to_owned)).collect();
    fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, &error))?;
    parents.iter().rev().try_for_each(|parent| sync_folder(parent))
}

/// Failing disks: each thread can make one of its syncs fail, and list its syncs.
#[cfg(test)]
pub mod faults {
    use std::cell::{Cell, RefCell};
    use std::io;
    use std::path::{Path, PathBuf};

    thread_local! {
        /// Number of syncs before the one that fails; `None` if all succeed.
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
        static SYNCED: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
    }

    /// The paths synced on this thread since the last call.
    pub fn synced() -> Vec<PathBuf> {
        SYNCED.take()
    }

    /// Makes one sync on this thread fail: the one after `passes` successful syncs. `None`: no sync fails.
    pub fn fail_after(passes: Option<usize>) {
        LEFT.set(passes);
    }

    pub(super) fn pass(path: &Path) -> io::Result<()> {
        SYNCED.with_borrow_mut(|synced| synced.push(path.to_owned()));
        match LEFT.get() {
            Some(0) => {
                LEFT.set(None);
                // The error of a failing disk, EIO.
                Err(io::Error::from_raw_os_error(5))
            }
            left => {
                LEFT.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }
}
