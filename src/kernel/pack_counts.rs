//! Writes the numbers of elements below nodes in the packed form of [`super::packed_counts`]. Equal sets yield equal
//! bytes. Cost: one pass over the nodes in canonical order. Temporary memory: 8 bytes per node, and the numbering.

use super::canonical::{Numbering, children};
use super::memory::{Buffer, Region};
use super::packed_counts::{BLOCK, CountLayout, WIDTH};
use super::ranking::{MOST_RANKED, count};
use super::{Context, Diagram, Node};
use base::limits::LimitReached;
use std::io::{self, Write};

pub struct PackedCounts {
    levels: u32,
    root: Node,
    nodes: u64,
    elements: u64,
    directory: Buffer<u128>,
    data: Region,
    filled: usize,
}

impl Diagram {
    /// Packs the number of elements below each `lo` child. Fails for more than [`MOST_RANKED`] elements in all.
    pub fn pack_counts(&self, context: &Context) -> Result<PackedCounts, LimitReached> {
        let nodes = self.node_count() as usize;
        let blocks = nodes.div_ceil(BLOCK);
        let mut packed = PackedCounts {
            levels: self.levels(),
            root: self.root(),
            nodes: self.node_count(),
            elements: 0,
            directory: Buffer::zeroed(blocks, context.limits())?,
            data: Region::reserve(8 * nodes + blocks + 16, context.limits())?,
            filled: 0,
        };
        let mut below: Buffer<u64> = Buffer::zeroed(nodes, context.limits())?;
        let below = below.as_mut_slice();
        let mut numbering = Numbering::new(self, context)?;
        let (mut number, mut block) = (0, Vec::with_capacity(BLOCK));
        while let Some(level) = numbering.next_level()? {
            for &entry in level {
                let [lo, hi] = children(entry).map(|child| count(below, child));
                let sum = lo.checked_add(hi).filter(|&sum| sum <= MOST_RANKED);
                below[number] =
                    sum.ok_or(LimitReached::Size { what: "ranked states of a layer".into(), limit: MOST_RANKED })?;
                block.push(lo);
                number += 1;
                if block.len() == BLOCK || number == nodes {
                    packed.append(&block, (number - 1) / BLOCK)?;
                    block.clear();
                }
            }
        }
        packed.root = numbering.id(self.root());
        packed.elements = count(below, packed.root);
        Ok(packed)
    }
}

impl PackedCounts {
    pub fn levels(&self) -> u32 {
        self.levels
    }

    pub fn root(&self) -> u32 {
        self.root.bits()
    }

    pub fn node_count(&self) -> u64 {
        self.nodes
    }

    pub fn elements(&self) -> u64 {
        self.elements
    }

    pub fn data_bytes(&self) -> u64 {
        self.filled as u64
    }

    pub fn layout(&self) -> CountLayout {
        CountLayout::new(self.nodes, self.data_bytes())
    }

    pub fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        for entry in self.directory.as_slice() {
            output.write_all(&entry.to_le_bytes())?;
        }
        output.write_all(self.data())
    }

    fn data(&self) -> &[u8] {
        // SAFETY: `append` filled this number of bytes, and nobody writes them any more.
        unsafe { std::slice::from_raw_parts(self.data.base(), self.filled) }
    }

    fn append(&mut self, block: &[u64], number: usize) -> Result<(), LimitReached> {
        let least = block.iter().copied().min().unwrap_or(0);
        let most = block.iter().copied().max().unwrap_or(0);
        // At most 63 bits: a `hi` child has elements, so there are fewer than `MOST_RANKED` below `lo`.
        let width = u64::BITS - (most - least).leading_zeros();
        let bytes = (block.len() * width as usize).div_ceil(8);
        self.data.ensure(self.filled + bytes + 8)?;
        // SAFETY: the region has the size that `pack_counts` computed, and this number of bytes is usable.
        let target = unsafe { std::slice::from_raw_parts_mut(self.data.base().add(self.filled), bytes + 8) };
        let (mut at, mut bits, mut held) = (0, 0u128, 0);
        for &count in block {
            bits |= u128::from(count - least) << held;
            held += width;
            if held >= u64::BITS {
                target[at..at + 8].copy_from_slice(&(bits as u64).to_le_bytes());
                at += 8;
                bits >>= u64::BITS;
                held -= u64::BITS;
            }
        }
        target[at..at + 8].copy_from_slice(&(bits as u64).to_le_bytes());
        let last = u64::from(width) | (self.filled as u64) << WIDTH;
        self.directory.as_mut_slice()[number] = u128::from(least) | u128::from(last) << 64;
        self.filled += bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::full;
    use crate::{Packed, Ranking, SetBuilder, true_levels};
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    fn bytes(packed: &PackedCounts) -> Vec<u8> {
        let mut bytes = Vec::new();
        packed.write_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn counts_are_those_of_the_ranking_in_canonical_order() {
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits.clone(), 1);
        let mut random = Random::new(4);
        for round in 0..60 {
            let levels = 1 + round % 14;
            let mut builder = SetBuilder::new(levels, &limits);
            for bits in (0..1u32 << levels).filter(|_| random.below(3) > 0) {
                builder.push(&true_levels(levels, bits), 1).unwrap();
            }
            let set = builder.finish().unwrap();
            let canonical: Packed = set.pack(&context).unwrap();
            let mut nodes = Vec::new();
            canonical.write_to(&mut nodes).unwrap();
            let layout = crate::Layout::new(&nodes, levels, canonical.node_count(), canonical.root()).unwrap();
            let ordered = Diagram::unpack(&nodes, &layout, &limits).unwrap();
            let ranking = Ranking::new(&ordered, &limits).unwrap();
            let packed = set.pack_counts(&context).unwrap();
            assert_eq!((packed.root, packed.elements()), (ordered.root(), ranking.elements()));
            let (bytes, layout) = (bytes(&packed), packed.layout());
            assert_eq!(bytes.len() as u64, layout.size());
            layout.check_blocks(&bytes).unwrap();
            for (number, node) in (0..).zip(ordered.node_ids()) {
                let [lo, _] = ordered.children(node);
                assert_eq!(layout.count(&bytes, number).unwrap(), ranking.below(lo));
            }
            assert!(layout.count(&bytes, ordered.node_count()).is_err());
            for length in 0..bytes.len().min(200) {
                for number in 0..ordered.node_count() {
                    drop(layout.count(&bytes[..length], number));
                }
                drop(layout.check_blocks(&bytes[..length]));
            }
        }
    }

    #[test]
    fn the_largest_numbers_fit() {
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits, 1);
        for (levels, fits) in [(63, true), (64, false)] {
            let packed = full(levels).pack_counts(&context);
            assert_eq!(packed.as_ref().ok().map(PackedCounts::elements), fits.then_some(1 << 63));
            let Ok(packed) = packed else { continue };
            for number in 0..63 {
                assert_eq!(packed.layout().count(&bytes(&packed), number).unwrap(), 1 << number);
            }
        }
    }
}
