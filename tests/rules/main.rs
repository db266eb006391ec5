//! Rules on their way to propositional games: reading, checking, grounding, groups, symmetries, translations.

mod batch;
#[path = "../common/mod.rs"]
mod common;
mod corpus_check;
mod corpus_ground;
mod demand;
mod fuzz;
mod fuzz_gddl;
mod fuzz_gdl;
mod gambit;
mod ground;
mod ground_stats;
mod planning_tasks;
mod roles;
mod scramble;
mod subtraction;
mod symmetry;
mod translate;
mod warnings;
