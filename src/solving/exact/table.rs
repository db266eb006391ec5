//! The values that occur in a layer, with the number of states of each.

use super::Value;

/// The values of the states of a layer, ascending, with the number of states of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table(pub Vec<(Value, u64)>);

impl Table {
    /// One line for each value: the number of states, then the value.
    pub fn text(&self) -> String {
        self.0.iter().map(|(value, states)| format!("{states} {value}\n")).collect()
    }

    /// Reads what [`Table::text`] writes; `None` for any other text.
    pub fn parse(text: &str, players: usize) -> Option<Table> {
        let line = |line: &str| {
            let (states, value) = line.split_once(' ')?;
            let value = Value::parse(value).filter(|value| value.numbers().len() == players)?;
            Some((value, states.parse().ok()?))
        };
        let table = Table(text.lines().map(line).collect::<Option<_>>()?);
        let ascends = table.0.is_sorted_by(|one, next| one.0 < next.0);
        (ascends && table.text() == text).then_some(table)
    }
}
