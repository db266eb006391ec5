//! Reading the file of a layer where it lies: mapped into memory, one node at a time.
//!
//! Opening costs a page or two; a lookup costs a walk from the root, a few microseconds once its pages are in memory.
//! Damaged bytes are an error and never a wrong memory access or an endless walk: every child is checked to be on
//! a deeper level. Only [`Mapped::check_sum`] finds every damage; it reads the whole file.

use super::StoreError;
use super::checksum::{Checksum, checksum, hex};
use super::header::{self, Header, HeaderError, Kind};
use super::manifest::FileRecord;
use crate::kernel::{Diagram, Layout, Node, TERMINALS, UnpackError};
use crate::limits::Limits;
use memmap2::Mmap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Length of the sum at the end.
const SUM: usize = 32;

/// The mapped file of a layer.
#[derive(Debug)]
pub struct Mapped {
    path: PathBuf,
    map: Mmap,
    header: Header,
    layout: Layout,
}

impl Mapped {
    /// Maps a file and looks at its head.
    pub fn open(path: &Path) -> Result<Mapped, StoreError> {
        let file = File::open(path).map_err(|error| StoreError::io(path, &error))?;
        // SAFETY: the bytes are only read, and every read is checked against the length of the map. A file that
        // another process cuts while it is mapped ends this one with a bus error, as for every program that maps.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| StoreError::io(path, &error))?;
        let header = Header::from_bytes(&map).map_err(|error| match error {
            HeaderError::Damaged(what) => StoreError::damaged(path, what),
            HeaderError::Version(version) => {
                StoreError::foreign(path, format!("format version {version}, not {}", super::VERSION))
            }
        })?;
        let body = body(&map).ok_or_else(|| StoreError::damaged(path, "cut short"))?;
        let layout = Layout::new(body, header.levels, header.nodes, header.root)
            .map_err(|error| StoreError::unpack(path, error))?;
        Ok(Mapped { path: path.to_owned(), map, header, layout })
    }

    /// As [`Mapped::open`], for a file that a manifest names: its length and head must be as recorded.
    pub fn open_recorded(folder: &Path, record: &FileRecord, kind: Kind, layer: u32) -> Result<Mapped, StoreError> {
        let path = folder.join(&record.name);
        let mapped = Mapped::open(&path)?;
        let Header { nodes, .. } = mapped.header;
        if (mapped.header.kind, mapped.header.layer) != (kind, layer) {
            return Err(StoreError::damaged(&path, "the file of another layer"));
        }
        if (mapped.map.len() as u64, nodes) != (record.bytes, record.nodes) {
            return Err(StoreError::damaged(&path, "not as long as the manifest says"));
        }
        Ok(mapped)
    }

    pub fn header(&self) -> Header {
        self.header
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.header.levels
    }

    pub fn root(&self) -> Node {
        self.header.root
    }

    /// Number of inner nodes.
    pub fn node_count(&self) -> u64 {
        self.header.nodes
    }

    /// The level of a node; [`Mapped::levels`] for a terminal and for what is no node.
    pub fn level(&self, node: Node) -> u32 {
        self.layout.level(node)
    }

    /// `[lo, hi]` of an inner node: terminals or nodes of deeper levels.
    pub fn children(&self, node: Node) -> Result<[Node; 2], StoreError> {
        self.layout.children(self.body(), node).map_err(|error| self.unpack_error(error))
    }

    /// Whether a set holds an element (one value per level).
    pub fn contains(&self, assignment: &[bool]) -> Result<bool, StoreError> {
        let (mut node, mut next) = (self.root(), 0);
        loop {
            let level = self.level(node) as usize;
            let skipped = assignment.get(next..level).ok_or_else(|| self.wrong_length())?;
            if node == 0 || skipped.contains(&true) {
                return Ok(false);
            }
            if node < TERMINALS {
                return Ok(true);
            }
            let bit = *assignment.get(level).ok_or_else(|| self.wrong_length())?;
            node = self.children(node)?[usize::from(bit)];
            next = level + 1;
        }
    }

    /// The terminal that a value diagram has for an assignment (one value per level).
    pub fn value_at(&self, assignment: &[bool]) -> Result<Node, StoreError> {
        let mut node = self.root();
        while node >= TERMINALS {
            let bit = *assignment.get(self.level(node) as usize).ok_or_else(|| self.wrong_length())?;
            node = self.children(node)?[usize::from(bit)];
        }
        Ok(node)
    }

    /// Reads the whole file and compares it with its sum; the sum of the whole file, as the manifest has it.
    pub fn check_sum(&self) -> Result<Checksum, StoreError> {
        let (all, end) = (&self.map[..], self.map.len().saturating_sub(SUM));
        if checksum(&all[..end])[..] != all[end..] {
            return Err(StoreError::damaged(&self.path, "its checksum does not fit"));
        }
        Ok(checksum(all))
    }

    /// As [`Mapped::check_sum`], and the sum must be that of the manifest.
    pub fn check_recorded(&self, record: &FileRecord) -> Result<(), StoreError> {
        if hex(&self.check_sum()?) != record.sha256 {
            return Err(StoreError::damaged(&self.path, "its checksum is not that of the manifest"));
        }
        Ok(())
    }

    /// The diagram, taken into memory.
    pub fn diagram(&self, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        Diagram::unpack(self.body(), &self.layout, limits).map_err(|error| self.unpack_error(error))
    }

    fn body(&self) -> &[u8] {
        body(&self.map).unwrap_or_default()
    }

    fn unpack_error(&self, error: UnpackError) -> StoreError {
        StoreError::unpack(&self.path, error)
    }

    fn wrong_length(&self) -> StoreError {
        StoreError::damaged(&self.path, "a diagram with other levels than the game")
    }
}

/// What lies between header and sum.
fn body(file: &[u8]) -> Option<&[u8]> {
    file.get(header::LENGTH..file.len().checked_sub(SUM)?)
}
