//! The file with the distances of the positions up to a ply, beside a complete solution.
//!
//! A header (64 bytes): magic, version, plies, bytes of a state, reserved, number of records, the identity of the
//! solution's values. Then the records, in ascending order of states: a state, one bit per level, the top level in the
//! highest bit; and the plies from it to the end, most significant byte first. Last, the SHA-256 of header and records.
//! New distances replace the whole file, so it is always consistent. A lookup is a binary search in the mapped file.

use super::checksum::{Checksum, Summing, checksum};
use super::{Kind, Manifest, StoreError, atomic};
use base::limits::Limits;
use base::scratch::Space;
use memmap2::Mmap;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const NAME: &str = "book.distances";

const MAGIC: [u8; 8] = *b"GGSBOOK\0";
/// Version 1 is for games in which states cannot repeat. Older books of games in which they can have version 1, too,
/// but their distances are those of play by rounds.
const VERSION: u32 = 2;
const HEAD: usize = 64;
const SUM: usize = 32;
const PLIES: usize = 4;
/// Books up to this size are compared with their checksum on opening, in some milliseconds; `verify` compares all.
const SMALL: usize = 4 << 20;

#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    map: Mmap,
    plies: u32,
    width: usize,
}

fn id(folder: &Path, manifest: &Manifest) -> Result<Checksum, StoreError> {
    manifest.new_file_id(folder, Kind::Values)
}

fn version_of(manifest: &Manifest) -> u32 {
    if manifest.is_global() { VERSION } else { 1 }
}

/// The key of a state (one value per level).
pub fn key(assignment: &[bool]) -> Vec<u8> {
    let byte = |bits: &[bool]| (0..).zip(bits).fold(0, |byte, (place, &bit)| byte | u8::from(bit) << (7 - place));
    assignment.chunks(8).map(byte).collect()
}

impl Book {
    /// The book beside a solution, if there is one.
    pub fn open(folder: &Path, manifest: &Manifest) -> Result<Option<Book>, StoreError> {
        let path = folder.join(NAME);
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| StoreError::io(&path, &error))?,
        };
        // SAFETY: as in `LayerFile::open`, the bytes are only read, within the length of the map.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| StoreError::io(&path, &error))?;
        let damaged = |what: &str| StoreError::damaged(&path, what);
        let head = map.first_chunk::<HEAD>().filter(|_| map.len() >= HEAD + SUM).ok_or_else(|| damaged("cut short"))?;
        if head[..8] != MAGIC {
            return Err(damaged("not the file of a book"));
        }
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if !(1..=VERSION).contains(&word(8)) {
            let what = format!("format version {} of books; this program reads up to {VERSION}", word(8));
            return Err(StoreError::foreign(&path, what));
        }
        if word(8) < version_of(manifest) {
            let what = "its distances are those of an earlier version of ggsolve, which compared fewer moves where states \
                        can repeat: remove the file, and `ggsolve book` finds them anew";
            return Err(StoreError::foreign(&path, what));
        }
        if head[32..] != id(folder, manifest)? {
            return Err(damaged("the book of another solution"));
        }
        let (plies, width) = (word(12), word(16) as usize);
        let records = u64::from(word(24)) | u64::from(word(28)) << 32;
        let length = usize::try_from(records).ok().and_then(|records| records.checked_mul(width + PLIES));
        if width != manifest.variables.len().div_ceil(8) || length != Some(map.len() - HEAD - SUM) || word(20) != 0 {
            return Err(damaged("not as long as its head says"));
        }
        let book = Book { path, map, plies, width };
        if book.map.len() <= SMALL {
            book.check_sum()?;
        }
        Ok(Some(book))
    }

    /// Replaces the book durably. `records`: keys, ascending, each with the plies to the end.
    pub fn write(
        folder: &Path,
        manifest: &Manifest,
        plies: u32,
        records: &[(Vec<u8>, u32)],
        limits: &Arc<Limits>,
    ) -> Result<(), StoreError> {
        let width = manifest.variables.len().div_ceil(8);
        let id = id(folder, manifest)?;
        atomic::write_synced(&folder.join(NAME), &Space::new(limits), |file| {
            let mut output = Summing::new(file);
            output.write_all(&MAGIC)?;
            for word in [version_of(manifest), plies, width as u32, 0] {
                output.write_all(&word.to_le_bytes())?;
            }
            output.write_all(&(records.len() as u64).to_le_bytes())?;
            output.write_all(&id)?;
            for (key, plies) in records {
                output.write_all(key)?;
                output.write_all(&plies.to_be_bytes())?;
            }
            let sum = output.sum();
            output.write_all(&sum)
        })?;
        atomic::sync_folder(folder)
    }

    /// The ply up to which the book was requested.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    pub fn states(&self) -> usize {
        (self.map.len() - HEAD - SUM) / (self.width + PLIES)
    }

    fn record(&self, index: usize) -> (&[u8], u32) {
        let begin = HEAD + index * (self.width + PLIES);
        let (key, plies) = self.map[begin..begin + self.width + PLIES].split_at(self.width);
        (key, plies.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// The records: keys, ascending, each with the plies to the end.
    pub fn records(&self) -> impl ExactSizeIterator<Item = (&[u8], u32)> {
        (0..self.states()).map(|index| self.record(index))
    }

    /// The distance of a state (one value per level), if the book has it.
    pub fn plies_of(&self, assignment: &[bool]) -> Option<u32> {
        let key = key(assignment);
        let (mut low, mut high) = (0, self.states());
        while low < high {
            let middle = low + (high - low) / 2;
            let (found, plies) = self.record(middle);
            match found.cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(plies),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub fn check_sum(&self) -> Result<(), StoreError> {
        let (all, end) = (&self.map[..], self.map.len() - SUM);
        if checksum(&all[..end])[..] != all[end..] {
            return Err(self.damaged("its checksum does not fit"));
        }
        let ascending = |pair: [(&[u8], u32); 2]| pair[0].0 < pair[1].0;
        if !(1..self.states()).all(|index| ascending([self.record(index - 1), self.record(index)])) {
            return Err(self.damaged("its states are not in order"));
        }
        Ok(())
    }

    pub fn damaged(&self, what: &str) -> StoreError {
        StoreError::damaged(&self.path, what)
    }
}
