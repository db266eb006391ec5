//! `ggsolve`: strong solutions of general games from their rules.
//!
//! The folders are the stages of the way from text to solution; a stage imports only from those before it:
//! `syntax` → `rules` → `ground` → `propositional` → `encode` → `store` → `solve` → `solution` → `report` → `cli`.
//! `kernel` (decision diagrams by level sweeps) and `bdd` stand alone and know nothing of games.

pub mod batch;
pub mod bdd;
pub mod cli;
pub mod diagnostic;
pub mod encode;
pub mod explicit;
pub mod ground;
pub mod inspect;
pub mod interpreter;
pub mod kernel;
pub mod limits;
pub mod machine;
pub mod mutex;
pub mod play;
pub mod proof;
pub mod propositional;
pub mod random;
pub mod report;
pub mod review;
pub mod reward;
pub mod rules;
pub mod sample;
pub mod scratch;
pub mod solution;
pub mod solve;
pub mod store;
mod sync;
pub mod syntax;
pub mod translate;
pub mod verify;
