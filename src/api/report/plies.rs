//! Distances in the text report: the states of each value by distance, and the longest plays.

use crate::session::LongestPlay;
use base::digits::grouped;
use num_bigint::BigUint;
use solving::solve::Bucket;
use solving::words::number;
use solving::words::table::Table;
use solving::words::value::value_text;
use std::fmt::Write;

/// Largest number of lines of the histogram. If there are more distances, a line stands for several of them.
const LINES: u32 = 50;
/// If there are more values, the text has no histogram; documents and JSON have it in every case.
const VALUES: usize = 6;

/// States by plies to the end, a column for each value; empty if no value has distances.
pub fn histogram(buckets: &[Bucket]) -> String {
    let timed: Vec<&Bucket> = buckets.iter().filter(|bucket| !bucket.plies.is_empty()).collect();
    let Some(longest) = timed.iter().flat_map(|bucket| &bucket.plies).map(|record| record.plies).max() else {
        return String::new();
    };
    if has_too_many_values(buckets) {
        return String::new();
    }
    let step = longest / LINES + 1;
    let values = timed.iter().map(|bucket| value_text(bucket.rewards.as_deref()));
    let mut table = Table::new(std::iter::once("plies".to_owned()).chain(values));
    for first in (0..=longest).step_by(step as usize) {
        let last = first + step - 1;
        let states = |bucket: &&Bucket| {
            let here = bucket.plies.iter().filter(|record| (first..=last).contains(&record.plies));
            let sum: BigUint = here.map(|record| &record.states).sum();
            if sum == BigUint::ZERO { ".".to_owned() } else { grouped(sum) }
        };
        let name = if step == 1 { first.to_string() } else { format!("{first}-{last}") };
        table.row(std::iter::once(name).chain(timed.iter().map(states)));
    }
    format!("\n  States by plies to the end\n\n{}", table.render(2))
}

/// Whether the text lacks the histogram although there are distances.
pub fn has_too_many_values(buckets: &[Bucket]) -> bool {
    buckets.iter().filter(|bucket| !bucket.plies.is_empty()).count() > VALUES
}

/// The longest plays, each on a line, with a state if there is one.
pub fn longest(plays: &[LongestPlay]) -> String {
    let mut text = String::new();
    for play in plays {
        let position = match (&play.drawing, &play.state) {
            (Some(drawing), _) => format!(", such as\n{}", drawing.text(4)),
            (None, Some(state)) if !state.is_empty() => format!(", such as\n    {}\n", state.join(" ")),
            // A state in which no fluent holds has nothing to show.
            (None, _) => "\n".to_owned(),
        };
        let _ = write!(text, "\n  {}{position}", longest_text(play));
    }
    text
}

pub(super) fn longest_text(LongestPlay { rewards, plies, layer, states, .. }: &LongestPlay) -> String {
    let (value, plies, states) = (value_text(Some(rewards)), number::plies_text(*plies), number::states(states));
    format!("The longest play for {value} takes {plies}, from {states} (the first in layer {layer})")
}
