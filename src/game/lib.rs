//! From the rules of a game to its propositional form, and from that to diagrams.
//!
//! A module imports only from modules of the groups above its own (`tests/modules.rs` checks that).

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

pub mod aim;
pub mod diagnostic;
pub mod matrix;
pub mod propositional;
pub mod refusal;
pub mod reward;
mod sync;

pub mod bdd;
pub mod ending;
pub mod interpreter;
pub mod syntax;

pub mod batch;
pub mod proof;
pub mod rules;
pub mod symmetry;

pub mod encode;
pub mod ground;
pub mod mutex;
