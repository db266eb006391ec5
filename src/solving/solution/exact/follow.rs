//! Plays the moves of a text from a position.

use super::super::replay::{either, only};
use super::super::text::find;
use super::super::{Position, PositionError, ReadError, Step, moves, terms};
use super::{ExactSolution, choosing};
use base::limits::Limits;
use game::interpreter::{JointMove, Situation};
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
                    if joint.iter().any(named) || self.joint(&situation, word, ply)?.is_some() {
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
                _ => match self.joint(&situation, word, ply)? {
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

    /// The joint move, if a text has the moves of all roles in brackets; `None` for other texts. A text in brackets
    /// that starts with a move, but has moves of too few or too many roles, is an error.
    fn joint(&self, situation: &Situation, text: &str, ply: u32) -> Result<Option<JointMove>, PositionError> {
        let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return Ok(None) };
        let names = terms(inner)?;
        let Some(first) = names.first() else { return Ok(None) };
        let roles = situation.legal.len();
        let is_move = |name: &str| find(situation.legal.iter().flatten().map(|&id| self.solution.move_name(id)), name);
        let is_name = |&id| self.solution.move_name(id).strip_prefix('(').and_then(|rest| rest.split(' ').next());
        let heads = || situation.legal.iter().flatten().filter_map(is_name);
        if is_move(text).is_some() || is_move(first).is_none() && heads().any(|head| head.eq_ignore_ascii_case(first)) {
            return Ok(None);
        }
        match names.len() {
            found if found == roles => self.solution.named_joint(situation, &names, ply).map(Some),
            found if is_move(first).is_some() => Err(PositionError::Joint { ply, found, roles }),
            _ => Ok(None),
        }
    }

    fn legal(&self, situation: &Situation, role: usize, action: &str, ply: u32) -> Result<MoveId, PositionError> {
        self.solution.legal(situation, RoleId(role as u32), action, ply)
    }
}
