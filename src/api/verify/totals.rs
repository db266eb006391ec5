//! Compares the totals of the manifest with the sums over its layers, and with the distinct states if all were checked.

use super::diagram::{TERMINALS, elements};
use super::{Finding, Findings, Verification};
use base::limits::Limits;
use game::propositional::Game;
use num_bigint::BigUint;
use solving::solution::{ReadError, Stored};
use solving::solve::MOST_REWARDS;
use solving::store::Manifest;
use solving::store::manifest::{EncodingSize, EndRecord, LayerRecord, Progress};
use solving::words::number::encoding;
use std::collections::{BTreeMap, BTreeSet};

/// The largest distance. The next terminal stands for no distance.
const MOST_PLIES: u32 = TERMINALS - 1;

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

/// Checks the size of the encoding, as far as it follows from the levels, the defaults and the rules, and the rewards.
/// `own`: the rules are those in the folder; moves and rewards that never occur may be others by other rules.
pub fn encoded(stored: &Stored, own: bool, result: &mut Verification) {
    let (manifest, game) = (&stored.manifest, &*stored.game);
    let mut findings = Findings::new("manifest.json".to_owned());
    let told = &manifest.encoding;
    let (levels, defaults) = (manifest.variables.len(), manifest.defaults.len());
    let of_defaults: BTreeSet<u32> = manifest.defaults.iter().flat_map(|default| &default.unless).copied().collect();
    // A group with a default has the levels of the default. Other levels may form groups of any size.
    let others = levels - of_defaults.len();
    let groups = told.groups.clamp(defaults + usize::from(others > 0), defaults + others);
    let moves = if own { game.moves.len() } else { told.moves };
    let found = EncodingSize { fluents: levels + defaults, groups, bits: levels, moves };
    if *told != found {
        findings.add(|| format!("the encoding is told as {}; it has {}", encoding(*told), encoding(found)));
    }
    if own && !are_combinations(&manifest.rewards, game) {
        let rewards = &manifest.rewards;
        findings.add(|| format!("the rewards are told as {rewards:?}; the goals of the roles have other combinations"));
    }
    findings.end(result);
}

/// Whether these are all combinations of goals, one for each role, ascending; where there are too many of them, all of
/// some goals.
fn are_combinations(rewards: &[Vec<u8>], game: &Game) -> bool {
    let players = game.players();
    let all: Vec<BTreeSet<u8>> =
        game.goals[..players].iter().map(|goals| goals.iter().map(|goal| goal.0).collect()).collect();
    if all.iter().any(BTreeSet::is_empty) {
        return rewards.is_empty();
    }
    let of_player = |player: usize| rewards.iter().filter_map(|rewards| rewards.get(player).copied()).collect();
    let some: Vec<BTreeSet<u8>> = (0..players).map(of_player).collect();
    let number = |goals: &[BTreeSet<u8>]| goals.iter().try_fold(1usize, |all, goals| all.checked_mul(goals.len()));
    let few = number(&all).is_some_and(|number| number <= MOST_REWARDS);
    let fits = if few { some == all } else { some.iter().zip(&all).all(|(some, all)| some.is_subset(all)) };
    // As many different ones as there are combinations of what occurs in them are all of these.
    fits && number(&some) == Some(rewards.len()) && rewards.is_sorted_by(|one, next| one < next)
}

/// Checks `turn_taking` by the numbers of states in which several players choose, which are those of the layers; and that
/// `alternating` is false with exact values.
pub fn turns(manifest: &Manifest, result: &mut Verification) {
    let joint = |layer: &LayerRecord| layer.mixed.as_ref().is_some_and(|mixed| mixed.joint != BigUint::ZERO);
    let in_turns = !manifest.layers.iter().any(joint);
    let mut findings = Findings::new("manifest.json".to_owned());
    if manifest.phase != Progress::Forward && manifest.turn_taking != in_turns {
        let several = if in_turns { "no" } else { "some" };
        findings.add(|| {
            format!("turn_taking is {}; {several} states have several players who choose", manifest.turn_taking)
        });
    }
    let alternating = manifest.alternating.into_iter().chain(manifest.layers.iter().map(|layer| layer.alternating));
    if manifest.is_exact() && alternating.into_iter().any(|told| told) {
        findings.add(|| "alternating is true, which it never is with exact values".to_owned());
    }
    findings.end(result);
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

/// Compares the numbers of states with a value, a digit of a round or a distance.
pub fn of_diagrams(
    stored: &Stored,
    total: &BigUint,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let (Some(settled), Some(record)) = (stored.settled()?, &stored.manifest.settled) else {
        return Ok(());
    };
    let (values, digits_end) = (stored.manifest.rewards.len() as u32 + 1, record.rounds_files.len());
    let mut digits = None;
    for (index, diagram) in settled.diagrams().enumerate() {
        let most = match index {
            0 => values,
            index if index <= digits_end => record.base,
            _ => MOST_PLIES,
        };
        let found = elements(diagram.file(), most, limits)?;
        let told = if index == 0 { total } else { digits.get_or_insert(found.clone()) };
        if found != *told {
            let told = told.clone();
            findings.add(|| format!("{found} states have a value, a digit of a round or a distance, of {told}"));
        }
    }
    Ok(())
}
