//! From the rules of a game to its propositional form, and from that to diagrams.
//!
//! A module imports only from modules of the groups above its own (`tests/modules.rs` holds that).

// What only tests have, those in `tests/` as well: brute force, and small and random games.
#[cfg(test)]
extern crate self as game;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../../tests/common/explicit/mod.rs"]
mod explicit;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../../tests/common/sample/mod.rs"]
mod sample;
#[cfg(test)]
#[path = "../../tests/common/show.rs"]
mod show;

// Games in propositional form, messages with places, rewards, and games of one joint move.
pub mod aim;
pub mod diagnostic;
pub mod matrix;
pub mod propositional;
pub mod refusal;
pub mod reward;
mod sync;

// The reference semantics, formulas, what values stand for, and the form of texts.
pub mod bdd;
pub mod ending;
pub mod interpreter;
pub mod syntax;

// Many states at once, proofs, rules, and symmetries of games.
pub mod batch;
pub mod proof;
pub mod rules;
pub mod symmetry;

// From rules to a game, and from a game to diagrams.
pub mod encode;
pub mod ground;
pub mod mutex;
