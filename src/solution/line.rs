//! A line of best play from a position.
//!
//! If the distances to the end are found, each move is one with which a winner wins soonest and a loser loses latest;
//! otherwise it is the first of the best ones in the order of the rules. Cost: a search for the distance, see
//! [`super::DistanceSearch`], and an evaluation of the rules for each ply.

use super::{Distance, DistanceSearch, MoveValue, Position, ReadError, Solution, Step};
use crate::interpreter::{Ply, Turn};
use crate::limits::Limits;
use rustc_hash::FxHashSet;

/// A sequence of best moves from a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub steps: Vec<Step>,
    /// Play is over after them; otherwise a position is repeated.
    pub ends: bool,
}

impl Solution {
    /// A line of best play, with distances if a search that keeps at most about `limit` positions finds them.
    /// `limits` may interrupt the search.
    pub fn line(&self, position: &Position, limit: usize, limits: &Limits) -> Result<Line, ReadError> {
        let mut search = DistanceSearch::new(limit, limits);
        let (mut steps, mut position, mut passed) = (Vec::new(), position.clone(), FxHashSet::default());
        while passed.insert(position.state.clone()) {
            let found = self.assess(&position)?;
            if found.turn == Turn::Terminal {
                return Ok(Line { steps, ends: true });
            }
            let best: Vec<&MoveValue> = found.moves.iter().filter(|option| option.optimal).collect();
            let next = |option: &MoveValue| Position { layer: position.layer + 1, state: option.successor.clone() };
            let mut chosen = *best.first().expect("an assessed position in which play goes on has a best move");
            if best.len() > 1
                && found.value.is_some()
                && let Distance { plies, exact: true } = search.distance(self, &position)?
            {
                for option in best {
                    if search.distance(self, &next(option))? == (Distance { plies: plies - 1, exact: true }) {
                        chosen = option;
                        break;
                    }
                }
            }
            let successor = next(chosen);
            let ply = Ply { role: chosen.role, joint: chosen.joint.clone(), forced: found.turn == Turn::Forced };
            steps.push(Step { ply, successor: successor.clone() });
            position = successor;
        }
        Ok(Line { steps, ends: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reward::OpponentModel;
    use crate::sample::handmade::{counter, lines, nim};
    use crate::solution::testing::BruteForce;

    #[test]
    fn a_line_keeps_the_value_and_is_as_long_as_the_distance() {
        for (game, model) in [(lines(3, 2, 2), OpponentModel::MaxOwn), (nim(9, 3), OpponentModel::MaxDiff)] {
            let solution = BruteForce::solution(game, model);
            let (start, unlimited) = (solution.start(), Limits::unlimited());
            let value = solution.assess(&start).unwrap().value;
            let plies = DistanceSearch::new(100_000, &unlimited).distance(&solution, &start).unwrap().plies;
            let line = solution.line(&start, 100_000, &unlimited).unwrap();
            assert!(line.ends);
            assert_eq!(line.steps.len(), plies as usize);
            for step in &line.steps {
                assert_eq!(solution.assess(&step.successor).unwrap().value, value);
            }
            let blind = solution.line(&start, 0, &unlimited).unwrap();
            assert!(
                blind.ends && blind.steps.iter().all(|step| solution.assess(&step.successor).unwrap().value == value)
            );
        }
    }

    #[test]
    fn the_plies_of_a_line_are_those_of_a_replay() {
        for game in [counter(6, false), lines(3, 2, 2)] {
            let solution = BruteForce::solution(game, OpponentModel::MaxOwn);
            let line = solution.line(&solution.start(), 1000, &Limits::unlimited()).unwrap();
            let names: Vec<String> =
                line.steps.iter().map(|step| solution.move_name(step.ply.action()).to_owned()).collect();
            assert_eq!(solution.replay(&solution.start(), &names).unwrap(), line.steps);
        }
    }
}
