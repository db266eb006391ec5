//! Legal moves and rewards in one state, and whose turn it is.

use crate::propositional::{MoveId, RoleId};
use base::random::Random;
use smallvec::SmallVec;
use std::fmt;

/// A move of each role, by role.
pub type JointMove = SmallVec<[MoveId; 2]>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    pub terminal: bool,
    /// The legal moves of each role, ascending, possibly also in terminal states.
    pub legal: Vec<Vec<MoveId>>,
    /// The rewards of each role that hold, ascending.
    pub goals: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Play is over; every role has exactly one reward.
    Terminal,
    /// No role has a choice; there is one joint move.
    Forced,
    /// This role has more than one legal move; all other roles have one.
    Mover(RoleId),
}

/// The reason why a reachable state is ill-formed, so that the game cannot be solved as a turn-taking one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// Two roles have a choice.
    Simultaneous(RoleId, RoleId),
    /// The state is not terminal, and the role has no legal move.
    NoMove(RoleId),
    /// The state is terminal, and the role has no reward or several.
    Goals { role: RoleId, rewards: Vec<u8> },
}

impl Situation {
    /// A missing move is reported before a simultaneous choice.
    pub fn turn(&self) -> Result<Turn, Violation> {
        let roles = || (0..self.legal.len() as u32).map(RoleId);
        if self.terminal {
            return match roles().find(|role| self.goals[role.index()].len() != 1) {
                Some(role) => Err(Violation::Goals { role, rewards: self.goals[role.index()].clone() }),
                None => Ok(Turn::Terminal),
            };
        }
        if let Some(role) = roles().find(|role| self.legal[role.index()].is_empty()) {
            return Err(Violation::NoMove(role));
        }
        let mut movers = roles().filter(|role| self.legal[role.index()].len() > 1);
        match (movers.next(), movers.next()) {
            (None, _) => Ok(Turn::Forced),
            (Some(mover), None) => Ok(Turn::Mover(mover)),
            (Some(first), Some(second)) => Err(Violation::Simultaneous(first, second)),
        }
    }

    /// One of the joint moves, all equally likely; `None` in a terminal state, or if a role has no legal move.
    pub fn random_joint_move(&self, random: &mut Random) -> Option<JointMove> {
        if self.terminal {
            return None;
        }
        self.legal.iter().map(|moves| random.choose(moves).copied()).collect()
    }

    /// Number of joint moves (saturating); 0 if a role has no legal move.
    pub fn joint_move_count(&self) -> usize {
        self.legal.iter().fold(1, |count, moves| count.saturating_mul(moves.len()))
    }

    /// All joint moves; the last role's move changes fastest. With one chooser, they are in the order of its moves.
    pub fn joint_moves(&self) -> impl Iterator<Item = JointMove> + '_ {
        (0..self.joint_move_count()).map(|mut index| {
            let mut joint: JointMove = SmallVec::from_elem(MoveId(0), self.legal.len());
            for (chosen, moves) in joint.iter_mut().zip(&self.legal).rev() {
                *chosen = moves[index % moves.len()];
                index /= moves.len();
            }
            joint
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Simultaneous(first, second) => {
                write!(f, "roles {} and {} both have a choice", first.0 + 1, second.0 + 1)
            }
            Violation::NoMove(role) => write!(f, "role {} has no legal move and the state is not terminal", role.0 + 1),
            Violation::Goals { role, rewards } if rewards.is_empty() => {
                write!(f, "role {} has no reward in a terminal state", role.0 + 1)
            }
            Violation::Goals { role, rewards } => {
                write!(f, "role {} has more than one reward in a terminal state: {rewards:?}", role.0 + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation(terminal: bool, legal: &[&[u32]], goals: &[&[u8]]) -> Situation {
        Situation {
            terminal,
            legal: legal.iter().map(|moves| moves.iter().map(|&id| MoveId(id)).collect()).collect(),
            goals: goals.iter().map(|rewards| rewards.to_vec()).collect(),
        }
    }

    #[test]
    fn the_turn_is_found_by_the_number_of_moves_alone() {
        let turn = |legal: &[&[u32]]| situation(false, legal, &[&[], &[]]).turn();
        assert_eq!(turn(&[&[0], &[2, 3]]), Ok(Turn::Mover(RoleId(1))));
        assert_eq!(turn(&[&[0], &[2]]), Ok(Turn::Forced));
        assert_eq!(turn(&[&[0, 1], &[2, 3]]), Err(Violation::Simultaneous(RoleId(0), RoleId(1))));
        assert_eq!(turn(&[&[0, 1], &[]]), Err(Violation::NoMove(RoleId(1))));
    }

    #[test]
    fn terminal_states_need_one_reward_for_each_role() {
        assert_eq!(situation(true, &[&[], &[]], &[&[100], &[0]]).turn(), Ok(Turn::Terminal));
        let none = situation(true, &[&[], &[]], &[&[100], &[]]).turn();
        assert_eq!(none, Err(Violation::Goals { role: RoleId(1), rewards: vec![] }));
        let two = situation(true, &[&[], &[]], &[&[0, 50], &[0]]).turn();
        assert_eq!(two, Err(Violation::Goals { role: RoleId(0), rewards: vec![0, 50] }));
    }

    #[test]
    fn joint_moves_are_the_product() {
        let state = situation(false, &[&[0, 1], &[2, 3]], &[&[], &[]]);
        let joint: Vec<Vec<u32>> = state.joint_moves().map(|moves| moves.iter().map(|id| id.0).collect()).collect();
        assert_eq!(joint, [[0, 2], [0, 3], [1, 2], [1, 3]]);
    }
}
