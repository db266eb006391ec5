//! Alike moves of a position: a symmetry of the rules that keeps the position and every role maps them onto each other.
//! The positions after them have the same value and the same distance to the end. Cost: a bounded search for symmetries
//! in each position, if the rules have any; so some alike moves may be missed.

use super::{MoveValue, Position, Solution};
use base::limits::{LimitReached, Limits};
use game::symmetry::{Effort, Kept, Rules};
use std::sync::Arc;

/// Bound on the search for symmetries of the rules, which runs once unless it meets a limit: a quarter of a second at
/// most.
const OF_RULES: Effort = Effort { passes: 20, least: 2_000_000, most: 200_000_000 };
const OF_POSITION: Effort = Effort { passes: 10, least: 200_000, most: 200_000_000 };

impl Solution {
    /// For each move, the index of the first move that is alike, possibly its own.
    pub(super) fn alike(&self, position: &Position, moves: &[MoveValue]) -> Arc<[usize]> {
        let found = self.symmetric_rules().filter(|_| moves.len() > 1).and_then(|rules| {
            let search = || told(orbits(rules, position, moves, &self.limits));
            self.alike.get(&position.state, search)
        });
        found.unwrap_or_else(|| (0..moves.len()).collect())
    }

    /// `None` if the rules have no symmetries, or if the search for them met a limit.
    fn symmetric_rules(&self) -> Option<&Rules> {
        if let Some(known) = self.symmetric.get() {
            return known.as_ref();
        }
        let kept = Kept { state: None, roles: true };
        let found = Rules::new(self.game(), &self.limits)
            .and_then(|rules| Ok((rules.symmetries(kept, &OF_RULES, &self.limits)?, rules)));
        let (found, rules) = told(found)?;
        self.symmetric.get_or_init(|| (!found.generators.is_empty()).then_some(rules)).as_ref()
    }
}

/// The result of a search; `None` at a limit, which may leave room for a later search.
fn told<T>(found: Result<T, LimitReached>) -> Option<T> {
    found.inspect_err(|limit| tracing::info!("moves that are alike are not known: {limit}")).ok()
}

fn orbits(
    rules: &Rules,
    position: &Position,
    moves: &[MoveValue],
    limits: &Limits,
) -> Result<Vec<usize>, LimitReached> {
    let mut first: Vec<usize> = (0..moves.len()).collect();
    let kept = Kept { state: Some(&position.state), roles: true };
    let found = rules.symmetries(kept, &OF_POSITION, limits)?;
    // If orbits of different generators share a move, they are parts of one orbit.
    let mut changed = true;
    while changed {
        changed = false;
        for images in &found.generators {
            for index in 0..moves.len() {
                let image = images.moves[moves[index].action.index()];
                let Some(other) = moves.iter().position(|option| option.action == image) else { continue };
                let least = first[index].min(first[other]);
                changed |= (first[index], first[other]) != (least, least);
                (first[index], first[other]) = (least, least);
            }
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use crate::brute::BruteForce;
    use crate::sample::handmade::{lines, nim};
    use base::limits::Limits;
    use game::reward::OpponentModel;
    use std::sync::Arc;

    #[test]
    fn moves_that_are_alike_are_worth_the_same() {
        let mut folded = 0;
        for game in [lines(3, 3, 3), lines(4, 2, 2), nim(9, 3)] {
            let solution = BruteForce::solution(game, OpponentModel::MaxOwn);
            let mut position = solution.start();
            let mut random = base::random::Random::new(11);
            for _ in 0..60 {
                let assessed = solution.assess(&position).unwrap();
                let query = solution.query(&position, Some(10_000)).unwrap();
                assert_eq!(solution.query(&position, Some(10_000)).unwrap(), query, "as it is remembered");
                assert_eq!(query.moves.len(), assessed.moves.len());
                for found in query.moves.iter().filter(|found| found.same_as.is_some()) {
                    let same = query.moves.iter().find(|other| Some(&other.action) == found.same_as.as_ref());
                    let same = same.expect("it is one of the moves");
                    assert!(same.same_as.is_none());
                    assert_eq!((&same.value, same.distance), (&found.value, found.distance));
                    folded += 1;
                }
                position = match random.choose(&assessed.moves) {
                    Some(option) => solution.after(&position, &option.joint),
                    None => solution.start(),
                };
            }
        }
        assert!(folded > 20, "{folded}");
    }

    #[test]
    fn the_first_move_of_tic_tac_toe_is_one_of_three() {
        let solution = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn);
        let query = solution.query(&solution.start(), None).unwrap();
        let own: Vec<&str> =
            query.moves.iter().filter(|found| found.same_as.is_none()).map(|found| found.action.as_str()).collect();
        assert_eq!(own, ["(mark 1 1)", "(mark 1 2)", "(mark 2 2)"]);
        let corner = query.moves.iter().find(|found| found.action == "(mark 3 3)").unwrap();
        assert_eq!(corner.same_as.as_deref(), Some("(mark 1 1)"));
    }
    #[test]
    fn searches_keep_the_limits_and_are_tried_again_once_there_is_room() {
        let limits = Arc::new(Limits::new(1 << 30));
        let solution = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn).within(&limits);
        let alike = || {
            let query = solution.query(&solution.start(), None).unwrap();
            query.moves.iter().filter(|found| found.same_as.is_some()).count()
        };
        let held = limits.hold(1 << 30).unwrap();
        assert_eq!(alike(), 0);
        drop(held);
        assert_eq!((alike(), limits.used()), (6, 0));
        assert!(limits.peak() > 0);
    }
}
