//! The rewards that roles can force against all others together, as a table and as text.

use super::tables::{Cell, Facts, Sheet, column, words};
use crate::session::GuaranteeReport;
use base::digits::grouped;
use num_bigint::BigUint;
use solving::solve::{Bucket, Common, Share};
use solving::words::exact::numbers_text;
use solving::words::number::states;
use solving::words::value::force_text;

/// A row for each role and reward that it can force.
pub(super) fn sheet(facts: &Facts) -> Option<Sheet> {
    let columns = [words("role"), column("forces"), column("states"), column("share")];
    let rows_of = |(role, own): &(&str, &GuaranteeReport)| {
        let reward = |rewards: &Vec<u8>| Cell::number(rewards[0]);
        let of_bucket =
            |bucket: &Bucket| (bucket.rewards.as_ref().map_or(Cell::Endless, reward), bucket.states.clone());
        let exact = own.exact.iter().flat_map(|exact| &exact.shares).map(of_share);
        let counts: Vec<(Cell, BigUint)> = own.buckets.iter().map(of_bucket).chain(exact).collect();
        let total: BigUint = counts.iter().map(|(_, states)| states).sum();
        let row = |(forced, states): (Cell, BigUint)| {
            let share = Cell::Share(states.clone(), total.clone());
            vec![Cell::Text((*role).to_owned()), forced, Cell::Number(states), share]
        };
        counts.into_iter().map(row).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Cell>> = facts.guarantees.iter().flat_map(rows_of).collect();
    let title = "States by what a role can force against all others".to_owned();
    (!rows.is_empty()).then(|| Sheet { name: "guarantees", title, columns: columns.into(), rows })
}

/// A sentence on what a role can force, and one on how often it gets just that, if the states were counted; `each` says
/// how they are counted.
pub(super) fn remark(role: &str, own: &GuaranteeReport, each: &str) -> String {
    let rest = match &own.open {
        Some(open) if *open != 0u32.into() => format!(", from {} it is something else", grouped(open)),
        _ => String::new(),
    };
    let counts = own.forced.as_ref().map_or(String::new(), |forced| {
        format!(" From {} that is what {role} gets where each role takes its best{rest}{each}.", states(forced))
    });
    let force = own.force(role);
    format!("{force} against all others together.{counts}")
}

impl GuaranteeReport {
    /// What the role can force, in words.
    pub(in crate::report) fn force(&self, role: &str) -> String {
        match &self.exact {
            Some(exact) => format!("{role} can force {}", numbers_text(&exact.value)),
            None => force_text(role, self.value),
        }
    }
}

fn of_share(share: &Share) -> (Cell, BigUint) {
    let name = match &share.common {
        Common::Value(value) => value.to_string(),
        Common::From(from) => Share::range_text(*from),
    };
    (Cell::Text(name), share.states.clone())
}
