//! Numbers of states for display: by exact value, or by ranges of the first player's value if there are many values.

use crate::exact::{Table, Value, float};
use crate::store::manifest::{ShareRecord, integer};
use game::matrix::Rational;
use game::propositional::RoleId;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// States are counted by ranges if there are more values than this.
const MOST_VALUES: usize = 32;
/// The width of a range of rewards.
const RANGE: u32 = 10;
/// The start of the last range, which includes the highest reward.
const LAST: u32 = 90;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Common {
    Value(Value),
    /// What the first player gets lies in the range that begins here. Values beyond the rewards, which other rules than
    /// the usual one may give, count with the first or the last range.
    From(u32),
}

/// The number of states with one value, or with the values of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    pub common: Common,
    pub states: BigUint,
}

impl Common {
    /// The start of the range of a value.
    pub fn range(&self) -> u32 {
        match self {
            Common::From(from) => *from,
            Common::Value(value) => range(value),
        }
    }
}

/// The start of the range of what the first player gets. Values beyond the rewards belong to the ranges at the ends.
fn range(value: &Value) -> u32 {
    match value.numbers().first() {
        Some(first) if *first >= Rational::zero() => {
            first.floor().to_u32().map_or(LAST, |whole| (whole / RANGE * RANGE).min(LAST))
        }
        _ => 0,
    }
}

impl Share {
    /// The end of the range that begins at `from`.
    pub fn end(from: u32) -> u32 {
        from + RANGE
    }

    pub fn range_text(from: u32) -> String {
        format!("{from} to {}", Share::end(from))
    }

    pub fn record(&self) -> ShareRecord {
        let (value, from) = match &self.common {
            Common::Value(value) => (Some(value.clone()), None),
            Common::From(from) => (None, Some(*from)),
        };
        ShareRecord { value, from, states: self.states.clone() }
    }

    pub fn of_record(record: &ShareRecord) -> Share {
        let range = || Common::From(record.from.expect("manifests that are read have values or ranges"));
        let common = record.value.as_ref().map_or_else(range, |value| Common::Value(value.clone()));
        Share { common, states: record.states.clone() }
    }
}

/// Writes `rewards` and `rewards_float`, or `range`; then `states`.
impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct States<'a>(#[serde(with = "integer")] &'a BigUint);
        let mut map = serializer.serialize_map(None)?;
        match &self.common {
            Common::Value(value) => {
                map.serialize_entry("rewards", value)?;
                map.serialize_entry("rewards_float", &value.numbers().iter().map(float).collect::<Vec<_>>())?;
            }
            Common::From(from) => map.serialize_entry("range", &[*from, Share::end(*from)])?,
        }
        map.serialize_entry("states", &States(&self.states))?;
        map.end()
    }
}

/// The shares of a layer, ascending. With `against`, states are counted by what this role gets alone.
pub fn of_table(table: &Table, against: Option<RoleId>) -> Vec<Share> {
    if against.is_none() && table.values().nth(MOST_VALUES).is_some() {
        // As `fewer`, without copies of all values.
        let mut sums: BTreeMap<u32, BigUint> = BTreeMap::new();
        table.values().for_each(|(value, states)| *sums.entry(range(value)).or_default() += states);
        return sums.into_iter().map(|(from, states)| Share { common: Common::From(from), states }).collect();
    }
    let share = |(value, states): (Value, u64)| Share { common: Common::Value(value), states: states.into() };
    let all = table.values().map(|(value, states)| (value.clone(), states));
    let Some(role) = against else { return all.map(share).collect() };
    let own = |value: Value| Value::new(vec![value.numbers()[role.index()].clone()]);
    fewer(added(all.map(|(value, states)| share((own(value), states))).collect()))
}

/// The shares of several layers together, ascending.
pub fn total<'a>(layers: impl IntoIterator<Item = &'a Vec<Share>>) -> Vec<Share> {
    let all: Vec<Share> = layers.into_iter().flatten().cloned().collect();
    let by_range = all.iter().any(|share| matches!(share.common, Common::From(_)));
    let sum = added(all);
    if by_range { ranges(sum) } else { fewer(sum) }
}

/// Changes the shares of all layers to ranges if their total has ranges, so that layers can be compared.
pub fn alike<'a>(layers: impl Iterator<Item = &'a mut Vec<Share>>, total: &[Share]) {
    if total.iter().any(|share| matches!(share.common, Common::From(_))) {
        layers.for_each(|shares| *shares = ranges(std::mem::take(shares)));
    }
}

fn fewer(shares: Vec<Share>) -> Vec<Share> {
    if shares.len() > MOST_VALUES { ranges(shares) } else { shares }
}

fn ranges(shares: Vec<Share>) -> Vec<Share> {
    added(shares.into_iter().map(|share| Share { common: Common::From(share.common.range()), ..share }).collect())
}

fn added(shares: Vec<Share>) -> Vec<Share> {
    let mut sum: BTreeMap<Common, BigUint> = BTreeMap::new();
    for Share { common, states } in shares {
        *sum.entry(common).or_default() += states;
    }
    sum.into_iter().map(|(common, states)| Share { common, states }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_the_rewards_belong_to_the_ranges_at_the_ends() {
        let value = |number: i32| Value::new(vec![Rational::from_integer(number.into())]);
        let table = Table((-40..0).chain(95..130).map(|number| (value(number), 1)).collect(), Vec::new());
        let ends =
            [(0, 40u32), (90, 35)].map(|(from, states)| Share { common: Common::From(from), states: states.into() });
        assert_eq!(of_table(&table, None), ends);
    }
}
