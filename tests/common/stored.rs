//! Runs that store their solution, in this process.

use super::{game, program};
use base::limits::Limits;
use game::diagnostic::Source;
use game::rules::{gdl, identity};
use solving::solve::{Event, Listener, SolveError, SolveOptions, run_stored};
use solving::store::{Run, Store, Subject};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Interrupts the run after some layers and rounds.
struct Stop {
    layers: AtomicUsize,
    limits: Arc<Limits>,
}

impl Listener for Stop {
    fn event(&self, event: &Event) {
        if matches!(event, Event::LayerFinished { .. }) && self.layers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.limits.interrupt();
        }
    }
}

/// What the solution of some rules is of.
pub fn subject(text: &str, options: &SolveOptions) -> Subject {
    Subject {
        game: "random".to_owned(),
        language: "gdl".to_owned(),
        rules: text.as_bytes().to_vec(),
        rules_hash: identity(&gdl::rulesheet(&Source::new("random", text.as_bytes()), &mut Vec::new())),
        opponent_model: Some(options.opponent_model.name().to_owned()),
        distances: options.distances,
        algorithm: options.algorithm.map(|algorithm| algorithm.name().to_owned()),
    }
}

/// One run into a folder, which ends after `layers` layers and rounds if not before.
pub fn store(text: &str, folder: &Path, options: &SolveOptions, layers: usize) -> Result<(), SolveError> {
    store_within(u64::MAX, text, folder, options, layers)
}

/// As [`store`], with a bound on memory in bytes.
pub fn store_within(
    memory: u64,
    text: &str,
    folder: &Path,
    options: &SolveOptions,
    layers: usize,
) -> Result<(), SolveError> {
    let mut store = Store::open(folder, subject(text, options), &Run::default(), &Limits::unlimited().into())?;
    let limits = Arc::new(Limits::new(memory));
    let stop = Stop { layers: AtomicUsize::new(layers), limits: Arc::clone(&limits) };
    run_stored(&game(&program("random", text.as_bytes())), options, &mut store, &limits, &stop).map(drop)
}
