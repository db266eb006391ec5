//! The record of a run: its options by name and the times of its stages; and the given options that differ from those
//! of a stored solution.

use super::options::{EngineChoice, Order, SolveOptions};
use super::outcome::Engine;
use super::progress::{Event, Listener};
use crate::store::manifest::{Manifest, Progress};
use crate::store::{Run, RunRecord, checksum, hex};
use indexmap::IndexSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// Names of options as in the record and on the command line.
const ENGINE: &str = "engine";
const ORDER: &str = "order";
/// Number of digits of the checksum that stands for an order from a file.
const DIGITS: usize = 12;

impl SolveOptions {
    /// The options that determine the results and the way to them, by name; resource limits are not among them.
    pub fn named(&self) -> BTreeMap<String, String> {
        let algorithm = self.algorithm.map_or("auto", |algorithm| algorithm.name());
        let options = [
            ("opponent_model", self.opponent_model.name().to_owned()),
            (ENGINE, self.engine.name().to_owned()),
            ("algorithm", algorithm.to_owned()),
            (ORDER, self.order.name()),
            ("values", if self.count_only { "no" } else { "yes" }.to_owned()),
        ];
        let asked = [
            (self.distances && !self.count_only).then(|| ("distances", "yes".to_owned())),
            (!self.guarantees.is_empty()).then(|| ("guarantee", self.guarantees.join(","))),
            self.ties.then(|| ("ties", "yes".to_owned())),
            self.team.is_shared().then(|| ("processes", self.team.size().to_string())),
        ];
        options.into_iter().chain(asked.into_iter().flatten()).map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Order {
    /// `search`, `rules`, or the first digits of the checksum of the given fluents.
    pub fn name(&self) -> String {
        match self {
            Order::Search => "search".to_owned(),
            Order::Rules => "rules".to_owned(),
            Order::Fluents(fluents) => {
                let sum = hex(&checksum(fluents.join("\n").as_bytes()));
                format!("file {}", &sum[..DIGITS])
            }
        }
    }
}

/// A given option that differs from that of a stored solution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub option: &'static str,
    pub given: String,
    /// The values in the runs so far, each once; empty if their records lack the option.
    pub stored: Vec<String>,
    /// The given value applies to what is still to be computed, not to what is stored.
    pub applies: bool,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { option, given, stored, applies } = self;
        let stored = match stored.as_slice() {
            [] => "one that is not recorded".to_owned(),
            stored => format!("--{option} {}", stored.join(", ")),
        };
        if *applies {
            write!(f, "--{option} {given} applies to the layers that are still open; those before have {stored}")
        } else {
            write!(f, "--{option} {given} does not apply: the stored solution was computed with {stored}")
        }
    }
}

/// Whether a run listed the states. Later runs do, too.
pub fn lists_states(manifest: &Manifest) -> bool {
    manifest.runs.iter().any(|run| run.engine.as_deref() == Some(Engine::Explicit.name()))
}

pub fn differences(manifest: &Manifest, options: &SolveOptions) -> Vec<Difference> {
    let mut found = Vec::new();
    let valued = manifest.settled.is_some() || manifest.layers.iter().any(|layer| layer.values_file.is_some());
    // A run that lists states has no other engine for the rest of them, and counts states by it, too.
    let listed = lists_states(manifest);
    if options.engine != EngineChoice::Auto && (listed || valued && !options.count_only) {
        let solving = |run: &&RunRecord| listed || run.options.get("values").is_some_and(|values| values == "yes");
        let applies = !listed && manifest.phase != Progress::Complete;
        compare(ENGINE, options.engine.name(), manifest.runs.iter().filter(solving), applies, &mut found);
    }
    if options.order != Order::Search && !manifest.layers.is_empty() {
        // The first run chose the order for all runs.
        compare(ORDER, &options.order.name(), manifest.runs.iter().take(1), false, &mut found);
    }
    found
}

fn compare<'a>(
    option: &'static str,
    given: &str,
    runs: impl Iterator<Item = &'a RunRecord>,
    applies: bool,
    found: &mut Vec<Difference>,
) {
    let stored: IndexSet<String> = runs.filter_map(|run| run.options.get(option).cloned()).collect();
    let stored = Vec::from_iter(stored);
    if stored.iter().any(|stored| stored != given) || stored.is_empty() {
        found.push(Difference { option, given: given.to_owned(), stored, applies });
    }
}

/// A listener that records the times of stages and forwards all events.
pub struct Recording<'a> {
    pub listener: &'a dyn Listener,
    pub run: Run,
}

impl Listener for Recording<'_> {
    fn event(&self, event: &Event) {
        match event {
            Event::StageStarted(stage) => self.run.enter(stage.name()),
            Event::StageFinished { stage, seconds, .. } => self.run.add(stage.name(), *seconds),
            _ => {}
        }
        self.listener.event(event);
    }
}
