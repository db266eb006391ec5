//! The round of each element of disjoint sets, as diagrams. The number of a round is written in a base below the number
//! of terminals; for each digit, a diagram maps the elements to this digit of their rounds.
//!
//! Sets are merged in pairs of about equal numbers of rounds, so an element is copied once for each doubling of the
//! number of rounds, not once for each round.

use base::limits::LimitReached;
use kernel::{self, Context, Diagram};

pub struct Digits {
    /// By digit, the least significant one first.
    places: Vec<Tower>,
    base: u32,
    count: u32,
}

/// Disjoint sets, whose union is made on request; each is the result of more merges than the next one.
#[derive(Default)]
struct Tower {
    /// Each set, with the number of merges that made it.
    parts: Vec<(u32, Diagram)>,
}

impl Tower {
    fn push(&mut self, set: Diagram, context: &Context) -> Result<(), LimitReached> {
        self.parts.push((0, set));
        while let [.., (left, _), (right, _)] = self.parts[..]
            && left <= right
        {
            self.merge_last(context)?;
        }
        Ok(())
    }

    /// Merges all parts into one; `None` only before the first push.
    fn merged(&mut self, context: &Context) -> Result<Option<&Diagram>, LimitReached> {
        while self.parts.len() > 1 {
            self.merge_last(context)?;
        }
        Ok(self.parts.first().map(|part| &part.1))
    }

    fn merge_last(&mut self, context: &Context) -> Result<(), LimitReached> {
        if let (Some((age, right)), Some((other, left))) = (self.parts.pop(), self.parts.pop()) {
            self.parts.push((age.max(other) + 1, kernel::overlay(&left, &right, context)?));
        }
        Ok(())
    }
}

impl Digits {
    /// No rounds yet; `base` is from 2 to 8192.
    pub fn new(base: u32) -> Digits {
        Digits { places: Vec::new(), base, count: 0 }
    }

    /// Continues after `count` rounds, whose elements have these digits, the least significant one first.
    pub fn resumed(base: u32, count: u32, digits: Vec<Diagram>) -> Digits {
        let places = digits.into_iter().map(|digits| Tower { parts: vec![(0, digits)] });
        Digits { places: places.collect(), base, count }
    }

    pub fn base(&self) -> u32 {
        self.base
    }

    /// Adds the elements of the next `rounds` rounds, which must be in no earlier round. `number`: maps a terminal of
    /// `set` to its round among the `rounds`, from 0 on.
    pub fn push(
        &mut self,
        set: &Diagram,
        rounds: u32,
        number: impl Fn(u32) -> u32 + Sync,
        context: &Context,
    ) -> Result<(), LimitReached> {
        let (base, before, count) = (self.base, self.count, self.count + rounds);
        while count.saturating_sub(1).checked_ilog(base).unwrap_or(0) as usize >= self.places.len() {
            let mut tower = Tower::default();
            // All elements so far have the digit 0 here.
            if let Some(first) = self.places.first_mut()
                && let Some(elements) = first.merged(context)?
            {
                tower.push(kernel::renamed(elements, |_| 1, context)?, context)?;
            }
            self.places.push(tower);
        }
        let mut unit = 1_u32;
        for tower in &mut self.places {
            let digit = |terminal: u32| (before + number(terminal)) / unit % base + 1;
            tower.push(kernel::renamed(set, digit, context)?, context)?;
            unit = unit.saturating_mul(base);
        }
        self.count = count;
        Ok(())
    }

    /// The digits of all elements so far, the least significant one first; at least one diagram, over `levels` levels.
    pub fn places(&mut self, levels: u32, context: &Context) -> Result<Vec<&Diagram>, LimitReached> {
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

    /// Rounds of random elements, in every base, one or several at once; sometimes all sets are merged, or [`Digits`]
    /// are made anew from the merged sets.
    #[test]
    fn every_element_has_the_number_of_its_round() {
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let base = 2 + random.below(5) as u32;
            let (mut digits, mut expected) = (Digits::new(base), vec![None; 1 << LEVELS]);
            // Elements that are not pushed yet, and the first of their rounds.
            let (mut waiting, mut first) = (Vec::new(), 0);
            let rounds = random.below(40) as u32;
            for round in 0..rounds {
                for _ in 0..random.below(4) {
                    let member = random.below(1 << LEVELS);
                    if expected[member].is_none() {
                        expected[member] = Some(round);
                        waiting.push((member, round));
                    }
                }
                if round + 1 < rounds && random.below(2) == 0 {
                    continue;
                }
                let mut set = Diagram::constant(LEVELS as u32, 0);
                for (member, round) in waiting.drain(..) {
                    let single = Diagram::single(LEVELS as u32, &assignment(member));
                    let numbered = kernel::renamed(&single, |_| 1 + round - first, &context).unwrap();
                    set = kernel::overlay(&set, &numbered, &context).unwrap();
                }
                digits.push(&set, round + 1 - first, |number| number - 1, &context).unwrap();
                first = round + 1;
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
