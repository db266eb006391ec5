//! The stored values of a layer, either by rank or as a diagram.

use super::{Kind, LayerFile, Mapped, Ranked, StoreError};

#[derive(Debug)]
pub enum LayerValues {
    Diagram(Mapped),
    Ranked(Ranked),
}

impl LayerValues {
    pub fn new(file: LayerFile) -> Result<LayerValues, StoreError> {
        Ok(match file.header().kind {
            Kind::Ranked => LayerValues::Ranked(Ranked::new(file)?),
            _ => LayerValues::Diagram(Mapped::new(file)?),
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
