//! How tempting the wrong moves of a position are: how likely players who do not know the solution go wrong.
//!
//! - The random player takes each move with the same probability.
//! - The greedy one looks one ply ahead: at the rewards of positions in which play is over.
//! - The searching one looks up to [`PLIES`] plies ahead, as far as [`MOST`] positions allow: it plays out all moves, each role
//!   taking what is best for itself.
//!
//! To a player who looks ahead, a position in which play is not over is worth the middle between the lowest and the highest
//! reward of each role that the rules name. It takes each of the moves that look best with the same probability. The
//! difficulty is the mean of the three probabilities to take a move that does not keep the value: 0 where everybody finds
//! the move, 1 where nobody does.

use base::limits::{LimitReached, Limits};
use game::interpreter::Turn;
use game::propositional::RoleId;
use serde::Serialize;
use solving::solution::{Assessment, Position, ReadError, Solution};

/// Plies that the searching player looks ahead.
pub const PLIES: u32 = 3;
/// Positions that it looks at in a search of so many plies, or it looks a ply less far.
pub const MOST: usize = 5_000;

/// How likely players go wrong, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difficulty {
    pub random: f64,
    pub greedy: f64,
    pub search: f64,
    /// Plies that the searching player looked ahead.
    pub search_plies: u32,
}

impl Difficulty {
    /// The mean of the three.
    pub fn total(&self) -> f64 {
        (self.random + self.greedy + self.search) / 3.0
    }
}

/// Players who do not know a solution.
pub struct Players<'s> {
    solution: &'s Solution,
    /// By role: what a position is worth in which play is not over.
    middle: Vec<u8>,
}

/// A search that looks at a bounded number of positions.
struct Search<'p> {
    players: &'p Players<'p>,
    limits: &'p Limits,
    left: usize,
}

impl Players<'_> {
    pub fn new(solution: &Solution) -> Players<'_> {
        let middle = |rewards: &Vec<(u8, _)>| {
            let rewards = rewards.iter().map(|&(reward, _)| reward);
            let (low, high) = (rewards.clone().min().unwrap_or(0), rewards.max().unwrap_or(0));
            low + (high - low) / 2
        };
        Players { solution, middle: solution.game().goals.iter().map(middle).collect() }
    }

    /// Of a position in which a role has a choice.
    pub fn difficulty(&self, assessed: &Assessment, limits: &Limits) -> Result<Difficulty, ReadError> {
        let Turn::Mover(mover) = assessed.turn else { unreachable!("a role chooses in a puzzle") };
        let greedy = self.looking_ahead(assessed, mover, 1, usize::MAX, limits)?;
        let greedy = greedy.expect("a search without a bound ends");
        let (mut search, mut search_plies) = (greedy, 1);
        for plies in 2..=PLIES {
            let Some(found) = self.looking_ahead(assessed, mover, plies, MOST, limits)? else { break };
            (search, search_plies) = (found, plies);
        }
        let wrong = assessed.moves.iter().filter(|option| !option.keeps_value).count();
        Ok(Difficulty { random: wrong as f64 / assessed.moves.len() as f64, greedy, search, search_plies })
    }

    /// How likely a player goes wrong that looks some plies ahead; `None` if it would look at too many positions.
    fn looking_ahead(
        &self,
        assessed: &Assessment,
        mover: RoleId,
        plies: u32,
        most: usize,
        limits: &Limits,
    ) -> Result<Option<f64>, ReadError> {
        let mut search = Search { players: self, limits, left: most };
        let mut found = Vec::with_capacity(assessed.moves.len());
        for option in &assessed.moves {
            let after = Position { layer: assessed.position.layer + 1, state: option.successor.clone() };
            let Some(rewards) = search.rewards(&after, plies - 1)? else { return Ok(None) };
            found.push((self.solution.rank(mover, Some(rewards.as_slice())), option.keeps_value));
        }
        let best = found.iter().map(|(rank, _)| rank).max();
        let looking_best: Vec<bool> =
            found.iter().filter(|(rank, _)| Some(rank) == best).map(|&(_, keeps)| keeps).collect();
        let wrong = looking_best.iter().filter(|keeps| !**keeps).count();
        Ok(Some(wrong as f64 / looking_best.len() as f64))
    }
}

impl Search<'_> {
    /// What a position looks like to be worth; `None` once too many positions were looked at.
    fn rewards(&mut self, position: &Position, plies: u32) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        self.limits.check().map_err(|limit: LimitReached| ReadError::from(limit))?;
        let solution = self.players.solution;
        let (situation, turn) = solution.situation(position)?;
        let mover = match turn {
            Turn::Terminal => {
                let value = solution.worth(position)?.value;
                return Ok(Some(value.map_or_else(|| self.players.middle.clone(), <[u8]>::to_vec)));
            }
            _ if plies == 0 => return Ok(Some(self.players.middle.clone())),
            Turn::Mover(role) => role,
            // There is one move.
            Turn::Forced => RoleId(0),
        };
        let mut best: Option<Vec<u8>> = None;
        for joint in situation.joint_moves() {
            let Some(found) = self.rewards(&solution.after(position, &joint), plies - 1)? else { return Ok(None) };
            let rank = |rewards: &Vec<u8>| solution.rank(mover, Some(rewards.as_slice()));
            if best.as_ref().is_none_or(|best| rank(&found) > rank(best)) {
                best = Some(found);
            }
        }
        Ok(best)
    }
}
