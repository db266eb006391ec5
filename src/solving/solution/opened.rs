//! A solution of either kind: its values are rewards or exact numbers.

use super::{ExactSolution, Position, ReadError, Solution};
use crate::exact::Value;
use crate::store::Manifest;
use base::limits::Limits;
use game::interpreter::Situation;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Numbers {
    Rewards(Vec<u8>),
    /// For each player, the average reward.
    Exact(Value),
}

impl Numbers {
    pub fn floats(&self) -> Option<Vec<f64>> {
        match self {
            Numbers::Rewards(_) => None,
            Numbers::Exact(value) => Some(value.floats()),
        }
    }
}

pub enum Opened {
    Rewards(Box<Solution>),
    Exact(Box<ExactSolution>),
}

impl Opened {
    /// Opens a folder. The solution may be unfinished. `limits` bound the grounding of its rules.
    pub fn open(folder: &Path, limits: &Limits) -> Result<Opened, ReadError> {
        match Manifest::load(folder)?.is_exact() {
            true => ExactSolution::open(folder, limits).map(|solution| Opened::Exact(Box::new(solution))),
            false => Solution::open(folder, limits).map(|solution| Opened::Rewards(Box::new(solution))),
        }
    }

    /// As [`Solution::within`].
    pub fn within(self, limits: &Arc<Limits>) -> Self {
        match self {
            Opened::Rewards(solution) => Opened::Rewards(Box::new(solution.within(limits))),
            Opened::Exact(exact) => Opened::Exact(Box::new(exact.within(limits))),
        }
    }

    /// For exact values, a solution without the values.
    pub fn solution(&self) -> &Solution {
        match self {
            Opened::Rewards(solution) => solution,
            Opened::Exact(exact) => exact.solution(),
        }
    }

    /// The legal moves. A state in which a role has no move is an error, because no solution contains one.
    pub fn situation(&self, position: &Position) -> Result<Situation, ReadError> {
        match self {
            Opened::Rewards(solution) => Ok(solution.situation(position)?.0),
            Opened::Exact(exact) => exact.situation(position),
        }
    }

    /// The value of a position; `None` for endless play, or if only guarantees are stored.
    pub fn value(&self, position: &Position) -> Result<Option<Numbers>, ReadError> {
        Ok(match self {
            Opened::Rewards(solution) => solution.worth(position)?.value.map(|value| Numbers::Rewards(value.to_vec())),
            Opened::Exact(exact) => exact.value(position)?.cloned().map(Numbers::Exact),
        })
    }

    pub fn layers(&self) -> u32 {
        self.solution().values().layers()
    }

    /// `None` if the solution is in no folder.
    pub fn manifest(&self) -> Option<&Manifest> {
        match self {
            Opened::Rewards(solution) => solution.manifest(),
            Opened::Exact(exact) => Some(exact.manifest()),
        }
    }
}

impl From<Solution> for Opened {
    fn from(solution: Solution) -> Opened {
        Opened::Rewards(Box::new(solution))
    }
}
