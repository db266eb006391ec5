//! Integers of any size as JSON numbers.

use num_bigint::BigUint;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;
use std::str::FromStr;

pub fn serialize<S: Serializer>(value: &BigUint, serializer: S) -> Result<S::Ok, S::Error> {
    Number::from_str(&value.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BigUint, D::Error> {
    let number = Number::deserialize(deserializer)?;
    BigUint::from_str(&number.to_string()).map_err(D::Error::custom)
}

/// Optional integers: a number or null.
pub mod optional {
    use super::*;

    pub fn serialize<S: Serializer>(value: &Option<BigUint>, serializer: S) -> Result<S::Ok, S::Error> {
        let number = value.as_ref().map(|value| Number::from_str(&value.to_string())).transpose();
        number.map_err(S::Error::custom)?.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BigUint>, D::Error> {
        let number = Option::<Number>::deserialize(deserializer)?;
        number.map(|number| BigUint::from_str(&number.to_string()).map_err(D::Error::custom)).transpose()
    }
}
