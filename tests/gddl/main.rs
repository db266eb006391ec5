//! GDDL as a front end: the shipped games against their GDL versions, plain planning, and what constructs mean.

#[path = "../common/mod.rs"]
mod common;
mod costs;
mod pddl;
mod planner;
mod planning;
mod semantics;
mod shipped;
mod types;

use game::diagnostic::{Findings, Source};
use game::propositional::Game;
use game::rules::{Program, gddl};

/// The program of a text without errors.
fn program(source: &Source) -> Program {
    let (program, diagnostics) = gddl::program(source);
    program.unwrap_or_else(|| panic!("{}", Findings::new(source, &diagnostics)))
}

/// The propositional form of a text without errors.
fn game(source: &Source) -> Game {
    common::game(&program(source))
}
