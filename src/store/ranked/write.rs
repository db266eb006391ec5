//! Writes the values of a layer by rank, one group of blocks at a time: all threads compress blocks, which are written
//! in order. The bytes do not depend on the number of threads.

use super::blocks::{self, LEVEL};
use super::head::Head;
use crate::kernel::{Bitvector, Codes, Context, PackedCounts};
use crate::limits::{LimitReached, Limits};
use crate::store::checksum::{Summing, hex};
use crate::store::manifest::FileRecord;
use crate::store::{Checksum, Header, Kind, StoreError, atomic, layer_name};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use zstd::bulk::Compressor;

/// States of a block. Measured on two million states of a layer with three values: twice as many take 2 % fewer bytes,
/// half as many 3 % more; a random lookup takes 15, 12 and 9 µs with 2^16, 2^15 and 2^14 of them.
const BLOCK_STATES: u64 = 1 << 15;
/// Blocks of a group for each thread.
const GROUP: usize = 8;
/// Bound on the bytes that a compressor takes.
const COMPRESSOR_BYTES: u64 = 1 << 20;

/// The buffers of a thread.
struct Worker {
    compressor: Compressor<'static>,
    codes: Vec<u8>,
}

/// Writes the file of a layer's values to a folder, with the counts of the states' diagram. Neither the file nor the
/// folder is synced. `id`: see [`Manifest::file_id`](crate::store::Manifest::file_id).
pub fn write_ranked(
    folder: &Path,
    layer: u32,
    counts: &PackedCounts,
    values: &Bitvector,
    id: Checksum,
    context: &Context,
) -> Result<(FileRecord, File), StoreError> {
    assert_eq!(counts.elements(), values.states(), "one value for each state");
    let name = layer_name(layer, Kind::Ranked);
    let (levels, root, nodes) = (counts.levels(), counts.root(), counts.node_count());
    let header = Header { kind: Kind::Ranked, layer, levels, root, nodes, id: Some(id) };
    let codes = Codes::new(values);
    let head = Head {
        states: values.states(),
        block_states: BLOCK_STATES,
        count_bytes: counts.data_bytes(),
        values: codes.values().to_vec(),
    };
    let block = head.states.min(BLOCK_STATES) * u64::from(u16::BITS) / 8;
    let (threads, bytes) = threads(block, head.blocks(), context)?;
    let mut limit = None;
    let written = atomic::write(&folder.join(&name), |file| {
        let mut output = Summing::new(file);
        output.write_all(&header.to_bytes())?;
        output.write_all(&head.to_bytes())?;
        counts.write_to(&mut output)?;
        let ends = write_blocks(&codes, &head, threads, context, &mut limit, &mut output)?;
        for end in ends {
            output.write_all(&end.to_le_bytes())?;
        }
        let sum = output.sum();
        output.write_all(&sum)?;
        Ok((output.bytes(), hex(&output.sum())))
    });
    context.limits().release(bytes);
    if let Some(limit) = limit {
        return Err(LimitReached::into(limit));
    }
    written.map(|((bytes, sha256), file)| (FileRecord { name, bytes, sha256, nodes }, file))
}

/// The number of threads for which memory could be reserved, and the bytes reserved for them and the index.
fn threads(block: u64, blocks: u64, context: &Context) -> Result<(usize, u64), LimitReached> {
    let limits: &Limits = context.limits();
    let bytes = |threads: u64| threads * (COMPRESSOR_BYTES + (1 + GROUP as u64) * block) + 8 * blocks;
    let most = context.threads().min(usize::try_from(blocks).unwrap_or(usize::MAX)).max(1);
    for threads in [most, 1] {
        match limits.reserve(bytes(threads as u64)) {
            Ok(()) => return Ok((threads, bytes(threads as u64))),
            Err(limit) if threads == 1 => return Err(limit),
            Err(_) => {}
        }
    }
    Ok((1, 0))
}

/// Writes all blocks. Returns the position of the end of each. If a limit is reached, it is put into `limit`.
fn write_blocks(
    codes: &Codes,
    head: &Head,
    threads: usize,
    context: &Context,
    limit: &mut Option<LimitReached>,
    output: &mut impl Write,
) -> io::Result<Vec<u64>> {
    let worker = |_| Ok(Worker { compressor: Compressor::new(LEVEL)?, codes: Vec::new() });
    let mut workers = (0..threads).map(worker).collect::<io::Result<Vec<_>>>()?;
    let group: Vec<Mutex<Vec<u8>>> = (0..threads * GROUP).map(|_| Mutex::default()).collect();
    let (mut ends, mut end) = (Vec::with_capacity(head.blocks() as usize), 0);
    for first in (0..head.blocks()).step_by(group.len()) {
        if let Err(reached) = context.limits().check() {
            *limit = Some(reached);
            return Err(io::ErrorKind::Interrupted.into());
        }
        let group = &group[..group.len().min((head.blocks() - first) as usize)];
        context.share(group, &mut workers, |number, packed, worker| {
            let block = first + number as u64;
            codes.write(block * head.block_states, head.states_of(block), &mut worker.codes);
            let mut packed = packed.lock().unwrap_or_else(PoisonError::into_inner);
            blocks::pack(&worker.codes, &mut worker.compressor, &mut packed);
        });
        for packed in group {
            let packed = packed.lock().unwrap_or_else(PoisonError::into_inner);
            output.write_all(&packed)?;
            end += packed.len() as u64;
            ends.push(end);
        }
    }
    Ok(ends)
}
