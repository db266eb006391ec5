//! `ggsolve player` against a game manager that is written from the protocol: whole matches, and everything that can go
//! wrong on the way.

mod chance;
#[path = "../common/mod.rs"]
mod common;
mod disguise;
mod manager;
mod matches;
mod messages;
mod mutated;
mod process;
mod stored;
mod wire;
