//! Answers from a solution with exact values, of a game with chance or with players who choose at the same time.
//! Strategies are not stored: those of a position follow from the values after it, by the rule that gave its value.

mod assess;
mod follow;
mod query;
mod recent;
mod why;

pub use assess::{Choices, ExactAssessment};
pub use query::{ExactMove, ExactQuery, Forced, Mixed, Probability};
pub use why::{Answer, ExactLine, Outcome, Reason};

use super::{Among, ExactWorth, Position, ReadError, Solution, Stored, terms};
use crate::exact::{Strategy, Value};
use crate::store::Manifest;
use base::limits::Limits;
use base::random::Random;
use game::interpreter::{JointMove, Situation};
use game::propositional::RoleId;
use num_bigint::BigUint;
use recent::Recent;
use std::path::Path;
use std::sync::Arc;

const CHANCE: &str = "random";

/// An opened solution, which threads share.
pub struct ExactSolution {
    solution: Solution,
    stored: Arc<Stored>,
    guarantees: Vec<(RoleId, Stored)>,
    assessments: Recent<Position, ExactAssessment>,
    /// By role, the strategy that forces its guarantee.
    forcing: Recent<(RoleId, Position), Strategy>,
}

impl ExactSolution {
    /// Opens a folder. The solution may be unfinished. `limits` bound the grounding of its rules.
    pub fn open(folder: &Path, limits: &Limits) -> Result<ExactSolution, ReadError> {
        let stored = Stored::open(folder, limits)?;
        let mut guarantees = Vec::new();
        for role in (0..stored.game.players() as u32).map(RoleId) {
            guarantees.extend(stored.guarantee(role)?.map(|own| (role, own)));
        }
        let stored = Arc::new(stored);
        let solution = Solution::of_shared(Arc::clone(&stored));
        let (assessments, forcing) = (Recent::new(), Recent::new());
        Ok(ExactSolution { solution, stored, guarantees, assessments, forcing })
    }

    /// As [`Solution::within`].
    pub fn within(self, limits: &Arc<Limits>) -> Self {
        ExactSolution { solution: self.solution.within(limits), ..self }
    }

    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    pub fn manifest(&self) -> &Manifest {
        &self.stored.manifest
    }

    pub fn stored_guarantees(&self) -> impl Iterator<Item = (RoleId, &Manifest)> {
        self.guarantees.iter().map(|(role, own)| (*role, &own.manifest))
    }

    /// The name of a role; `random` for chance.
    pub fn role_name(&self, role: usize) -> String {
        if role < self.solution.game().players() {
            self.solution.role_name(RoleId(role as u32))
        } else {
            CHANCE.to_owned()
        }
    }

    pub fn start(&self) -> Position {
        self.solution.start()
    }

    pub fn position(&self, text: &str) -> Result<Position, ReadError> {
        self.solution.position(&terms(text)?)
    }

    pub fn sample(&self, layer: u32, random: &mut Random, limits: &Arc<Limits>) -> Result<Position, ReadError> {
        self.solution.sample(layer, Among::All, random, limits)
    }

    pub fn states(&self, layer: u32) -> Result<BigUint, ReadError> {
        self.solution.states_among(layer, Among::All)
    }

    /// Whether positions have values; otherwise only guarantees are stored.
    pub fn has_values(&self) -> bool {
        self.stored.manifest.opponent_model.is_some()
    }

    /// The stored value; `None` if only guarantees are stored. What an end of play pays is told by a query, too.
    pub fn value(&self, position: &Position) -> Result<Option<&Value>, ReadError> {
        self.has_values().then(|| worth(&self.stored, position)).transpose()
    }

    pub fn values_of(&self, layer: u32) -> Result<impl Iterator<Item = &Value>, ReadError> {
        let table = self.stored.table(layer)?;
        Ok(table.into_iter().flat_map(|table| table.0.iter().map(|(value, _)| value)))
    }

    /// The displayed text of a joint move, and its role: the move of the only role that chooses or, in a forced ply,
    /// the move that has an effect. If several roles choose, the text has all moves in brackets, and there is no role.
    pub fn shown(&self, position: &Position, situation: &Situation, joint: &JointMove) -> (Option<usize>, String) {
        let mut choosing = choosing(situation);
        let role = match (choosing.next(), choosing.next()) {
            (None, _) => Some(self.solution.ply(position, situation, joint.clone()).role.index()),
            (only, None) => only,
            _ => None,
        };
        let whole = || format!("({})", self.solution.joint_names(joint).join(" "));
        (role, role.map_or_else(whole, |role| self.solution.move_name(joint[role]).to_owned()))
    }

    /// Whether the strategy of a role is known: the role is chance, positions have values, or its guarantee is stored.
    pub fn knows(&self, role: usize) -> bool {
        self.has_values()
            || role >= self.solution.game().players()
            || self.guarantees.iter().any(|(own, _)| own.index() == role)
    }

    /// The legal moves. A state in which a role has no move is an error, because no solution contains one.
    pub fn situation(&self, position: &Position) -> Result<Situation, ReadError> {
        let situation = self.solution.interpreter().situation(&position.state);
        if !situation.terminal && situation.legal.iter().any(Vec::is_empty) {
            return Err(ReadError::Damaged(format!("in a state of layer {}, a role has no move", position.layer)));
        }
        Ok(situation)
    }
}

fn worth<'s>(stored: &'s Stored, position: &Position) -> Result<&'s Value, ReadError> {
    Ok(worth_by_round(stored, position)?.0)
}

fn worth_by_round<'s>(stored: &'s Stored, position: &Position) -> Result<ExactWorth<'s>, ReadError> {
    let layer = position.layer;
    let assignment = stored.codec.assignment(&position.state);
    let value = assignment.map_or(Ok(None), |assignment| stored.exact_worth(layer, &assignment))?;
    value.ok_or_else(|| ReadError::Damaged(format!("layer {layer} lacks a state that can be reached")))
}

fn choosing(situation: &Situation) -> impl Iterator<Item = usize> + '_ {
    let terminal = situation.terminal;
    (0..situation.legal.len()).filter(move |&role| !terminal && situation.legal[role].len() > 1)
}
