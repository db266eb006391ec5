//! The round of each element of disjoint sets, as diagrams: the number of the round is written in a base below the
//! number of terminals, and each position is a set with the digits as terminals.
//!
//! Sets are merged in pairs of about equal numbers of rounds, so that an element is copied once for each doubling of
//! the number of rounds, not once for each round.

use super::super::SolveError;
use kernel::{self, Context, Diagram};

/// The base of the digits.
pub const BASE: u32 = 8192;

/// The sets of the rounds so far.
pub struct Digits {
    /// By position, the least significant one first.
    places: Vec<Tower>,
    base: u32,
    count: u32,
}

/// Sets that together are one; each was merged more often than the one after it.
#[derive(Default)]
struct Tower {
    /// With the number of merges behind each.
    parts: Vec<(u32, Diagram)>,
}

impl Tower {
    fn push(&mut self, set: Diagram, context: &Context) -> Result<(), SolveError> {
        self.parts.push((0, set));
        while let [.., (left, _), (right, _)] = self.parts[..]
            && left <= right
        {
            self.merge_last(context)?;
        }
        Ok(())
    }

    /// Merges all parts into one; `None` only before the first push.
    fn merged(&mut self, context: &Context) -> Result<Option<&Diagram>, SolveError> {
        while self.parts.len() > 1 {
            self.merge_last(context)?;
        }
        Ok(self.parts.first().map(|part| &part.1))
    }

    fn merge_last(&mut self, context: &Context) -> Result<(), SolveError> {
        if let (Some((age, right)), Some((other, left))) = (self.parts.pop(), self.parts.pop()) {
            self.parts.push((age.max(other) + 1, kernel::overlay(&left, &right, context)?));
        }
        Ok(())
    }
}

impl Digits {
    /// No rounds yet, counted in a base from 2 to [`BASE`].
    pub fn new(base: u32) -> Digits {
        Digits { places: Vec::new(), base, count: 0 }
    }

    /// Goes on after `count` rounds whose elements have these digits, the least significant one first.
    pub fn resumed(base: u32, count: u32, digits: Vec<Diagram>) -> Digits {
        let places = digits.into_iter().map(|digits| Tower { parts: vec![(0, digits)] });
        Digits { places: places.collect(), base, count }
    }

    pub fn base(&self) -> u32 {
        self.base
    }

    /// Adds the elements of the next round, which are in no earlier one.
    pub fn push(&mut self, set: &Diagram, context: &Context) -> Result<(), SolveError> {
        let all_as = |terminal: u32, set: &Diagram| kernel::renamed(set, |_| terminal, context);
        if self.count.checked_ilog(self.base).unwrap_or(0) as usize >= self.places.len() {
            let mut tower = Tower::default();
            // All elements so far have the digit 0 here.
            if let Some(first) = self.places.first_mut()
                && let Some(before) = first.merged(context)?
            {
                tower.push(all_as(1, before)?, context)?;
            }
            self.places.push(tower);
        }
        let mut left = self.count;
        for tower in &mut self.places {
            tower.push(all_as(left % self.base + 1, set)?, context)?;
            left /= self.base;
        }
        self.count += 1;
        Ok(())
    }

    /// The digits of all elements so far, over a number of levels: at least one position, the least significant one
    /// first.
    pub fn places(&mut self, levels: u32, context: &Context) -> Result<Vec<&Diagram>, SolveError> {
        if self.places.is_empty() {
            self.places.push(Tower { parts: vec![(0, Diagram::constant(levels, 0))] });
        }
        self.places.iter_mut().filter_map(|tower| tower.merged(context).transpose()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The round that digits give an element (one value per level); `None` if it is in none.
    fn round_of(digits: &[&Diagram], base: u32, assignment: &[bool]) -> Option<u32> {
        digits.iter().rev().try_fold(0u32, |round, digits| {
            let digit = digits.contains(assignment).checked_sub(1)?;
            Some(round.saturating_mul(base).saturating_add(digit))
        })
    }
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    const LEVELS: usize = 7;

    fn assignment(number: usize) -> Vec<bool> {
        (0..LEVELS).map(|level| number >> level & 1 == 1).collect()
    }

    /// Rounds of random elements, in every base; now and then everything is merged, or read back.
    #[test]
    fn every_element_has_the_number_of_its_round() {
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let base = 2 + random.below(5) as u32;
            let (mut digits, mut expected) = (Digits::new(base), vec![None; 1 << LEVELS]);
            for round in 0..random.below(40) as u32 {
                let members: Vec<usize> = (0..random.below(4)).map(|_| random.below(1 << LEVELS)).collect();
                let new: Vec<usize> = members.into_iter().filter(|&member| expected[member].is_none()).collect();
                new.iter().for_each(|&member| expected[member] = Some(round));
                let singles: Vec<Diagram> =
                    new.iter().map(|&member| Diagram::single(LEVELS as u32, &assignment(member))).collect();
                let empty = Diagram::constant(LEVELS as u32, 0);
                let sets: Vec<&Diagram> = singles.iter().chain([&empty]).collect();
                digits.push(&kernel::union(&sets, &context).unwrap(), &context).unwrap();
                if random.below(5) == 0 {
                    let copies = digits.places(LEVELS as u32, &context).unwrap();
                    let copies = copies.into_iter().map(|set| kernel::renamed(set, |id| id, &context).unwrap());
                    digits = Digits::resumed(base, round + 1, copies.collect());
                }
            }
            let places = digits.places(LEVELS as u32, &context).unwrap();
            for (number, round) in expected.into_iter().enumerate() {
                assert_eq!(round_of(&places, base, &assignment(number)), round, "seed {seed}, base {base}");
            }
        }
    }
}
