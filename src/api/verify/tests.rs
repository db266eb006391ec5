//! Compares walks in several passes with walks in one, and values in memory with those in files; draws by trial.

use super::Options;
use super::by_rank::ByRank;
use super::check::Check;
use super::diagram::{Function, Packed, Set};
use super::layer::{Layer, Loaded, Next, preferences};
use super::reach::walk_reaching;
use super::walk::Cursor;
use crate::sample::random_game;
use base::limits::Limits;
use base::random::Random;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::rules::{Language, identity};
use solving::solution::{Stored, Values};
use solving::solve::{Silent, SolveOptions, run_stored};
use solving::store::{LayerValues, Run, Store, Subject};
use std::path::Path;
use std::sync::Arc;

/// Stores the solution of a random game; `None` if the game has no solution.
fn store(seed: u64, folder: &Path) -> Option<()> {
    let text = random_game(seed, None);
    let source = Source::new("random", text.as_bytes());
    let program = Language::Gdl.program(&source).0.expect("random games are right");
    let game = ground(&program, &Limits::unlimited(), &GroundOptions::default()).expect("and small").game;
    let subject = Subject {
        game: "random".to_owned(),
        language: "gdl".to_owned(),
        rules: text.as_bytes().to_vec(),
        rules_hash: identity(&Language::Gdl.rulesheet(&source)?),
        opponent_model: Some("max-own".to_owned()),
        distances: false,
        algorithm: None,
    };
    let mut store = Store::open(folder, subject, &Run::default(), &Limits::unlimited().into()).expect("there is room");
    run_stored(&game, &SolveOptions::default(), &mut store, &Arc::new(Limits::unlimited()), &Silent).ok().map(drop)
}

#[test]
fn passes_over_parts_of_the_next_layer_miss_what_one_pass_misses() {
    let (mut layers, mut missed, mut seed) = (0, 0, 0);
    while layers < 40 {
        seed += 1;
        let (folder, limits) = (tempfile::tempdir().unwrap(), Limits::unlimited());
        let path = folder.path().join("random");
        if store(seed, &path).is_none() {
            continue;
        }
        let stored = Stored::open(&path, &limits).unwrap();
        if stored.manifest.is_global() {
            continue;
        }
        let (layout, preferences) = (stored.codec.layout(), preferences(&stored));
        let load = |layer: u32| {
            let set = Set::read(stored.states(layer).unwrap()?.file(), &limits).unwrap();
            Some(Loaded { set, values: None })
        };
        let choosers = vec![true; stored.game.roles.len()];
        for number in 0..stored.layers().saturating_sub(1) {
            let (Some(own), Some(next)) = (load(number), load(number + 1)) else { continue };
            let layer = Layer {
                stored: &stored,
                layout: &layout,
                number,
                own: &own,
                next: Next::Layer(&next),
                choosers: &choosers,
                preferences: &preferences,
                alike: None,
            };
            let (half, all) = (own.set.states.unwrap().div_ceil(2), next.set.states.unwrap());
            let walk = |at_once, threads| {
                let (found, unreached) =
                    walk_reaching(layer, (0, half), (all, at_once), threads, &limits, &|_| {}).unwrap();
                (found.checked, found.terminal, found.choosers, unreached)
            };
            let whole = walk(u64::MAX, 1);
            for at_once in [1, 7, 64, 65, all.div_ceil(2).max(1)] {
                assert_eq!(walk(at_once, 1), whole, "game {seed}, layer {number}, {at_once} states at once");
            }
            assert_eq!(walk(64, 2), whole);
            layers += 1;
            missed += whole.3.states;
        }
    }
    assert!(missed > 100, "{missed}");
}

#[test]
fn values_in_memory_are_those_in_the_file_and_each_is_found_by_trial() {
    let (mut layers, mut seed, mut random) = (0, 0, Random::new(5));
    while layers < 60 {
        seed += 1;
        let (folder, limits) = (tempfile::tempdir().unwrap(), Limits::unlimited());
        let path = folder.path().join("random");
        if store(seed, &path).is_none() {
            continue;
        }
        let stored = Stored::open(&path, &limits).unwrap();
        let (layout, options) = (stored.codec.layout(), Options::default());
        let check = Check::new(&stored, &layout, &options, &limits, &Silent);
        for record in &stored.manifest.layers {
            let Some(LayerValues::Diagram(mapped)) = stored.layer_values(record.layer).unwrap() else { continue };
            let set = Set::read(stored.states(record.layer).unwrap().unwrap().file(), &limits).unwrap();
            let function = Function::read(mapped.file(), &limits).unwrap();
            let packed = Packed::open(mapped.file()).unwrap();
            let values = ByRank::of_function(&set, &function, stored.endings().count(), 1, &limits).unwrap();
            let (mut state, count) = (Vec::new(), set.states.unwrap());
            let mut cursor = Cursor::new(&set, layout.words(), 0, count);
            for rank in 0..count {
                cursor.take(1, &mut state);
                assert_eq!(packed.value(&state).unwrap(), values.get(rank));
                state.clear();
            }
            let mut draw = || {
                let mut state = Vec::new();
                let rank = random.below(count as usize) as u64;
                Cursor::new(&set, layout.words(), rank, 1).take(1, &mut state);
                Some(state)
            };
            let drawn = check.by_trial(&packed, record, 3, &mut draw).unwrap();
            let expected: u64 =
                record.buckets.iter().flatten().map(|bucket| u64::try_from(&bucket.states).unwrap().min(3)).sum();
            assert_eq!(drawn.len() as u64, expected, "game {seed}, layer {}", record.layer);
            layers += 1;
        }
    }
}
