//! Checks a stored solution against the rules.
//!
//! The verifier shares with the solver the format of the files, the grounding of the rules, the packed form of a state
//! and, for exact values, the solution of matrices, which mixed strategies prove. The reference interpreter evaluates
//! the rules; `query` uses it, too, but no engine does. The kernel, the encoding and the solver are not used; even
//! diagrams are read by other code. First the verifier checks the checksums of all files; then every layer, from the
//! last to the first:
//!
//! - For layers of any size: the number of states, by counts at the nodes; the number of states with each value, by one
//!   walk over states and values; the number of terminal states and the roles that have a choice in some state, by one
//!   walk over states and conditions.
//! - State by state, if the layer has few states or the options ask for all (`full`): whose turn it is, that the value
//!   of a terminal state is its rewards, that every successor lies in the next layer, that any other value is the best
//!   value of the successors in the mover's order, that every state of the next layer is a successor, the number of
//!   terminal states, and whether the choice alternates. By induction over the layers, values that pass are right.
//! - Otherwise: the same checks for random states of the layer and of each value, except those that need all states.
//!
//! The diagrams show whether a state lies in two layers, and how many distinct states there are ([`distinct`]). The
//! result says what was proved, sampled or left open ([`Claims`]).
//!
//! If values were checked only on random states, positions that symmetries of the game map onto each other are compared
//! as well (`symmetric`). Distances in a book (`book`) are checked, and so are the counts of the states in which a tie
//! decides (`ties`), a role can force its reward ([`check_forced`]) or the value is no equilibrium, if the solution has
//! them.
//!
//! Solutions of all states at once, for games in which states repeat, have their own check ([`mod@settled`]), by
//! layers, values and distances. The rounds in which states were settled prove the values (`certificate`), and the
//! values prove the distances (`remoteness`). Exact values have their own check, too ([`mod@exact`]).
//!
//! Time: some microseconds per state and thread, and a pass over every file. Memory: 16 bytes for each node of two
//! layers, and some bits for each of their states. If memory does not suffice, values are looked up in their diagrams
//! and successors are marked in several passes.

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
mod known;
mod layer;
mod measure;
mod moves;
mod nodes;
mod pace;
mod pairs;
mod play;
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
use serde::Serialize;
use solving::solution::{ReadError, Solution, Stored};
use solving::solve::Listener;
use solving::store::manifest::integer;
use std::path::Path;

/// The extent of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether all states are checked.
    pub full: bool,
    /// If `full` is false, layers with at most this number of states are checked state by state.
    pub exhaustive: u64,
    /// Number of random states that are checked of every larger layer.
    pub samples: u64,
    /// Number of random states of each value that are checked of every larger layer.
    pub samples_by_value: u64,
    /// Seed of the random states.
    pub seed: u64,
    /// Number of threads.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { full: false, exhaustive: 100_000, samples: 10_000, samples_by_value: 4_000, seed: 0, threads: 1 }
    }
}

/// An error that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file or layer with the fault.
    #[serde(rename = "where")]
    pub place: String,
    /// The error in words.
    pub message: String,
}

/// The checks of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Number of the layer.
    pub layer: u32,
    /// Number of states by the verifier's own count.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// Number of checked states.
    pub checked: u64,
    /// Whether all states were checked.
    pub exhaustive: bool,
    /// Whether values are stored; they were checked, too.
    pub values: bool,
}

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Name of the game.
    pub game: String,
    /// Whether each layer has its values, or is recorded as having none.
    pub complete: bool,
    /// The reason why there is no single value, if only guarantees are stored.
    pub no_value: Option<String>,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Empty if a checksum is wrong, because nothing else is checked then.
    pub layers: Vec<Checked>,
    /// How far each claim was shown, if there are no findings.
    pub claims: Claims,
    /// Empty if no errors were found.
    pub findings: Vec<Finding>,
}

/// Largest number of findings of one layer that are listed; others are only counted.
const LISTED: u64 = 10;

/// Verifies a folder by the rules in it, or by another game with the same names of fluents and roles. An error means
/// that the verification is incomplete.
pub fn verify(
    folder: &Path,
    rules: Option<Game>,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
) -> Result<Verification, ReadError> {
    // A damaged book must not prevent the check of the values; the check of the book reports it.
    let stored = Stored::open_without_book(folder, rules.clone(), limits)?;
    let manifest = &stored.manifest;
    let mut result = Verification {
        game: manifest.game.clone(),
        complete: manifest.is_finished(),
        no_value: manifest.no_value.as_ref().map(|reason| reason.message.clone()),
        ..Verification::default()
    };
    files::check(folder, &stored, options.threads, limits, listener, &mut result)?;
    if result.findings.is_empty() && manifest.is_global() {
        settled(&stored, options, limits, listener, &mut result)?;
    } else if result.findings.is_empty() {
        let layout = stored.codec.layout();
        let mut check = check::Check::new(&stored, &layout, options, limits, listener);
        if manifest.is_exact() {
            exact::check(&mut check, &mut result)?;
            result.claims = check.claims;
            play::check_cycle(&stored, limits, &mut result)?;
            totals::encoded(&stored, rules.is_none(), &mut result);
            totals::turns(manifest, &mut result);
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
    play::check_cycle(&stored, limits, &mut result)?;
    totals::encoded(&stored, rules.is_none(), &mut result);
    totals::turns(manifest, &mut result);
    // Symmetric positions tell nothing new about values that are proved.
    if result.claims.iter().any(|(claim, how)| claim == Claim::Values && how != How::Proved) {
        symmetric::check(&Solution::of(stored), options, limits, &mut result)?;
    }
    book::check(folder, rules, options, limits, listener, &mut result)?;
    Ok(result)
}

fn settled(
    stored: &Stored,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
    result: &mut Verification,
) -> Result<(), ReadError> {
    let distinct = settled::check(stored, options, limits, listener, result)?;
    let extent = |all: bool| if all { (How::Proved, How::Proved) } else { (How::Open, How::Sampled) };
    let (counted, looked) = extent(distinct.is_some());
    // For claims on states by themselves, layer after layer suffices.
    let (counted_each, looked_each) = extent(result.layers.iter().all(|layer| layer.exhaustive));
    totals::check(&stored.manifest, distinct, result);
    let manifest = &stored.manifest;
    let values = manifest.settled.is_some();
    for (claim, how, told) in [
        (Claim::Checksums, How::Proved, true),
        (Claim::LayerStates, How::Proved, true),
        (Claim::Buckets, counted_each, result.complete),
        (Claim::Turns, looked_each, true),
        (Claim::Within, counted, true),
        (Claim::NoOthers, counted, true),
        (Claim::Values, looked, values),
        (Claim::Rounds, looked, values),
        (Claim::Distances, looked, values && manifest.distances),
        (Claim::Terminal, counted_each, true),
        (Claim::Ends, counted_each, manifest.layers.iter().any(|layer| layer.ends.is_some())),
        (Claim::Ties, counted, manifest.ties.is_some()),
        (Claim::NotBest, counted, manifest.not_best.is_some()),
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

    /// Adds errors of a layer. `count`: their number, which may exceed the number of `messages`.
    fn extend(&mut self, messages: impl Iterator<Item = String>, count: u64) {
        self.count += count;
        let place = &self.place;
        let room = (LISTED as usize).saturating_sub(self.listed.len());
        self.listed.extend(messages.take(room).map(|message| Finding { place: place.clone(), message }));
    }

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

#[derive(Debug, Default)]
struct Faults {
    /// The first errors, each with the rank of its state.
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

    fn join(&mut self, other: Faults) {
        self.first.extend(other.first);
        self.first.sort();
        self.first.truncate(LISTED as usize);
        self.count += other.count;
    }

    fn tell(&mut self, findings: &mut Findings) {
        let told = std::mem::take(&mut self.first);
        findings.extend(told.into_iter().map(|(_, message)| message), std::mem::take(&mut self.count));
    }
}
