//! The HTTP services: the player of matches and the explorer of solutions. A module imports only from modules of the
//! groups above its own (`tests/modules.rs`).

// For tests, including those in `tests/`: brute force, and small and random games.
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

pub mod http;

pub mod player;

pub mod explore;
