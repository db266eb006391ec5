//! Files that replace what stood under their name as a whole or not at all: written under a temporary name, then
//! renamed. They last once they and their folder are synced.

use super::StoreError;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Ends the names of files that are being written.
pub const TEMPORARY: &str = ".tmp";

/// The temporary name of a file.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// Writes a file by `fill`; what that gives, and the file, not synced yet. Nothing is left of it where that fails.
pub fn write<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> Result<(T, File), StoreError> {
    finish(path, fill, |_| Ok(()))
}

/// As [`write()`], synced before it is renamed.
pub fn write_synced(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), StoreError> {
    finish(path, fill, File::sync_all).map(drop)
}

fn finish<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
    sync: impl FnOnce(&File) -> io::Result<()>,
) -> Result<(T, File), StoreError> {
    let name = temporary(path);
    let written = File::create(&name).and_then(|file| {
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        let result = fill(&mut writer)?;
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        sync(&file)?;
        fs::rename(&name, path)?;
        Ok((result, file))
    });
    written.map_err(|error| {
        // What was written is in the way of what comes; if it cannot be removed it does no harm.
        let _ = fs::remove_file(&name);
        StoreError::io(path, &error)
    })
}

/// Makes the names in a folder lasting.
pub fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::io(folder, &error))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
