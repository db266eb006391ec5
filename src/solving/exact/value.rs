//! Exact values: a number for each player, with text and JSON.

use game::matrix::Rational;
use num_traits::Zero;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Average rewards, by player. Copies share the numbers, because tables of many layers have the same values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(Arc<Numbers>);

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Numbers {
    numbers: Vec<Rational>,
    /// The sum of the numbers. It is stored because rules compare it for every joint move.
    total: Rational,
}

impl Value {
    pub fn new(numbers: Vec<Rational>) -> Value {
        let total = numbers.iter().sum();
        Value(Arc::new(Numbers { numbers, total }))
    }

    pub fn of_rewards(rewards: &[u8], players: usize) -> Value {
        rewards[..players].iter().map(|&reward| Rational::from_integer(reward.into())).collect()
    }

    /// The mean of equally likely values, of which there must be at least one.
    pub fn mean<'v>(values: impl ExactSizeIterator<Item = &'v Value>) -> Value {
        let count = Rational::from_integer(values.len().into());
        let mut sum: Vec<Rational> = Vec::new();
        for value in values {
            sum.resize(value.numbers().len(), Rational::zero());
            sum.iter_mut().zip(value.numbers()).for_each(|(sum, number)| *sum += number);
        }
        sum.into_iter().map(|sum| sum / &count).collect()
    }

    pub fn numbers(&self) -> &[Rational] {
        &self.0.numbers
    }

    pub fn total(&self) -> &Rational {
        &self.0.total
    }

    /// Reads the displayed text of a value; `None` for any other text.
    pub fn parse(text: &str) -> Option<Value> {
        let numbers = text.split(' ').map(|word| {
            let number = Rational::from_str(word).ok().filter(|number| number.to_string() == word);
            number.filter(|number| *number >= Rational::zero())
        });
        numbers.collect()
    }

    /// The numbers by player, rounded to floating point.
    pub fn floats(&self) -> Vec<f64> {
        self.numbers().iter().map(float).collect()
    }

    /// Approximate bytes of memory.
    pub fn bytes(&self) -> u64 {
        let digits = |number: &Rational| (number.numer().bits() + number.denom().bits()) / 8 + 2 * 8;
        let numbers = self.numbers().iter().chain([self.total()]);
        numbers.map(|number| size_of::<Rational>() as u64 + digits(number)).sum::<u64>() + 48
    }
}

impl FromIterator<Rational> for Value {
    fn from_iter<I: IntoIterator<Item = Rational>>(numbers: I) -> Value {
        Value::new(numbers.into_iter().collect())
    }
}

/// For example `175/4 225/4`: numbers in lowest terms, separated by blanks, whole numbers without a denominator.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (player, number) in self.numbers().iter().enumerate() {
            write!(f, "{}{number}", if player == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// A list: whole numbers as such, others as texts like `"175/4"`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        numbers(self.numbers(), serializer)
    }
}

/// Serialises an optional value as its displayed text.
pub mod as_text {
    use super::Value;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Value::to_string).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let value = |text: String| Value::parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no value")));
        text.map(value).transpose()
    }
}

/// A list of numbers, each as in [`number`].
pub fn numbers<S: Serializer>(numbers: &[Rational], serializer: S) -> Result<S::Ok, S::Error> {
    struct One<'n>(&'n Rational);
    impl Serialize for One<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            number(self.0, serializer)
        }
    }
    let mut list = serializer.serialize_seq(Some(numbers.len()))?;
    numbers.iter().try_for_each(|number| list.serialize_element(&One(number)))?;
    list.end()
}

/// Serialises a whole number that fits 64 bits as a number, and any other number as a text such as `"175/4"`.
pub fn number<S: Serializer>(number: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
    match number.to_i64() {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.collect_str(number),
    }
}

pub fn float(number: &Rational) -> f64 {
    number.to_f64()
}

/// Largest number of digits of a displayed denominator.
const MOST_DIGITS: u64 = 40;

/// Text for people: `175/4 (43.75)`, or the whole number alone. A fraction with many digits is only approximated.
pub fn text(number: &Rational) -> String {
    if number.is_integer() {
        return number.to_string();
    }
    let (decimal, digits) = (decimal(number), digits(number));
    match digits > MOST_DIGITS {
        true => format!("{decimal} (a fraction of some {digits} digits)"),
        false => format!("{number} ({decimal})"),
    }
}

/// A number with at most six digits after the point, after `about` unless it is exact: `43.75`, `about 0.333333`.
pub fn decimal(number: &Rational) -> String {
    let rounded = format!("{:.6}", float(number));
    let short = rounded.trim_end_matches('0').trim_end_matches('.');
    let exact = Rational::from_str(&fraction(short)).is_ok_and(|shown| shown == *number);
    format!("{}{short}", if exact { "" } else { "about " })
}

/// The number of digits of the denominator; if it is far larger than [`MOST_DIGITS`], an estimate.
fn digits(number: &Rational) -> u64 {
    let bits = number.denom().bits();
    if bits > 4 * MOST_DIGITS { bits * 3 / 10 } else { number.denom().to_string().len() as u64 }
}

/// A decimal as a fraction: `43.75` as `4375/100`.
fn fraction(decimal: &str) -> String {
    let (whole, digits) = decimal.split_once('.').unwrap_or((decimal, ""));
    format!("{whole}{digits}/1{}", "0".repeat(digits.len()))
}
