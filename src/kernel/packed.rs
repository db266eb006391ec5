//! Diagrams as packed little-endian bytes: nodes in canonical order (see `canonical`), in blocks of 64. Each block has
//! a frame of reference (Zukowski et al., "Super-Scalar RAM-CPU Cache Compression", ICDE 2006) for its `lo` and one for
//! its `hi` children. A node takes two to four bytes instead of eight, and can be read without its neighbours.
//!
//! There are three parts: the number of nodes of each level, from the bottom up, in 32-bit words; the directory, with
//! 16 bytes for each block, where each level starts a new block; and the data. A directory entry is `lo_base`,
//! `hi_base` (32 bits each) and a 64-bit word of `lo_width` (6 bits), `hi_width` (6 bits) and the offset in the data
//! (52 bits). Each node of a block is stored as `lo - lo_base` in `lo_width` bits, then `hi - hi_base` in `hi_width`
//! bits, least significant bit first; the block is padded to a byte. The root and the numbers of levels and nodes are
//! stored outside these bytes.
//!
//! Cost: opening reads only the numbers of nodes; reading a node takes a directory entry and a few bytes of data.

use super::diagram::MAX_LEVELS;
use super::frames::{BLOCK, ENTRY, WIDTH, number};
use super::level::Level;
use super::node::{Node, TERMINALS};
use base::limits::LimitReached;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// The bytes are damaged; the text says in what way.
    #[error("damaged diagram: {0}")]
    Damaged(&'static str),
}

/// The positions of the parts of a packed diagram. Methods get the bytes, and check what they rely on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub(super) ends: Vec<u32>,
    pub(super) blocks: Vec<u64>,
    root: Node,
    directory: usize,
    pub(super) data: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    base: [u32; 2],
    widths: [u32; 2],
    /// Offset in bytes from the start of the data.
    pub(super) offset: u64,
}

impl Layout {
    /// The layout of a diagram at the start of `bytes`. `root`: see [`Packed::root`](super::Packed::root).
    pub fn new(bytes: &[u8], levels: u32, nodes: u64, root: u32) -> Result<Layout, UnpackError> {
        if levels > MAX_LEVELS {
            return Err(UnpackError::Damaged("too many levels"));
        }
        let directory = 4 * levels as usize;
        let counts = bytes.get(..directory).ok_or(UnpackError::Damaged("cut short"))?;
        let mut ends = vec![TERMINALS; levels as usize + 1];
        let mut blocks = vec![0; levels as usize];
        let mut block = 0;
        for (level, count) in (0..levels as usize).rev().zip(counts.chunks_exact(4)) {
            let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
            ends[level] = ends[level + 1].checked_add(count).ok_or(UnpackError::Damaged("too many nodes"))?;
            blocks[level] = block;
            block += u64::from(count.div_ceil(BLOCK as u32));
        }
        if u64::from(ends[0] - TERMINALS) != nodes {
            return Err(UnpackError::Damaged("the levels have other numbers of nodes"));
        }
        // The root is the only node of the topmost level that has nodes, so it comes last.
        if (nodes == 0 && root >= TERMINALS) || (nodes > 0 && root != ends[0] - 1) {
            return Err(UnpackError::Damaged("root out of range"));
        }
        let data = directory + ENTRY * block as usize;
        if data > bytes.len() {
            return Err(UnpackError::Damaged("cut short"));
        }
        Ok(Layout { ends, blocks, root: Node::from_bits(root), directory, data })
    }

    pub fn levels(&self) -> u32 {
        self.blocks.len() as u32
    }

    pub fn root(&self) -> Node {
        self.root
    }

    pub fn node_count(&self) -> u64 {
        u64::from(self.ends[0] - TERMINALS)
    }

    pub fn node_ids(&self) -> impl ExactSizeIterator<Item = Node> + use<> {
        (0..(self.ends[0] - TERMINALS) as usize).map(Node::inner)
    }

    /// The level of a node; [`Level::end`] for a terminal and for an id that no node has.
    pub fn level(&self, node: Node) -> Level {
        if node.is_terminal() || node.bits() >= self.ends[0] {
            return Level::end(self.levels());
        }
        Level::new(self.ends.partition_point(|&end| end > node.bits()) as u32 - 1)
    }

    /// `[lo, hi]` of an inner node; each is a terminal or a node of a deeper level.
    pub fn children(&self, bytes: &[u8], node: Node) -> Result<[Node; 2], UnpackError> {
        let level = self.level(node).index();
        if level == self.blocks.len() {
            return Err(UnpackError::Damaged("not an inner node"));
        }
        let start = self.ends[level + 1];
        let number = (node.bits() - start) as usize;
        let block = self.block(bytes, self.blocks[level] + (number / BLOCK) as u64)?;
        block.node(bytes.get(self.data..).unwrap_or_default(), number % BLOCK, start)
    }

    pub(super) fn block(&self, bytes: &[u8], number: u64) -> Result<Block, UnpackError> {
        let at = self.directory + ENTRY * number as usize;
        let entry = bytes.get(at..at + ENTRY).filter(|_| at + ENTRY <= self.data);
        let entry = entry.ok_or(UnpackError::Damaged("cut short"))?;
        let word = |k: usize| u32::from_le_bytes([entry[k], entry[k + 1], entry[k + 2], entry[k + 3]]);
        let last = u64::from(word(8)) | u64::from(word(12)) << 32;
        let widths = [last, last >> WIDTH].map(|width| width as u32 & ((1 << WIDTH) - 1));
        if widths.iter().any(|&width| width > u32::BITS) {
            return Err(UnpackError::Damaged("a width out of range"));
        }
        Ok(Block { base: [word(0), word(4)], widths, offset: last >> (2 * WIDTH) })
    }
}

impl Block {
    pub(super) fn len(&self, nodes: usize) -> u64 {
        (nodes as u64 * u64::from(self.widths[0] + self.widths[1])).div_ceil(8)
    }

    /// The children of the node with the index `place` in the block. A child id of `start` or above is an error.
    #[inline]
    pub(super) fn node(&self, data: &[u8], place: usize, start: u32) -> Result<[Node; 2], UnpackError> {
        let first = place as u64 * u64::from(self.widths[0] + self.widths[1]);
        let lo = self.base[0].checked_add(self.read(data, first, self.widths[0])?);
        let hi = self.base[1].checked_add(self.read(data, first + u64::from(self.widths[0]), self.widths[1])?);
        match (lo, hi) {
            (Some(lo), Some(hi)) if lo < start && hi < start => Ok([lo, hi].map(Node::from_bits)),
            _ => Err(UnpackError::Damaged("a child that is not on a deeper level")),
        }
    }

    #[inline]
    fn read(&self, data: &[u8], first: u64, width: u32) -> Result<u32, UnpackError> {
        let read = number(data, 8 * self.offset + first, width).ok_or(UnpackError::Damaged("cut short"))?;
        Ok(read as u32)
    }
}
