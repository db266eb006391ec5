//! Solves games, and stores and reads solutions. A module imports only from modules of the groups above its own (tested
//! by `tests/modules.rs`).

// For tests, including those in `tests/`: brute force, and small and random games.
#[cfg(test)]
extern crate self as solving;
#[cfg(test)]
#[allow(dead_code)]
#[path = "../../tests/common/brute.rs"]
mod brute;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../../tests/common/explicit/mod.rs"]
mod explicit;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../../tests/common/sample/mod.rs"]
mod sample;

// Exact values.
pub mod exact;

// From a game to lists of states or plans, and the files on disk.
pub mod cheapest;
pub mod listing;
pub mod store;
pub mod unmet;

// Solving, and reading solutions.
pub mod solution;
pub mod solve;

// Text for people.
pub mod words;
