//! Checking a stored solution against the rules.
//!
//! Shares only the file format and the interpreter with what wrote it: no kernel, no encoding, no solver. First the
//! checksums of all files; then, layer by layer, the number of states by its own count over the diagram, and state by
//! state what makes a strong solution: the first layer is the initial state; nobody but one role has a choice; the
//! value of a terminal state is its goals; every successor lies in the next layer; any other value is the best of the
//! successors' in the mover's order; and every state of the next layer is a successor. By induction over the layers,
//! values that pass on all states are right. On the same states, whether two roles have the choice in turn.
//!
//! Where the values of a layer are stored by rank, all of that file is looked at: the counts that make the ranks,
//! against the verifier's own; every block; and how many states have each value.
//!
//! Where all states are solved at once, so that play can return to a state, the states by distance and their values are
//! looked at by a walk of their own, and what shows that the values are right are the rounds in which they were settled
//! (`certificate`).
//!
//! Layers up to a bound are looked at state by state, larger ones at random states, uniformly drawn. Time is that of
//! the states looked at, some microseconds each, plus one pass over every file; memory is 8 bytes a node of the
//! largest layer and the states of one layer up to the bound.

mod certificate;
mod check;
pub mod count;
mod files;
mod ranked;
mod settled;
mod totals;
mod turns;

use crate::limits::Limits;
use crate::solution::{ReadError, Stored};
use crate::solve::{Listener, Silent};
use num_bigint::BigUint;
use std::path::Path;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Layers with at most so many states are checked state by state.
    pub exhaustive: u64,
    /// Random states to check of every larger layer.
    pub samples: u64,
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { exhaustive: 100_000, samples: 10_000, seed: 0 }
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A file, or a layer.
    pub place: String,
    pub message: String,
}

/// What was checked of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub layer: u32,
    /// By the verifier's own count.
    pub states: BigUint,
    /// Number of states that were looked at.
    pub checked: u64,
    /// Those are all.
    pub exhaustive: bool,
    /// The values are there and were checked too.
    pub values: bool,
}

/// The outcome of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    pub game: String,
    /// Whether all layers have values.
    pub complete: bool,
    pub files: u64,
    pub bytes: u64,
    /// Empty if the files' checksums do not fit: nothing else is looked at then.
    pub layers: Vec<Checked>,
    /// Nothing, if the solution is right.
    pub findings: Vec<Finding>,
}

/// Findings that are listed of one layer; the others are counted.
const LISTED: u64 = 10;

/// Verifies a folder on one thread and unheard. An error means that it could not be looked at, or not to the end.
pub fn verify(folder: &Path, options: &Options, limits: &Limits) -> Result<Verification, ReadError> {
    verify_heard(folder, options, 1, limits, &Silent)
}

/// As [`verify`], on several threads where there is work for them (the checksums of the files), and with events of how
/// far it is.
pub fn verify_heard(
    folder: &Path,
    options: &Options,
    threads: usize,
    limits: &Limits,
    listener: &dyn Listener,
) -> Result<Verification, ReadError> {
    let stored = Stored::open(folder, limits)?;
    let manifest = &stored.manifest;
    let mut result = Verification {
        game: manifest.game.clone(),
        complete: manifest.phase == crate::store::manifest::Progress::Complete,
        files: 0,
        bytes: 0,
        layers: Vec::new(),
        findings: Vec::new(),
    };
    files::check(folder, &stored, threads, limits, listener, &mut result)?;
    if result.findings.is_empty() {
        let mut seen = totals::Seen::new(options.exhaustive);
        if manifest.is_global() {
            settled::check(&stored, options, limits, &mut seen, &mut result)?;
        } else {
            check::layers(&stored, options, limits, listener, &mut seen, &mut result)?;
        }
        totals::check(manifest, &seen, &mut result);
    }
    Ok(result)
}

/// Collects what is wrong in one place, of which only the first findings are listed.
struct Findings {
    place: String,
    listed: Vec<Finding>,
    count: u64,
}

impl Findings {
    fn new(place: String) -> Self {
        Findings { place, listed: Vec::new(), count: 0 }
    }

    fn add(&mut self, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= LISTED {
            self.listed.push(Finding { place: self.place.clone(), message: message() });
        }
    }

    /// Gives the findings to a result.
    fn end(mut self, result: &mut Verification) {
        result.findings.append(&mut self.listed);
        if self.count > LISTED {
            let message = format!("{} findings more like these", self.count - LISTED);
            result.findings.push(Finding { place: self.place, message });
        }
    }
}
