//! A walk in several passes against one in a single pass.

use super::diagram::Set;
use super::layer::{Layer, Loaded, Next, preferences, walk_reaching};
use crate::diagnostic::Source;
use crate::ground::{GroundOptions, ground};
use crate::limits::Limits;
use crate::rules::{Language, identity};
use crate::sample::random_game;
use crate::solution::{Stored, Values};
use crate::solve::{Silent, SolveOptions, run_stored};
use crate::store::{Run, Store, Subject};
use std::path::Path;
use std::sync::Arc;

/// Stores the solution of a random game; nothing if it has none.
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
        algorithm: None,
    };
    let mut store = Store::open(folder, subject, &Run::default()).expect("there is room");
    run_stored(&game, &SolveOptions::default(), &mut store, &Arc::new(Limits::unlimited()), &Silent).ok().map(drop)
}

/// Of half of a layer, so that states of the next one are missed; on one thread and two.
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
                own: &own,
                next: Next::Layer(&next),
                choosers: &choosers,
                preferences: &preferences,
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
