//! Tables of games with chance or choices at the same time, whose values are exact numbers: each as a fraction and as a
//! decimal.

use super::tables::{Cell, Column, Facts, Sheet, column};
use crate::session::GuaranteeReport;
use game::matrix::Rational;
use num_bigint::BigUint;
use solving::exact::float;
use solving::solve::{Common, Share};
use solving::words::exact::numbers_text;
use solving::words::value::force_text;

/// A row for each value or, where there are many, for each range of what the first player gets.
pub(super) fn buckets(facts: &Facts) -> Option<Sheet> {
    let shares = facts.shares?;
    let by_range = shares.iter().any(|share| matches!(share.common, Common::From(_)));
    let first = facts.roles.first()?;
    let columns: Vec<Column> = match by_range {
        true => [format!("{first}_from"), format!("{first}_to")].into_iter().map(column).collect(),
        false => facts.roles.iter().flat_map(|role| [column(role), column(format!("{role}_float"))]).collect(),
    };
    let total: BigUint = shares.iter().map(|share| &share.states).sum();
    let row = |share: &Share| -> Vec<Cell> {
        let counts = [Cell::Number(share.states.clone()), Cell::Share(share.states.clone(), total.clone())];
        common(&share.common).into_iter().chain(counts).collect()
    };
    let title = match by_range {
        true => format!("States by ranges of what {first} gets on average"),
        false => "States by what each gets on average".to_owned(),
    };
    let columns = columns.into_iter().chain(["states", "share"].map(column)).collect();
    Some(Sheet { name: "buckets", title, columns, rows: shares.iter().map(row).collect() })
}

/// What states have in common: each number twice, or the ends of a range.
fn common(common: &Common) -> Vec<Cell> {
    match common {
        Common::From(from) => vec![Cell::number(*from), Cell::number(Share::end(*from))],
        Common::Value(value) => value.numbers().iter().flat_map(both).collect(),
    }
}

/// What a role can force in the initial state, in words.
pub(super) fn force(role: &str, own: &GuaranteeReport) -> String {
    match &own.exact {
        Some(exact) => format!("{role} can force {}", numbers_text(&exact.value)),
        None => force_text(role, own.value),
    }
}

/// A row for each number that a role can force, or for each range.
pub(super) fn forced(role: &str, own: &GuaranteeReport) -> Vec<Vec<Cell>> {
    let shares = || own.exact.iter().flat_map(|exact| &exact.shares);
    let total: BigUint = shares().map(|share| &share.states).sum();
    let row = |share: &Share| {
        let name = match &share.common {
            Common::Value(value) => value.to_string(),
            Common::From(from) => format!("{from} to {}", Share::end(*from)),
        };
        let states = share.states.clone();
        let counts = [Cell::Number(states.clone()), Cell::Share(states, total.clone())];
        [Cell::Text(role.to_owned()), Cell::Text(name)].into_iter().chain(counts).collect()
    };
    shares().map(row).collect()
}

fn both(number: &Rational) -> [Cell; 2] {
    [Cell::Text(number.to_string()), Cell::Text(float(number).to_string())]
}
