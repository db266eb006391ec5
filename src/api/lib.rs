//! Operations on rules and solutions. The library `ggsolve` exports the part of this crate that other programs use. A
//! module imports only from modules of the groups above its own (`tests/modules.rs`).

#![warn(missing_docs)]

// Shared with the tests in `tests/`: brute force, and small and random games.
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

// Operations on rules, on solutions, and on both.
pub mod export;
pub mod inspect;
pub mod play;
pub mod puzzles;
pub mod review;
pub mod translate;
pub mod verify;

// The way from rules to results, for programs.
pub mod session;

// Text for people.
pub mod report;
