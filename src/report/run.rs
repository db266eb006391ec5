//! What is reported of a finished run: the outcome of the solver, and what surrounds it.

use crate::solve::{Outcome, Stage, StageTime};
use serde_json::Value;
use std::path::PathBuf;

/// The command that is reported; they differ in emphasis only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Solve,
    Classify,
    Count,
}

impl Command {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Command::Solve => "solve",
            Command::Classify => "classify",
            Command::Count => "count",
        }
    }
}

/// Where a solution lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Folder(PathBuf),
    /// It is not stored, for this reason.
    Nowhere(String),
}

/// A finished run of `solve`, `classify` or `count`.
#[derive(Debug, Clone)]
pub struct RunReport<'a> {
    pub command: Command,
    pub game: &'a str,
    /// By role, as displayed.
    pub roles: Vec<String>,
    pub outcome: &'a Outcome,
    /// Where the solution lies.
    pub place: Place,
    /// The stages before the solver's.
    pub before: Vec<StageTime>,
    /// Wall time of everything.
    pub total_seconds: f64,
    pub peak_memory_bytes: u64,
    /// What there is to say about the rules, as `check` gives it.
    pub diagnostics: Value,
}

impl RunReport<'_> {
    /// All stages in the order of their run.
    pub(super) fn times(&self) -> impl Iterator<Item = StageTime> + '_ {
        self.before.iter().chain(&self.outcome.times).copied()
    }

    /// Seconds in one stage, 0 if it did not run.
    pub(super) fn seconds(&self, stage: Stage) -> f64 {
        self.times().filter(|time| time.stage == stage).fold(0.0, |sum, time| sum + time.seconds)
    }
}
