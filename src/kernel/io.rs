//! A diagram as a block of bytes: little-endian, in canonical order, without magic or checksum (its container has
//! those): number of levels and root (u32 each), nodes per level from the bottom (u32 each), nodes (two u32 each).
//!
//! Cost: writing renumbers canonically (see `canonical`); reading is one pass that checks everything the sweeps
//! rely on, so damaged bytes are an error and never a wrong memory access.

use super::canonical::renumber;
use super::diagram::{MAX_LEVELS, Nodes};
use super::memory::Region;
use super::{Diagram, TERMINALS};
use crate::limits::{LimitReached, Limits};
use std::io::{Error, ErrorKind, Read, Write};
use std::sync::Arc;

/// Why a diagram could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    #[error(transparent)]
    Io(#[from] Error),
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// The bytes are no diagram; what is wrong with them.
    #[error("damaged diagram: {0}")]
    Damaged(&'static str),
}

/// Nodes converted at a time.
const CHUNK: usize = 4096;

impl Diagram {
    /// Writes the block described at the module; the same bytes for the same function. Takes 8 bytes a node
    /// meanwhile.
    pub fn write_to(&self, output: &mut impl Write, limits: &Arc<Limits>) -> Result<(), BlockError> {
        let numbering = renumber(self, limits)?;
        output.write_all(&self.levels().to_le_bytes())?;
        output.write_all(&numbering.id(self.root()).to_le_bytes())?;
        for level in (0..self.levels()).rev() {
            output.write_all(&(self.index().end(level) - self.index().start(level)).to_le_bytes())?;
        }
        let mut bytes = Vec::with_capacity(8 * CHUNK);
        for chunk in numbering.old.as_slice()[..self.node_count() as usize].chunks(CHUNK) {
            bytes.clear();
            for &old in chunk {
                for child in self.nodes()[old as usize] {
                    bytes.extend_from_slice(&numbering.id(child).to_le_bytes());
                }
            }
            output.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Reads a block written by [`Diagram::write_to`].
    pub fn read_from(input: &mut impl Read, limits: &Arc<Limits>) -> Result<Diagram, BlockError> {
        let [levels, root] = [word(input)?, word(input)?];
        if levels > MAX_LEVELS {
            return Err(BlockError::Damaged("too many levels"));
        }
        let mut ends = vec![TERMINALS; levels as usize + 1];
        for level in (0..levels as usize).rev() {
            let nodes = word(input)?;
            ends[level] = ends[level + 1].checked_add(nodes).ok_or(BlockError::Damaged("too many nodes"))?;
        }
        if root >= ends[0] || (root < TERMINALS && ends[0] > TERMINALS) {
            return Err(BlockError::Damaged("root out of range"));
        }
        let count = (ends[0] - TERMINALS) as usize;
        let mut region = Region::reserve(8 * count, limits)?;
        let mut bytes = vec![0; 8 * CHUNK];
        let mut done = 0;
        while done < count {
            let now = CHUNK.min(count - done);
            input.read_exact(&mut bytes[..8 * now])?;
            region.ensure(8 * (done + now))?;
            // SAFETY: the region holds `done + now` nodes, and a node is two words without padding; on a
            // big-endian machine the words are swapped below.
            let target = unsafe { std::slice::from_raw_parts_mut(region.base().cast::<[u32; 2]>().add(done), now) };
            for (node, source) in target.iter_mut().zip(bytes.chunks_exact(8)) {
                let word = |k: usize| u32::from_le_bytes([source[k], source[k + 1], source[k + 2], source[k + 3]]);
                *node = [word(0), word(4)];
            }
            done += now;
        }
        region.shrink(8 * count);
        let nodes = Nodes::Region(region);
        check(&nodes, &ends, count, root)?;
        // SAFETY: `check` established what `from_parts` asks for.
        Ok(unsafe { Diagram::from_parts(nodes, ends, root) })
    }
}

fn word(input: &mut impl Read) -> Result<u32, Error> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Children on deeper levels, and every node mentioned, the canonical way: each mention is of a node mentioned
/// before or of the next one of its level.
fn check(nodes: &Nodes, ends: &[u32], count: usize, root: u32) -> Result<(), BlockError> {
    let nodes: &[[u32; 2]] = match nodes {
        // SAFETY: the caller filled `count` nodes.
        Nodes::Region(region) => unsafe { std::slice::from_raw_parts(region.base().cast(), count) },
        Nodes::Vector(vector) => vector,
    };
    let levels = ends.len() - 1;
    let mut seen: Vec<u32> = ends[1..].to_vec();
    let level_of = |id: u32| ends.partition_point(|&end| end > id) - 1;
    let mut mention = |id: u32, above: usize| -> Result<(), BlockError> {
        if id < TERMINALS {
            return Ok(());
        }
        if id >= ends[above] {
            return Err(BlockError::Damaged("a child on a level above"));
        }
        let level = level_of(id);
        if id > seen[level] {
            return Err(BlockError::Damaged("nodes out of order"));
        }
        seen[level] += u32::from(id == seen[level]);
        Ok(())
    };
    mention(root, 0)?;
    for level in 0..levels {
        for id in ends[level + 1]..ends[level] {
            for child in nodes[(id - TERMINALS) as usize] {
                mention(child, level + 1)?;
            }
        }
    }
    if seen.iter().zip(ends).any(|(seen, end)| seen != end) {
        return Err(BlockError::Damaged("nodes that nothing mentions"));
    }
    Ok(())
}

impl From<BlockError> for Error {
    fn from(error: BlockError) -> Error {
        match error {
            BlockError::Io(error) => error,
            BlockError::Limit(limit) => Error::new(ErrorKind::OutOfMemory, limit),
            BlockError::Damaged(what) => Error::new(ErrorKind::InvalidData, what),
        }
    }
}
