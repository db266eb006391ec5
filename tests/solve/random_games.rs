//! Random games: what they are like, and grounding and interpreter against a naive evaluator of the rules.

use crate::common::explicit::{ExplicitError, StateId, explore, layers, solve};
use crate::common::naive::{Naive, NaiveState};
use crate::common::sample::{Flaw, random_cyclic_game, random_game};
use base::limits::Limits;
use game::diagnostic::Source;
use game::interpreter::Violation;
use game::mutex;
use game::propositional::{Game, GroupKind};
use game::reward::OpponentModel;
use game::rules::gdl;
use std::collections::{BTreeMap, BTreeSet};

fn random(seed: u64, flaw: Option<Flaw>) -> Game {
    crate::common::game(&crate::common::program(&format!("random{seed}.gdl"), random_game(seed, flaw).as_bytes()))
}

#[test]
fn most_random_games_are_interesting() {
    let (mut solved, mut interesting, mut overlapping, mut consecutive, mut contested) = (0, 0, 0, 0, 0);
    let mut shapes = BTreeSet::new();
    for seed in 0..2500 {
        let game = random(seed, None);
        let own = match solve(&game, OpponentModel::MaxOwn, 100_000) {
            Ok(own) => own,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let diff = solve(&game, OpponentModel::MaxDiff, 100_000).expect("as under the other model");
        solved += 1;
        interesting += usize::from(own.exploration.len() >= 20 && own.histogram().len() > 1);
        overlapping += usize::from(!own.disjoint_layers);
        consecutive += usize::from(game.roles.len() == 2 && !own.alternating);
        contested += usize::from(own.histogram() != diff.histogram());
        shapes.insert((own.exploration.len(), own.layer_states(), own.histogram()));
    }
    println!("{solved} solved, {interesting} interesting, {overlapping} with overlapping layers");
    println!(
        "{consecutive} with consecutive moves, {contested} valued otherwise by the other model, {} shapes",
        shapes.len()
    );
    assert!(interesting > 1000 && overlapping > 300 && consecutive > 300 && contested > 100 && shapes.len() > 1000);
}

#[test]
fn flaws_show_in_many_games() {
    let mut shown = BTreeMap::new();
    for seed in 0..200 {
        for flaw in [Flaw::Simultaneous, Flaw::DeadEnd, Flaw::NoGoal, Flaw::TwoGoals] {
            let game = random(seed, Some(flaw));
            match solve(&game, OpponentModel::MaxOwn, 100_000) {
                Ok(_) => {}
                Err(ExplicitError::IllFormed(witness)) => {
                    let agrees = match witness.violation {
                        Violation::Simultaneous(..) => flaw == Flaw::Simultaneous,
                        Violation::NoMove(_) => flaw == Flaw::DeadEnd,
                        Violation::Goals { ref rewards, .. } => {
                            flaw == if rewards.is_empty() { Flaw::NoGoal } else { Flaw::TwoGoals }
                        }
                    };
                    assert!(agrees, "seed {seed}, {flaw:?}: {}", witness.violation);
                    *shown.entry(format!("{flaw:?}")).or_insert(0) += 1;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    println!("{shown:?}");
    assert!(shown.len() == 4 && shown.values().all(|&count| count >= 30), "{shown:?}");
}

#[test]
fn proved_groups_hold_in_all_reachable_states_of_random_games() {
    for seed in 0..300 {
        let game = random(seed, None);
        let groups = mutex::groups(&game, &mutex::Effort::default(), &Limits::unlimited()).expect("no limit");
        let exploration = explore(&game, 100_000).expect("a small game");
        for id in exploration.ids() {
            for group in &groups {
                let holding = group.fluents.iter().filter(|fluent| exploration.state(id).contains(**fluent)).count();
                assert!(holding == 1 || holding == 0 && group.kind == GroupKind::AtMostOne, "seed {seed}: {group:?}");
            }
        }
    }
}

/// States and terminal states.
type LayerSize = (usize, usize);
type Names = BTreeSet<Vec<String>>;

/// By layer: states and terminal states, over the fluents that the game kept; and the names of all states.
fn naive_layers(naive: &Naive, game: &Game, limit: usize) -> Option<(Vec<LayerSize>, Names)> {
    let kept: BTreeSet<String> = game.fluents.iter().map(|term| term.to_string()).collect();
    let names = |state: &NaiveState| -> Vec<String> {
        let mut names: Vec<String> =
            state.iter().map(|fluent| naive.show(fluent)).filter(|name| kept.contains(name)).collect();
        names.sort_unstable();
        names
    };
    let (mut counts, mut seen) = (Vec::new(), BTreeSet::new());
    let mut layer: BTreeMap<Vec<String>, NaiveState> = BTreeMap::new();
    let initial = naive.initial();
    layer.insert(names(&initial), initial);
    while !layer.is_empty() {
        let mut next = BTreeMap::new();
        let mut terminals = 0;
        for (name, state) in &layer {
            seen.insert(name.clone());
            let (terminal, legal) = naive.look(state);
            terminals += usize::from(terminal);
            if terminal {
                continue;
            }
            let mut joints = vec![Vec::new()];
            for moves in &legal {
                joints = joints
                    .iter()
                    .flat_map(|joint| moves.iter().map(move |m| [joint.as_slice(), std::slice::from_ref(m)].concat()))
                    .collect();
            }
            for joint in joints {
                let successor = naive.successor(state, &joint);
                next.insert(names(&successor), successor);
            }
        }
        counts.push((layer.len(), terminals));
        layer = next;
        if seen.len() > limit {
            return None;
        }
    }
    Some((counts, seen))
}

#[test]
fn grounded_random_games_are_played_as_their_rules_say() {
    let mut compared = 0;
    for seed in 0..60 {
        for flaw in [None, Some(Flaw::Simultaneous), Some(Flaw::DeadEnd)] {
            let program = crate::common::program("random.gdl", random_game(seed, flaw).as_bytes());
            let game = crate::common::game(&program);
            let exploration = explore(&game, 100_000).expect("a small game");
            if exploration.len() > 200 {
                continue;
            }
            let (counts, states) = naive_layers(&Naive::new(&program), &game, 200).expect("as many states");
            let ours: Vec<_> = layers(&exploration, 100)
                .iter()
                .map(|layer| (layer.states as usize, layer.terminal as usize))
                .collect();
            assert_eq!(ours, counts, "seed {seed}");
            let ours: BTreeSet<Vec<String>> =
                exploration.ids().map(|id: StateId| exploration.state(id).names(&game)).collect();
            assert_eq!(ours, states, "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn every_game_is_accepted_as_written() {
    for seed in 0..300 {
        for flaw in [None, Some(Flaw::Simultaneous), Some(Flaw::DeadEnd), Some(Flaw::NoGoal), Some(Flaw::TwoGoals)] {
            let text = random_game(seed, flaw);
            let (program, diagnostics) = gdl::program(&Source::new("random.gdl", text.as_bytes()));
            assert!(program.is_some(), "seed {seed}: {diagnostics:?}\n{text}");
        }
    }
}

#[test]
fn every_cyclic_game_is_accepted() {
    for seed in 0..300 {
        let text = random_cyclic_game(seed);
        let (program, diagnostics) = gdl::program(&Source::new("random.gdl", text.as_bytes()));
        assert!(program.is_some(), "seed {seed}: {diagnostics:?}\n{text}");
    }
}

#[test]
fn a_seed_gives_the_same_game_again() {
    assert_eq!(random_game(5, None), random_game(5, None));
    assert_ne!(random_game(5, None), random_game(6, None));
    assert_ne!(random_cyclic_game(5), random_cyclic_game(6));
}
