//! Random games: what is stored is right by brute force and by a verifier that shares no code with the solver, and a run
//! that is interrupted after every few layers ends in the same bytes.

use super::common::stored::{store, store_within};
use super::common::{game, program};
use super::{assert_same, files, lasting};
use crate::common::explicit::retrograde;
use crate::common::sample::{random_cyclic_game, random_cyclic_game_of_many, random_game, random_graph};
use api::verify::{Options, verify};
use base::limits::{LimitReached, Limits};
use base::random::Random;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solution::{Stored, Values};
use solving::solve::{Algorithm, EngineChoice, Order, Silent, SolveError, SolveOptions};
use solving::store::Manifest;
use std::path::Path;

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
    let graphs = (0..20).map(|seed| (seed, random_graph(seed)));
    let finished = interrupt_often((0..60).map(|seed| (seed, random_cyclic_game(seed))).chain(graphs), 4);
    // In some games another move is worth more than what a mover settled for, which is stored, too.
    assert!(finished.iter().any(|manifest| manifest.not_best > Some(BigUint::ZERO)));
    let global = finished.iter().filter(|manifest| manifest.is_global()).count();
    let long = finished.iter().filter(|manifest| manifest.settled.as_ref().is_some_and(|settled| settled.rounds > 2));
    assert!(global > 30 && long.count() > 10, "{global} of {}", finished.len());
}

/// Values and rounds are those of brute force; those of diagrams and those by rank, on any number of threads and
/// within little memory, are the same bytes, and so are those of listed states.
#[test]
fn rounds_are_right_and_stored_alike_by_every_engine_whatever_the_interruptions() {
    let (mut random, mut by_rank, mut tight, mut several) = (Random::new(8), 0, 0, 0);
    for seed in 0..320 {
        let text = if seed % 4 == 3 { random_cyclic_game_of_many(seed) } else { random_cyclic_game(seed) };
        let scene = tempfile::tempdir().unwrap();
        let (whole, folder) = (scene.path().join("whole"), scene.path().join("parts"));
        let by = |engine, threads| {
            let algorithm = Some(Algorithm::Global);
            let order = Order::Rules;
            SolveOptions { engine, algorithm, order, ..options(OpponentModel::ALL[seed as usize / 2 % 2], threads) }
        };
        match store(&text, &whole, &by(EngineChoice::Symbolic, 1), usize::MAX) {
            Ok(()) => {}
            Err(SolveError::Refused(_) | SolveError::TooComplex(_)) => continue,
            Err(error) => panic!("{seed}: {error}"),
        }
        // All states of such small games are listed, which shows groups without a proof.
        let whole_listed = scene.path().join("whole_listed");
        store(&text, &whole_listed, &by(EngineChoice::Auto, 1), usize::MAX).unwrap();
        several += usize::from(assert_as_by_brute_force(seed, &whole, &text));
        assert_as_by_brute_force(seed, &whole_listed, &text);
        let (mixed, listed) = (scene.path().join("mixed"), scene.path().join("listed"));
        let is_mixed = seed % 3 == 0;
        let mut runs = vec![(&folder, &[EngineChoice::Hybrid][..]), (&listed, &[EngineChoice::Auto])];
        if is_mixed {
            runs.push((&mixed, &[EngineChoice::Symbolic, EngineChoice::Hybrid]));
        }
        for (folder, engines) in runs {
            let mut most = 1;
            loop {
                most += 1;
                let options = by(*random.choose(engines).expect("an engine"), 1 + random.below(3));
                match store(&text, folder, &options, 1 + random.below(most)) {
                    Ok(()) => break,
                    Err(SolveError::Limit(LimitReached::Interrupted)) => {}
                    Err(error) => panic!("{seed}: {error}"),
                }
            }
        }
        if is_mixed {
            assert_same_values(&whole, &mixed);
        }
        assert_same_values(&whole, &folder);
        assert_same_values(&whole_listed, &listed);
        let manifest = Manifest::load(&folder).unwrap();
        let hybrid = manifest.runs.last().is_some_and(|run| run.engine.as_deref() == Some("hybrid"));
        by_rank += usize::from(manifest.is_global() && hybrid);
        // Where there is no room for the program, the rounds are found otherwise.
        let small = scene.path().join("small");
        let memory = 1 << (16 + random.below(8));
        match store_within(memory, &text, &small, &by(EngineChoice::Hybrid, 1 + random.below(3)), usize::MAX) {
            Ok(()) => {
                assert_same_values(&whole, &small);
                tight += 1;
            }
            Err(SolveError::Limit(_) | SolveError::TooComplex(_)) => {}
            Err(error) => panic!("{seed}, {memory} bytes: {error}"),
        }
    }
    println!("{by_rank} by rank, {tight} within little memory, {several} of more than two roles");
    assert!(by_rank >= 300 && tight > 50 && several > 30, "{by_rank}, {tight}, {several}");
}

/// Every state of a stored game has the value and the round of brute force; whether it has more than two roles.
fn assert_as_by_brute_force(seed: u64, folder: &Path, text: &str) -> bool {
    let game = game(&program("random", text.as_bytes()));
    let stored = Stored::open(folder, &Limits::unlimited()).unwrap();
    let expected = retrograde(&game, stored.model(), 20_000).expect("a small, well-formed game");
    for id in expected.exploration.ids() {
        let state = expected.exploration.state(id);
        let worth = stored.worth(0, state).unwrap().expect("a reachable state is stored");
        let found = (worth.value.map(<[u8]>::to_vec), worth.round);
        let expected = (expected.values[id.index()].clone(), expected.rounds[id.index()]);
        assert_eq!(found, expected, "{seed}: {:?}", state.names(&game));
    }
    game.players() > 2
}

/// Two folders hold the same bytes, records of runs and the example of endless play aside: another one may be met.
fn assert_same_values(one: &Path, other: &Path) {
    let [one, other] = [one, other].map(|folder| {
        let mut files = lasting(folder);
        let mut manifest: serde_json::Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
        manifest.as_object_mut().unwrap().shift_remove("cycle");
        files.insert("manifest.json".into(), serde_json::to_vec_pretty(&manifest).unwrap());
        files
    });
    assert!(one == other, "{:?}", one.iter().find(|(name, bytes)| other.get(*name) != Some(*bytes)).map(|one| one.0));
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
