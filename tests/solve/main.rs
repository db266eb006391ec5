//! Solutions by every engine, algorithm and kind of value, against brute force and independent programs.

mod average;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod corpus_explicit;
mod depth;
mod distances;
mod endless;
mod engines;
mod exact;
mod exact_answers;
mod exact_told;
mod explicit;
mod guarantees;
mod handmade;
mod joint_moves;
mod orbits;
mod random;
mod random_games;
mod round;
mod shipped;
mod threads;
