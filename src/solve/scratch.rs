//! Packed diagrams in an unnamed temporary file that vanishes with the run.

use super::SolveError;
use crate::kernel::{Context, Diagram, Layout};
use crate::limits::Limits;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// Where a diagram is.
pub struct Slot {
    offset: u64,
    bytes: u64,
    levels: u32,
    nodes: u64,
    root: u32,
}

/// The file, made when it is first needed.
#[derive(Default)]
pub struct Scratch {
    file: Option<File>,
    end: u64,
}

impl Scratch {
    /// Adds a diagram.
    pub fn push(&mut self, diagram: &Diagram, context: &Context) -> Result<Slot, SolveError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let packed = diagram.pack(context)?;
        let slot = Slot {
            offset: self.end,
            bytes: packed.size(),
            levels: packed.levels(),
            nodes: packed.node_count(),
            root: packed.root(),
        };
        file.seek(SeekFrom::Start(slot.offset))?;
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        packed.write_to(&mut writer)?;
        writer.flush()?;
        self.end += slot.bytes;
        Ok(slot)
    }

    /// Reads a diagram back.
    pub fn read(&mut self, slot: &Slot, limits: &Arc<Limits>) -> Result<Diagram, SolveError> {
        let file = self.file.as_mut().ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        file.seek(SeekFrom::Start(slot.offset))?;
        limits.reserve(slot.bytes)?;
        let mut bytes = vec![0; slot.bytes as usize];
        let diagram = file.read_exact(&mut bytes).map_err(SolveError::from).and_then(|()| {
            let layout = Layout::new(&bytes, slot.levels, slot.nodes, slot.root)?;
            Ok(Diagram::unpack(&bytes, &layout, limits)?)
        });
        drop(bytes);
        limits.release(slot.bytes);
        diagram
    }
}
