//! Reads a diagram in the packed form of [`super::packed`] into memory. One pass checks everything that sweeps rely on,
//! so damaged bytes cause an error and never an invalid memory access.

use super::diagram::Nodes;
use super::frames::BLOCK;
use super::memory::{Buffer, Region};
use super::packed::{Layout, UnpackError};
use super::{Diagram, Node};
use base::limits::Limits;
use std::sync::Arc;

impl Diagram {
    /// The diagram that fills `bytes`, with this layout. Takes one more bit per node than the diagram itself.
    pub fn unpack(bytes: &[u8], layout: &Layout, limits: &Arc<Limits>) -> Result<Diagram, UnpackError> {
        let (count, levels) = (layout.node_count() as usize, layout.levels() as usize);
        let data = bytes.get(layout.data..).ok_or(UnpackError::Damaged("cut short"))?;
        let mut region = Region::reserve(8 * count, limits)?;
        let mut mentioned = Mentioned(Buffer::zeroed(count.div_ceil(64), limits)?);
        mentioned.add(layout.root());
        let (mut done, mut end) = (0, 0);
        for level in (0..levels).rev() {
            limits.check()?;
            let start = layout.ends[level + 1];
            let nodes = (layout.ends[level] - start) as usize;
            region.ensure(8 * (done + nodes))?;
            // SAFETY: the region holds `done + nodes` nodes, and a node is two words without padding.
            let target = unsafe { std::slice::from_raw_parts_mut(region.base().cast::<[Node; 2]>().add(done), nodes) };
            let mut last = None;
            for (number, chunk) in target.chunks_mut(BLOCK).enumerate() {
                let block = layout.block(bytes, layout.blocks[level] + number as u64)?;
                if block.offset != end {
                    return Err(UnpackError::Damaged("blocks that do not follow each other"));
                }
                end += block.len(chunk.len());
                for (place, node) in chunk.iter_mut().enumerate() {
                    *node = block.node(data, place, start)?;
                    if last.replace(*node).is_some_and(|last| last >= *node) {
                        return Err(UnpackError::Damaged("nodes out of order"));
                    }
                    node.iter().for_each(|&child| mentioned.add(child));
                }
            }
            done += nodes;
        }
        if end != data.len() as u64 {
            return Err(UnpackError::Damaged("bytes behind the last node"));
        }
        if !mentioned.all(count) {
            return Err(UnpackError::Damaged("nodes that nothing mentions"));
        }
        region.shrink(8 * count);
        // SAFETY: `count` nodes were filled, with children on deeper levels; the root is a terminal or the last node.
        Ok(unsafe { Diagram::from_parts(Nodes::Region(region), layout.ends.clone(), layout.root()) })
    }
}

struct Mentioned(Buffer<u64>);

impl Mentioned {
    #[inline(always)]
    fn add(&mut self, node: Node) {
        if let Some(number) = node.index() {
            self.0.as_mut_slice()[number / 64] |= 1 << (number % 64);
        }
    }

    fn all(&self, count: usize) -> bool {
        let words = self.0.as_slice();
        let whole = count / 64;
        words[..whole].iter().all(|&word| word == u64::MAX)
            && (count.is_multiple_of(64) || words[whole] == (1 << (count % 64)) - 1)
    }
}
