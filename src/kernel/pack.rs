//! Writes a diagram in the packed form of [`super::packed`]. Equal functions yield equal bytes.

use super::canonical::{Entry, Numbering, children};
use super::level::Level;
use super::memory::{Buffer, Region};
use super::packed::{BLOCK, ENTRY, WIDTH};
use super::{Context, Diagram, Node};
use base::limits::LimitReached;
use std::io::{self, Write};

pub struct Packed {
    levels: u32,
    root: Node,
    nodes: u64,
    counts: Vec<u32>,
    directory: Buffer<[u32; 4]>,
    data: Region,
    filled: usize,
}

impl Diagram {
    pub fn pack(&self, context: &Context) -> Result<Packed, LimitReached> {
        let index = self.index();
        let counts: Vec<u32> = Level::all(self.levels()).rev().map(|level| index.places(level).len() as u32).collect();
        let blocks = counts.iter().map(|count| count.div_ceil(BLOCK as u32) as usize).sum::<usize>();
        // Each block has at most a byte of padding, and the writer may write a word past the end.
        let bound = 8 * self.node_count() as usize + blocks + 8;
        let mut packed = Packed {
            levels: self.levels(),
            root: self.root(),
            nodes: self.node_count(),
            counts,
            directory: Buffer::zeroed(blocks, context.limits())?,
            data: Region::reserve(bound, context.limits())?,
            filled: 0,
        };
        let mut numbering = Numbering::new(self, context)?;
        let mut next = 0;
        while let Some(level) = numbering.next_level()? {
            for block in level.chunks(BLOCK) {
                packed.directory.as_mut_slice()[next] = packed.append(block)?;
                next += 1;
            }
        }
        packed.root = numbering.id(self.root());
        Ok(packed)
    }
}

impl Packed {
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The root's canonical number, for [`Layout::new`](super::Layout::new).
    pub fn root(&self) -> u32 {
        self.root.bits()
    }

    pub fn node_count(&self) -> u64 {
        self.nodes
    }

    pub fn size(&self) -> u64 {
        (4 * self.counts.len() + ENTRY * self.directory.as_slice().len() + self.filled) as u64
    }

    pub fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        for count in &self.counts {
            output.write_all(&count.to_le_bytes())?;
        }
        for entry in self.directory.as_slice() {
            for word in entry {
                output.write_all(&word.to_le_bytes())?;
            }
        }
        // SAFETY: `append` filled this number of bytes, and nobody writes them any more.
        output.write_all(unsafe { std::slice::from_raw_parts(self.data.base(), self.filled) })
    }

    fn append(&mut self, block: &[Entry]) -> Result<[u32; 4], LimitReached> {
        let (mut least, mut most) = ([u32::MAX; 2], [0; 2]);
        for &entry in block {
            for (side, child) in children(entry).map(Node::bits).into_iter().enumerate() {
                least[side] = least[side].min(child);
                most[side] = most[side].max(child);
            }
        }
        let width = |side: usize| u32::BITS - (most[side] - least[side]).leading_zeros();
        let widths = [width(0), width(1)];
        let bytes = (block.len() * (widths[0] + widths[1]) as usize).div_ceil(8);
        self.data.ensure(self.filled + bytes + 8)?;
        // SAFETY: the region has the size that `pack` computed, and this number of bytes is usable.
        let target = unsafe { std::slice::from_raw_parts_mut(self.data.base().add(self.filled), bytes + 8) };
        let (mut at, mut bits, mut held) = (0, 0u64, 0);
        for &entry in block {
            for (side, child) in children(entry).map(Node::bits).into_iter().enumerate() {
                bits |= u64::from(child - least[side]) << held;
                held += widths[side];
                if held >= u32::BITS {
                    target[at..at + 4].copy_from_slice(&(bits as u32).to_le_bytes());
                    at += 4;
                    bits >>= u32::BITS;
                    held -= u32::BITS;
                }
            }
        }
        target[at..at + 4].copy_from_slice(&(bits as u32).to_le_bytes());
        let last = u64::from(widths[0]) | u64::from(widths[1]) << WIDTH | (self.filled as u64) << (2 * WIDTH);
        self.filled += bytes;
        Ok([least[0], least[1], last as u32, (last >> 32) as u32])
    }
}
