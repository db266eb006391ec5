//! The plots of a document.

use super::tables::Facts;
use crate::report::plot::{COLOURS, Series, lines, shares};
use crate::session::LayerReport;
use num_bigint::BigUint;
use solving::words::value::value_text;

/// The plots: states and nodes by layer; with values, their shares by layer; with distances, states by plies.
pub(super) fn charts(facts: &Facts) -> Vec<String> {
    let mut charts = vec![sizes(facts)];
    charts.extend(values(facts));
    charts.extend(plies(facts));
    charts
}

/// With distances: states by plies to the end, for the most frequent values.
fn plies(facts: &Facts) -> Option<String> {
    let mut timed: Vec<_> = facts.buckets.iter().filter(|bucket| !bucket.plies.is_empty()).collect();
    timed.sort_by(|a, b| b.states.cmp(&a.states).then_with(|| a.rewards.cmp(&b.rewards)));
    timed.truncate(COLOURS.len() - 1);
    timed.sort_by(|a, b| a.rewards.cmp(&b.rewards));
    let longest = timed.iter().flat_map(|bucket| &bucket.plies).map(|record| record.plies).max()?;
    let series = timed.iter().map(|bucket| {
        let mut values = vec![0.0; longest as usize + 1];
        bucket.plies.iter().for_each(|record| values[record.plies as usize] = number(&record.states));
        Series { name: value_text(bucket.rewards.as_deref()), values }
    });
    Some(lines("States by plies to the end", &series.collect::<Vec<_>>()))
}

fn sizes(facts: &Facts) -> String {
    let of = |name: &str, value: &dyn Fn(&LayerReport) -> f64| Series {
        name: name.to_owned(),
        values: facts.layers.iter().map(value).collect(),
    };
    let series = [
        of("states", &|layer| number(&layer.states)),
        of("nodes", &|layer| layer.nodes as f64),
        of("terminal states", &|layer| number(&layer.terminal)),
    ];
    lines("States and nodes by layer", &series)
}

/// The shares of the most frequent values, in the order of the rewards, and of all others together.
fn values(facts: &Facts) -> Option<String> {
    let mut by_states: Vec<_> = facts.buckets.iter().collect();
    by_states.sort_by(|a, b| b.states.cmp(&a.states).then_with(|| a.rewards.cmp(&b.rewards)));
    let named = by_states.len().min(COLOURS.len() - 1);
    let (most, others) = by_states.split_at(named);
    let mut most: Vec<_> = most.iter().map(|bucket| &bucket.rewards).collect();
    most.sort();
    let of = |layer: &LayerReport, meant: &dyn Fn(&Option<Vec<u8>>) -> bool| {
        let buckets = layer.buckets.iter().flatten().filter(|bucket| meant(&bucket.rewards));
        ratio(&buckets.map(|bucket| &bucket.states).sum(), &layer.states)
    };
    let part = |name: String, meant: &dyn Fn(&Option<Vec<u8>>) -> bool| Series {
        name,
        values: facts.layers.iter().map(|layer| of(layer, meant)).collect(),
    };
    let mut parts: Vec<Series> =
        most.iter().map(|rewards| part(value_text(rewards.as_deref()), &|other| other == *rewards)).collect();
    if !others.is_empty() {
        parts.push(part(format!("{} others", others.len()), &|other| !most.contains(&other)));
    }
    (!parts.is_empty()).then(|| shares("Values under best play, by layer", &parts))
}

fn number(number: &BigUint) -> f64 {
    // The nearest float. Digits can always be read as a float, however many there are.
    number.to_string().parse().expect("digits are a number")
}

/// The ratio of two numbers. If `total` is beyond the range of floats, both numbers are shifted by equally many bits.
fn ratio(part: &BigUint, total: &BigUint) -> f64 {
    let shift = total.bits().saturating_sub(1000);
    let total = number(&(total >> shift));
    if total == 0.0 { 0.0 } else { number(&(part >> shift)) / total }
}
