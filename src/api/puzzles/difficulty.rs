//! The difficulty of a position: the probability that players who do not know the solution make a wrong move.
//!
//! - The random player takes each move with the same probability.
//! - The greedy player looks one ply ahead, at the rewards of terminal positions.
//! - The searching player looks up to [`PLIES`] plies ahead, fewer if a search would need more than [`MOST`] positions.
//!   It follows all moves; each role maximises for itself.
//!
//! A player who looks ahead takes each of the moves that look best with the same probability. Its search stops at
//! positions in which several players choose at the same time, and after its last ply. If play is not over there, the
//! position is worth, for each role, the middle, rounded down, between the lowest and the highest reward that the rules
//! name. A decision of chance is worth the mean of its outcomes. The difficulty is the mean of the three probabilities
//! of a move that does not keep the value: 0 if every player finds the move, 1 if none does.

use super::Question;
use base::limits::Limits;
use game::interpreter::Situation;
use game::propositional::RoleId;
use serde::Serialize;
use solving::exact::{Value, compare};
use solving::solution::{Numbers, Opened, Position, ReadError};
use std::cmp::Ordering;

/// Plies that the searching player looks ahead.
pub const PLIES: u32 = 3;
/// Bound on the positions of a search. If a search needs more positions, the player looks fewer plies ahead.
pub const MOST: usize = 5_000;

/// Probabilities of a wrong move, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difficulty {
    /// For a player who moves at random.
    pub random: f64,
    /// For a player who looks one ply ahead.
    pub greedy: f64,
    /// For a player who searches.
    pub search: f64,
    /// Plies that the searching player looked ahead.
    pub search_plies: u32,
}

impl Difficulty {
    /// The mean of the three probabilities.
    pub fn total(&self) -> f64 {
        (self.random + self.greedy + self.search) / 3.0
    }
}

pub struct Players<'s> {
    opened: &'s Opened,
    middle: Value,
}

struct Search<'p> {
    players: &'p Players<'p>,
    limits: &'p Limits,
    left: usize,
}

impl Players<'_> {
    pub fn new(opened: &Opened) -> Players<'_> {
        let middle = |rewards: &Vec<(u8, _)>| {
            let rewards = rewards.iter().map(|&(reward, _)| reward);
            let (low, high) = (rewards.clone().min().unwrap_or(0), rewards.max().unwrap_or(0));
            low + (high - low) / 2
        };
        let game = opened.solution().game();
        let middle: Vec<u8> = game.goals.iter().map(middle).collect();
        Players { opened, middle: Value::of_rewards(&middle, game.players()) }
    }

    pub fn difficulty(&self, question: &Question, limits: &Limits) -> Result<Difficulty, ReadError> {
        let greedy = self.looking_ahead(question, 1, usize::MAX, limits)?;
        let greedy = greedy.expect("a search without a bound ends");
        let (mut search, mut search_plies) = (greedy, 1);
        for plies in 2..=PLIES {
            let Some(found) = self.looking_ahead(question, plies, MOST, limits)? else { break };
            (search, search_plies) = (found, plies);
        }
        let moves = question.moves.len() as f64;
        Ok(Difficulty { random: (moves - 1.0) / moves, greedy, search, search_plies })
    }

    /// The probability of a wrong move by a player who looks `plies` plies ahead; `None` for too many positions.
    fn looking_ahead(
        &self,
        question: &Question,
        plies: u32,
        most: usize,
        limits: &Limits,
    ) -> Result<Option<f64>, ReadError> {
        let mut search = Search { players: self, limits, left: most };
        let situation = self.opened.situation(&question.position)?;
        let Some(found) = search.choices(&question.position, &situation, plies)? else { return Ok(None) };
        let best = found.iter().max_by(|one, other| self.compare(question.mover, one, other));
        let best: Vec<usize> = (0..found.len()).filter(|&place| best == Some(&found[place])).collect();
        let wrong = best.iter().filter(|&&place| place != question.solution).count();
        Ok(Some(wrong as f64 / best.len() as f64))
    }

    fn compare(&self, mover: RoleId, one: &Value, other: &Value) -> Ordering {
        compare(self.opened.solution().model(), mover.index(), one, other)
    }
}

impl Search<'_> {
    /// The estimate for a position; `None` if the search needs too many positions.
    fn value(&mut self, position: &Position, plies: u32) -> Result<Option<Value>, ReadError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        self.limits.check()?;
        let Players { opened, middle } = self.players;
        let situation = opened.situation(position)?;
        if situation.terminal {
            let value = opened.value(position)?.map(|value| match value {
                Numbers::Rewards(rewards) => Value::of_rewards(&rewards, rewards.len()),
                Numbers::Exact(value) => value,
            });
            return Ok(Some(value.unwrap_or_else(|| middle.clone())));
        }
        let mut choosing = (0..opened.solution().game().players()).filter(|&player| situation.legal[player].len() > 1);
        let (first, second) = (choosing.next(), choosing.next());
        if plies == 0 || second.is_some() {
            return Ok(Some(middle.clone()));
        }
        // If no player chooses, there is a single value, so any mover will do.
        let mover = RoleId(first.unwrap_or(0) as u32);
        let found = self.choices(position, &situation, plies)?;
        Ok(found.and_then(|found| found.into_iter().max_by(|one, other| self.players.compare(mover, one, other))))
    }

    /// For each move of the only player that chooses: the estimated value after it, a mean over the moves of chance.
    fn choices(
        &mut self,
        position: &Position,
        situation: &Situation,
        plies: u32,
    ) -> Result<Option<Vec<Value>>, ReadError> {
        let solution = self.players.opened.solution();
        let mut values = Vec::new();
        for joint in situation.joint_moves() {
            let Some(found) = self.value(&solution.after(position, &joint), plies - 1)? else { return Ok(None) };
            values.push(found);
        }
        let chance: usize = situation.legal[solution.game().players()..].iter().map(Vec::len).product();
        Ok(Some(match chance {
            1 => values,
            chance => values.chunks(chance).map(|values| Value::mean(values.iter())).collect(),
        }))
    }
}
