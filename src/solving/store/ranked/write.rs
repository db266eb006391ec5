//! Writes the values of a layer by rank, one group of blocks at a time. All threads compress blocks, which are written
//! in order. The bytes do not depend on the number of threads or on the source of the blocks.

use super::blocks::{self, LEVEL};
use super::head::Head;
use crate::store::checksum::{PartialSum, Summing};
use crate::store::file::write_file;
use crate::store::manifest::FileRecord;
use crate::store::{Checksum, Header, Kind, StoreError, atomic, layer_name};
use base::limits::{LimitReached, Reserved};
use base::scratch::Space;
use kernel::{Codes, Context, Packed, code_bits};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use zstd::bulk::Compressor;

/// Measured on two million states of a layer with three values: blocks twice as large take 2 % fewer bytes, blocks half
/// as large 3 % more; a random lookup takes 15, 12 and 9 µs with 2^16, 2^15 and 2^14 states.
pub const BLOCK_STATES: u64 = 1 << 15;
/// Number of blocks of a group per thread.
const GROUP: usize = 8;
/// Bound on the bytes that a compressor takes.
const COMPRESSOR_BYTES: u64 = 1 << 20;

pub type Take<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// The values of a layer's states as blocks of [`BLOCK_STATES`] codes, from any source.
pub trait RankedBlocks {
    fn states(&self) -> u64;

    /// The value of each code, in the first mover's order; every value occurs.
    fn values(&self) -> Vec<u32>;

    /// Writes the packed blocks of all states in order, or has other processes write them.
    fn write(&mut self, context: &Context, file: &mut BlockFile) -> io::Result<()>;
}

pub struct BlockFile<'a, 's> {
    path: PathBuf,
    output: Summing<&'a mut atomic::Output<'s>>,
    /// The end of each block, in bytes from the start of the first block.
    ends: Vec<u64>,
}

impl BlockFile<'_, '_> {
    /// The name of the file while it is incomplete.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn position(&self) -> u64 {
        self.output.bytes()
    }

    pub fn sum(&self) -> &PartialSum {
        self.output.so_far()
    }

    pub fn append(&mut self, block: &[u8]) -> io::Result<()> {
        self.advance(block.len() as u64);
        self.output.write_all(block)
    }

    /// Skips the next blocks, which [`Insert`] writes. `lengths`: their lengths; `sum`: the checksum to their end.
    pub fn pass(&mut self, lengths: &[u32], sum: PartialSum) -> io::Result<()> {
        lengths.iter().for_each(|length| self.advance(u64::from(*length)));
        self.output.skip(lengths.iter().map(|length| u64::from(*length)).sum(), sum)
    }

    fn advance(&mut self, length: u64) {
        self.ends.push(self.ends.last().unwrap_or(&0) + length);
    }
}

/// Writes blocks into a [`BlockFile`] that is incomplete, perhaps in another process. It never reads the file, because
/// two machines may each write a part of the same page.
pub struct Insert {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Insert {
    pub const BYTES: usize = 1 << 20;

    pub fn open(path: &Path) -> Result<Insert, StoreError> {
        let file = OpenOptions::new().write(true).open(path).map_err(|error| StoreError::io(path, &error))?;
        Ok(Insert { path: path.to_owned(), file: BufWriter::with_capacity(Insert::BYTES, file) })
    }

    pub fn go_to(&mut self, position: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(position)).map(drop)
    }

    pub fn append(&mut self, block: &[u8]) -> io::Result<()> {
        self.file.write_all(block)
    }

    /// On return the blocks are durable.
    pub fn finish(self) -> Result<(), StoreError> {
        let file = self.file.into_inner().map_err(|failed| StoreError::io(&self.path, failed.error()))?;
        atomic::sync(&self.path, &file)
    }
}

impl RankedBlocks for Codes<'_> {
    fn states(&self) -> u64 {
        Codes::states(self)
    }

    fn values(&self) -> Vec<u32> {
        Codes::values(self).to_vec()
    }

    fn write(&mut self, context: &Context, file: &mut BlockFile) -> io::Result<()> {
        pack(self, context, &mut |block| file.append(block))
    }
}

/// Values in memory, by rank. The values are the numbers from 1 on, without gaps.
pub struct Numbered<'a> {
    pub count: u32,
    /// By rank, the value minus 1.
    pub codes: &'a [u32],
}

impl RankedBlocks for Numbered<'_> {
    fn states(&self) -> u64 {
        self.codes.len() as u64
    }

    fn values(&self) -> Vec<u32> {
        (1..=self.count).collect()
    }

    fn write(&mut self, context: &Context, file: &mut BlockFile) -> io::Result<()> {
        let bits = code_bits(self.count as usize) as usize;
        let write = |first: u64, states: u64, output: &mut Vec<u8>| {
            output.clear();
            output.resize((states as usize * bits).div_ceil(8) + size_of::<u64>(), 0);
            for (place, &code) in self.codes[first as usize..][..states as usize].iter().enumerate() {
                let (byte, shift) = (place * bits / 8, place * bits % 8);
                let word = u64::from(code) << shift;
                output[byte..].iter_mut().zip(word.to_le_bytes()).for_each(|(byte, more)| *byte |= more);
            }
            output.truncate((states as usize * bits).div_ceil(8));
        };
        let bytes = size_of::<u32>() as u64;
        pack_codes(self.states(), bytes, &write, context, &mut |block| file.append(block))
    }
}

struct Worker {
    compressor: Compressor<'static>,
    codes: Vec<u8>,
}

/// Writes the file of a layer's values to a folder, with the counts of the states' diagram. Neither the file nor the
/// folder is synced. `id`: see [`Manifest::file_id`](crate::store::Manifest::file_id).
pub fn write_ranked(
    folder: &Path,
    space: &Space,
    layer: u32,
    counts: &Packed,
    values: &mut dyn RankedBlocks,
    id: Checksum,
    context: &Context,
) -> Result<(FileRecord, File), StoreError> {
    assert_eq!(counts.elements(), values.states(), "one value for each state");
    let name = layer_name(layer, Kind::Ranked);
    let (levels, root, nodes) = (counts.levels(), counts.root(), counts.node_count());
    let header = Header { kind: Kind::Ranked, layer, levels, root, nodes, id: Some(id) };
    let head = Head {
        states: values.states(),
        block_states: BLOCK_STATES,
        count_bytes: counts.data_bytes(),
        values: values.values(),
    };
    let _room = context.limits().hold(8 * head.blocks())?;
    let path = folder.join(&name);
    write_file(folder, space, name, header, |mut output| {
        output.write_all(&head.to_bytes())?;
        counts.write_to(&mut output)?;
        let ends = Vec::with_capacity(head.blocks() as usize);
        let mut file = BlockFile { path: atomic::temporary(&path), output, ends };
        values.write(context, &mut file)?;
        let BlockFile { mut output, ends, .. } = file;
        assert_eq!(ends.len() as u64, head.blocks(), "all blocks");
        for end in ends {
            output.write_all(&end.to_le_bytes())?;
        }
        Ok(output)
    })
}

/// The number of threads for which memory could be reserved, and the reserved bytes.
fn threads(block: u64, blocks: u64, context: &Context) -> Result<(usize, Reserved<'_>), LimitReached> {
    let hold = |threads: usize| {
        let held = context.limits().hold(threads as u64 * (COMPRESSOR_BYTES + (1 + GROUP as u64) * block));
        held.map(|held| (threads, held))
    };
    let most = context.threads().min(usize::try_from(blocks).unwrap_or(usize::MAX)).max(1);
    hold(most).or_else(|_| hold(1))
}

/// Packs the codes of all states into blocks, and passes these to `take` in order.
pub fn pack(codes: &Codes, context: &Context, take: Take) -> io::Result<()> {
    let write = |first, states, output: &mut Vec<u8>| codes.write(first, states, output);
    pack_codes(codes.states(), u64::from(u16::BITS) / 8, &write, context, take)
}

/// Writes the codes of some states. Arguments: first rank, number of states, output.
type WriteCodes<'a> = &'a (dyn Fn(u64, u64, &mut Vec<u8>) + Sync);

/// As [`pack`], for codes that `write` gives. `bytes`: bound on the bytes of a code.
fn pack_codes(states: u64, bytes: u64, write: WriteCodes, context: &Context, take: Take) -> io::Result<()> {
    let blocks = states.div_ceil(BLOCK_STATES);
    let (threads, _held) = threads(states.min(BLOCK_STATES) * bytes, blocks, context)?;
    let worker = |_| Ok(Worker { compressor: Compressor::new(LEVEL)?, codes: Vec::new() });
    let mut workers = (0..threads).map(worker).collect::<io::Result<Vec<_>>>()?;
    let group: Vec<Mutex<Vec<u8>>> = (0..threads * GROUP).map(|_| Mutex::default()).collect();
    for first in (0..blocks).step_by(group.len()) {
        context.limits().check()?;
        let group = &group[..group.len().min((blocks - first) as usize)];
        context.share(group, &mut workers, |number, packed, worker| {
            let start = (first + number as u64) * BLOCK_STATES;
            write(start, (states - start).min(BLOCK_STATES), &mut worker.codes);
            let mut packed = packed.lock().unwrap_or_else(PoisonError::into_inner);
            blocks::pack(&worker.codes, &mut worker.compressor, &mut packed);
        });
        for packed in group {
            take(&packed.lock().unwrap_or_else(PoisonError::into_inner))?;
        }
    }
    Ok(())
}
