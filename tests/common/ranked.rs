//! Solutions with values by rank, made from others.

use base::limits::Limits;
use kernel::{Bitvector, Codes, Context, Numbered};
use solving::store::manifest::{BucketRecord, Manifest};
use solving::store::{Encoded, Kind, LayerValues, Mapped, Run, Store, Subject, Totals};
use std::path::Path;
use std::sync::Arc;

/// What a solution is of.
pub fn subject(folder: &Path, manifest: &Manifest) -> Subject {
    Subject {
        game: manifest.game.clone(),
        language: manifest.language.clone(),
        rules: manifest.rules(folder).unwrap(),
        rules_hash: manifest.rules_hash.clone(),
        opponent_model: manifest.opponent_model.clone(),
        distances: manifest.distances,
        algorithm: Some(manifest.algorithm.clone()),
    }
}

/// A complete solution once more, in another folder, by the interface that the solver has: the values of the layers
/// that `ranked` wants by rank, the others as they are. Saves nothing after the values of the layer `stop`.
pub fn copy_ranked(from: &Path, to: &Path, threads: usize, stop: usize, ranked: impl Fn(usize) -> bool) {
    let manifest = Manifest::load(from).unwrap();
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(Arc::clone(&limits), threads);
    let mut store = Store::open(to, subject(from, &manifest), &Run::default(), &Limits::unlimited().into()).unwrap();
    let encoded = Encoded {
        roles: manifest.roles.clone(),
        variables: manifest.variables.clone(),
        defaults: manifest.defaults.clone(),
        rewards: manifest.rewards.clone(),
        encoding: manifest.encoding,
    };
    store.begin(encoded, &manifest.algorithm).unwrap();
    let diagram = |name: &str| Mapped::open(&from.join(name)).unwrap().diagram(&limits).unwrap();
    for record in &manifest.layers[store.layers().len()..] {
        let figures = record.figures();
        store.push_states(&diagram(&record.states_file.name), &figures, None, &context).unwrap();
    }
    if store.totals().is_none() {
        let totals = Totals {
            states: manifest.states.clone().unwrap(),
            terminal: manifest.terminal_states.clone().unwrap(),
            progress_measure: manifest.progress_measure.unwrap(),
            alternating: manifest.alternating.unwrap(),
        };
        store.finish_forward(&totals).unwrap();
    }
    let buckets = |layer: usize| -> Vec<BucketRecord> { manifest.layers[layer].buckets.clone().unwrap() };
    let stored = store.archive().unwrap();
    let open: Vec<usize> =
        (stop..manifest.layers.len()).rev().filter(|&layer| stored.values_kind(layer).is_none()).collect();
    for layer in open {
        let record = &manifest.layers[layer];
        let states = diagram(&record.states_file.name);
        let file = record.values_file.as_ref().unwrap();
        let values = LayerValues::new(manifest.values_file(from, file, layer as u32).open().unwrap()).unwrap();
        match values {
            LayerValues::Diagram(_) if !ranked(layer) => {
                store.push_values(layer, &diagram(&file.name), buckets(layer), &context).unwrap();
            }
            _ => {
                let values = by_rank(&values, &Mapped::open(&from.join(&record.states_file.name)).unwrap());
                let buckets = buckets(layer).into_iter().map(|bucket| BucketRecord { nodes: 0, ..bucket }).collect();
                store.push_ranked_values(layer, &states, &mut Codes::new(&values), buckets, &context).unwrap();
                let back = store.archive().unwrap().ranked_values(layer, &context).unwrap();
                assert!((0..back.states()).all(|rank| back.value(rank) == values.value(rank)));
            }
        }
    }
    store.save().unwrap();
}

/// The values of a layer by rank, state by state.
fn by_rank(values: &LayerValues, mapped: &Mapped) -> Bitvector {
    let limits = Arc::new(Limits::unlimited());
    let states = Numbered::new(mapped.diagram(&limits).unwrap(), &limits).unwrap();
    let count = u64::try_from(states.elements()).unwrap();
    let value = |rank: u64| values.value_of(mapped, &states.element(&rank.into()).unwrap()).unwrap().unwrap();
    let mut ids: Vec<u32> = (0..count).map(value).collect();
    // One that does not occur, too.
    ids.push(ids.iter().max().map_or(1, |most| most + 1));
    ids.sort_unstable();
    ids.dedup();
    let index = |rank| ids.binary_search(&value(rank)).unwrap();
    Bitvector::from_fn(count, ids.clone(), index, &limits).unwrap()
}
