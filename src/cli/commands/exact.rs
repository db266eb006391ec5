//! `query` of a solution with exact values.

use super::super::failure::Failure;
use super::super::reading;
use super::query::{Asked, tell};
use base::limits::Limits;
use base::random::Random;
use num_bigint::BigUint;
use solving::solution::{ExactQuery, ExactSolution, Position, ReadError};
use std::sync::Arc;

pub fn run(solution: &ExactSolution, arguments: &reading::Query, limits: &Arc<Limits>) -> Result<(), Failure> {
    let asked = [
        (arguments.distance, "--distance"),
        (arguments.plans, "--plans"),
        (arguments.nodes.is_some(), "--nodes"),
        (arguments.rewards.is_some(), "--rewards"),
        (arguments.plies.is_some(), "--plies"),
    ];
    if let Some((_, option)) = asked.into_iter().find(|(asked, _)| *asked) {
        let what = format!("{option} is not for games with chance or choices at the same time");
        return Err(Failure::Usage(what));
    }
    tell(&Queries { solution, why: arguments.why, limits }, arguments, limits)
}

struct Queries<'a> {
    solution: &'a ExactSolution,
    why: bool,
    limits: &'a Arc<Limits>,
}

impl Queries<'_> {
    fn of(&self, position: &Position) -> Result<ExactQuery, ReadError> {
        let mut query = self.solution.query_within(position, self.limits)?;
        if self.why {
            self.solution.explain(&mut query, position, self.limits)?;
        }
        Ok(query)
    }
}

impl Asked for Queries<'_> {
    type Query = ExactQuery;

    fn answer(&self, state: Option<&str>, moves: Option<&str>) -> Result<ExactQuery, ReadError> {
        let start = state.map_or_else(|| Ok(self.solution.start()), |text| self.solution.position(text))?;
        self.of(&self.solution.follow(&start, moves.unwrap_or_default())?)
    }

    fn population(&self, layer: u32) -> Result<BigUint, ReadError> {
        self.solution.states(layer)
    }

    fn drawn(&self, layer: u32, random: &mut Random) -> Result<ExactQuery, ReadError> {
        self.of(&self.solution.sample(layer, random, self.limits)?)
    }
}
