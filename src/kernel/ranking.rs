//! A set as a perfect hash: the rank of an element is its number in lexicographic order, computed from the number of
//! elements below each node (for sets: Edelkamp, Sulewski and Yücel, "Perfect hashing for state space exploration on
//! the GPU", ICAPS 2010; for the layers of a game: Edelkamp, Kissmann and Rohte, "Symbolic and Explicit Search Hybrid
//! Through Perfect Hash Functions", ICAPS 2014).
//!
//! Elements are ordered by their assignments, false before true from the top level down. Cost: 8 bytes per node;
//! ranking walks one path.

use super::context::BATCH;
use super::memory::Buffer;
use super::{Diagram, Node};
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

pub const MOST_RANKED: u64 = 1 << 63;

/// The elements of a (multi-terminal) set, numbered from 0 on.
#[derive(Debug)]
pub struct Ranking<'a> {
    set: &'a Diagram,
    below: Buffer<u64>,
}

impl<'a> Ranking<'a> {
    /// Fails if the set has more than [`MOST_RANKED`] elements.
    pub fn new(set: &'a Diagram, limits: &Arc<Limits>) -> Result<Ranking<'a>, LimitReached> {
        let below = counts(set, limits)?.filter(|below| count(below.as_slice(), set.root()) <= MOST_RANKED);
        let limit = || LimitReached::Size { what: "ranked states of a layer".into(), limit: MOST_RANKED };
        let below = below.ok_or_else(limit)?;
        Ok(Ranking { set, below })
    }

    pub fn elements(&self) -> u64 {
        self.below(self.set.root())
    }

    #[inline(always)]
    pub fn below(&self, node: Node) -> u64 {
        count(self.below.as_slice(), node)
    }

    /// The rank of an element, given as one value per level; `None` if it is not in the set.
    pub fn rank(&self, assignment: &[bool]) -> Option<u64> {
        let (mut node, mut next, mut rank) = (self.set.root(), 0, 0);
        loop {
            let level = self.set.level(node).index();
            if node == Node::ZERO || assignment[next..level].contains(&true) {
                return None;
            }
            if node.is_terminal() {
                return Some(rank);
            }
            let [lo, hi] = self.set.node(node);
            node = if assignment[level] {
                rank += self.below(lo);
                hi
            } else {
                lo
            };
            next = level + 1;
        }
    }
}

/// The number of elements below each inner node; `None` if a number exceeds 64 bits.
pub(super) fn counts(set: &Diagram, limits: &Arc<Limits>) -> Result<Option<Buffer<u64>>, LimitReached> {
    let mut below: Buffer<u64> = Buffer::zeroed(set.node_count() as usize, limits)?;
    let counts = below.as_mut_slice();
    for (number, &[lo, hi]) in set.nodes().iter().enumerate() {
        if number % BATCH == 0 {
            limits.check()?;
        }
        let Some(sum) = count(counts, lo).checked_add(count(counts, hi)) else { return Ok(None) };
        counts[number] = sum;
    }
    Ok(Some(below))
}

#[inline(always)]
pub(super) fn count(counts: &[u64], node: Node) -> u64 {
    match node.index() {
        Some(index) => counts[index],
        None => u64::from(node != Node::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::full;
    use crate::{Level, SetBuilder};
    use base::random::Random;

    #[test]
    fn ranks_are_numbers_in_lexicographic_order() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(11);
        for round in 0..300 {
            let levels = round % 9;
            let mut builder = SetBuilder::new(levels, &limits);
            let mut members = Vec::new();
            for bits in 0..1u32 << levels {
                let assignment: Vec<bool> = (0..levels).map(|level| bits >> (levels - 1 - level) & 1 == 1).collect();
                let terminal = random.below(4) as u32;
                if terminal > 0 {
                    let element: Vec<Level> = Level::all(levels).filter(|level| assignment[level.index()]).collect();
                    builder.push(&element, terminal).unwrap();
                    members.push((assignment, terminal));
                } else {
                    members.push((assignment, 0));
                }
            }
            let set = builder.finish().unwrap();
            let ranking = Ranking::new(&set, &limits).unwrap();
            let mut next = 0;
            for (assignment, terminal) in members {
                if terminal == 0 {
                    assert_eq!(ranking.rank(&assignment), None);
                } else {
                    assert_eq!(ranking.rank(&assignment), Some(next));
                    next += 1;
                }
            }
            assert_eq!(ranking.elements(), next);
        }
    }

    #[test]
    fn too_many_elements_are_a_limit() {
        let limits = Arc::new(Limits::unlimited());
        for (levels, fits) in [(63, true), (64, false)] {
            let all = full(levels);
            let ranking = Ranking::new(&all, &limits);
            assert_eq!(ranking.as_ref().ok().map(Ranking::elements), fits.then_some(1 << 63));
            if let Ok(ranking) = ranking {
                assert_eq!(ranking.rank(&[true; 63]), Some((1 << 63) - 1));
            }
        }
    }
}
