//! A solution of either kind: with rewards as values, or with exact numbers.

use super::{ExactSolution, ReadError, Solution};
use crate::store::Manifest;
use base::limits::Limits;
use std::path::Path;

/// A solution that is open, by what its values are.
pub enum Opened {
    /// Rewards: of games in turns without chance.
    Rewards(Box<Solution>),
    /// Exact numbers: of games with chance or choices at the same time.
    Exact(Box<ExactSolution>),
}

impl Opened {
    /// The solution in a folder, which may be unfinished. `limits` bound the grounding of its rules.
    pub fn open(folder: &Path, limits: &Limits) -> Result<Opened, ReadError> {
        match Manifest::load(folder)?.is_exact() {
            true => ExactSolution::open(folder, limits).map(|solution| Opened::Exact(Box::new(solution))),
            false => Solution::open(folder, limits).map(|solution| Opened::Rewards(Box::new(solution))),
        }
    }

    /// What it is a solution of. Of exact values this one knows nothing.
    pub fn solution(&self) -> &Solution {
        match self {
            Opened::Rewards(solution) => solution,
            Opened::Exact(exact) => exact.solution(),
        }
    }

    /// Number of its layers.
    pub fn layers(&self) -> u32 {
        self.solution().values().layers()
    }

    /// The manifest of the solution, if it is in a folder.
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
