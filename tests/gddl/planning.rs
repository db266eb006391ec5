//! Plain planning: one player, reaching the goal is worth 100.

use crate::common::compare::solve;
use crate::common::explicit;
use crate::common::naive::Naive;
use crate::{game, program};
use game::diagnostic::{Findings, Source};
use game::propositional::Game;
use game::rules::gddl;
use num_bigint::BigUint;
use solving::solve::{Algorithm, SolveOptions};
use std::collections::{BTreeMap, BTreeSet};
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
        assert_eq!(Findings::new(&source, &gddl::program(&source).1).to_string(), "", "{}", source.stem());
    }
}

#[test]
fn nothing_is_said_of_costs_that_count() {
    for (domain, problem) in WITH_COSTS {
        let source = Source::joined(source(domain), source(problem));
        let codes: Vec<&str> = gddl::program(&source).1.into_iter().map(|finding| finding.code).collect();
        assert!(codes.is_empty(), "{problem}: {codes:?}");
    }
}

const WITH_COSTS: [(&str, &str); 4] = [
    ("transport.pddl", "transport-3.pddl"),
    ("transport.pddl", "transport-cut.pddl"),
    ("elevators.pddl", "elevators-3.pddl"),
    ("elevators.pddl", "elevators-apart.pddl"),
];

/// Moves of a shortest plan, straight from the rules, and the states and goal states that there are.
fn brute_force(source: &Source) -> (Option<usize>, usize, usize) {
    let program = program(source);
    let naive = Naive::new(&program);
    let initial = naive.initial();
    let mut known = BTreeSet::from([initial.clone()]);
    let (mut front, mut plan, mut goals) = (vec![initial], None, 0);
    for moves in 0.. {
        let mut next = Vec::new();
        for state in std::mem::take(&mut front) {
            let (terminal, legal) = naive.look(&state);
            let reached = terminal && !legal[0].is_empty();
            goals += usize::from(terminal);
            if terminal {
                assert!(reached, "in these problems there is always something to do");
                plan.get_or_insert(moves);
                continue;
            }
            let joint = |(role, action): &_| naive.successor(&state, &[(Clone::clone(role), Clone::clone(action))]);
            next.extend(legal[0].iter().map(joint).filter(|after| known.insert(after.clone())));
        }
        if next.is_empty() {
            break;
        }
        front = next;
    }
    (plan, known.len(), goals)
}

/// In transport, three places of the van by four of each package, but for the two that only a finished plan could
/// leave; by two and three where the road is cut.
#[test]
fn costs_and_conditions_of_the_benchmarks() {
    for ((domain, problem), expected) in
        WITH_COSTS.into_iter().zip([(Some(6), 46, 1), (None, 18, 0), (Some(6), 23, 2), (None, 15, 0)])
    {
        let source = Source::joined(source(domain), source(problem));
        assert_eq!(brute_force(&source), expected, "{problem}");
        let (plan, states, goals) = expected;
        let game = game(&source);
        assert_eq!(game.name, problem.trim_end_matches(".pddl"));
        for algorithm in [None, Some(Algorithm::Matrix)] {
            let outcome = solve(&game, &SolveOptions { algorithm, line: true, ..SolveOptions::default() });
            let outcome = outcome.expect("cycles are no obstacle");
            assert_eq!((&outcome.states, &outcome.terminal_states), (&states.into(), &goals.into()), "{problem}");
            let solution = outcome.solution.expect("values were asked for");
            assert_eq!(solution.value, plan.map(|_| vec![100]), "{problem}");
            assert_eq!(solution.line.map(|line| line.len()), plan, "{problem}");
            let ends = outcome.layers.iter().flat_map(|layer| layer.ends.iter().flatten());
            let mut reached: BTreeMap<Option<&[u8]>, BigUint> = BTreeMap::new();
            ends.for_each(|end| *reached.entry(Some(end.rewards.as_slice())).or_default() += &end.states);
            let goals = plan.iter().map(|_| (Some(&[100][..]), goals.into())).collect();
            assert_eq!(reached, goals, "{problem}");
        }
    }
}

/// A domain and its problem in the wrong order are the same.
#[test]
fn the_order_of_two_files_does_not_matter() {
    let game = game(&Source::joined(source("blocks-3.pddl"), source("blocks.pddl")));
    assert_eq!(game.name, "blocks-3");
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
