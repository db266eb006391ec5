//! The layers between the forward and the backward pass: in memory while they fit a share of it, else in an unnamed
//! temporary file that vanishes with the run.

use super::SolveError;
use crate::kernel::Diagram;
use crate::limits::Limits;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

enum Place {
    Memory(Diagram),
    /// Offset in the file.
    File(u64),
    Taken,
}

/// Diagrams by layer.
pub struct Spool {
    places: Vec<Place>,
    /// Bytes of nodes that may stay in memory.
    share: u64,
    held: u64,
    /// The first layer that may still be in memory.
    oldest: usize,
    file: Option<File>,
    end: u64,
    limits: Arc<Limits>,
}

impl Spool {
    /// Keeps at most `share` bytes of nodes in memory.
    pub fn new(share: u64, limits: Arc<Limits>) -> Self {
        Spool { places: Vec::new(), share, held: 0, oldest: 0, file: None, end: 0, limits }
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
                file.seek(SeekFrom::Start(offset))?;
                let mut writer = BufWriter::with_capacity(1 << 20, &mut *file);
                layer.write_to(&mut writer, &self.limits)?;
                writer.flush()?;
                drop(writer);
                self.end = file.stream_position()?;
                self.places[self.oldest] = Place::File(offset);
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
            Place::File(offset) => {
                let file = self.file.as_mut().ok_or(io::Error::from(io::ErrorKind::NotFound))?;
                file.seek(SeekFrom::Start(offset))?;
                Ok(Diagram::read_from(&mut BufReader::with_capacity(1 << 20, file), &self.limits)?)
            }
            Place::Taken => Err(io::Error::from(io::ErrorKind::NotFound).into()),
        }
    }
}

fn bytes(layer: &Diagram) -> u64 {
    8 * layer.node_count()
}
