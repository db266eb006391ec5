//! The values that occur in a layer, with the number of states of each.

use super::Value;
use num_traits::Zero;

/// By player: the number of its [round](crate::exact), if its average reward is above 0.
pub type Rounds = Box<[Option<u32>]>;

/// The values of the states of a layer, ascending, with the number of states of each. Where play can go on for ever, a
/// value occurs once with each combination of rounds, ascending; the second list has the rounds, and is empty otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table(pub Vec<(Value, u64)>, pub Vec<Rounds>);

/// Divides the rounds from the value in a line, and stands for none.
const DIVIDER: &str = " : ";
const NONE: &str = "-";

impl Table {
    /// Approximate bytes of memory.
    pub fn bytes(&self) -> u64 {
        let values: u64 = self.0.iter().map(|(value, _)| value.bytes()).sum();
        values + self.1.iter().map(|rounds| size_of_val(&**rounds) as u64 + 16).sum::<u64>()
    }

    /// One line for each value: the number of states, then the value, then the rounds if there are any.
    pub fn text(&self) -> String {
        let word = |round: &Option<u32>| round.map_or_else(|| NONE.to_owned(), |round| round.to_string());
        let line = |(place, (value, states)): (usize, &(Value, u64))| match self.1.get(place) {
            None => format!("{states} {value}\n"),
            Some(rounds) => {
                let rounds: Vec<String> = rounds.iter().map(word).collect();
                format!("{states} {value}{DIVIDER}{}\n", rounds.join(" "))
            }
        };
        self.0.iter().enumerate().map(line).collect()
    }

    /// Reads what [`Table::text`] writes; `None` for any other text.
    pub fn parse(text: &str, players: usize) -> Option<Table> {
        let mut table = Table::default();
        for line in text.lines() {
            let (line, rounds) = line.split_once(DIVIDER).map_or((line, None), |(line, rounds)| (line, Some(rounds)));
            let (states, value) = line.split_once(' ')?;
            let value = Value::parse(value).filter(|value| value.numbers().len() == players)?;
            if let Some(rounds) = rounds {
                let round = |word: &str| if word == NONE { Some(None) } else { word.parse().ok().map(Some) };
                let rounds: Rounds = rounds.split(' ').map(round).collect::<Option<_>>()?;
                let fits = |(number, round): (&_, &Option<u32>)| Zero::is_zero(number) != round.is_some();
                if rounds.len() != players || !value.numbers().iter().zip(&rounds).all(fits) {
                    return None;
                }
                table.1.push(rounds);
            }
            table.0.push((value, states.parse().ok()?));
        }
        let ascends = match table.1.is_empty() {
            true => table.0.is_sorted_by(|one, next| one.0 < next.0),
            false => table.0.iter().map(|(value, _)| value).zip(&table.1).is_sorted_by(|one, next| one < next),
        };
        let fits = table.1.is_empty() || table.1.len() == table.0.len();
        (ascends && fits && table.text() == text).then_some(table)
    }

    /// The values, ascending, each once.
    pub fn values(&self) -> impl Iterator<Item = (&Value, u64)> {
        let same = self.0.chunk_by(|one, next| one.0 == next.0);
        same.map(|same| (&same[0].0, same.iter().map(|(_, states)| states).sum()))
    }
}
