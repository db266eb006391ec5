//! Values where play can go on for ever, for players with opposite orders, against a solution by attractors.
//!
//! The first player gets at least a value that it prefers to endless play exactly if it can force play to an end that
//! pays as much; and at least one that it does not prefer exactly if the second player cannot force play to an end
//! that pays less.

use crate::common::explicit::{Exploration, retrograde};
use crate::common::sample::random_cyclic_game;
use crate::common::{game, program};
use game::propositional::Game;
use game::reward::OpponentModel;

/// Rewards of the first player by which nobody is indifferent to endless play, and orders are opposite.
fn rewards(model: OpponentModel) -> &'static [u8] {
    match model {
        OpponentModel::MaxOwn => &[0, 100],
        OpponentModel::MaxDiff => &[10, 90, 35, 65, 20, 80, 5],
    }
}

/// The game with other rewards, which add up to 100.
fn with_opposite_rewards(mut game: Game, model: OpponentModel) -> Game {
    let choice = rewards(model);
    let cases: Vec<_> = game.goals[0].iter().map(|goal| goal.1).collect();
    let mut by_reward = std::collections::BTreeMap::<u8, Vec<_>>::new();
    for (index, case) in cases.into_iter().enumerate() {
        by_reward.entry(choice[index % choice.len()]).or_default().push(case);
    }
    let merged: Vec<_> = by_reward.into_iter().map(|(reward, cases)| (reward, game.graph.or(cases))).collect();
    game.goals = vec![merged.clone(), merged.iter().rev().map(|&(reward, case)| (100 - reward, case)).collect()];
    game
}

/// By state: whether `player` can force play into the states of `target`.
fn attractor(exploration: &Exploration, player: usize, target: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut inside: Vec<bool> = (0..exploration.len()).map(target).collect();
    loop {
        let mut grown = false;
        for id in exploration.ids().filter(|id| !exploration.terminal(*id)) {
            let mut successors = exploration.successors(id).iter().map(|next| inside[next.index()]);
            let chooses = exploration.mover(id).is_some_and(|mover| mover.index() == player);
            let joins = if chooses { successors.any(|inside| inside) } else { successors.all(|inside| inside) };
            grown |= joins && !inside[id.index()];
            inside[id.index()] |= joins;
        }
        if !grown {
            return inside;
        }
    }
}

#[test]
fn opposite_orders_are_solved_by_attractors() {
    let (mut endless, mut compared) = (0, 0);
    for seed in 0..400 {
        let name = format!("cyclic random game {seed}");
        let game = game(&program(&name, random_cyclic_game(seed).as_bytes()));
        if game.roles.len() != 2 {
            continue;
        }
        let model = OpponentModel::ALL[(seed / 2 % 2) as usize];
        let game = with_opposite_rewards(game, model);
        let solution = retrograde(&game, model, 5_000).expect("a well-formed game");
        let exploration = &solution.exploration;
        // Ascending for the first player; `None` is endless play.
        let mut values: Vec<Option<Vec<u8>>> =
            rewards(model).iter().map(|&first| Some(vec![first, 100 - first])).collect();
        values.push(None);
        let key = |value: &Option<Vec<u8>>| model.rank(0, value.as_deref().unwrap_or(&[0, 0]));
        values.sort_by_key(key);
        let ends_at = |state: usize| exploration.rewards(exploration.ids().nth(state).expect("a state"));
        let paid: Vec<Option<Vec<u8>>> =
            (0..exploration.len()).map(|state| ends_at(state).map(<[u8]>::to_vec)).collect();
        let mut expected = vec![values[0].clone(); exploration.len()];
        for value in &values[1..] {
            let reached = if key(value) > key(&None) {
                attractor(exploration, 0, |state| paid[state].is_some() && key(&paid[state]) >= key(value))
            } else {
                let lost = attractor(exploration, 1, |state| paid[state].is_some() && key(&paid[state]) < key(value));
                lost.into_iter().map(|lost| !lost).collect()
            };
            for (expected, _) in expected.iter_mut().zip(reached).filter(|(_, reached)| *reached) {
                expected.clone_from(value);
            }
        }
        assert_eq!(solution.values, expected, "{name} under {}", model.name());
        endless += usize::from(expected.iter().any(Option::is_none));
        compared += 1;
    }
    println!("{compared} games, {endless} with endless play");
    assert!(endless > 20);
}
