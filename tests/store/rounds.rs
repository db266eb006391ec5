//! Random games: what is stored is right by a verifier that shares no code with the solver, and a run that is
//! interrupted after every few layers ends in the same bytes.

use super::common::{game, program};
use super::{assert_same, files};
use ggsolve::diagnostic::Source;
use ggsolve::limits::{LimitReached, Limits};
use ggsolve::random::Random;
use ggsolve::reward::OpponentModel;
use ggsolve::rules::{gdl, identity};
use ggsolve::sample::random_game;
use ggsolve::solve::{Event, Listener, SolveError, SolveOptions, run_stored};
use ggsolve::store::{Store, Subject};
use ggsolve::verify::{Options, verify};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Interrupts the run after some layers.
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

/// One run into a folder, which ends after `layers` layers if not before.
fn run(text: &str, folder: &Path, model: OpponentModel, threads: usize, layers: usize) -> Result<(), SolveError> {
    let subject = Subject {
        game: "random".to_owned(),
        language: "gdl".to_owned(),
        rules: text.as_bytes().to_vec(),
        rules_hash: identity(&gdl::rulesheet(&Source::new("random", text.as_bytes()), &mut Vec::new())),
        opponent_model: Some(model.name().to_owned()),
        algorithm: "layered".to_owned(),
    };
    let mut store = Store::open(folder, subject)?;
    let limits = Arc::new(Limits::unlimited());
    let stop = Stop { layers: AtomicUsize::new(layers), limits: Arc::clone(&limits) };
    let options = SolveOptions { opponent_model: model, threads, ..SolveOptions::default() };
    run_stored(&game(&program("random", text.as_bytes())), &options, &mut store, &limits, &stop).map(drop)
}

#[test]
fn random_games_are_stored_as_they_are_whatever_the_interruptions() {
    let mut random = Random::new(3);
    for seed in 0..60 {
        let text = random_game(seed, None);
        let model = OpponentModel::ALL[seed as usize % 2];
        let scene = tempfile::tempdir().unwrap();
        let (whole, folder) = (scene.path().join("whole"), scene.path().join("parts"));
        match run(&text, &whole, model, 1, usize::MAX) {
            Ok(()) => {}
            Err(SolveError::Refused(_)) => {
                assert!(!whole.exists(), "nothing is kept of a game that is refused");
                continue;
            }
            Err(error) => panic!("{seed}: {error}"),
        }
        let result = verify(&whole, &Options::default(), &Limits::unlimited()).unwrap();
        assert!(result.complete && result.findings.is_empty(), "{seed}: {:?}", result.findings);
        let mut most = 1;
        loop {
            // An interruption may come before the first layer is finished anew; then the next run gets further.
            most += 1;
            match run(&text, &folder, model, 1 + random.below(2), 1 + random.below(most)) {
                Ok(()) => break,
                Err(SolveError::Limit(LimitReached::Interrupted)) => {}
                Err(error) => panic!("{seed}: {error}"),
            }
            assert!(files(&folder).keys().all(|name| !name.ends_with(".tmp")));
        }
        assert_same(&whole, &folder);
    }
}
