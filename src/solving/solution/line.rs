//! A line of best play from a position; for a single player with costs, a cheapest plan if a search finds one.
//!
//! Each move is the first best move in the order of the rules. If distances are stored or found, moves are best by
//! distance, so that the line is as long as the distance; otherwise, moves are best if they keep the value and lead to
//! an end. Cost: a search for the distances ([`super::DistanceSearch`]), and an evaluation of the rules for each ply.

use super::{Assessment, Distance, DistanceSearch, Distances, MoveValue, Position, ReadError, Solution, Step};
use base::limits::Limits;
use game::interpreter::{Ply, Turn};
use rustc_hash::FxHashMap;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub steps: Vec<Step>,
    /// Whether play is over after the steps; if not, the last position occurred before.
    pub ends: bool,
    /// The number of steps before the position that play comes back to.
    pub repeats: Option<usize>,
    /// Whether the line is as long as the distance to the end or, if moves have costs, is a cheapest plan. A line of
    /// endless play is exact: it has no distance.
    pub exact: bool,
    pub cost: Option<u64>,
}

/// A line as text: for each ply, the shown move, its role, and the moves of all roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToldLine {
    pub moves: Vec<String>,
    pub roles: Vec<String>,
    pub joint: Vec<Vec<String>>,
    pub ends: bool,
    /// See [`Line::repeats`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
    pub exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
}

impl Solution {
    pub fn told_line(&self, line: &Line) -> ToldLine {
        let plies = || line.steps.iter().map(|step| &step.ply);
        ToldLine {
            moves: plies().map(|ply| self.move_name(ply.action()).to_owned()).collect(),
            roles: plies().map(|ply| self.role_name(ply.role)).collect(),
            joint: plies().map(|ply| self.joint_names(&ply.joint)).collect(),
            ends: line.ends,
            repeats: line.repeats,
            exact: line.exact,
            cost: line.cost,
        }
    }

    /// The best moves, as far as is known; and whether they are best by distance.
    pub fn best<'a>(&self, assessed: &'a Assessment, distances: Option<&Distances>) -> (Vec<&'a MoveValue>, bool) {
        let by_distance = distances.and_then(Distances::best);
        let is_best = |(index, option): &(usize, &MoveValue)| match &by_distance {
            Some(best) => best[*index],
            None => option.optimal,
        };
        let moves = assessed.moves.iter().enumerate().filter(is_best).map(|(_, option)| option);
        (moves.collect(), by_distance.is_some())
    }

    /// A line of best play. Searches keep at most about `limit` positions; `limits` bound their memory and may interrupt
    /// them.
    pub fn line(&self, position: &Position, limit: usize, limits: &Limits) -> Result<Line, ReadError> {
        self.line_by(position, limit, &mut DistanceSearch::new(limit, limits), limits)
    }

    pub(super) fn line_by(
        &self,
        position: &Position,
        limit: usize,
        search: &mut DistanceSearch,
        limits: &Limits,
    ) -> Result<Line, ReadError> {
        if let Some(line) = self.cheapest_line(position, limit, limits)? {
            return Ok(line);
        }
        let (mut steps, mut position, mut passed) = (Vec::new(), position.clone(), FxHashMap::default());
        let mut exact = true;
        loop {
            if let Some(repeats) = passed.insert(position.state.clone(), steps.len()) {
                return Ok(Line { steps, ends: false, repeats: Some(repeats), exact, cost: None });
            }
            let found = self.assess(&position)?;
            if found.turn == Turn::Terminal {
                return Ok(Line { steps, ends: true, repeats: None, exact, cost: None });
            }
            let after = |option: &MoveValue| Position { layer: position.layer + 1, state: option.successor.clone() };
            let mut chosen = None;
            if let Some(Distance { plies, exact: true }) =
                found.value.is_some().then(|| search.distance(self, &position)).transpose()?
            {
                for option in found.moves.iter().filter(|option| option.keeps_value) {
                    if search.is_at(self, &after(option), plies - 1)? {
                        chosen = Some(option);
                        break;
                    }
                }
            }
            // A shortest plan need not be a cheapest one; where there is no plan, costs do not matter.
            let may_cost = |value: &[u8]| self.has_costs() && value[0] > 0;
            exact &= found.value.as_deref().is_none_or(|value| chosen.is_some() && !may_cost(value));
            let chosen = chosen.or_else(|| found.moves.iter().find(|option| option.optimal));
            let chosen = chosen.expect("an assessed position in which play goes on has a best move");
            let successor = after(chosen);
            let ply = Ply { role: chosen.role, joint: chosen.joint.clone(), forced: found.turn == Turn::Forced };
            steps.push(Step { ply, successor: successor.clone() });
            position = successor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::BruteForce;
    use crate::sample::handmade::{counter, lines, nim};
    use game::reward::OpponentModel;

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
