//! Compares the totals of the manifest with those of its layers, and with the distinct states if there are few.

use super::{Finding, Findings, Verification};
use game::interpreter::State;
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use solving::store::Manifest;
use solving::store::manifest::EndRecord;
use std::collections::BTreeMap;

/// The distinct states of all layers, as long as they are few.
pub struct Seen {
    limit: u64,
    states: FxHashSet<State>,
    terminal: u64,
    all: bool,
}

impl Seen {
    /// Keeps at most `limit` states.
    pub fn new(limit: u64) -> Self {
        Seen { limit, states: FxHashSet::default(), terminal: 0, all: true }
    }

    /// Records that states are left out.
    pub fn skip(&mut self) {
        self.all = false;
        self.states = FxHashSet::default();
    }

    pub fn add(&mut self, state: &State, terminal: bool) {
        if self.all && self.states.insert(state.clone()) {
            self.terminal += u64::from(terminal);
            if self.states.len() as u64 > self.limit {
                self.skip();
            }
        }
    }
}

/// Adds findings about the sums.
pub fn check(manifest: &Manifest, seen: &Seen, result: &mut Verification) {
    let mut findings = Findings::new("manifest.json".to_owned());
    let sum: BigUint = manifest.layers.iter().map(|layer| &layer.states).sum();
    let terminal: BigUint = manifest.layers.iter().map(|layer| &layer.terminal).sum();
    for (what, total, sum) in
        [("states", &manifest.states, &sum), ("terminal states", &manifest.terminal_states, &terminal)]
    {
        let Some(total) = total else { continue };
        let once = manifest.is_global() || manifest.progress_measure == Some(true);
        let fits = if once { total == sum } else { total <= sum };
        if !fits {
            findings.add(|| format!("{total} {what} in all, but {sum} in the layers"));
        }
    }
    if let (true, Some(states), Some(terminal)) = (seen.all, &manifest.states, &manifest.terminal_states) {
        let distinct = BigUint::from(seen.states.len());
        if *states != distinct || *terminal != BigUint::from(seen.terminal) {
            let (found, ends) = (&distinct, seen.terminal);
            findings.add(|| format!("{states} states, {terminal} of them terminal; there are {found} and {ends}"));
        }
        if !manifest.is_global() && manifest.progress_measure != Some(distinct == sum) {
            findings.add(|| "whether states lie in two layers is told wrong".to_owned());
        }
    }
    let last = manifest.layers.last().map(|layer| layer.alternating);
    if manifest.alternating.is_some() && manifest.alternating != last {
        findings.add(|| "whether two roles choose in turn is told in two ways".to_owned());
    }
    if manifest.is_global()
        && manifest.progress_measure.is_some()
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

/// Compares the manifest's counts of a layer's terminal states by rewards with those found.
pub fn compare_ends(told: &[EndRecord], found: &BTreeMap<Vec<u8>, BigUint>, findings: &mut Findings) {
    let told: Vec<_> = told.iter().map(|end| (end.rewards.as_slice(), &end.states)).collect();
    let found: Vec<_> = found.iter().filter(|(_, states)| **states != BigUint::ZERO).collect();
    let same = told.iter().copied().eq(found.iter().map(|(reward, states)| (reward.as_slice(), *states)));
    if !same {
        findings.add(|| format!("the manifest has terminal states by their rewards {told:?}, there are {found:?}"));
    }
}

/// A finding about the manifest's record of a layer.
pub fn of_layer(layer: u32, what: &str, told: &BigUint, found: &BigUint) -> Option<Finding> {
    (told != found).then(|| Finding {
        place: format!("layer {layer}"),
        message: format!("the manifest has {told} {what}, there are {found}"),
    })
}
