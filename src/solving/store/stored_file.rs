//! The location and header of a layer's file, for another process that reads it.

use super::manifest::FileRecord;
use super::{Checksum, Kind, Mapped, Ranked, StoreError};
use base::limits::Limits;
use kernel::Diagram;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// A layer's file for another process, which need not compare its checksum: the sender has written or checked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    pub(super) folder: String,
    pub(super) record: FileRecord,
    pub kind: Kind,
    pub(super) layer: u32,
    pub(super) id: Option<Checksum>,
}

impl StoredFile {
    pub fn diagram(&self, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        Mapped::open_recorded(Path::new(&self.folder), &self.record, self.kind, self.layer, self.id)?.diagram(limits)
    }

    pub fn ranked(&self) -> Result<Ranked, StoreError> {
        Ranked::open_recorded(Path::new(&self.folder), &self.record, self.layer, self.id)
    }
}
