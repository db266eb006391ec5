//! Checking a stored solution against the rules.
//!
//! Shares with what wrote it: the format of the files, the grounding of the rules, and the packed form of a state. The
//! rules are evaluated by the reference interpreter, which `query` uses, too, and no engine does. No kernel, no
//! encoding, no solver: even the diagrams are read by code of its own. First the checksums of all files; then every layer, from the last one
//! to the first:
//!
//! - for layers of any size: the number of states, by counts at the nodes; how many states have each value, by one walk
//!   over states and values; how many are terminal and which roles have a choice in some state, by one walk over states
//!   and conditions;
//! - state by state, if the layer has few states or if all are asked for (`full`): whose turn it is, that the value of
//!   a terminal state is its rewards, that every successor lies in the next layer, that any other value is the best of
//!   the successors' in the mover's order, that every state of the next layer is a successor, how many states are
//!   terminal, and whether the roles have the choice in turn. By induction over the layers, values that pass are right;
//! - otherwise the same for random states of the layer and of each value, except for what needs all states.
//!
//! Whether a state lies in two layers, and how many distinct ones there are, is shown from the diagrams
//! ([`distinct`]). What was proved, sampled or left open is part of the result ([`Claims`]).
//!
//! Where values were checked on random states alone, those of positions that symmetries of the game map onto each other are
//! compared as well (`symmetric`). Distances in a book beside the solution are recounted (`book`), and so are the states in
//! which ties decide (`ties`) and those from which a role can force what it gets ([`check_forced`]), as far as these were counted.
//!
//! If all states were solved at once, because play can return to a state, the states by distance and their values are
//! checked by a walk of its own ([`mod@settled`]), and the rounds in which states were settled prove the values
//! (`certificate`), and those the distances (`remoteness`).
//!
//! Time: about a microsecond a state and thread, and a pass over every file. Memory: 16 bytes for each node of two
//! layers, and some bits for each of their states; if that is too much, values are looked up in their diagrams and
//! successors are marked in several passes.

mod alternation;
mod book;
mod by_rank;
mod certificate;
mod check;
mod claims;
mod codes;
mod conditions;
mod diagram;
mod distinct;
mod exact;
mod files;
mod forced;
mod layer;
mod measure;
mod pairs;
mod ranked;
mod reach;
mod reached;
mod remoteness;
mod sample;
mod settled;
mod sweep;
mod symmetric;
#[cfg(test)]
mod tests;
mod ties;
mod totals;
mod union;
mod walk;

pub use claims::{Claim, Claims, How};
pub use forced::check as check_forced;

use base::limits::Limits;
use game::propositional::Game;
use num_bigint::BigUint;
use solving::solution::{ReadError, Solution, Stored};
use solving::solve::Listener;
use std::path::Path;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether all layers are checked state by state.
    pub full: bool,
    /// If not, layers with at most this number of states are.
    pub exhaustive: u64,
    /// Random states to check of every larger layer.
    pub samples: u64,
    /// Random states to check of every value of such a layer.
    pub samples_by_value: u64,
    pub seed: u64,
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { full: false, exhaustive: 100_000, samples: 10_000, samples_by_value: 4_000, seed: 0, threads: 1 }
    }
}

/// A fault that was found.
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
    /// Whether these are all states.
    pub exhaustive: bool,
    /// Whether values are stored and were checked too.
    pub values: bool,
}

/// The outcome of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    pub game: String,
    /// Whether all layers have values, or are told to have none.
    pub complete: bool,
    /// Why there is no single value, where only what roles can force is stored.
    pub no_value: Option<String>,
    pub files: u64,
    pub bytes: u64,
    /// Empty if a checksum is wrong, because then nothing else is checked.
    pub layers: Vec<Checked>,
    /// What was shown, provided that there are no findings.
    pub claims: Claims,
    /// The findings; empty if nothing is wrong.
    pub findings: Vec<Finding>,
}

/// Bound on the findings listed for one layer; further ones are only counted.
const LISTED: u64 = 10;

/// Verifies a folder against the rules in it, or those of another game with the same names of fluents and roles. An
/// error means that the verification could not be completed.
pub fn verify(
    folder: &Path,
    rules: Option<Game>,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
) -> Result<Verification, ReadError> {
    // A book that cannot be opened is told in its place, and does not keep the values from being looked at.
    let stored = Stored::open_without_book(folder, rules.clone(), limits)?;
    let manifest = &stored.manifest;
    let mut result = Verification {
        game: manifest.game.clone(),
        complete: manifest.is_finished(),
        no_value: manifest.no_value.as_ref().map(|reason| reason.message.clone()),
        files: 0,
        bytes: 0,
        layers: Vec::new(),
        claims: Claims::default(),
        findings: Vec::new(),
    };
    files::check(folder, &stored, options.threads, limits, listener, &mut result)?;
    if result.findings.is_empty() && manifest.is_global() {
        settled(&stored, options, limits, &mut result)?;
    } else if result.findings.is_empty() {
        let layout = stored.codec.layout();
        let mut check = check::Check::new(&stored, &layout, options, limits, listener);
        if manifest.is_exact() {
            exact::check(&mut check, &mut result)?;
            result.claims = check.claims;
            return Ok(result);
        }
        check.claims.add(Claim::Checksums, How::Proved);
        if options.full {
            check.estimate()?;
        }
        check.layers(&mut result)?;
        distinct::check(&mut check, &mut result)?;
        result.claims = check.claims;
    }
    // Values that are proved are those of their images, too.
    if result.claims.iter().any(|(claim, how)| claim == Claim::Values && how != How::Proved) {
        symmetric::check(&Solution::of(stored), options, limits, &mut result)?;
    }
    book::check(folder, rules, options, limits, listener, &mut result)?;
    Ok(result)
}

/// Checks a solution of all states at once.
fn settled(stored: &Stored, options: &Options, limits: &Limits, result: &mut Verification) -> Result<(), ReadError> {
    let options = Options { exhaustive: if options.full { u64::MAX } else { options.exhaustive }, ..*options };
    let distinct = settled::check(stored, &options, limits, result)?;
    totals::check(&stored.manifest, distinct, result);
    let manifest = &stored.manifest;
    let all = result.layers.iter().all(|layer| layer.exhaustive);
    let (counted, looked) = if all { (How::Proved, How::Proved) } else { (How::Open, How::Sampled) };
    let values = manifest.settled.is_some();
    for (claim, how, told) in [
        (Claim::Checksums, How::Proved, true),
        (Claim::LayerStates, How::Proved, true),
        (Claim::Buckets, counted, result.complete),
        (Claim::Turns, looked, true),
        (Claim::Within, counted, true),
        (Claim::NoOthers, counted, true),
        (Claim::Values, looked, values),
        (Claim::Rounds, looked, values),
        (Claim::Distances, looked, values && manifest.distances),
        (Claim::Terminal, counted, true),
        (Claim::Ends, counted, manifest.layers.iter().any(|layer| layer.ends.is_some())),
        (Claim::Ties, counted, manifest.ties.is_some()),
        (Claim::Disjoint, counted, true),
        (Claim::DistinctStates, counted, manifest.states.is_some()),
        (Claim::DistinctTerminal, counted, manifest.terminal_states.is_some()),
    ] {
        if told {
            result.claims.add(claim, how);
        }
    }
    Ok(())
}

/// Collects the findings of one layer or file, of which only the first are listed.
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

    /// Adds findings, of which there are `count` in all.
    fn extend(&mut self, messages: impl Iterator<Item = String>, count: u64) {
        self.count += count;
        let place = &self.place;
        let room = (LISTED as usize).saturating_sub(self.listed.len());
        self.listed.extend(messages.take(room).map(|message| Finding { place: place.clone(), message }));
    }

    /// Gives the findings to a result.
    fn end(mut self, result: &mut Verification) {
        let told = self.listed.len() as u64;
        result.findings.append(&mut self.listed);
        let left = self.count - told;
        if left > 0 {
            let message = format!("{left} findings more like these");
            result.findings.push(Finding { place: self.place, message });
        }
    }
}

/// Faults of the states of a layer that several threads look at.
#[derive(Debug, Default)]
struct Faults {
    /// The first ones, with the ranks of their states.
    first: Vec<(u64, String)>,
    count: u64,
}

impl Faults {
    fn add(&mut self, rank: u64, message: impl FnOnce() -> String) {
        self.count += 1;
        if (self.first.len() as u64) < LISTED {
            self.first.push((rank, message()));
        }
    }

    /// Adds what another thread found.
    fn join(&mut self, other: Faults) {
        self.first.extend(other.first);
        self.first.sort();
        self.first.truncate(LISTED as usize);
        self.count += other.count;
    }

    /// Adds the faults to the findings.
    fn tell(&mut self, findings: &mut Findings) {
        let told = std::mem::take(&mut self.first);
        findings.extend(told.into_iter().map(|(_, message)| message), std::mem::take(&mut self.count));
    }
}
