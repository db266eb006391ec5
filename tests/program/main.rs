//! The program from the command line: commands, options, exit codes, limits, terminals.

mod apart;
#[path = "../common/mod.rs"]
mod common;
mod plan;
mod session;
mod solve;
mod terminal;
mod usage;
