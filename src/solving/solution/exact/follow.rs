//! Plays the moves of a text from a position.

use super::super::text::find;
use super::super::{Position, PositionError, ReadError, Step, Values, moves, terms};
use super::{ExactSolution, choosing};
use base::limits::Limits;
use game::interpreter::{JointMove, Situation};
use game::propositional::{MoveId, RoleId};

impl ExactSolution {
    /// The position after the moves of a text, see [`ExactSolution::steps`].
    pub fn follow(&self, position: &Position, text: &str) -> Result<Position, ReadError> {
        let (words, lines) = moves(text)?;
        let steps = |words: &[String]| self.steps(position, words, &Limits::unlimited());
        let last = match (steps(&words), lines) {
            // Lines of several words may be a move each.
            (Err(ReadError::Position(of_words)), Some(lines)) => match steps(&lines) {
                Err(ReadError::Position(of_lines)) => return Err(of_words.or_read_as(of_lines).into()),
                steps => steps?,
            },
            (steps, _) => steps?,
        }
        .pop();
        Ok(last.map_or_else(|| position.clone(), |step| step.successor))
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
            let only = || situation.legal.iter().map(|moves| moves[0]).collect::<JointMove>();
            let joint = match choosing.as_slice() {
                [] => {
                    let joint = only();
                    let named = |&action| find([self.solution.move_name(action)].into_iter(), word).is_some();
                    if joint.iter().any(named) || self.joint(&situation, word, ply)?.is_some() {
                        words.next();
                    }
                    joint
                }
                [role] if self.legal(&situation, *role, word, ply).is_ok() => {
                    let mut joint = only();
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
                        let mut joint = only();
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
            let step = self.step(&position, &situation, joint)?;
            position.clone_from(&step.successor);
            steps.push(step);
        }
        Ok(steps)
    }

    fn step(&self, position: &Position, situation: &Situation, joint: JointMove) -> Result<Step, ReadError> {
        let successor = self.solution.after(position, &joint);
        self.stored.check_layer(successor.layer)?;
        Ok(Step { ply: self.solution.ply(position, situation, joint), successor })
    }

    /// One ply from the names of the moves of all roles, chance last.
    pub fn joint_step(&self, position: &Position, names: &[String]) -> Result<Step, ReadError> {
        let (situation, ply) = (self.situation(position)?, position.layer + 1);
        if situation.terminal {
            return Err(PositionError::Over { ply, action: names.join(" ") }.into());
        }
        if names.len() != situation.legal.len() {
            return Err(PositionError::Joint { ply, found: names.len(), roles: situation.legal.len() }.into());
        }
        let each = names.iter().enumerate().map(|(role, name)| self.legal(&situation, role, name, ply));
        let joint = each.collect::<Result<_, _>>()?;
        self.step(position, &situation, joint)
    }

    /// The joint move of a text with the moves of all roles in brackets; `None` if it is none. A text in brackets that
    /// begins with a move, and not with a functor of moves, must be one; otherwise it is an error.
    fn joint(&self, situation: &Situation, text: &str, ply: u32) -> Result<Option<JointMove>, PositionError> {
        let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return Ok(None) };
        let names = terms(inner)?;
        let (first, roles) = (&names[0], situation.legal.len());
        let is_move = |name: &str| find(situation.legal.iter().flatten().map(|&id| self.solution.move_name(id)), name);
        let is_name = |&id| self.solution.move_name(id).strip_prefix('(').and_then(|rest| rest.split(' ').next());
        let heads = || situation.legal.iter().flatten().filter_map(is_name);
        if is_move(text).is_some() || is_move(first).is_none() && heads().any(|head| head.eq_ignore_ascii_case(first)) {
            return Ok(None);
        }
        match names.len() {
            found if found == roles => {
                let each = names.iter().enumerate().map(|(role, name)| self.legal(situation, role, name, ply));
                each.collect::<Result<_, _>>().map(Some)
            }
            found if is_move(first).is_some() => Err(PositionError::Joint { ply, found, roles }),
            _ => Ok(None),
        }
    }

    fn legal(&self, situation: &Situation, role: usize, action: &str, ply: u32) -> Result<MoveId, PositionError> {
        self.solution.legal(situation, RoleId(role as u32), action, ply)
    }
}
