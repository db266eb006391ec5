//! What is done with rules and solutions. The library `ggsolve` exports the part of this crate that other programs use.
//!
//! A module imports only from modules of the groups above its own (`tests/modules.rs` holds that).

// What only tests have, those in `tests/` as well: brute force, and small and random games.
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

// What is done with rules, with solutions, and with both.
pub mod export;
pub mod inspect;
pub mod play;
pub mod puzzles;
pub mod review;
pub mod translate;
pub mod verify;

// The way through all of it, for programs.
pub mod session;

// Text for people.
pub mod report;
