//! Numbers the elements of a set of any size, to draw random ones. [`Ranking`](super::Ranking) is faster and maps in
//! both directions, but handles at most 2^63 elements.
//!
//! Elements are ordered by their assignments, false before true from the top level. Memory: 8 bytes a node, more if 64
//! bits are too few. Finding an element takes one walk from the root.

use super::{Diagram, Node};
use base::limits::{Account, LimitReached, Limits};
use num_bigint::BigUint;
use std::sync::Arc;

const BATCH: usize = 1 << 16;

/// A (multi-terminal) set with the number of elements below every node.
#[derive(Debug)]
pub struct Numbered {
    set: Diagram,
    below: Below,
    _account: Account,
}

#[derive(Debug)]
enum Below {
    Small(Vec<u64>),
    Large(Vec<BigUint>),
}

impl Numbered {
    pub fn new(set: Diagram, limits: &Arc<Limits>) -> Result<Numbered, LimitReached> {
        let mut account = Account::new(limits);
        account.set(set.node_count().saturating_mul(8))?;
        if let Some(below) = below(&set, limits, 0u64, 1, |lo, hi| lo.checked_add(*hi))? {
            return Ok(Numbered { set, below: Below::Small(below), _account: account });
        }
        account.set(set.node_count().saturating_mul(size_of::<BigUint>() as u64 + 16 + u64::from(set.levels() / 8)))?;
        let sums = below(&set, limits, BigUint::ZERO, BigUint::from(1u32), |lo, hi| Some(lo + hi))?;
        let below = Below::Large(sums.expect("sums of any size"));
        Ok(Numbered { set, below, _account: account })
    }

    pub fn elements(&self) -> BigUint {
        self.below(self.set.root())
    }

    /// The element with a number (one value per level); `None` if the number is too large.
    pub fn element(&self, number: &BigUint) -> Option<Vec<bool>> {
        if *number >= self.elements() {
            return None;
        }
        let (mut assignment, mut node) = (vec![false; self.set.levels() as usize], self.set.root());
        let mut number = number.clone();
        while !node.is_terminal() {
            let [lo, hi] = self.set.children(node);
            let first = self.below(lo);
            if number < first {
                node = lo;
            } else {
                number -= first;
                assignment[self.set.level(node).index()] = true;
                node = hi;
            }
        }
        Some(assignment)
    }

    fn below(&self, node: Node) -> BigUint {
        match (node.index(), &self.below) {
            (None, _) => u32::from(node != Node::ZERO).into(),
            (Some(index), Below::Small(below)) => below[index].into(),
            (Some(index), Below::Large(below)) => below[index].clone(),
        }
    }
}

/// The number of elements below each inner node; `None` if one is too large for the type.
fn below<N: Clone>(
    set: &Diagram,
    limits: &Limits,
    zero: N,
    one: N,
    add: impl Fn(&N, &N) -> Option<N>,
) -> Result<Option<Vec<N>>, LimitReached> {
    let mut below: Vec<N> = Vec::with_capacity(set.node_count() as usize);
    for (number, node) in set.node_ids().enumerate() {
        if number % BATCH == 0 {
            limits.check()?;
        }
        let [lo, hi] = set.children(node).map(|child| match child.index() {
            Some(index) => &below[index],
            None if child == Node::ZERO => &zero,
            None => &one,
        });
        match add(lo, hi) {
            Some(sum) => below.push(sum),
            None => return Ok(None),
        }
    }
    Ok(Some(below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::full;
    use crate::{Ranking, SetBuilder, true_levels};
    use base::random::Random;

    #[test]
    fn elements_are_those_of_the_ranking() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(5);
        for round in 0..100 {
            let levels = round % 9;
            let mut builder = SetBuilder::new(levels, &limits);
            for bits in 0..1u32 << levels {
                let terminal = random.below(3) as u32;
                if terminal > 0 {
                    builder.push(&true_levels(levels, bits), terminal).unwrap();
                }
            }
            let set = builder.finish().unwrap();
            let ranking = Ranking::new(&set, &limits).unwrap();
            let expected: Vec<Vec<bool>> =
                (0..ranking.elements()).map(|rank| ranking.unrank(rank).unwrap().0).collect();
            drop(ranking);
            let numbered = Numbered::new(set, &limits).unwrap();
            assert_eq!(numbered.elements(), BigUint::from(expected.len()));
            let found = (0u32..).map_while(|number| numbered.element(&number.into()));
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn sets_of_any_size_have_numbers_and_account_for_them() {
        for levels in [63, 64, 65, 200] {
            let limits = Arc::new(Limits::unlimited());
            let numbered = Numbered::new(full(levels), &limits).unwrap();
            let all = BigUint::from(1u32) << levels;
            assert_eq!(numbered.elements(), all);
            assert_eq!(numbered.element(&all), None);
            let number = (&all / 3u32) + 5u32;
            let digits: Vec<bool> = (0..u64::from(levels)).rev().map(|bit| number.bit(bit)).collect();
            assert_eq!(numbered.element(&number), Some(digits));
            assert!(limits.used() >= 8 * u64::from(levels));
            let small = Arc::new(Limits::new(8 * u64::from(levels) - 1));
            assert!(matches!(Numbered::new(full(levels), &small), Err(LimitReached::Memory { .. })));
        }
    }
}
