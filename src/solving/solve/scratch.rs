//! Packed diagrams in a temporary file.

use super::SolveError;
use base::limits::{LimitReached, Limits};
use base::scratch::{Scratch, ScratchFile};
use kernel::{Context, Diagram, Layout};
use std::io::{self, Write};
use std::sync::Arc;

/// Bytes written at a time.
const WRITTEN: usize = 1 << 18;

/// Where the file has a diagram, and what is needed to read it.
pub struct Slot {
    offset: u64,
    bytes: u64,
    levels: u32,
    nodes: u64,
    root: u32,
}

/// The file, created on first use.
#[derive(Default)]
pub struct Diagrams {
    file: Option<ScratchFile>,
}

struct Appender<'f>(&'f ScratchFile);

impl Write for Appender<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Diagrams {
    pub fn push(&mut self, diagram: &Diagram, context: &Context) -> Result<Slot, SolveError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(match context.scratch() {
                Some(scratch) => scratch.file()?,
                None => Scratch::new(&std::env::temp_dir(), context.limits()).file()?,
            }),
        };
        let packed = diagram.pack(context)?;
        let slot = Slot {
            offset: file.end(),
            bytes: packed.size(),
            levels: packed.levels(),
            nodes: packed.node_count(),
            root: packed.root(),
        };
        let mut writer = io::BufWriter::with_capacity(WRITTEN, Appender(file));
        let written = packed.write_to(&mut writer).and_then(|()| writer.flush());
        drop(writer);
        written.map_err(|error| LimitReached::of(error).map_or_else(SolveError::from, SolveError::from))?;
        Ok(slot)
    }

    pub fn read(&self, slot: &Slot, limits: &Arc<Limits>) -> Result<Diagram, SolveError> {
        let file = self.file.as_ref().ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        let _room = limits.hold(slot.bytes)?;
        let mut bytes = vec![0; slot.bytes as usize];
        file.read(slot.offset, &mut bytes)?;
        let layout = Layout::new(&bytes, slot.levels, slot.nodes, slot.root)?;
        Ok(Diagram::unpack(&bytes, &layout, limits)?)
    }
}
