//! Counts the states of subsets by their values by rank.

use super::convert::{PLANES, pattern, remembered, slot};
use crate::node::Node;
use crate::{Bitvector, Context, Diagram, Ranking};
use base::bits::ones;
use base::limits::{LimitReached, Reserved};

const WORD: u64 = 64;
const STEPS: u32 = 1 << 16;

/// Counts subsets of a set whose states have values by rank.
pub struct RankedTally<'a> {
    set: &'a Diagram,
    values: &'a Bitvector,
    ranking: Ranking<'a>,
    /// For nodes of the set and of the subset: which of at most [`WORD`] states below the first one are in the subset.
    known: Vec<([Node; 2], u64)>,
    /// Bound on the places of `known`, a power of two.
    most: usize,
    inner: Vec<[Node; 2]>,
    context: &'a Context,
    _room: Reserved<'a>,
}

impl<'a> RankedTally<'a> {
    pub fn new(set: &'a Diagram, values: &'a Bitvector, context: &'a Context) -> Result<RankedTally<'a>, LimitReached> {
        let ranking = Ranking::new(set, context.limits())?;
        assert!(ranking.elements() == values.states(), "a value for each state");
        // A set of few nodes may have parts of many.
        let patterns = set.node_count().max(ranking.elements() / WORD);
        let (most, bytes) = remembered::<([Node; 2], u64)>(patterns, context);
        let (room, known, inner) = (context.limits().hold(bytes)?, Vec::new(), Vec::new());
        Ok(RankedTally { set, values, ranking, known, most, inner, context, _room: room })
    }

    /// The number of states of `part`, a subset of the set, with each of the values, in the order of
    /// [`Bitvector::values`].
    pub fn count(&mut self, part: &Diagram) -> Result<Vec<u64>, LimitReached> {
        // A small part needs few of the places.
        let slots = (4 * part.node_count().max(1)).next_power_of_two().min(self.most as u64) as usize;
        self.known.clear();
        self.known.resize(slots, ([Node::ZERO; 2], 0));
        let mut counts = vec![0; self.values.values().len()];
        let (mut waiting, mut rank) = (vec![[self.set.root(), part.root()]], 0);
        let mut steps = 0_u32;
        while let Some([node, of_part]) = waiting.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS) {
                self.context.check()?;
            }
            let states = self.ranking.below(node);
            if of_part != Node::ZERO && states > WORD {
                waiting.extend(children(self.set, part, node, of_part).into_iter().rev());
                continue;
            }
            if of_part != Node::ZERO {
                let mask = self.mask(part, node, of_part);
                self.add(&mut counts, mask, rank, states);
            }
            rank += states;
        }
        Ok(counts)
    }

    fn mask(&mut self, part: &Diagram, node: Node, of_part: Node) -> u64 {
        let (key, place) = ([node, of_part], slot(node, of_part) & (self.known.len() - 1));
        if self.known[place].0 == key {
            return self.known[place].1;
        }
        let (mut mask, mut at) = (0, 0);
        self.inner.push(key);
        while let Some([node, of_part]) = self.inner.pop() {
            if of_part == Node::ZERO {
                at += self.ranking.below(node);
            } else if node.is_terminal() {
                mask |= 1 << at;
                at += 1;
            } else {
                self.inner.extend(children(self.set, part, node, of_part).into_iter().rev());
            }
        }
        self.known[place] = (key, mask);
        mask
    }

    /// Adds those of the `states` states from `rank` on that are in `mask`.
    fn add(&self, counts: &mut [u64], mask: u64, rank: u64, states: u64) {
        let planes = self.values.plane_count();
        if planes > PLANES {
            return ones(mask).for_each(|state| counts[self.values.index(rank + state as u64)] += 1);
        }
        let words = pattern(self.values, rank, states);
        for (index, count) in counts.iter_mut().enumerate() {
            let own = |plane: usize| if self.values.in_plane(index, plane) { words[plane] } else { !words[plane] };
            *count += u64::from((0..planes).fold(mask, |left, plane| left & own(plane)).count_ones());
        }
    }
}

/// The children of a node of the set, each with the node of the subset for the same states.
#[inline(always)]
fn children(set: &Diagram, part: &Diagram, node: Node, of_part: Node) -> [[Node; 2]; 2] {
    let [lo, hi] = set.node(node);
    let [of_lo, of_hi] = match !of_part.is_terminal() && part.level(of_part) == set.level(node) {
        true => part.node(of_part),
        false => [of_part, Node::ZERO],
    };
    [[lo, of_lo], [hi, of_hi]]
}

#[cfg(test)]
mod tests {
    use super::super::ranked_codes;
    use super::*;
    use crate::{SetBuilder, as_values, restrict, true_levels};
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    #[test]
    fn subsets_are_counted_by_their_values() {
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits.clone(), 1);
        let mut random = Random::new(29);
        for round in 0..300 {
            let (levels, ids, density) = (round % 11, 1 + random.below(40), 1 + random.below(100));
            let mut set = SetBuilder::new(levels, &limits);
            let mut subset = SetBuilder::new(levels, &limits);
            let mut expected = vec![0; ids];
            for bits in (0..1u32 << levels).filter(|_| random.chance(density)).collect::<Vec<_>>() {
                let value = random.below(ids);
                set.push(&true_levels(levels, bits), 1 + value as u32).unwrap();
                if random.chance(30) {
                    subset.push(&true_levels(levels, bits), 1).unwrap();
                    expected[value] += 1;
                }
            }
            let (set, subset) = (set.finish().unwrap(), subset.finish().unwrap());
            let values = as_values(&set, &context).unwrap();
            let by_rank = ranked_codes(&set, &values, (1..=ids as u32).collect(), &context).unwrap();
            assert_eq!(by_rank.states() == 0, set.is_empty());
            let mut tally = RankedTally::new(&set, &by_rank, &context).unwrap();
            assert_eq!(tally.count(&subset).unwrap(), expected, "round {round}");
            let none = restrict(&Diagram::constant(levels, 0), &values, &context).unwrap();
            assert!(tally.count(&none).unwrap().iter().all(|&count| count == 0));
        }
    }
}
