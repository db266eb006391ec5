//! Plays the moves of a text from a position.

use super::super::replay::{either, only};
use super::super::text::find;
use super::super::{Position, PositionError, ReadError, Step, moves};
use super::{ExactSolution, choosing};
use base::limits::Limits;
use game::interpreter::Situation;
use game::propositional::{MoveId, RoleId};

impl ExactSolution {
    pub fn follow(&self, position: &Position, text: &str) -> Result<Position, ReadError> {
        let (words, lines) = moves(text)?;
        let last = self.steps_either(position, &words, lines.as_deref(), &Limits::unlimited())?.pop();
        Ok(last.map_or_else(|| position.clone(), |step| step.successor))
    }

    /// As [`ExactSolution::steps`]; if the words are no moves, `lines` are read instead, each as one move.
    pub fn steps_either(
        &self,
        position: &Position,
        words: &[String],
        lines: Option<&[String]>,
        limits: &Limits,
    ) -> Result<Vec<Step>, ReadError> {
        either(words, lines, |words| self.steps(position, words, limits))
    }

    /// The plies of some moves. A ply is given by the moves of the roles that have a choice, in the order of the roles,
    /// chance last; or by the moves of all roles in brackets. Forced plies may be left out.
    pub fn steps(&self, position: &Position, words: &[String], limits: &Limits) -> Result<Vec<Step>, ReadError> {
        let (mut words, mut position) = (words.iter().cloned().peekable(), position.clone());
        let mut steps = Vec::new();
        while let Some(word) = words.peek() {
            limits.check()?;
            let situation = self.situation(&position)?;
            let ply = position.layer + 1;
            if situation.terminal {
                return Err(PositionError::Over { ply, action: word.clone() }.into());
            }
            let choosing: Vec<usize> = choosing(&situation).collect();
            let joint = match choosing.as_slice() {
                [] => {
                    let joint = only(&situation);
                    let named = |&action| find([self.solution.move_name(action)].into_iter(), word).is_some();
                    if joint.iter().any(named) || self.solution.joint(&situation, word, ply)?.is_some() {
                        words.next();
                    }
                    joint
                }
                [role] if self.legal(&situation, *role, word, ply).is_ok() => {
                    let mut joint = only(&situation);
                    joint[*role] = self.legal(&situation, *role, word, ply)?;
                    words.next();
                    joint
                }
                _ => match self.solution.joint(&situation, word, ply)? {
                    Some(joint) => {
                        words.next();
                        joint
                    }
                    None => {
                        let mut joint = only(&situation);
                        for &role in &choosing {
                            let Some(word) = words.next() else {
                                let found = choosing.iter().position(|other| *other == role).unwrap_or_default();
                                return Err(PositionError::Joint { ply, found, roles: choosing.len() }.into());
                            };
                            joint[role] = self.legal(&situation, role, &word, ply)?;
                        }
                        joint
                    }
                },
            };
            let step = self.solution.made(&position, &situation, joint)?;
            position.clone_from(&step.successor);
            steps.push(step);
        }
        Ok(steps)
    }

    /// One ply, given by the names of the moves of all roles, chance last.
    pub fn joint_step(&self, position: &Position, names: &[String]) -> Result<Step, ReadError> {
        self.solution.joint_made(position, &self.situation(position)?, names)
    }

    fn legal(&self, situation: &Situation, role: usize, action: &str, ply: u32) -> Result<MoveId, PositionError> {
        self.solution.legal(situation, RoleId(role as u32), action, ply)
    }
}
