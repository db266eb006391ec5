//! A layer's file as a manifest describes it, for this process or another one that reads it.

use super::manifest::FileRecord;
use super::{Checksum, Kind, LayerFile, Manifest, Mapped, Ranked, StoreError};
use base::limits::Limits;
use kernel::Diagram;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Another process need not compare the checksum of a large file: the sender has written or checked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    pub folder: PathBuf,
    pub record: FileRecord,
    pub kind: Kind,
    pub layer: u32,
    /// See [`Manifest::file_id`].
    pub id: Option<Checksum>,
}

impl Manifest {
    /// A file of this manifest's folder.
    pub fn file(&self, folder: &Path, record: &FileRecord, kind: Kind, layer: u32) -> StoredFile {
        let (folder, record, id) = (folder.to_owned(), record.clone(), self.file_id(kind));
        StoredFile { folder, record, kind, layer, id }
    }

    /// As [`Manifest::file`], for the values of a layer, by rank or as a diagram.
    pub fn values_file(&self, folder: &Path, record: &FileRecord, layer: u32) -> StoredFile {
        let kind = record.kind().filter(|&kind| kind == Kind::Ranked).unwrap_or(Kind::Values);
        self.file(folder, record, kind, layer)
    }
}

impl StoredFile {
    /// Opens the file: its length, header and identity must be as described, and if it is small, its checksum.
    pub fn open(&self) -> Result<LayerFile, StoreError> {
        let file = LayerFile::open(&self.folder.join(&self.record.name))?;
        let header = file.header();
        if header.id != self.id {
            return Err(file.damaged("the file of another solution"));
        }
        if (header.kind, header.layer) != (self.kind, self.layer) {
            return Err(file.damaged("the file of another layer"));
        }
        if (file.bytes().len() as u64, header.nodes) != (self.record.bytes, self.record.nodes) {
            return Err(file.damaged("not as long as the manifest says"));
        }
        file.check_small(&self.record)?;
        Ok(file)
    }

    /// As [`StoredFile::open`]; the checksum of a large file must fit as well.
    pub fn open_checked(&self) -> Result<LayerFile, StoreError> {
        let file = self.open()?;
        file.check_recorded(&self.record)?;
        Ok(file)
    }

    pub fn diagram(&self, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        Mapped::new(self.open()?)?.diagram(limits)
    }

    pub fn ranked(&self) -> Result<Ranked, StoreError> {
        Ranked::new(self.open()?)
    }
}
