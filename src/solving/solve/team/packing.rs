//! The blocks of the values of one process. Blocks are packed to find their lengths, written to their positions in the
//! file of the layer, and added to the checksum. Blocks that fit into memory are packed once, others each time they are
//! needed.

use crate::store::{Insert, PartialSum, Take, pack};
use base::limits::Account;
use kernel::{Bitvector, Codes, Context};
use std::io;
use std::path::Path;

/// Bytes that packed blocks leave free, for writing a file while other blocks are packed.
const SPARE: u64 = Insert::BYTES as u64;

/// The values of consecutive ranks, packed if memory sufficed.
enum Blocks {
    Packed(Vec<u8>, #[expect(dead_code, reason = "holds the memory")] Account),
    Waiting(Bitvector),
}

struct Part {
    lengths: Vec<u32>,
    blocks: Blocks,
}

pub struct Packing {
    ranges: Vec<Vec<Part>>,
    values: Vec<u32>,
    /// The memory of the lengths of all blocks.
    account: Account,
}

impl Packing {
    /// Packs the values of ranges. `values`: the values that occur in the layer.
    pub fn new(ranges: Vec<Vec<Bitvector>>, values: &[u32], context: &Context) -> io::Result<Packing> {
        let mut packing =
            Packing { ranges: Vec::new(), values: values.to_vec(), account: Account::new(context.limits()) };
        let mut keep = true;
        for parts in ranges {
            let mut packed = Vec::with_capacity(parts.len());
            for part in parts {
                packed.push(packing.pack(part, &mut keep, context)?);
            }
            packing.ranges.push(packed);
        }
        Ok(packing)
    }

    /// Packs a part. `keep`: memory sufficed for all packed blocks so far.
    fn pack(&mut self, values: Bitvector, keep: &mut bool, context: &Context) -> io::Result<Part> {
        let (mut bytes, mut account, mut lengths) = (Vec::new(), Account::new(context.limits()), Vec::new());
        let mut size = 0;
        pack(&Codes::of(&values, &self.values), context, &mut |block: &[u8]| {
            lengths.push(u32::try_from(block.len()).expect("a block is bounded"));
            size += block.len() as u64;
            // A growing vector takes up to twice the bytes, and temporarily also the old ones.
            *keep = *keep && account.grow_to(3 * size + SPARE).is_ok();
            if *keep {
                bytes.extend_from_slice(block);
            } else if !bytes.is_empty() {
                bytes = Vec::new();
                account.shrink_to(0);
            }
            Ok(())
        })?;
        // For a while, a growing vector is held twice.
        self.account.add(8 * lengths.len() as u64)?;
        if !*keep {
            return Ok(Part { lengths, blocks: Blocks::Waiting(values) });
        }
        bytes.shrink_to_fit();
        account.shrink_to(bytes.len() as u64);
        Ok(Part { lengths, blocks: Blocks::Packed(bytes, account) })
    }

    /// Bytes of the blocks of each range.
    pub fn sizes(&self) -> Vec<u64> {
        self.ranges.iter().map(|parts| lengths(parts).map(u64::from).sum()).collect()
    }

    /// Writes the blocks of all ranges to a file. `positions`: the position of each range in the file.
    pub fn write(&self, file: &Path, positions: &[u64], context: &Context) -> io::Result<()> {
        let _room = context.limits().hold(Insert::BYTES as u64)?;
        let mut output = Insert::open(file).map_err(io::Error::other)?;
        for (parts, position) in self.ranges.iter().zip(positions) {
            output.go_to(*position)?;
            self.each(parts, context, &mut |block| output.append(block))?;
        }
        output.finish().map_err(io::Error::other)
    }

    /// Adds the blocks of a range to a checksum. Returns the length of each block.
    pub fn sum(&self, range: usize, sum: &mut PartialSum, context: &Context) -> io::Result<Vec<u32>> {
        let parts = &self.ranges[range];
        self.each(parts, context, &mut |block| {
            sum.add(block);
            Ok(())
        })?;
        Ok(lengths(parts).collect())
    }

    fn each(&self, parts: &[Part], context: &Context, take: Take) -> io::Result<()> {
        for Part { lengths, blocks } in parts {
            match blocks {
                Blocks::Waiting(values) => pack(&Codes::of(values, &self.values), context, &mut *take)?,
                Blocks::Packed(bytes, _) => {
                    let mut rest = &bytes[..];
                    for length in lengths {
                        let (block, after) = rest.split_at(*length as usize);
                        take(block)?;
                        rest = after;
                    }
                }
            }
        }
        Ok(())
    }
}

fn lengths(parts: &[Part]) -> impl Iterator<Item = u32> + '_ {
    parts.iter().flat_map(|part| part.lengths.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::BLOCK_STATES;
    use base::limits::{LimitReached, Limits};
    use std::sync::Arc;

    /// Values that can hardly be compressed.
    fn values(states: u64, seed: u64, limits: &Arc<Limits>) -> Bitvector {
        let code = |state: u64| ((state + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % 3;
        Bitvector::from_fn(states, vec![1, 2, 3], code, limits).unwrap()
    }

    /// A range of several parts, one of a single part, and one without any.
    fn ranges(limits: &Arc<Limits>) -> Vec<Vec<Bitvector>> {
        let part = |blocks: u64, more: u64| values(blocks * BLOCK_STATES + more, blocks, limits);
        vec![vec![part(3, 0), part(2, 0), part(1, 0)], vec![], vec![part(4, 5)]]
    }

    #[test]
    fn blocks_are_written_and_summed_the_same_with_little_memory() {
        let scene = tempfile::tempdir().unwrap();
        // Memory to pack on one thread, and to leave free.
        let least = (1 << 20) + 9 * 2 * BLOCK_STATES + SPARE;
        let mut found: Vec<(usize, Vec<u8>, Vec<Vec<u32>>)> = Vec::new();
        // The memory suffices for all parts, for three, and for none; a part takes three times its bytes while it is
        // packed.
        for blocks in [u64::MAX, 11, 1] {
            let room = match found.first() {
                None => 64 << 20,
                Some((_, _, lengths)) => least + blocks * u64::from(lengths[0][0]),
            };
            let limits = Arc::new(Limits::unlimited());
            let ranges = ranges(&limits);
            let context = Context::new(Arc::new(Limits::new(room)), 2);
            let packing = Packing::new(ranges, &[1, 2, 3], &context).unwrap();
            let kept = packing.ranges.iter().flatten().filter(|part| matches!(part.blocks, Blocks::Packed(..))).count();
            let (sizes, file) = (packing.sizes(), scene.path().join(room.to_string()));
            std::fs::write(&file, vec![7; sizes.iter().sum::<u64>() as usize + 20]).unwrap();
            // Ranges need not be adjacent or in order.
            let positions = [sizes[2] + 10, 3, 5];
            packing.write(&file, &positions, &context).unwrap();
            let bytes = std::fs::read(&file).unwrap();
            assert!(bytes[..5] == [7; 5] && bytes.len() as u64 == sizes.iter().sum::<u64>() + 20);
            let mut sum = PartialSum::default();
            let lengths: Vec<Vec<u32>> = (0..3).map(|range| packing.sum(range, &mut sum, &context).unwrap()).collect();
            let mut expected = PartialSum::default();
            for (position, size) in positions.iter().zip(&sizes) {
                expected.add(&bytes[*position as usize..(position + size) as usize]);
            }
            let text = |sum: &PartialSum| serde_json::to_string(sum).unwrap();
            assert_eq!(text(&sum), text(&expected));
            assert_eq!(lengths.iter().map(Vec::len).collect::<Vec<_>>(), [6, 0, 5]);
            found.push((kept, bytes, lengths));
            drop(packing);
            assert_eq!(context.limits().used(), 0);
        }
        assert_eq!(found.iter().map(|(kept, ..)| *kept).collect::<Vec<_>>(), [4, 3, 0]);
        assert!(found.iter().all(|(_, bytes, lengths)| (bytes, lengths) == (&found[0].1, &found[0].2)));
    }

    #[test]
    fn a_file_that_cannot_be_written_and_a_limit_are_told() {
        let (limits, scene) = (Arc::new(Limits::unlimited()), tempfile::tempdir().unwrap());
        let context = Context::new(Arc::clone(&limits), 1);
        let packing = Packing::new(ranges(&limits), &[1, 2, 3], &context).unwrap();
        let failed = LimitReached::of(packing.write(&scene.path().join("none"), &[0, 0, 0], &context).unwrap_err());
        assert!(failed.unwrap_err().to_string().contains("none"));
        let little = Context::new(Arc::new(Limits::new(1 << 10)), 1);
        let written = packing.write(&scene.path().join("none"), &[0; 3], &little);
        let packed = Packing::new(ranges(&limits), &[1, 2, 3], &little).map(drop);
        assert!([written, packed].into_iter().all(|failed| LimitReached::of(failed.unwrap_err()).is_ok()));
    }
}
