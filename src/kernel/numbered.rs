//! Numbers the elements of a set of any size, to draw random elements. [`Ranking`](super::Ranking) is faster and also
//! finds the number of an element, but handles at most 2^63 elements.
//!
//! Elements are ordered by their assignments, false before true from the top level down. Memory: 8 bytes per node, more
//! if a count exceeds 64 bits. Finding an element takes one walk from the root.

use super::count::{Number, below, of};
use super::memory::Buffer;
use super::ranking::{count, counts};
use super::{Diagram, Node};
use base::limits::{Account, LimitReached, Limits};
use num_bigint::BigUint;
use std::sync::Arc;

#[derive(Debug)]
pub struct Numbered {
    set: Diagram,
    below: Below,
    _account: Account,
}

#[derive(Debug)]
enum Below {
    Small(Buffer<u64>),
    Large(Vec<BigUint>),
}

impl Numbered {
    pub fn new(set: Diagram, limits: &Arc<Limits>) -> Result<Numbered, LimitReached> {
        let mut account = Account::new(limits);
        if let Some(sums) = counts(&set, limits)? {
            return Ok(Numbered { set, below: Below::Small(sums), _account: account });
        }
        account.set(set.node_count().saturating_mul(BigUint::bytes(set.levels())))?;
        let below = Below::Large(below(&set, limits)?.expect("sums of any size"));
        Ok(Numbered { set, below, _account: account })
    }

    pub fn elements(&self) -> BigUint {
        self.below(self.set.root())
    }

    /// The element with this number, as one value per level; `None` if the number is too large.
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
        match &self.below {
            Below::Small(below) => count(below.as_slice(), node).into(),
            Below::Large(below) => of(below, node),
        }
    }
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
            let mut expected: Vec<Vec<bool>> = Vec::new();
            for bits in 0..1u32 << levels {
                let terminal = random.below(3) as u32;
                if terminal > 0 {
                    builder.push(&true_levels(levels, bits), terminal).unwrap();
                    expected.push((0..levels).rev().map(|bit| bits >> bit & 1 == 1).collect());
                }
            }
            let set = builder.finish().unwrap();
            let ranking = Ranking::new(&set, &limits).unwrap();
            assert!((0..).zip(&expected).all(|(rank, element)| ranking.rank(element) == Some(rank)));
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
