//! Writes the numbers of elements below nodes in the packed form of [`super::packed_counts`]. Equal sets yield equal
//! bytes. Cost: one pass over the nodes in canonical order. Temporary memory: 8 bytes per node, and the numbering.

use super::canonical::{Numbering, children};
use super::frames::{BLOCK, Frames, WIDTH};
use super::memory::Buffer;
use super::ranking::{MOST_RANKED, count};
use super::{Context, Diagram, Packed};
use base::limits::LimitReached;

impl Diagram {
    /// Packs the number of elements below each `lo` child. Fails for more than [`MOST_RANKED`] elements in all.
    pub fn pack_counts(&self, context: &Context) -> Result<Packed, LimitReached> {
        let nodes = self.node_count() as usize;
        let mut frames = Frames::new(nodes.div_ceil(BLOCK), 8 * nodes, context.limits())?;
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
                    append(&mut frames, &block)?;
                    block.clear();
                }
            }
        }
        let root = numbering.id(self.root());
        let (levels, elements) = (self.levels(), count(below, root));
        Ok(Packed { levels, root, nodes: self.node_count(), counts: Vec::new(), elements, frames })
    }
}

fn append(frames: &mut Frames, block: &[u64]) -> Result<(), LimitReached> {
    let least = block.iter().copied().min().unwrap_or(0);
    let most = block.iter().copied().max().unwrap_or(0);
    // At most 63 bits: a `hi` child has elements, so there are fewer than `MOST_RANKED` below `lo`.
    let width = u64::BITS - (most - least).leading_zeros();
    let fields = block.iter().map(|&count| (count - least, width));
    frames.push(block.len() * width as usize, fields, |offset| {
        u128::from(least) | u128::from(u64::from(width) | offset << WIDTH) << 64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::full;
    use crate::{CountLayout, Ranking, SetBuilder, true_levels};
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    fn layout_of(packed: &Packed) -> CountLayout {
        CountLayout::new(packed.node_count(), packed.data_bytes())
    }

    fn bytes(packed: &Packed) -> Vec<u8> {
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
            let (bytes, layout) = (bytes(&packed), layout_of(&packed));
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
            assert_eq!(packed.as_ref().ok().map(Packed::elements), fits.then_some(1 << 63));
            let Ok(packed) = packed else { continue };
            for number in 0..63 {
                assert_eq!(layout_of(&packed).count(&bytes(&packed), number).unwrap(), 1 << number);
            }
        }
    }
}
