//! Compresses blocks of codes, and opens and caches them.

use std::fmt;
use std::sync::Arc;
use zstd::bulk::{Compressor, Decompressor};

/// The level of Zstandard. Deflate, which more programs can read, takes about as many bytes (2 % more at its level 3)
/// but three times the time.
pub const LEVEL: i32 = 3;
/// Number of opened blocks of a layer that are kept. The successors of a position lie in few blocks.
pub const KEPT: usize = 16;

/// Writes codes to `packed`: as a Zstandard frame, or unchanged if the frame would not be shorter.
pub fn pack(codes: &[u8], compressor: &mut Compressor, packed: &mut Vec<u8>) {
    packed.clear();
    packed.resize(codes.len().saturating_sub(1), 0);
    match compressor.compress_to_buffer(codes, packed.as_mut_slice()) {
        Ok(length) => packed.truncate(length),
        Err(_) => {
            packed.clear();
            packed.extend_from_slice(codes);
        }
    }
}

/// A decompressor. It is reused, because making a decompressor takes longer than opening a block.
#[derive(Default)]
pub struct Opener(Option<Decompressor<'static>>);

impl Opener {
    /// Writes the `length` unpacked bytes of `packed` to `codes`.
    pub fn unpack(&mut self, packed: &[u8], length: usize, codes: &mut Vec<u8>) -> Result<(), &'static str> {
        codes.clear();
        if packed.len() == length {
            codes.extend_from_slice(packed);
            return Ok(());
        }
        codes.resize(length, 0);
        let opener = match self.0.take() {
            Some(opener) => Ok(opener),
            None => Decompressor::new(),
        };
        let opener = self.0.insert(opener.map_err(|_| "no memory to open a block")?);
        match opener.decompress_to_buffer(packed, codes.as_mut_slice()) {
            Ok(unpacked) if unpacked == length => Ok(()),
            _ => Err("a block that cannot be opened"),
        }
    }
}

/// The blocks that were opened last. Threads open blocks outside of this cache, side by side.
#[derive(Default)]
pub struct Blocks {
    openers: Vec<Opener>,
    /// The blocks with their decompressed codes, the most recently used first.
    kept: Vec<(u64, Arc<Vec<u8>>)>,
}

impl Blocks {
    pub fn get(&mut self, block: u64) -> Option<Arc<Vec<u8>>> {
        let place = self.kept.iter().position(|(kept, _)| *kept == block)?;
        self.kept[..=place].rotate_right(1);
        Some(Arc::clone(&self.kept[0].1))
    }

    pub fn opener(&mut self) -> Opener {
        self.openers.pop().unwrap_or_default()
    }

    /// Adds a block in place of the least recently used one. `opener` can be used again.
    pub fn keep(&mut self, block: u64, codes: &Arc<Vec<u8>>, opener: Opener) {
        self.openers.push(opener);
        if self.kept.iter().all(|(kept, _)| *kept != block) {
            self.kept.truncate(KEPT - 1);
            self.kept.insert(0, (block, Arc::clone(codes)));
        }
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_list().entries(self.kept.iter().map(|(block, _)| block)).finish()
    }
}
