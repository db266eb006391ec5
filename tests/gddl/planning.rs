//! Plain planning: one player, reaching the goal is worth 100.

use crate::common::compare::solve;
use crate::game;
use ggsolve::diagnostic::{Source, render_text};
use ggsolve::explicit;
use ggsolve::propositional::Game;
use ggsolve::rules::gddl;
use ggsolve::solve::SolveOptions;
use std::path::Path;

fn source(name: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gddl/planning").join(name);
    Source::new(name, &std::fs::read(path).expect("the domain can be read"))
}

/// Value of the initial state and index of the last layer.
fn solved(game: &Game) -> (Vec<u8>, usize) {
    let outcome = solve(game, &SolveOptions::default()).expect("play ends");
    let value = outcome.solution.expect("values were asked for").value;
    (value.expect("play is finite"), outcome.layers.len() - 1)
}

#[test]
fn domains_need_no_more_than_they_say() {
    let sources = [
        Source::joined(source("blocks.pddl"), source("blocks-3.pddl")),
        Source::joined(source("blocks.pddl"), source("blocks-impossible.pddl")),
        source("gripper.pddl"),
        source("logistics.pddl"),
    ];
    for source in sources {
        assert_eq!(render_text(&source, &gddl::program(&source).1), "", "{}", source.stem());
    }
}

/// The hand is empty in 13 arrangements of three blocks, and holds one of them in 9.
#[test]
fn blocks_world() {
    for (problem, terminal) in [("blocks-3.pddl", 1), ("blocks-impossible.pddl", 0)] {
        let game = game(&Source::joined(source("blocks.pddl"), source(problem)));
        assert_eq!(game.name, problem.trim_end_matches(".pddl"));
        assert_eq!(game.roles[0].to_string(), "player");
        let explored = explicit::explore(&game, 1000).expect("there are few states");
        assert_eq!((explored.len(), explored.terminal_states()), (22, terminal), "{problem}");
    }
}

/// Blocks can be moved for ever: the general algorithm finds the goal, or that there is no way to it.
#[test]
fn plans_that_need_not_end() {
    for (problem, value) in [("blocks-3.pddl", Some(vec![100])), ("blocks-impossible.pddl", None)] {
        let game = game(&Source::joined(source("blocks.pddl"), source(problem)));
        let outcome = solve(&game, &SolveOptions::default()).expect("cycles are no obstacle");
        assert_eq!(outcome.solution.expect("values were asked for").value, value, "{problem}");
    }
}

/// Two balls take two picks, one move and two drops.
#[test]
fn gripper() {
    assert_eq!(solved(&game(&source("gripper.pddl"))), (vec![100], 5));
}

#[test]
fn an_unreachable_goal_is_worth_nothing() {
    let text = source("gripper.pddl").text().replace("(energy e5) ", "(energy e4) ");
    assert_eq!(solved(&game(&Source::new("gripper.pddl", text.as_bytes()))), (vec![0], 4));
}

/// Load, drive, unload, load, fly, unload, load, drive, unload.
#[test]
fn logistics() {
    assert_eq!(solved(&game(&source("logistics.pddl"))), (vec![100], 9));
    let text = source("logistics.pddl").text().replace("(tank f9)", "(tank f8)");
    assert_eq!(solved(&game(&Source::new("logistics.pddl", text.as_bytes()))).0, [0]);
}
