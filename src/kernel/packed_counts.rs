//! The numbers of elements below the `lo` children of a set's nodes as packed little-endian bytes. The rank of an
//! element is the sum of these numbers over the nodes where its path goes to `hi`.
//!
//! The numbers are in the canonical order of nodes (see `canonical`), bottom level first, in blocks of 64 with a frame
//! of reference each (as in `packed`). First comes the directory, 16 bytes per block: the least number of the block (64
//! bits), and a 64-bit word of the width (6 bits) and the offset of the block in the data (58 bits). Then comes the
//! data: each number minus the least one, in `width` bits, least significant bit first; each block is padded to a byte.

use super::frames::{BLOCK, ENTRY, WIDTH, number};
use super::packed::UnpackError;

/// The layout of packed counts. Methods get the bytes, which may be damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountLayout {
    nodes: u64,
    data: u64,
}

impl CountLayout {
    /// `data`: bytes of data after the directory.
    pub fn new(nodes: u64, data: u64) -> CountLayout {
        CountLayout { nodes, data }
    }

    pub fn size(&self) -> u64 {
        self.directory().saturating_add(self.data)
    }

    fn directory(&self) -> u64 {
        self.nodes.div_ceil(BLOCK as u64).saturating_mul(ENTRY as u64)
    }

    /// The number of elements below the `lo` child of a node; `node` is its canonical number, from 0 on.
    #[inline]
    pub fn count(&self, bytes: &[u8], node: u64) -> Result<u64, UnpackError> {
        if node >= self.nodes {
            return Err(UnpackError::Damaged("not a node"));
        }
        let entry = self.entry(bytes, node / BLOCK as u64)?;
        let bit = 8 * entry.offset + (node % BLOCK as u64) * u64::from(entry.width);
        let data = usize::try_from(self.directory()).ok().and_then(|start| bytes.get(start..));
        let more = data.and_then(|data| number(data, bit, entry.width)).ok_or(UnpackError::Damaged("cut short"))?;
        entry.least.checked_add(more).ok_or(UnpackError::Damaged("a number of elements out of range"))
    }

    /// Checks that the blocks follow each other without gaps and fill the data.
    pub fn check_blocks(&self, bytes: &[u8]) -> Result<(), UnpackError> {
        let mut end = 0;
        for block in 0..self.nodes.div_ceil(BLOCK as u64) {
            let entry = self.entry(bytes, block)?;
            if entry.offset != end {
                return Err(UnpackError::Damaged("blocks that do not follow each other"));
            }
            let numbers = (self.nodes - block * BLOCK as u64).min(BLOCK as u64);
            end += (numbers * u64::from(entry.width)).div_ceil(8);
        }
        if end == self.data { Ok(()) } else { Err(UnpackError::Damaged("bytes behind the last block")) }
    }

    #[inline]
    fn entry(&self, bytes: &[u8], block: u64) -> Result<Entry, UnpackError> {
        let at = block as usize * ENTRY;
        let entry = bytes.get(at..).and_then(|rest| rest.first_chunk::<ENTRY>());
        let entry = u128::from_le_bytes(*entry.ok_or(UnpackError::Damaged("cut short"))?);
        let last = (entry >> 64) as u64;
        Ok(Entry { least: entry as u64, width: last as u32 & ((1 << WIDTH) - 1), offset: last >> WIDTH })
    }
}

struct Entry {
    least: u64,
    width: u32,
    offset: u64,
}
