//! What is reported of a finished run: the outcome of the solver, and what surrounds it.

use crate::solve::{Difference, Outcome};
use crate::store::RunRecord;
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
    /// SHA-256 of the rules.
    pub rules_sha256: String,
    /// Where the solution lies.
    pub place: &'a Place,
    /// Nothing was computed: all of it was read from there.
    pub from_disk: bool,
    /// The runs that computed it, this one included if it added something; none if that is not recorded.
    pub runs: &'a [RunRecord],
    /// Options that are not those of what was stored before.
    pub differences: &'a [Difference],
    /// What there is to say about the rules, as `check` gives it.
    pub diagnostics: Value,
}
