//! Files whose checksums are right, but whose values are not those of the game: a run that goes on from them ends with an
//! error.

use super::common::ranked::{copy_ranked, subject};
use super::{ENDLESS, TINY, finish, ggsolve, rules, shipped, solve};
use base::limits::Limits;
use kernel::{Bitvector, Codes, Context, Diagram, SetBuilder, true_levels};
use solving::store::manifest::Manifest;
use solving::store::{Run, SettledDiagrams, Store, StoreError};
use std::path::Path;
use std::sync::Arc;

fn opened(folder: &Path, limits: &Arc<Limits>) -> (Store, Manifest) {
    let manifest = Manifest::load(folder).unwrap();
    (Store::open(folder, subject(folder, &manifest), &Run::default(), limits).unwrap(), manifest)
}

/// A run goes on from a folder; it must end by itself, and with an error if it is `refused`. Its exit code and errors.
fn go_on(game: &Path, folder: &Path, engine: &str, refused: bool) -> (Option<i32>, String) {
    let (code, _, errors) = finish(&ggsolve("solve", game, folder, &["--engine", engine]).output().unwrap());
    let ends = code.is_some_and(|code| code != 101 && (code != 0 || !refused));
    assert!(ends && !errors.contains("panicked"), "{}, {engine}: {code:?}: {errors}", folder.display());
    (code, errors)
}

const ENGINES: [&str; 3] = ["auto", "hybrid", "symbolic"];

#[test]
fn values_of_a_layer_without_rewards_are_refused() {
    let scene = tempfile::tempdir().unwrap();
    let (game, whole) = (shipped("tictactoe.gdl"), scene.path().join("whole"));
    solve("solve", &game, &whole, &[]);
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(limits.clone(), 1);
    let layer = 5;
    for (what, id, ranked) in [("foreign", 99, false), ("foreign", 99, true), ("none", 0, false)] {
        let folder = scene.path().join(format!("{what}-{ranked}"));
        copy_ranked(&whole, &folder, 1, layer + 1, |_| false);
        let (mut store, _) = opened(&folder, &limits);
        let states = store.archive().unwrap().states(layer, &limits).unwrap();
        let buckets = Manifest::load(&whole).unwrap().layers[layer].buckets.clone().unwrap();
        if ranked {
            let count = u64::try_from(states.count(&context).unwrap()).unwrap();
            let values = Bitvector::new(count, vec![id], &limits).unwrap();
            store.push_ranked_values(layer, &states, &mut Codes::new(&values), buckets, &context).unwrap();
            let archive = store.archive().unwrap();
            assert!(matches!(archive.check_ranked(layer), Err(StoreError::Damaged { .. })));
            assert!(matches!(archive.ranked_values(layer, &context), Err(StoreError::Damaged { .. })));
        } else {
            let values = Diagram::constant(states.levels(), id);
            store.push_values(layer, &values, buckets, &context).unwrap();
            assert_eq!(store.archive().unwrap().values(layer, &limits).is_ok(), id == 0);
        }
        store.save().unwrap();
        drop(store);
        // A sweep may find no error in states without values.
        ENGINES.iter().for_each(|engine| _ = go_on(&game, &folder, engine, id != 0));
    }
}

#[test]
fn foreign_values_of_all_states_are_refused() {
    let scene = tempfile::tempdir().unwrap();
    let (game, whole) = (rules(scene.path(), "endless.gdl", ENDLESS), scene.path().join("whole"));
    solve("solve", &game, &whole, &[]);
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(limits.clone(), 1);
    let manifest = Manifest::load(&whole).unwrap();
    let (record, levels) = (manifest.settled.clone().unwrap(), manifest.variables.len() as u32);
    let digits = opened(&whole, &limits).0.archive().unwrap().read_settled(&limits).unwrap().digits;
    // An id that no reward has, and one of rewards that no state pays, of more states than the game has.
    for id in [99, 1] {
        let mut every = SetBuilder::new(levels, &limits);
        (0..1 << levels).for_each(|bits| every.push(&true_levels(levels, bits), id).unwrap());
        let outcomes = every.finish().unwrap();
        for engine in ENGINES {
            let folder = scene.path().join(format!("{id}-{engine}"));
            copy_ranked(&whole, &folder, 1, usize::MAX, |_| false);
            let (mut store, _) = opened(&folder, &limits);
            let settled = SettledDiagrams {
                rounds: record.rounds,
                base: record.base,
                at_once: record.at_once.clone(),
                outcomes: &outcomes,
                digits: &digits.iter().collect::<Vec<_>>(),
                plies: None,
            };
            store.push_settled(settled, &context).unwrap();
            assert_eq!(store.archive().unwrap().read_settled(&limits).is_ok(), id == 1);
            drop(store);
            let (code, errors) = go_on(&game, &folder, engine, id != 1);
            if id == 99 || engine == "hybrid" {
                let file = Manifest::load(&folder).unwrap().settled.unwrap().outcomes_file.name;
                assert!(code == Some(5) && errors.contains(&file), "{id}, {engine}: {code:?}: {errors}");
            }
        }
    }
}

#[test]
fn distances_longer_than_play_are_refused() {
    let scene = tempfile::tempdir().unwrap();
    for (name, text) in [("tiny", TINY), ("endless", ENDLESS)] {
        let (game, folder) = (rules(scene.path(), &format!("{name}.gdl"), text), scene.path().join(name));
        solve("solve", &game, &folder, &["--distances"]);
        let mut manifest = Manifest::load(&folder).unwrap();
        let buckets = manifest.layers.iter_mut().flat_map(|layer| layer.buckets.iter_mut().flatten());
        buckets.filter_map(|bucket| bucket.plies.last_mut()).next().unwrap().plies = u32::MAX;
        manifest.save(&folder).unwrap();
        let found = Manifest::load(&folder).unwrap_err().to_string();
        assert!(found.contains("distances longer than play"), "{name}: {found}");
    }
}
