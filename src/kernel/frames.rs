//! Blocks of numbers with a frame of reference each: a directory with an entry for each block, then the data. The
//! numbers of a block are stored one after the other, least significant bit first, and padded to a byte.

use super::memory::{Buffer, Region};
use base::limits::{LimitReached, Limits};
use std::io::{self, Write};
use std::sync::Arc;

/// Nodes of a block.
pub(super) const BLOCK: usize = 64;
/// Bytes of an entry of the directory.
pub(super) const ENTRY: usize = 16;
/// Bits of a width in an entry.
pub(super) const WIDTH: u32 = 6;

pub(super) struct Frames {
    directory: Buffer<u128>,
    data: Region,
    filled: usize,
    blocks: usize,
}

impl Frames {
    /// `bytes`: bound on the bytes of all numbers.
    pub(super) fn new(blocks: usize, bytes: usize, limits: &Arc<Limits>) -> Result<Frames, LimitReached> {
        let directory = Buffer::zeroed(blocks, limits)?;
        // Each block has at most a byte of padding, and the writer may write a word past the end.
        let data = Region::reserve(bytes + blocks + 16, limits)?;
        Ok(Frames { directory, data, filled: 0, blocks: 0 })
    }

    /// Adds a block of `bits` bits. `fields`: its numbers, each with its width, at most 63. `entry`: the entry of the
    /// block by the offset of its data.
    #[inline]
    pub(super) fn push(
        &mut self,
        bits: usize,
        fields: impl Iterator<Item = (u64, u32)>,
        entry: impl FnOnce(u64) -> u128,
    ) -> Result<(), LimitReached> {
        let bytes = bits.div_ceil(8);
        self.data.ensure(self.filled + bytes + 8)?;
        // SAFETY: this number of bytes is usable.
        let target = unsafe { std::slice::from_raw_parts_mut(self.data.base().add(self.filled), bytes + 8) };
        let (mut at, mut word, mut held) = (0, 0u128, 0);
        for (number, width) in fields {
            word |= u128::from(number) << held;
            held += width;
            if held >= u64::BITS {
                target[at..at + 8].copy_from_slice(&(word as u64).to_le_bytes());
                at += 8;
                word >>= u64::BITS;
                held -= u64::BITS;
            }
        }
        target[at..at + 8].copy_from_slice(&(word as u64).to_le_bytes());
        self.directory.as_mut_slice()[self.blocks] = entry(self.filled as u64);
        self.blocks += 1;
        self.filled += bytes;
        Ok(())
    }

    pub(super) fn data_bytes(&self) -> usize {
        self.filled
    }

    pub(super) fn size(&self) -> usize {
        ENTRY * self.directory.as_slice().len() + self.filled
    }

    pub(super) fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        for entry in self.directory.as_slice() {
            output.write_all(&entry.to_le_bytes())?;
        }
        // SAFETY: `push` filled this number of bytes, and nobody writes them any more.
        output.write_all(unsafe { std::slice::from_raw_parts(self.data.base(), self.filled) })
    }
}

/// The number of at most 63 bits from bit `bit` of the data on; `None` if the data ends before.
#[inline]
pub(super) fn number(data: &[u8], bit: u64, width: u32) -> Option<u64> {
    let (at, shift, mask) = ((bit / 8) as usize, (bit % 8) as u32, (1 << width) - 1);
    let rest = data.get(at..)?;
    if let Some(word) = rest.first_chunk::<8>()
        && shift + width <= u64::BITS
    {
        return Some(u64::from_le_bytes(*word) >> shift & mask);
    }
    let mut word = [0; 16];
    let length = rest.len().min(word.len());
    if length < (shift + width).div_ceil(8) as usize {
        return None;
    }
    word[..length].copy_from_slice(&rest[..length]);
    Some((u128::from_le_bytes(word) >> shift) as u64 & mask)
}
