//! Tables of games with exact values. Numbers are fractions and decimal numbers.

use super::tables::{Cell, Column, Facts, Sheet, column};
use crate::session::LayerReport;
use game::matrix::Rational;
use game::refusal::Refusal;
use num_bigint::BigUint;
use solving::exact::float;
use solving::solve::{Common, Share};
use solving::store::manifest::MixedRecord;

/// A row for each value, or for each range of the first player's average. `people`: ranges are written in words.
pub(super) fn buckets(facts: &Facts, people: bool) -> Option<Sheet> {
    let shares = facts.shares?;
    let by_range = is_by_range(shares);
    let first = facts.roles.first()?;
    let columns = columns(facts, people)?;
    let total: BigUint = shares.iter().map(|share| &share.states).sum();
    let row = |share: &Share| -> Vec<Cell> {
        let counts = [Cell::Number(share.states.clone()), Cell::Share(share.states.clone(), total.clone())];
        common(&share.common, people).into_iter().chain(counts).collect()
    };
    let title = match by_range {
        true => format!("States by ranges of what {first} gets on average"),
        false => "States by what each gets on average".to_owned(),
    };
    let columns = columns.into_iter().chain(["states", "share"].map(column)).collect();
    Some(Sheet { name: "buckets", title, columns, rows: shares.iter().map(row).collect() })
}

pub(super) fn values(facts: &Facts) -> Option<Sheet> {
    let columns = [column("layer")].into_iter().chain(columns(facts, false)?).chain([column("states")]).collect();
    let row = |layer: usize, share: &Share| -> Vec<Cell> {
        let of_value = common(&share.common, false).into_iter();
        [Cell::number(layer)].into_iter().chain(of_value).chain([Cell::Number(share.states.clone())]).collect()
    };
    let of_layer = |layer: &LayerReport| -> Vec<Vec<Cell>> {
        layer.shares.iter().flatten().map(|share| row(layer.layer, share)).collect()
    };
    let rows = facts.layers.iter().flat_map(of_layer).collect();
    Some(Sheet { name: "values", title: "Values by layer".to_owned(), columns, rows })
}

/// By layer: the number of states in which chance moves, and of those in which several players choose.
pub(super) fn kinds(facts: &Facts) -> Vec<(&'static str, Vec<Cell>)> {
    let mixed = |of: fn(&MixedRecord) -> &BigUint| -> Option<Vec<Cell>> {
        facts.layers.iter().map(|layer| layer.mixed.as_ref().map(|mixed| Cell::Number(of(mixed).clone()))).collect()
    };
    let kinds = [("joint", mixed(|mixed| &mixed.joint)), ("chance", mixed(|mixed| &mixed.chance))];
    kinds.into_iter().filter_map(|(name, cells)| Some((name, cells?))).collect()
}

fn is_by_range(shares: &[Share]) -> bool {
    shares.iter().any(|share| matches!(share.common, Common::From(_)))
}

fn columns(facts: &Facts, people: bool) -> Option<Vec<Column>> {
    let first = facts.roles.first()?;
    Some(match (is_by_range(facts.shares?), people) {
        (true, true) => vec![column(first)],
        (true, false) => [format!("{first}_from"), format!("{first}_to")].into_iter().map(column).collect(),
        (false, _) => facts.roles.iter().flat_map(|role| [column(role), column(format!("{role}_float"))]).collect(),
    })
}

/// The cells of a value (two for each number), or of a range of values.
fn common(common: &Common, people: bool) -> Vec<Cell> {
    match common {
        Common::From(from) if people => vec![Cell::Text(Share::range_text(*from))],
        Common::From(from) => vec![Cell::number(*from), Cell::number(Share::end(*from))],
        Common::Value(value) => value.numbers().iter().flat_map(both).collect(),
    }
}

pub(super) fn no_value(refusal: &Refusal) -> String {
    format!("{}; the state is {}", refusal.message, refusal.state.join(" "))
}

fn both(number: &Rational) -> [Cell; 2] {
    [Cell::Text(number.to_string()), Cell::Text(float(number).to_string())]
}
