//! Tests with failing syncs injected into runs that store their solution: nothing is trusted or written after the
//! failure, and the next run ends like one without failures.

use super::{Algorithm, Engine, EngineChoice, Silent, SolveError, SolveOptions, run_stored};
use crate::sample::{random_cyclic_game, random_game};
use crate::solution::{Over, Positions, ReadError, Sample, Solution};
use crate::store::faults;
use crate::store::manifest::{Manifest, NAME, Progress};
use crate::store::{Run, Store, StoreError, Subject};
use base::limits::Limits;
use base::random::Random;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::propositional::Game;
use game::rules::{Language, identity};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Least number of failed syncs; the environment variable `GGSOLVE_FAULTS` replaces it.
const FAULTS: usize = 40;

fn game(text: &str) -> (Game, Subject) {
    let source = Source::new("random", text.as_bytes());
    let (program, _) = Language::Gdl.program(&source);
    let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
    let subject = Subject {
        game: "random".to_owned(),
        language: "gdl".to_owned(),
        rules: text.as_bytes().to_vec(),
        rules_hash: identity(&Language::Gdl.rulesheet(&source).unwrap()),
        opponent_model: Some("max-own".to_owned()),
        distances: false,
        algorithm: None,
    };
    (game, subject)
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())).collect()
}

/// The files of a solution as far as they do not depend on its runs.
fn lasting(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let manifest = Manifest { runs: Vec::new(), checksum: String::new(), ..Manifest::load(folder).unwrap() };
    let mut files = files(folder);
    files.insert(NAME.to_owned(), serde_json::to_vec(&manifest).unwrap());
    files
}

fn run(folder: &Path, game: &Game, subject: &Subject) -> Result<(), SolveError> {
    let mut store = Store::open(folder, subject.clone(), &Run::default(), &Limits::unlimited().into())?;
    let limits = Arc::new(Limits::unlimited());
    let result = run_stored(game, &SolveOptions::default(), &mut store, &limits, &Silent);
    if matches!(result, Err(SolveError::Store(StoreError::Sync { .. }))) {
        let before = files(folder);
        assert!(matches!(store.save(), Err(StoreError::Sync { .. })), "no later save is believed");
        assert_eq!(files(folder), before, "nothing more is written");
    }
    result.map(drop)
}

/// More failures: `GGSOLVE_FAULTS=1000 cargo test --release --lib durability`.
#[test]
fn a_failed_sync_is_the_end_of_a_run_and_of_nothing_else() {
    let faults = std::env::var("GGSOLVE_FAULTS").map_or(FAULTS, |number| number.parse().unwrap());
    let (mut met, mut random, mut games) = (0, Random::new(1), 0);
    for seed in 0.. {
        if met >= faults {
            break;
        }
        let (game, subject) = game(&random_game(seed, None));
        let scene = tempfile::tempdir().unwrap();
        let whole = scene.path().join("whole");
        match run(&whole, &game, &subject) {
            Err(SolveError::Refused(_)) => continue,
            result => result.unwrap(),
        }
        games += 1;
        // Each sync of a run fails once, and so do some syncs of the run that resumes it.
        for place in 0.. {
            let folder = scene.path().join(place.to_string());
            let (mut next, mut runs) = (Some(place), 0);
            loop {
                runs += 1;
                faults::fail_after(next);
                match run(&folder, &game, &subject) {
                    Ok(()) => break,
                    Err(SolveError::Store(StoreError::Sync { .. })) => met += 1,
                    Err(error) => panic!("{seed}, {place}: {error}"),
                }
                next = Some(random.below(12)).filter(|_| random.below(3) > 0);
            }
            faults::fail_after(None);
            assert_eq!(lasting(&whole), lasting(&folder), "{seed}, {place}");
            if runs == 1 {
                break;
            }
        }
    }
    println!("{met} syncs failed in the runs of {games} games");
}

/// The names of new folders must be durable before anything in them counts as durable.
#[test]
fn the_folders_around_new_ones_are_synced_before_what_is_in_them() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("outer").join("inner").join("solution");
    let solved = (0..).find(|seed| {
        let (game, subject) = game(&random_game(*seed, None));
        faults::synced();
        run(&folder, &game, &subject).is_ok()
    });
    assert!(solved.is_some());
    let synced = faults::synced();
    let first = |path: &Path| synced.iter().position(|other| other == path);
    let own = synced.iter().position(|path| path.starts_with(&folder)).expect("the solution is synced");
    for parent in folder.ancestors().skip(1).take(3) {
        assert!(first(parent).is_some_and(|place| place < own), "{}: {synced:?}", parent.display());
    }
    // From the outside in: if the name of a folder is lost, the names in it are lost, too.
    let [inner, outer] = ["outer/inner", "outer"].map(|name| first(&scene.path().join(name)));
    assert!(first(scene.path()) < outer && outer < inner, "{synced:?}");
}

/// A run that is killed before its first layer leaves a manifest without layers.
#[test]
fn positions_of_a_solution_without_layers_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let solved = (0..).find(|seed| {
        let (game, subject) = game(&random_game(*seed, None));
        run(folder.path(), &game, &subject).is_ok()
    });
    assert!(solved.is_some());
    let mut manifest = Manifest::load(folder.path()).unwrap();
    (manifest.phase, manifest.layers) = (Progress::Forward, Vec::new());
    (manifest.states, manifest.terminal_states) = (None, None);
    (manifest.progress_measure, manifest.alternating) = (None, None);
    manifest.save(folder.path()).unwrap();
    let solution = Solution::open(folder.path(), &Limits::unlimited()).unwrap();
    let sample = |over| Some(Sample { number: 3, seed: 1, over });
    for sample in [None, sample(Over::States), sample(Over::Values)] {
        let found = Positions::new(&solution, None, sample).map(|positions| positions.total());
        assert!(matches!(found, Err(ReadError::Unfinished { layer: 0, solved: None })), "{sample:?}: {found:?}");
    }
}

/// A run that is killed while it counts the states of all values leaves the distances of all states without counts.
#[test]
fn a_run_that_was_killed_after_its_distances_counts_as_a_whole_one() {
    let mut compared = 0;
    let options = SolveOptions {
        algorithm: Some(Algorithm::Global),
        engine: EngineChoice::Hybrid,
        distances: true,
        ..SolveOptions::default()
    };
    for seed in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let (game, subject) = game(&random_cyclic_game(seed));
        let subject = Subject { distances: true, ..subject };
        let run = || {
            let limits = Arc::new(Limits::unlimited());
            let mut store = Store::open(folder.path(), subject.clone(), &Run::default(), &limits)?;
            run_stored(&game, &options, &mut store, &limits, &Silent)
        };
        let Ok(whole) = run() else { continue };
        let mut manifest = Manifest::load(folder.path()).unwrap();
        manifest.phase = Progress::Backward;
        manifest.layers.iter_mut().for_each(|layer| layer.buckets = None);
        manifest.save(folder.path()).unwrap();
        let again = run().unwrap();
        assert_eq!(again.solution, whole.solution, "{seed}");
        assert!(Manifest::load(folder.path()).is_ok(), "{seed}");
        compared += usize::from(whole.engine == Engine::Hybrid);
    }
    assert!(compared > 10, "{compared}");
}
