//! Writes a diagram in the packed form of [`super::packed`]. Equal functions yield equal bytes.

use super::canonical::{Entry, Numbering, children};
use super::frames::{BLOCK, Frames, WIDTH};
use super::level::Level;
use super::{Context, Diagram, Node};
use base::limits::LimitReached;
use std::io::{self, Write};

/// A diagram in packed form, or the numbers of elements below its nodes (see [`Diagram::pack_counts`]).
pub struct Packed {
    pub(super) levels: u32,
    pub(super) root: Node,
    pub(super) nodes: u64,
    /// By level from the bottom up, the numbers of nodes; empty for numbers of elements.
    pub(super) counts: Vec<u32>,
    /// The number of elements in all, if numbers of elements are packed.
    pub(super) elements: u64,
    pub(super) frames: Frames,
}

impl Diagram {
    pub fn pack(&self, context: &Context) -> Result<Packed, LimitReached> {
        let index = self.index();
        let counts: Vec<u32> = Level::all(self.levels()).rev().map(|level| index.places(level).len() as u32).collect();
        let blocks = counts.iter().map(|count| count.div_ceil(BLOCK as u32) as usize).sum::<usize>();
        let nodes = self.node_count();
        let mut frames = Frames::new(blocks, 8 * nodes as usize, context.limits())?;
        let mut numbering = Numbering::new(self, context)?;
        while let Some(level) = numbering.next_level()? {
            level.chunks(BLOCK).try_for_each(|block| append(&mut frames, block))?;
        }
        Ok(Packed { levels: self.levels(), root: numbering.id(self.root()), nodes, counts, elements: 0, frames })
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

    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Bytes of the data after the directory.
    pub fn data_bytes(&self) -> u64 {
        self.frames.data_bytes() as u64
    }

    pub fn size(&self) -> u64 {
        (4 * self.counts.len() + self.frames.size()) as u64
    }

    pub fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        for count in &self.counts {
            output.write_all(&count.to_le_bytes())?;
        }
        self.frames.write_to(output)
    }
}

fn append(frames: &mut Frames, block: &[Entry]) -> Result<(), LimitReached> {
    let (mut least, mut most) = ([u32::MAX; 2], [0; 2]);
    for &entry in block {
        for (side, child) in children(entry).map(Node::bits).into_iter().enumerate() {
            least[side] = least[side].min(child);
            most[side] = most[side].max(child);
        }
    }
    let widths = [0, 1].map(|side| u32::BITS - (most[side] - least[side]).leading_zeros());
    let fields = block.iter().flat_map(|&entry| {
        let [lo, hi] = children(entry).map(Node::bits);
        [(u64::from(lo - least[0]), widths[0]), (u64::from(hi - least[1]), widths[1])]
    });
    frames.push(block.len() * (widths[0] + widths[1]) as usize, fields, |offset| {
        let last = u64::from(widths[0]) | u64::from(widths[1]) << WIDTH | offset << (2 * WIDTH);
        u128::from(least[0]) | u128::from(least[1]) << 32 | u128::from(last) << 64
    })
}
