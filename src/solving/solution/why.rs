//! Explains values: the line of best play and, for each move that does not keep the value, its loss and the line after
//! it. All lines of a position share one search. Of alike moves, only the first is explained.

use super::{DistanceSearch, Position, Query, ReadError, Solution};
use base::limits::Limits;
use game::propositional::RoleId;
use serde::Serialize;
use std::cmp::Ordering;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// The mover was ahead of all others, and no longer is.
    Win,
    /// The mover was level with the best of the others, and is behind.
    Draw,
    /// Play was endless, which the mover prefers to the new value.
    Endless,
    /// The mover gets a worse value, but its standing among the roles is not worse.
    Rewards,
}

impl Loss {
    pub fn what(self) -> &'static str {
        match self {
            Loss::Win => "the win",
            Loss::Draw => "the draw",
            Loss::Endless => "endless play",
            Loss::Rewards => "rewards",
        }
    }
}

impl Solution {
    pub fn loss(&self, mover: RoleId, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<Loss> {
        if self.rank(mover, after) >= self.rank(mover, before) {
            return None;
        }
        // Endless play is worth the same to all roles.
        let standing = |value: Option<&[u8]>| {
            let Some(rewards) = value else { return Some(Ordering::Equal) };
            let others = rewards.iter().enumerate().filter(|(role, _)| *role != mover.index());
            others.map(|(_, other)| rewards[mover.index()].cmp(other)).min()
        };
        Some(match (before, standing(before), standing(after)) {
            (None, ..) => Loss::Endless,
            (_, Some(Ordering::Greater), Some(Ordering::Equal | Ordering::Less)) => Loss::Win,
            (_, Some(Ordering::Equal), Some(Ordering::Less)) => Loss::Draw,
            _ => Loss::Rewards,
        })
    }

    /// Adds the line of best play and, for each move that does not keep the value, the loss, if any, and the line after
    /// it. Searches for distances keep at most about `limit` positions; `limits` bound their memory and may interrupt
    /// them.
    pub fn explain(
        &self,
        query: &mut Query,
        position: &Position,
        limit: usize,
        limits: &Limits,
    ) -> Result<(), ReadError> {
        let mut search = DistanceSearch::new(limit, limits);
        query.line = Some(self.told_line(&self.line_by(position, limit, &mut search, limits)?));
        let Query { roles, moves, value, forced, layer, .. } = query;
        for option in moves.iter_mut().filter(|option| !*forced && !option.keeps_value && !option.unsettled) {
            limits.check()?;
            let mover = roles.iter().position(|role| *role == option.role).expect("a move is of a role");
            option.loss = self.loss(RoleId(mover as u32), value.as_deref(), option.value.as_deref());
            if option.same_as.is_none() {
                let after = Position { layer: *layer + 1, state: option.successor.clone() };
                option.refutation = Some(self.told_line(&self.line_by(&after, limit, &mut search, limits)?));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::BruteForce;
    use crate::sample::handmade::{lines, nim};
    use game::reward::OpponentModel;
    use rustc_hash::FxHashSet;

    #[test]
    fn refutations_keep_the_value_of_the_move_and_are_as_long_as_the_distance() {
        let unlimited = Limits::unlimited();
        let mut refuted = 0;
        for (game, model) in [(lines(3, 2, 2), OpponentModel::MaxOwn), (nim(9, 3), OpponentModel::MaxDiff)] {
            let solution = BruteForce::solution(game, model);
            let (mut waiting, mut seen) = (vec![solution.start()], FxHashSet::default());
            while let Some(position) = waiting.pop() {
                let mut query = solution.query(&position, None).unwrap();
                solution.explain(&mut query, &position, 100_000, &unlimited).unwrap();
                let best = query.line.as_ref().unwrap();
                assert!(best.ends && best.exact && best.moves.is_empty() == query.terminal);
                for option in &query.moves {
                    let after = Position { layer: position.layer + 1, state: option.successor.clone() };
                    if seen.insert((after.layer, after.state.clone())) {
                        waiting.push(after.clone());
                    }
                    assert_eq!(option.loss.is_some(), !option.keeps_value, "{query}");
                    let Some(line) = &option.refutation else {
                        assert!(option.keeps_value || option.same_as.is_some(), "{query}");
                        continue;
                    };
                    let steps = solution.replay(&after, &line.moves).unwrap();
                    let plies =
                        DistanceSearch::new(100_000, &unlimited).distance(&solution, &after).unwrap().plies as usize;
                    assert!((line.ends && line.exact) && (line.moves.len(), steps.len()) == (plies, plies));
                    for step in &steps {
                        assert_eq!(solution.assess(&step.successor).unwrap().value, option.value, "{query}");
                    }
                    refuted += 1;
                }
            }
        }
        assert!(refuted > 50, "{refuted}");
    }
}
