//! The layers between the forward and the backward pass: in memory while they fit a share of it, else in an unnamed
//! temporary file that vanishes with the run.

use super::SolveError;
use crate::kernel::{Context, Diagram, Layout};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

enum Place {
    Memory(Diagram),
    File(Packed),
    Taken,
}

/// A packed diagram in the file.
struct Packed {
    offset: u64,
    bytes: u64,
    levels: u32,
    nodes: u64,
    root: u32,
}

/// Diagrams by layer.
pub struct Spool<'a> {
    places: Vec<Place>,
    /// Bytes of nodes that may stay in memory.
    share: u64,
    held: u64,
    /// The first layer that may still be in memory.
    oldest: usize,
    file: Option<File>,
    end: u64,
    context: &'a Context,
}

impl<'a> Spool<'a> {
    /// Keeps at most `share` bytes of nodes in memory.
    pub fn new(share: u64, context: &'a Context) -> Self {
        Spool { places: Vec::new(), share, held: 0, oldest: 0, file: None, end: 0, context }
    }

    /// Number of layers pushed.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds the next layer; older ones move to the file where memory is short.
    pub fn push(&mut self, layer: Diagram) -> Result<(), SolveError> {
        self.held += bytes(&layer);
        self.places.push(Place::Memory(layer));
        while self.held > self.share && self.oldest < self.places.len() {
            if let Place::Memory(layer) = &self.places[self.oldest] {
                let (size, offset) = (bytes(layer), self.end);
                let file = match &mut self.file {
                    Some(file) => file,
                    none => none.insert(tempfile::tempfile()?),
                };
                let packed = layer.pack(self.context)?;
                file.seek(SeekFrom::Start(offset))?;
                let mut writer = BufWriter::with_capacity(1 << 18, file);
                packed.write_to(&mut writer)?;
                writer.flush()?;
                self.end += packed.size();
                self.places[self.oldest] = Place::File(Packed {
                    offset,
                    bytes: packed.size(),
                    levels: packed.levels(),
                    nodes: packed.node_count(),
                    root: packed.root(),
                });
                self.held -= size;
            }
            self.oldest += 1;
        }
        Ok(())
    }

    /// Gives a layer back; once.
    pub fn take(&mut self, layer: usize) -> Result<Diagram, SolveError> {
        match std::mem::replace(&mut self.places[layer], Place::Taken) {
            Place::Memory(diagram) => {
                self.held -= bytes(&diagram);
                Ok(diagram)
            }
            Place::File(packed) => {
                let file = self.file.as_mut().ok_or(io::Error::from(io::ErrorKind::NotFound))?;
                file.seek(SeekFrom::Start(packed.offset))?;
                let limits = self.context.limits();
                limits.reserve(packed.bytes)?;
                let mut bytes = vec![0; packed.bytes as usize];
                let layer = file.read_exact(&mut bytes).map_err(SolveError::from).and_then(|()| {
                    let layout = Layout::new(&bytes, packed.levels, packed.nodes, packed.root)?;
                    Ok(Diagram::unpack(&bytes, &layout, limits)?)
                });
                drop(bytes);
                limits.release(packed.bytes);
                layer
            }
            Place::Taken => Err(io::Error::from(io::ErrorKind::NotFound).into()),
        }
    }
}

fn bytes(layer: &Diagram) -> u64 {
    8 * layer.node_count()
}
