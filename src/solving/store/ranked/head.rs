//! The fields of a file of values by rank that lie between its header and the counts.

use kernel::{MOST_RANKED, code_bits};

/// Bound on the number of values of a layer, and on their ids. The manifest bounds the ids of rewards further.
const MOST_VALUES: u32 = 1 << 31;
/// Bytes before the value ids.
const FIXED: usize = 24;
/// The states of a block, as powers of two. Larger blocks would be slow to open and need much memory.
const BLOCKS: std::ops::RangeInclusive<u32> = 6..=24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub states: u64,
    /// Number of states of a block: a power of two from 64 on.
    pub block_states: u64,
    pub count_bytes: u64,
    pub values: Vec<u32>,
}

impl Head {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED + 4 * self.values.len());
        bytes.extend(self.states.to_le_bytes());
        bytes.extend((self.values.len() as u32).to_le_bytes());
        bytes.extend(self.block_states.trailing_zeros().to_le_bytes());
        bytes.extend(self.count_bytes.to_le_bytes());
        self.values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes
    }

    /// Reads a head. Returns it and its length.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Head, usize), &'static str> {
        let fixed = bytes.first_chunk::<FIXED>().ok_or("cut short")?;
        let word = |k: usize| u32::from_le_bytes([fixed[k], fixed[k + 1], fixed[k + 2], fixed[k + 3]]);
        let long = |k: usize| u64::from(word(k)) | u64::from(word(k + 4)) << 32;
        let (states, number, block, count_bytes) = (long(0), word(8), word(12), long(16));
        if states > MOST_RANKED || !BLOCKS.contains(&block) {
            return Err("too many states");
        }
        if number > MOST_VALUES || (number == 0) != (states == 0) {
            return Err("a number of values out of range");
        }
        let length = FIXED + 4 * number as usize;
        let ids = bytes.get(FIXED..length).ok_or("cut short")?;
        let values: Vec<u32> = ids.chunks_exact(4).map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]])).collect();
        if values.iter().any(|value| !(1..=MOST_VALUES).contains(value)) {
            return Err("a value out of range");
        }
        Ok((Head { states, block_states: 1 << block, count_bytes, values }, length))
    }

    pub fn blocks(&self) -> u64 {
        self.states.div_ceil(self.block_states)
    }

    pub fn states_of(&self, block: u64) -> u64 {
        (self.states - block * self.block_states).min(self.block_states)
    }

    /// Bytes of the codes of a block, which must exist.
    pub fn block_bytes(&self, block: u64) -> usize {
        (self.states_of(block) * u64::from(code_bits(self.values.len()))).div_ceil(8) as usize
    }
}
