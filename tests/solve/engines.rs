//! Both engines, and the three ways on bitvectors, state by state: a digest of every layer's stored values by rank.
//!
//! The ordinary tests take small games; `cargo test --release --test solve engines -- --ignored` goes up to Connect Four on
//! 5x5 in all ways, and on 6x5 and 5x6 by layers.

#[path = "../../games/families/mod.rs"]
#[allow(dead_code)]
mod games;

use base::limits::Limits;
use game::propositional::Game;
use game::reward::OpponentModel;
use kernel::{Context, Level, Ranking, Way, ranked};
use rustc_hash::FxHasher;
use solving::solve::{self, EngineChoice, Outcome, Silent, SolveOptions};
use solving::store::{Kind, Manifest, Store, Subject};
use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;

pub fn game(name: &str) -> Game {
    crate::common::ground_file(&crate::common::shipped(&format!("{name}.gdl")))
}

/// Solves a game into a folder. Returns what the run found, and the store.
pub fn solve_into(folder: &Path, game: &Game, options: &SolveOptions, limits: &Arc<Limits>) -> (Outcome, Store) {
    let subject = Subject {
        game: game.name.clone(),
        language: "gdl".to_owned(),
        rules: vec![],
        rules_hash: "0".repeat(64),
        opponent_model: Some(options.opponent_model.name().to_owned()),
        distances: false,
        algorithm: Some("layered".to_owned()),
    };
    let mut store = Store::open(folder, subject, &solving::store::Run::default(), limits).unwrap();
    let outcome = solve::run_stored(game, options, &mut store, limits, &Silent);
    (outcome.unwrap_or_else(|error| panic!("{}: {error}", game.name)), store)
}

/// What a run finds, and the digests of the values that it stores.
fn solved(game: &Game, options: &SolveOptions, limits: &Arc<Limits>) -> (Outcome, Vec<u64>) {
    let scene = tempfile::tempdir().unwrap();
    let (outcome, store) = solve_into(&scene.path().join("solution"), game, options, limits);
    let digests = digests(&store);
    (outcome, digests)
}

fn digests(store: &Store) -> Vec<u64> {
    let (archive, limits) = (store.archive().unwrap(), Arc::new(Limits::unlimited()));
    let context = Context::new(limits.clone(), 2);
    let of_layer = |layer: usize| {
        let values = match archive.values_kind(layer).expect("every layer has values") {
            Kind::Ranked => archive.ranked_values(layer, &context).unwrap(),
            _ => {
                let values = archive.values(layer, &limits).unwrap();
                ranked(&archive.states(layer, &limits).unwrap(), &values, values.terminals(), &context).unwrap()
            }
        };
        let mut hasher = FxHasher::default();
        (0..values.states()).for_each(|rank| hasher.write_u32(values.value(rank)));
        hasher.finish()
    };
    (0..archive.manifest.layers.len()).map(of_layer).collect()
}

fn outcome(game: &Game, options: &SolveOptions, engine: EngineChoice, way: Option<Way>) -> (Outcome, Vec<u64>) {
    solved(game, &SolveOptions { engine, way, ..options.clone() }, &Arc::new(Limits::new(8 << 30)))
}

fn assert_same_values(name: &str, model: OpponentModel, ways: &[Option<Way>]) {
    let game = game(name);
    let options = SolveOptions { opponent_model: model, threads: 2, ..SolveOptions::default() };
    let (symbolic, expected) = outcome(&game, &options, EngineChoice::Symbolic, None);
    for &way in ways {
        let (hybrid, found) = outcome(&game, &options, EngineChoice::Hybrid, way);
        assert_eq!(found, expected, "{name}, {way:?}: digests");
        for (index, (ours, theirs)) in hybrid.layers.iter().zip(&symbolic.layers).enumerate() {
            let counts = |buckets: &[solving::solve::Bucket]| -> Vec<_> {
                buckets.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone())).collect()
            };
            assert_eq!(counts(&ours.buckets), counts(&theirs.buckets), "{name}, {way:?}: layer {index}");
        }
    }
}

const ALL: [Option<Way>; 3] = [None, Some(Way::Walk), Some(Way::Program)];

#[test]
fn small_games_have_the_same_values_in_every_way() {
    for model in OpponentModel::ALL {
        for name in ["tictactoe", "clobber_1x6", "clobber_3x4", "connect4_4x4", "chomp_8x7", "minichess", "nim40"] {
            assert_same_values(name, model, &ALL);
        }
    }
}

/// Where the program of a layer does not fit into memory, parts of it have one each, with the same values.
#[test]
fn layers_solved_in_parts_have_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("clobber.gdl");
    std::fs::write(&rules, games::generate(&["clobber", "4", "5", "zero-sum"].map(str::to_owned)).unwrap()).unwrap();
    let game = crate::common::ground_file(&rules);
    let within = |bound: u64, threads| {
        let (engine, scratch) = (EngineChoice::Hybrid, Some(folder.path().to_owned()));
        let options = SolveOptions { engine, threads, scratch, ..SolveOptions::default() };
        solved(&game, &options, &Arc::new(Limits::new(bound)))
    };
    let in_parts = |outcome: &Outcome| {
        let programs = |layer: &solve::LayerOutcome| layer.means.expect("every layer was solved").programs;
        outcome.layers.iter().filter(|layer| programs(layer) > 1).count()
    };
    let (whole, expected) = within(8 << 30, 1);
    assert_eq!(in_parts(&whole), 0);
    for threads in [1, 2] {
        let (outcome, found) = within((12 + 16 * threads as u64) << 20, threads);
        assert!(in_parts(&outcome) > 2, "{threads} threads: {:?}", outcome.layers);
        assert_eq!(found, expected, "{threads} threads");
    }
}

#[test]
fn more_threads_than_processors_change_nothing() {
    let game = game("connect4_5x4");
    let solved = |threads, engine| {
        let (outcome, found) = outcome(&game, &SolveOptions { threads, ..SolveOptions::default() }, engine, None);
        let figures: Vec<_> =
            outcome.layers.iter().map(|layer| (layer.nodes, layer.means.map(|means| means.means))).collect();
        (found, figures)
    };
    for engine in [EngineChoice::Symbolic, EngineChoice::Hybrid] {
        let expected = solved(1, engine);
        for round in 0..4 {
            assert!(solved(8, engine) == expected, "{engine:?}, round {round}");
        }
    }
}

#[test]
fn ranks_number_the_states_of_every_layer() {
    for name in ["tictactoe", "clobber_3x4", "connect4_4x4", "minichess"] {
        let folder = tempfile::tempdir().unwrap();
        let path = crate::common::shipped(&format!("{name}.gdl"));
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        let run = run.arg("count").arg(&path).arg("--out").arg(folder.path()).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let limits = Arc::new(Limits::unlimited());
        let manifest = Manifest::load(folder.path()).unwrap();
        for (layer, record) in manifest.layers.iter().enumerate() {
            let file = manifest.file(folder.path(), &record.states_file, Kind::States, layer as u32);
            let states = file.diagram(&limits).unwrap();
            let ranking = Ranking::new(&states, &limits).unwrap();
            assert_eq!(ranking.elements().to_string(), record.states.to_string(), "{name}: layer {layer}");
            let mut elements = states.elements();
            for rank in 0..ranking.elements() {
                let (element, _) = elements.next_element().expect("as many elements");
                let state: Vec<bool> = Level::all(states.levels()).map(|level| element.contains(&level)).collect();
                assert_eq!(ranking.rank(&state), Some(rank), "{name}: layer {layer}");
            }
            assert!(elements.next_element().is_none());
        }
    }
}

#[test]
#[ignore = "about two minutes"]
fn larger_games_have_the_same_values_in_every_way() {
    for name in ["connect4_4x5", "connect4_5x4", "connect4_5x5", "clobber"] {
        assert_same_values(name, OpponentModel::MaxDiff, &ALL);
    }
}

#[test]
#[ignore = "about five minutes"]
fn connect_four_on_30_squares_has_the_same_values() {
    for name in ["connect4_6x5", "connect4_5x6"] {
        assert_same_values(name, OpponentModel::MaxOwn, &[None]);
    }
}
