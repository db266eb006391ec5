//! The symbolic solver on random games, against brute force: few in the ordinary tests, a thousand of each kind with
//! `GGSOLVE_RANDOM_GAMES=1000 cargo test --release --test solve random::`.

use crate::common::compare::{assert_agreement, assert_algorithms_agree};
use crate::common::explicit::retrograde;
use crate::common::sample::{
    Flaw, random_cyclic_game, random_cyclic_game_of_many, random_game, random_game_of_many, random_graph,
};
use crate::common::{game, program, random_games};
use game::reward::OpponentModel;
use std::collections::{BTreeMap, BTreeSet};

/// How many games each algorithm took.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    fn add(&mut self, took: BTreeSet<&'static str>) {
        took.into_iter().for_each(|name| *self.0.entry(name).or_default() += 1);
    }
}

fn compare(seed: u64, flaw: Option<Flaw>) -> BTreeSet<&'static str> {
    compare_text(seed, &format!("random game {seed} {flaw:?}"), &random_game(seed, flaw))
}

fn compare_text(seed: u64, name: &str, text: &str) -> BTreeSet<&'static str> {
    let game = game(&program(name, text.as_bytes()));
    let model = OpponentModel::ALL[(seed % 2) as usize];
    assert_agreement(name, &game, model, 1 + (seed / 2 % 2) as usize)
}

#[test]
fn random_games_agree_with_brute_force() {
    let mut tally = Tally::default();
    (0..random_games(40)).for_each(|seed| tally.add(compare(seed, None)));
    println!("of {} games that end, compared with brute force: {:?}", random_games(40), tally.0);
}

#[test]
fn flawed_games_are_refused_with_a_witness() {
    for flaw in [Flaw::Simultaneous, Flaw::DeadEnd, Flaw::NoGoal, Flaw::TwoGoals] {
        let mut tally = Tally::default();
        (0..random_games(40) / 4).for_each(|seed| tally.add(compare(seed, Some(flaw))));
        println!("of {} games with the flaw {flaw:?} it does not show in: {:?}", random_games(40) / 4, tally.0);
    }
}

#[test]
fn random_cyclic_games_agree_with_brute_force() {
    let mut tally = Tally::default();
    for seed in 0..random_games(30) {
        let name = format!("cyclic random game {seed}");
        let game = game(&program(&name, random_cyclic_game(seed).as_bytes()));
        let model = OpponentModel::ALL[(seed % 2) as usize];
        tally.add(assert_algorithms_agree(&name, &game, model, 1 + (seed / 2 % 2) as usize));
    }
    println!("of {} games that may go on for ever, compared with brute force: {:?}", random_games(30), tally.0);
}

/// Games of two and three roles that want anything: a mover may settle for a value before another move is worth more.
#[test]
fn values_that_are_no_equilibrium_are_counted_as_by_brute_force() {
    let (mut tally, mut some, mut none) = (Tally::default(), [0; 2], 0);
    for seed in 0..random_games(60) {
        let name = format!("graph {seed}");
        let game = game(&program(&name, random_graph(seed).as_bytes()));
        let model = OpponentModel::ALL[(seed / 2 % 2) as usize];
        tally.add(assert_algorithms_agree(&name, &game, model, 1 + (seed / 4 % 2) as usize));
        let not_best = retrograde(&game, model, 1_000).ok().and_then(|found| found.not_best(&game, model));
        some[game.roles.len() - 2] += u64::from(not_best > Some(0));
        none += u64::from(not_best == Some(0));
    }
    println!(
        "{some:?} of {} games of two and three roles have such values, {none} might: {:?}",
        random_games(60),
        tally.0
    );
    assert!(some[0] > 0 && some[1] > 0 && none > 0, "{some:?}, {none}");
}

/// Games of three and four roles; those that end, those with a flaw, and those that may go on for ever.
#[test]
fn random_games_of_many_roles_agree_with_brute_force() {
    let (mut ending, mut cyclic) = (Tally::default(), Tally::default());
    for seed in 0..random_games(30) {
        let flaws = [None, None, None, Some(Flaw::Simultaneous), Some(Flaw::DeadEnd), Some(Flaw::NoGoal)];
        let flaw = flaws[(seed % 6) as usize];
        let text = random_game_of_many(seed, flaw);
        ending.add(compare_text(seed, &format!("random game of many {seed} {flaw:?}"), &text));
        if seed % 2 == 0 {
            let name = format!("cyclic random game of many {seed}");
            let game = game(&program(&name, random_cyclic_game_of_many(seed).as_bytes()));
            let model = OpponentModel::ALL[(seed / 2 % 2) as usize];
            cyclic.add(assert_algorithms_agree(&name, &game, model, 1 + (seed / 4 % 2) as usize));
        }
    }
    println!("of {} games of many roles that end: {:?}; that may not: {:?}", random_games(30), ending.0, cyclic.0);
    assert!(ending.0.get("layered").is_some_and(|&took| took as u64 > random_games(30) / 3), "{:?}", ending.0);
    assert!(cyclic.0.contains_key("global"), "{:?}", cyclic.0);
}
