//! Compares the totals of the manifest with the sums over its layers, and with the distinct states if all were checked.

use super::{Finding, Findings, Verification};
use num_bigint::BigUint;
use solving::store::Manifest;
use solving::store::manifest::{EncodingSize, EndRecord, LayerRecord, Progress};
use solving::words::number::encoding;
use std::collections::BTreeMap;

/// Checks a solution of all states at once. `distinct`: distinct states and terminal states, if all were checked.
pub fn check(manifest: &Manifest, distinct: Option<(BigUint, BigUint)>, result: &mut Verification) {
    let mut findings = Findings::new("manifest.json".to_owned());
    let sum: BigUint = manifest.layers.iter().map(|layer| &layer.states).sum();
    let terminal: BigUint = manifest.layers.iter().map(|layer| &layer.terminal).sum();
    for (what, total, sum) in
        [("states", &manifest.states, &sum), ("terminal states", &manifest.terminal_states, &terminal)]
    {
        if let Some(total) = total.as_ref().filter(|total| *total != sum) {
            findings.add(|| format!("{total} {what} in all, but {sum} in the layers"));
        }
    }
    if let (Some((found, ends)), Some(states), Some(terminal)) = (distinct, &manifest.states, &manifest.terminal_states)
        && (*states != found || *terminal != ends)
    {
        findings.add(|| format!("{states} states, {terminal} of them terminal; there are {found} and {ends}"));
    }
    if manifest.progress_measure.is_some()
        && manifest.progress_measure != manifest.layers.last().and_then(|layer| layer.disjoint)
    {
        findings.add(|| "whether states lead back is told in two ways".to_owned());
    }
    for layer in &manifest.layers {
        let Some(buckets) = &layer.buckets else { continue };
        let sum: BigUint = buckets.iter().map(|bucket| &bucket.states).sum();
        if sum != layer.states {
            let (layer, states) = (layer.layer, &layer.states);
            findings.add(|| format!("the buckets of layer {layer} have {sum} states, the layer {states}"));
        }
    }
    findings.end(result);
}

/// Checks the size of the encoding, as far as it follows from the levels and defaults.
pub fn size(manifest: &Manifest, result: &mut Verification) {
    let told = &manifest.encoding;
    let (levels, defaults) = (manifest.variables.len(), manifest.defaults.len());
    // Each group has one fluent at least, and at most one that has no level.
    let groups = defaults..=levels + defaults;
    let found = EncodingSize { fluents: levels + defaults, bits: levels, ..*told };
    if *told != found || !groups.contains(&told.groups) {
        let mut findings = Findings::new("manifest.json".to_owned());
        findings.add(|| format!("the encoding is told as {}; it has {}", encoding(*told), encoding(found)));
        findings.end(result);
    }
}

/// Checks `turn_taking` by the numbers of states in which several players choose, which are those of the layers.
pub fn turns(manifest: &Manifest, result: &mut Verification) {
    let joint = |layer: &LayerRecord| layer.mixed.as_ref().is_some_and(|mixed| mixed.joint != BigUint::ZERO);
    let in_turns = !manifest.layers.iter().any(joint);
    if manifest.phase != Progress::Forward && manifest.turn_taking != in_turns {
        let several = if in_turns { "no" } else { "some" };
        let mut findings = Findings::new("manifest.json".to_owned());
        findings.add(|| {
            format!("turn_taking is {}; {several} states have several players who choose", manifest.turn_taking)
        });
        findings.end(result);
    }
}

pub fn compare_ends(told: &[EndRecord], found: &BTreeMap<Vec<u8>, BigUint>, findings: &mut Findings) {
    let told: Vec<_> = told.iter().map(|end| (end.rewards.as_slice(), &end.states)).collect();
    let found: Vec<_> = found.iter().filter(|(_, states)| **states != BigUint::ZERO).collect();
    let same = told.iter().copied().eq(found.iter().map(|(reward, states)| (reward.as_slice(), *states)));
    if !same {
        findings.add(|| format!("the manifest has terminal states by their rewards {told:?}, there are {found:?}"));
    }
}

pub fn of_layer(layer: u32, what: &str, told: &BigUint, found: &BigUint) -> Option<Finding> {
    (told != found).then(|| Finding {
        place: format!("layer {layer}"),
        message: format!("the manifest has {told} {what}, there are {found}"),
    })
}
