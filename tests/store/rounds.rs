//! Random games: what is stored is right by a verifier that shares no code with the solver, and a run that is
//! interrupted after every few layers ends in the same bytes.

use super::common::stored::store;
use super::{assert_same, files};
use crate::common::sample::{random_cyclic_game, random_game};
use api::verify::{Options, verify};
use base::limits::{LimitReached, Limits};
use base::random::Random;
use game::reward::OpponentModel;
use solving::solve::{Silent, SolveError, SolveOptions};
use solving::store::Manifest;

fn options(opponent_model: OpponentModel, threads: usize) -> SolveOptions {
    SolveOptions { opponent_model, threads, ..SolveOptions::default() }
}

#[test]
fn random_games_are_stored_as_they_are_whatever_the_interruptions() {
    let games = (0..60).map(|seed| (seed, random_game(seed, None)));
    interrupt_often(games, 3);
}

#[test]
fn random_games_in_which_play_can_go_on_for_ever_are_too() {
    let finished = interrupt_often((0..60).map(|seed| (seed, random_cyclic_game(seed))), 4);
    let global = finished.iter().filter(|manifest| manifest.is_global()).count();
    let long = finished.iter().filter(|manifest| manifest.settled.as_ref().is_some_and(|settled| settled.rounds > 2));
    assert!(global > 30 && long.count() > 10, "{global} of {}", finished.len());
}

/// Solves games at once and with interruptions; the manifests of those that are not refused.
fn interrupt_often(games: impl Iterator<Item = (u64, String)>, seed: u64) -> Vec<Manifest> {
    let (mut random, mut finished) = (Random::new(seed), Vec::new());
    for (seed, text) in games {
        let model = OpponentModel::ALL[seed as usize % 2];
        let scene = tempfile::tempdir().unwrap();
        let (whole, folder) = (scene.path().join("whole"), scene.path().join("parts"));
        match store(&text, &whole, &options(model, 1), usize::MAX) {
            Ok(()) => {}
            Err(SolveError::Refused(_)) => {
                assert!(!whole.exists(), "nothing is kept of a game that is refused");
                continue;
            }
            Err(error) => panic!("{seed}: {error}"),
        }
        let result = verify(&whole, None, &Options::default(), &Limits::unlimited(), &Silent).unwrap();
        assert!(result.complete && result.findings.is_empty(), "{seed}: {:?}", result.findings);
        let mut most = 1;
        loop {
            // An interruption may come before the first layer is finished anew; then the next run gets further.
            most += 1;
            match store(&text, &folder, &options(model, 1 + random.below(2)), 1 + random.below(most)) {
                Ok(()) => break,
                Err(SolveError::Limit(LimitReached::Interrupted)) => {}
                Err(error) => panic!("{seed}: {error}"),
            }
            assert!(files(&folder).keys().all(|name| !name.ends_with(".tmp")));
        }
        assert_same(&whole, &folder);
        finished.push(Manifest::load(&whole).unwrap());
    }
    finished
}
