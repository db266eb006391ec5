use super::bound::bound;
use super::*;
use crate::explicit::explore;
use crate::sample::random_cyclic_game;
use crate::solve::Silent;
use game::diagnostic::Source;
use game::encode::{Analysis, SymbolicGame};
use game::ground::{GroundOptions, ground};
use game::mutex;
use game::rules::Language;
use kernel::{Context, Diagram, Guarded};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

fn grounded(text: &str) -> Game {
    let (program, _) = Language::Gdl.program(&Source::new("rules", text.as_bytes()));
    ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
}

/// A game with its encoding.
fn encoded(game: &Game, see: impl FnOnce(&[Group], &SymbolicGame)) {
    let limits = Arc::new(Limits::unlimited());
    let groups = mutex::groups(game, &mutex::Effort::default(), &limits).unwrap();
    let analysis = Analysis::new(game, &groups, &limits).unwrap();
    let order: Vec<usize> = (0..groups.len()).collect();
    see(&groups, &SymbolicGame::new(&analysis, &order, &limits).unwrap());
}

fn tiers_of(game: &Game, groups: &[Group], symbolic: &SymbolicGame) -> Tiers {
    let open = symbolic.open.begin().unwrap();
    let (relations, roots) = (&symbolic.relations, &symbolic.moves.all()[..]);
    let open = kernel::guarded(relations, &[], &[Guarded { roots, automaton: &*open, start: open.start() }], 1 << 18);
    let open = open.unwrap().expect("few moves");
    let (relations, roots) = if symbolic.stuck_terminal { (relations, roots) } else { (&open.0, &open.1[..]) };
    let moves = Moves { variables: &symbolic.variables, relations, roots };
    find(game, groups, moves, &Limits::unlimited(), &Silent).unwrap().expect("few moves")
}

fn sum(weights: &[i64], assignment: &[bool]) -> i64 {
    weights.iter().zip(assignment).filter(|(_, on)| **on).map(|(weight, _)| weight).sum()
}

/// Compares tiers with all moves between reachable states. Returns whether the measure rises somewhere.
fn compare(game: &Game, groups: &[Group], symbolic: &SymbolicGame, name: &str) -> bool {
    let tiers = tiers_of(game, groups, symbolic);
    let exploration = explore(game, 100_000).unwrap();
    let flags = |id| game.fluent_ids().map(|fluent| exploration.state(id).contains(fluent)).collect::<Vec<bool>>();
    let assignment = |id| symbolic.variables.assignment(&flags(id));
    let (mut rises, mut sizes) = (false, BTreeMap::<Vec<i64>, BigUint>::new());
    let first = assignment(exploration.ids().next().expect("the initial state"));
    assert_eq!(first, symbolic.initial);
    for id in exploration.ids() {
        let before = assignment(id);
        let all = tiers.measure.iter().chain(&tiers.parts);
        let tier = all.map(|weights| sum(weights, &before) - sum(weights, &first)).collect();
        *sizes.entry(tier).or_default() += 1u32;
        for &next in exploration.successors(id) {
            let after = assignment(next);
            let change = |weights: &Weights| sum(weights, &after) - sum(weights, &before);
            let of_measure = tiers.measure.as_ref().map_or(0, change);
            assert!(of_measure >= 0, "{name}: a move lowers the measure");
            assert!(of_measure > 0 || tiers.parts.iter().all(|part| change(part) == 0), "{name}: a part");
            assert!(tiers.conserved.iter().all(|weights| change(weights) == 0), "{name}: a conserved sum");
            rises |= of_measure > 0;
        }
    }
    // A diagram of all states has the same tiers, none larger than its bound.
    let context = Context::new(Arc::new(Limits::unlimited()), 2);
    let levels = symbolic.variables.levels();
    let singles: Vec<Diagram> = exploration.ids().map(|id| Diagram::single(levels, &assignment(id))).collect();
    let all = kernel::union(&singles.iter().collect::<Vec<_>>(), &context).unwrap();
    let found = split(&tiers, &all, &symbolic.initial, &context).unwrap().expect("few tiers");
    assert_eq!(found, sizes.clone().into_iter().collect::<Vec<_>>(), "{name}");
    let bound = bound(&tiers, &symbolic.variables, &symbolic.initial, &Limits::unlimited()).unwrap().expect("few sums");
    assert!(bound.states >= BigUint::from(exploration.len()), "{name}");
    assert_eq!(bound.states, bound.tiers.values().sum());
    if bound.by_parts {
        assert!(sizes.iter().all(|(tier, states)| bound.tiers[tier] >= *states), "{name}");
    }
    rises
}

#[test]
fn no_move_of_a_random_game_lowers_a_measure() {
    let mut rising = 0;
    for seed in 0..120 {
        let game = grounded(&random_cyclic_game(seed));
        encoded(&game, |groups, symbolic| rising += u32::from(compare(&game, groups, symbolic, &format!("{seed}"))));
    }
    assert!(rising > 10, "{rising} with tiers");
}

/// The terms of the measure and of the parts of a game, and the bound on its states.
fn told(text: &str) -> (Vec<String>, Vec<String>, BigUint) {
    let game = grounded(text);
    let mut told = None;
    encoded(&game, |groups, symbolic| {
        let tiers = tiers_of(&game, groups, symbolic);
        let text = |term: &Term| format!("{} {}{}", term.weight, if term.by_number { "n " } else { "" }, term.fluents);
        let sum = |terms: Vec<Term>| terms.iter().map(text).collect::<Vec<_>>();
        let parts = tiers.part_terms(&game, &symbolic.variables).into_iter().map(|terms| sum(terms).join(" + "));
        let bound = bound(&tiers, &symbolic.variables, &symbolic.initial, &Limits::unlimited()).unwrap();
        told = Some((sum(tiers.terms(&game, &symbolic.variables)), parts.collect(), bound.expect("few sums").states));
    });
    told.expect("it was encoded")
}

#[test]
fn men_in_hand_are_told_in_the_words_of_the_rules() {
    let (measure, parts, most) = told(include_str!("../../../../games/morris_three.gdl"));
    // A measure need not raise every move that another one raises: the move may not be among the rows of the program.
    assert!(measure.contains(&"-1 n (hand black n)".to_owned()), "{measure:?}, {parts:?}, {most}");
    assert!(most >= BigUint::from(5_390u32), "{most}");
}
