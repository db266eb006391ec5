//! Playing moves that are given by their names.
//!
//! Only movers need to be named: the other role's only legal move is implied. Where nobody has a choice, the joint
//! move is implied too; naming a move of any role there is allowed, and a name that fits is taken for it.

use super::text::find;
use super::{Analyst, Position, PositionError, ReadError};
use crate::interpreter::{JointMove, Situation, Turn};
use crate::propositional::{MoveId, RoleId};
use smallvec::SmallVec;

/// One ply of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Who had the choice, if anybody had.
    pub mover: Option<RoleId>,
    pub joint: JointMove,
    pub successor: Position,
}

impl Analyst<'_> {
    /// The plies that the movers' moves `actions` lead through, from `position` on. Ends with the last named move, so
    /// that a position in which nobody has a choice can be reached too.
    pub fn replay(&mut self, position: &Position, actions: &[String]) -> Result<Vec<Step>, ReadError> {
        let mut steps: Vec<Step> = Vec::new();
        let mut rest = actions.iter();
        let mut next = rest.next();
        while let Some(action) = next {
            let current = steps.last().map_or(position, |step| &step.successor).clone();
            let (step, taken) = self.step(&current, action)?;
            self.values().check_layer(step.successor.layer)?;
            steps.push(step);
            if taken {
                next = rest.next();
            }
        }
        Ok(steps)
    }

    /// One ply: the mover's `action`, or where nobody has a choice the only joint move. The second value tells whether
    /// the name was that of a move made.
    fn step(&mut self, position: &Position, action: &str) -> Result<(Step, bool), ReadError> {
        let (situation, turn) = self.situation(position)?;
        let ply = position.layer + 1;
        let (mover, joint, taken) = match turn {
            Turn::Terminal => return Err(PositionError::Over { ply, action: action.to_owned() }.into()),
            Turn::Forced => {
                let joint: JointMove = situation.joint_moves().next().unwrap_or_default();
                let fits = joint.iter().any(|&only| self.move_name(only).eq_ignore_ascii_case(action));
                (None, joint, fits)
            }
            Turn::Mover(role) => {
                let chosen = self.legal(&situation, role, action, ply)?;
                let joint = situation.joint_moves().find(|joint| joint[role.index()] == chosen).unwrap_or_default();
                (Some(role), joint, true)
            }
        };
        let successor = self.after(position, &joint);
        Ok((Step { mover, joint, successor }, taken))
    }

    /// One ply by a joint move, a name for each role in the order of the roles.
    pub fn joint_step(&mut self, position: &Position, actions: &[String]) -> Result<Step, ReadError> {
        let (situation, turn) = self.situation(position)?;
        let ply = position.layer + 1;
        let mover = match turn {
            Turn::Terminal => return Err(PositionError::Over { ply, action: actions.join(" ") }.into()),
            Turn::Forced => None,
            Turn::Mover(role) => Some(role),
        };
        let roles = self.game().roles.len();
        if actions.len() != roles {
            return Err(PositionError::Joint { ply, found: actions.len(), roles }.into());
        }
        let mut joint: JointMove = SmallVec::new();
        for (role, action) in self.game().role_ids().zip(actions) {
            joint.push(self.legal(&situation, role, action, ply)?);
        }
        let successor = self.after(position, &joint);
        self.values().check_layer(successor.layer)?;
        Ok(Step { mover, joint, successor })
    }

    /// The legal move of a role that has a name.
    fn legal(&self, situation: &Situation, role: RoleId, action: &str, ply: u32) -> Result<MoveId, PositionError> {
        let legal = &situation.legal[role.index()];
        let found = find(legal.iter().map(|&id| self.move_name(id)), action);
        found.map(|index| legal[index]).ok_or_else(|| PositionError::Illegal {
            ply,
            action: action.to_owned(),
            role: self.role_name(role),
            legal: legal.iter().map(|&id| self.move_name(id).to_owned()).collect(),
        })
    }
}
