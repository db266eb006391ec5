//! The change of a weighted sum by the moves of a relation: each level has a weight, which counts if the level is true.
//! Results are exact for all pairs of a relation, in time linear in the nodes of all relations.

use super::level::Level;
use super::relation::{IDENTITY, RelationId, Relations};

pub const NO_PAIR: i64 = i64::MAX;

/// Bound on the absolute value of a weight; sums of fewer than 2^15 such weights do not overflow.
pub const MOST_WEIGHT: i64 = 1 << 48;

/// The levels that a move changes, ascending, each with its value after the move.
pub type Row = Vec<(Level, bool)>;

pub struct Changes<'a> {
    relations: &'a Relations,
    weights: &'a [i64],
    least: Vec<i64>,
}

impl<'a> Changes<'a> {
    /// `weights`: one for each level, at most [`MOST_WEIGHT`] in absolute value. Takes 8 bytes for each relation node.
    pub fn new(relations: &'a Relations, weights: &'a [i64]) -> Changes<'a> {
        debug_assert!(weights.iter().all(|weight| weight.abs() <= MOST_WEIGHT));
        let mut changes = Changes { relations, weights, least: Vec::with_capacity(relations.nodes().len()) };
        changes.least.extend([NO_PAIR, 0]);
        // Children come before their parents.
        for index in changes.least.len()..relations.nodes().len() {
            let (_, least) = changes.best(RelationId::from_bits(index as u32));
            changes.least.push(least);
        }
        changes
    }

    /// The branch (`2 * before + after`) with the least change, and this change at the node's level and below.
    fn best(&self, id: RelationId) -> (usize, i64) {
        let node = self.relations.node(id);
        let weight = self.weights[node.level.index()];
        let of = |branch: usize| match self.least[node.t[branch].index()] {
            NO_PAIR => NO_PAIR,
            below => below + weight * [0, 1, -1, 0][branch],
        };
        (0..4).map(|branch| (branch, of(branch))).min_by_key(|(_, change)| *change).expect("four branches")
    }

    /// The least change by a move of a relation; [`NO_PAIR`] if the relation has no pair.
    pub fn least(&self, relation: RelationId) -> i64 {
        self.least[relation.index()]
    }

    /// The level changes of a move with the least change of the sum; `None` if the relation has no pair.
    pub fn row(&self, mut relation: RelationId) -> Option<Row> {
        let mut row = Row::new();
        while relation != IDENTITY {
            if self.least(relation) == NO_PAIR {
                return None;
            }
            let (branch, _) = self.best(relation);
            let node = self.relations.node(relation);
            if let 1 | 2 = branch {
                row.push((node.level, branch == 1));
            }
            relation = node.t[branch];
        }
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NONE;
    use base::random::Random;

    const LEVELS: u32 = 4;

    fn pairs(relations: &Relations, relation: RelationId, level: u32) -> Vec<[u32; 2]> {
        if level == LEVELS {
            return if relation == IDENTITY { vec![[0, 0]] } else { Vec::new() };
        }
        let node = relations.node(relation);
        let children = match node.level == Level::new(level) {
            true => node.t,
            false => [relation, NONE, NONE, relation],
        };
        let below = |branch: usize| pairs(relations, children[branch], level + 1).into_iter();
        let with = |branch: usize| {
            let bits = [branch as u32 >> 1 << level, (branch as u32 & 1) << level];
            below(branch).map(move |[before, after]| [before | bits[0], after | bits[1]])
        };
        (0..4).flat_map(with).collect()
    }

    #[test]
    fn the_least_change_is_that_of_some_pair_and_no_other_is_less() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let (mut relations, mut below) = (Relations::new(), vec![NONE, IDENTITY]);
            for level in (0..LEVELS).rev() {
                let deeper = below.clone();
                for _ in 0..3 {
                    let t = [(); 4].map(|()| deeper[random.below(deeper.len())]);
                    below.push(relations.make(Level::new(level), t));
                }
                below.sort_unstable();
                below.dedup();
            }
            let weights: Vec<i64> = (0..LEVELS).map(|_| random.below(7) as i64 - 3).collect();
            let changes = Changes::new(&relations, &weights);
            let bit = |state: u32, level: usize| i64::from(state >> level & 1);
            for &relation in &below {
                let change = |[before, after]: &[u32; 2]| {
                    (0..LEVELS as usize).map(|level| weights[level] * (bit(*after, level) - bit(*before, level))).sum()
                };
                let least: Option<i64> = pairs(&relations, relation, 0).iter().map(change).min();
                assert_eq!(least.unwrap_or(NO_PAIR), changes.least(relation));
                let row = changes.row(relation);
                assert_eq!(row.is_some(), least.is_some());
                let of_row = |(level, on): &(Level, bool)| weights[level.index()] * if *on { 1 } else { -1 };
                assert_eq!(row.map(|row| row.iter().map(of_row).sum()), least);
            }
        }
    }
}
