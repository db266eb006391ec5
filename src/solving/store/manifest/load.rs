//! Reads a manifest and checks its version, its checksum and the consistency of its parts.

use super::{
    ALGORITHMS, BucketRecord, FORMAT, LayerRecord, Manifest, NAME, NO_SUM, Progress, SettledRecord, ShareRecord,
};
use crate::store::checksum::{checksum, from_hex, hex};
use crate::store::header::IDENTIFIED;
use crate::store::runs::ENGINES;
use crate::store::{
    DEPTH_VERSION, DISTANCES_VERSION, EXACT_VERSION, Kind, OLDEST_VERSION, ROUND_VERSION, StoreError, layer_name,
    outcomes_name, plies_name, rounds_name,
};
use kernel::{MAX_LEVELS, TERMINALS};
use num_bigint::BigUint;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

const LONGEST: u64 = 1 << 30;

/// Reads and checks a manifest. Another format or version is reported as foreign, any other fault as damage.
pub fn load(folder: &Path) -> Result<Manifest, StoreError> {
    let path = folder.join(NAME);
    let mut bytes = Vec::new();
    let length = std::fs::File::open(&path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    let damaged = |what: &str| StoreError::damaged(&path, what);
    if length.map_err(|error| StoreError::io(&path, &error))? as u64 > LONGEST {
        return Err(damaged("longer than a gibibyte"));
    }
    let text = String::from_utf8(bytes).map_err(|_| damaged("not a text"))?;
    let value: Value =
        serde_json::from_slice(text.as_bytes()).map_err(|error| damaged(&format!("not JSON: {error}")))?;
    if value["format"] != FORMAT {
        return Err(StoreError::foreign(folder, "not a solution of ggsolve"));
    }
    let version = value["version"].as_u64().ok_or_else(|| damaged("its format version is not a number"))?;
    if !(OLDEST_VERSION.into()..=ROUND_VERSION.into()).contains(&version) {
        let what = format!("a solution in format version {version}; this program reads versions up to {ROUND_VERSION}");
        return Err(StoreError::foreign(folder, what));
    }
    let sum = value["checksum"].as_str().unwrap_or_default();
    if sum.len() != NO_SUM.len() || hex(&checksum(text.replacen(sum, NO_SUM, 1).as_bytes())) != sum {
        return Err(damaged("its checksum does not fit"));
    }
    // The text is parsed again, because errors then tell their place in it.
    let manifest: Manifest = serde_json::from_slice(text.as_bytes()).map_err(|error| damaged(&error.to_string()))?;
    if manifest.version == DISTANCES_VERSION && manifest.is_global() {
        let what = "its distances are those of an earlier version of ggsolve, which compared fewer moves where states can \
                    repeat: solve the game anew with --distances and --force";
        return Err(StoreError::foreign(folder, what));
    }
    check(&manifest).map_err(damaged)?;
    Ok(manifest)
}

/// Checks the keys with one of few words. That of the language is checked where the rules are read.
fn check_words(manifest: &Manifest) -> Result<(), &'static str> {
    if !ALGORITHMS.contains(&manifest.algorithm.as_str()) {
        return Err("unknown algorithm");
    }
    if manifest.opponent_model.is_some() && manifest.ranking().is_none() {
        return Err("unknown opponent model");
    }
    if manifest.runs.iter().filter_map(|run| run.engine.as_deref()).any(|engine| !ENGINES.contains(&engine)) {
        return Err("a run with an unknown engine");
    }
    Ok(())
}

/// Checks the properties that readers rely on.
fn check(manifest: &Manifest) -> Result<(), &'static str> {
    let Manifest { variables, defaults, rewards, roles, layers, phase, .. } = manifest;
    let identified = manifest.version >= IDENTIFIED;
    if manifest.id.is_some() != identified || manifest.id.iter().any(|id| from_hex(id).is_none()) {
        return Err("an identity that does not fit the version");
    }
    check_words(manifest)?;
    if manifest.is_exact() != (manifest.version >= EXACT_VERSION)
        || manifest.goes_round() != (manifest.version >= ROUND_VERSION)
    {
        return Err("an algorithm that does not fit the version");
    }
    if manifest.distances != (DISTANCES_VERSION..=DEPTH_VERSION).contains(&manifest.version)
        || (manifest.version == DEPTH_VERSION) != (manifest.distances && manifest.is_global())
        || (manifest.distances && manifest.opponent_model.is_none())
    {
        return Err("distances that do not fit the version");
    }
    if manifest.work_ns.is_some() && *phase != Progress::Forward {
        return Err("work of a forward pass that is over");
    }
    if manifest.no_value.is_some() && (!manifest.is_exact() || manifest.opponent_model.is_some()) {
        return Err("values beside a reason why there are none");
    }
    let ends = layers.iter().any(|layer| layer.ends.is_some());
    if !identified && (!manifest.runs.is_empty() || manifest.cycle.is_some() || ends) {
        return Err("parts of a later version");
    }
    let fits = |rewards: &Vec<u8>| rewards.len() == roles.len();
    if variables.len() > MAX_LEVELS as usize || rewards.len() >= TERMINALS as usize {
        return Err("too many variables or rewards");
    }
    if defaults.iter().flat_map(|default| &default.unless).any(|&level| level as usize >= variables.len()) {
        return Err("a default of levels that do not exist");
    }
    if !rewards.iter().all(fits) {
        return Err("rewards that do not fit the roles");
    }
    if manifest.rules_file.contains(['/', '\\']) || manifest.rules_file.is_empty() {
        return Err("the rules outside the folder");
    }
    let known = [
        manifest.states.is_some(),
        manifest.terminal_states.is_some(),
        manifest.progress_measure.is_some(),
        manifest.alternating.is_some(),
    ];
    if known.contains(&(*phase == Progress::Forward)) {
        return Err("counts that do not fit the phase");
    }
    if *phase != Progress::Forward && layers.is_empty() {
        return Err("no layers");
    }
    if manifest.is_global() {
        check_settled(manifest)?;
        return layers.iter().enumerate().try_for_each(|(index, layer)| check_layer(manifest, index as u32, layer));
    }
    let by_distance = |layer: &LayerRecord| layer.disjoint.is_some() != manifest.goes_round();
    if manifest.settled.is_some() || manifest.not_best.is_some() || layers.iter().any(by_distance) {
        return Err("parts of another algorithm's solution");
    }
    // The layers with values are the last ones.
    let valued = layers.iter().rev().take_while(|layer| layer.values_file.is_some()).count();
    let expected = match phase {
        Progress::Forward => valued == 0,
        Progress::Backward => valued < layers.len(),
        Progress::Complete => valued == layers.len(),
    };
    let unexpected = layers[..layers.len() - valued].iter().any(|layer| layer.values_file.is_some());
    if !expected || unexpected || (valued > 0 && manifest.opponent_model.is_none()) {
        return Err("values that do not fit the phase");
    }
    layers.iter().enumerate().try_for_each(|(index, layer)| check_layer(manifest, index as u32, layer))
}

fn check_settled(manifest: &Manifest) -> Result<(), &'static str> {
    let Manifest { layers, phase, settled, .. } = manifest;
    if manifest.version < Kind::Outcomes.version() {
        return Err("a file of a later version");
    }
    if layers.iter().any(|layer| layer.values_file.is_some() || layer.disjoint.is_none()) {
        return Err("layers of another algorithm's solution");
    }
    let complete = *phase == Progress::Complete;
    let fits = match settled {
        Some(_) => *phase != Progress::Forward && manifest.opponent_model.is_some(),
        None => !complete,
    };
    if !fits || layers.iter().any(|layer| layer.buckets.is_some() != complete) {
        return Err("values that do not fit the phase");
    }
    let Some(SettledRecord { rounds, base, at_once, outcomes_file, rounds_files, plies_file }) = settled else {
        return Ok(());
    };
    // Rounds below another base have the same digit, so nothing else shows that the base is wrong.
    if *base != SettledRecord::BASE {
        return Err("rounds counted in another base than the format has");
    }
    let known = |value: &Option<u32>| value.is_none_or(|value| (1..=manifest.rewards.len() as u32).contains(&value));
    if at_once.as_ref().is_some_and(|values| values.len() != manifest.roles.len() || !values.iter().all(known)) {
        return Err("values of other roles");
    }
    let places = SettledRecord::places(*rounds, *base);
    let named = rounds_files.iter().zip(0..).all(|(file, place)| file.name == rounds_name(*rounds, place));
    if outcomes_file.name != outcomes_name(*rounds) || !named || rounds_files.len() as u32 != places {
        return Err("a file with the name of another");
    }
    // Distances require the values of all states.
    let fits = match plies_file {
        Some(file) => manifest.distances && file.name == plies_name(*rounds),
        None => !(manifest.distances && complete),
    };
    if !fits {
        return Err("distances that do not fit the version");
    }
    Ok(())
}

/// Whether a share is a range, or has one value with a number for each player whose values are stored.
fn share_fits(manifest: &Manifest, share: &ShareRecord) -> bool {
    match (&share.value, share.from) {
        (Some(value), None) => value.numbers().len() == manifest.told(),
        (None, Some(_)) => true,
        _ => false,
    }
}

fn check_layer(manifest: &Manifest, index: u32, layer: &LayerRecord) -> Result<(), &'static str> {
    if layer.layer != index {
        return Err("layers out of order");
    }
    let named = |kind: &Kind| layer.values_file.as_ref().is_some_and(|file| file.name == layer_name(index, *kind));
    let kind = [Kind::Values, Kind::Ranked].into_iter().find(named);
    if layer.states_file.name != layer_name(index, Kind::States) || kind.is_some() != layer.values_file.is_some() {
        return Err("a file with the name of another");
    }
    if kind.is_some_and(|kind| kind.version() > manifest.version) {
        return Err("a file of a later version");
    }
    let exact = manifest.is_exact() && layer.values_file.is_some();
    if let Some(file) = &layer.numbers_file
        && file.name != layer_name(index, Kind::Numbers)
    {
        return Err("a file with the name of another");
    }
    if [layer.numbers_file.is_some(), layer.shares.is_some()] != [exact; 2]
        || exact && (kind != Some(Kind::Ranked) || layer.buckets.is_some())
        || layer.mixed.is_some() != manifest.is_exact()
    {
        return Err("exact values that do not fit the algorithm");
    }
    if !layer.shares.iter().flatten().all(|share| share_fits(manifest, share)) {
        return Err("exact values of other players than there are");
    }
    // Only one value tells the value of the initial state; a range does not.
    if index == 0 && exact && !matches!(layer.shares.as_deref(), Some([ShareRecord { value: Some(_), .. }])) {
        return Err("an initial state without an exact value");
    }
    if layer.values_file.is_some() != (layer.buckets.is_some() || exact) && !manifest.is_global() {
        return Err("values without buckets");
    }
    let known = |rewards: &Vec<u8>| manifest.rewards.contains(rewards);
    if layer.buckets.iter().flatten().any(|bucket| !bucket.rewards.as_ref().is_none_or(known)) {
        return Err("a bucket with rewards that do not occur");
    }
    if layer.values_file.is_some() && layer.ends.is_none() && manifest.distances {
        return Err("distances without the ends of play");
    }
    if !layer.buckets.iter().flatten().all(|bucket| distances_fit(manifest, bucket)) {
        return Err("distances that do not fit their bucket");
    }
    // Without repetition, play ends by the last layer; with it, distances are terminals.
    let longest = if manifest.is_global() { TERMINALS } else { manifest.layers.len() as u32 - index };
    if layer.buckets.iter().flatten().flat_map(|bucket| &bucket.plies).any(|plies| plies.plies >= longest) {
        return Err("distances longer than play");
    }
    if let Some(ends) = &layer.ends {
        let sum: BigUint = ends.iter().map(|end| &end.states).sum();
        if !ends.iter().all(|end| known(&end.rewards)) || sum != layer.terminal {
            return Err("rewards of terminal states that are not those of the layer");
        }
    }
    Ok(())
}

/// Whether a bucket has the distances of all its states or, without distances or for endless play, of none.
fn distances_fit(manifest: &Manifest, bucket: &BucketRecord) -> bool {
    let BucketRecord { rewards, states, plies, .. } = bucket;
    let sum: BigUint = plies.iter().map(|plies| &plies.states).sum();
    let expected = if manifest.distances && rewards.is_some() { states.clone() } else { BigUint::ZERO };
    sum == expected && plies.is_sorted_by(|one, next| one.plies < next.plies)
}
