//! The stored values of a layer, either by rank or as a diagram.

use super::manifest::FileRecord;
use super::{Checksum, Kind, LayerFile, Mapped, Ranked, StoreError};
use std::path::Path;

#[derive(Debug)]
pub enum LayerValues {
    Diagram(Mapped),
    Ranked(Ranked),
}

impl LayerValues {
    /// See [`LayerFile::open_recorded`].
    pub fn open_recorded(
        folder: &Path,
        record: &FileRecord,
        layer: u32,
        id: Option<Checksum>,
    ) -> Result<LayerValues, StoreError> {
        Ok(match record.kind() {
            Some(Kind::Ranked) => LayerValues::Ranked(Ranked::open_recorded(folder, record, layer, id)?),
            _ => LayerValues::Diagram(Mapped::open_recorded(folder, record, Kind::Values, layer, id)?),
        })
    }

    pub fn file(&self) -> &LayerFile {
        match self {
            LayerValues::Diagram(diagram) => diagram.file(),
            LayerValues::Ranked(ranked) => ranked.file(),
        }
    }

    /// The value id of a state (one value per level); `None` if the layer, whose states are `states`, lacks it.
    pub fn value_of(&self, states: &Mapped, assignment: &[bool]) -> Result<Option<u32>, StoreError> {
        match self {
            LayerValues::Diagram(diagram) if states.contains(assignment)? => diagram.value_at(assignment).map(Some),
            LayerValues::Diagram(_) => Ok(None),
            LayerValues::Ranked(ranked) => match ranked.rank(states, assignment)? {
                Some(rank) => ranked.value(rank).map(Some),
                None => Ok(None),
            },
        }
    }
}
