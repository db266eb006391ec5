//! What answers by HTTP: the player of matches and the explorer of solutions.
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

// A server within bounds.
pub mod http;

// What plays over the network.
pub mod player;

// Pages for people.
pub mod explore;
