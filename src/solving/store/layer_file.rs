//! The mapped file of a layer: its header, the bytes after it, and its checksum. Opening a large file reads only its
//! header, so only [`LayerFile::check_sum`], which reads the whole file, finds all damage.

use super::StoreError;
use super::checksum::{Checksum, checksum, hex};
use super::header::Header;
use super::manifest::FileRecord;
use kernel::UnpackError;
use memmap2::{Advice, Mmap};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Bytes of the checksum at the end.
const SUM: usize = 32;
/// Files of at most this number of bytes are compared with their checksums when they are opened by their records, which
/// takes some milliseconds. Larger files are compared by `verify`, and where a run goes on from them.
const SMALL: u64 = 1 << 20;

#[derive(Debug)]
pub struct LayerFile {
    path: PathBuf,
    map: Mmap,
    header: Header,
}

impl LayerFile {
    pub fn open(path: &Path) -> Result<LayerFile, StoreError> {
        // A folder can be opened, but not mapped.
        let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(ErrorKind::IsADirectory.into()),
            false => Ok(file),
        });
        let file = opened.map_err(|error| StoreError::io_of_named(path, &error))?;
        // SAFETY: the bytes are only read, and every read is checked against the length of the map. If another process
        // truncates the file while it is mapped, this process ends with a bus error, like every program that maps
        // files.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| StoreError::io(path, &error))?;
        let header = Header::from_bytes(path, &map)?;
        if map.len() < header.length() + SUM {
            return Err(StoreError::damaged(path, "cut short"));
        }
        Ok(LayerFile { path: path.to_owned(), map, header })
    }

    pub fn header(&self) -> Header {
        self.header
    }

    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    pub fn body(&self) -> &[u8] {
        &self.map[self.header.length()..self.map.len() - SUM]
    }

    /// Advises the system not to read ahead.
    pub fn expect_lookups(&self) {
        self.advise(Advice::Random);
    }

    /// Advises the system to read ahead.
    pub fn expect_pass(&self) {
        self.advise(Advice::Sequential);
    }

    fn advise(&self, advice: Advice) {
        // The advice affects only the speed.
        if let Err(error) = self.map.advise(advice) {
            tracing::debug!("{}: {error}", self.path.display());
        }
    }

    /// Compares the whole file with the sum at its end. Returns the sum of both, which the manifest records.
    pub fn check_sum(&self) -> Result<Checksum, StoreError> {
        self.expect_pass();
        let (all, end) = (&self.map[..], self.map.len() - SUM);
        if checksum(&all[..end])[..] != all[end..] {
            return Err(self.damaged("its checksum does not fit"));
        }
        Ok(checksum(all))
    }

    /// As [`LayerFile::check_sum`]; the sum must also be that of the manifest.
    pub fn check_recorded(&self, record: &FileRecord) -> Result<(), StoreError> {
        if hex(&self.check_sum()?) != record.sha256 {
            return Err(self.damaged("its checksum is not that of the manifest"));
        }
        Ok(())
    }

    /// As [`LayerFile::check_recorded`], for small files only.
    pub fn check_small(&self, record: &FileRecord) -> Result<(), StoreError> {
        if record.bytes <= SMALL { self.check_recorded(record) } else { Ok(()) }
    }

    pub fn damaged(&self, what: &str) -> StoreError {
        StoreError::damaged(&self.path, what)
    }

    pub fn unpack_error(&self, error: UnpackError) -> StoreError {
        StoreError::unpack(&self.path, error)
    }
}
