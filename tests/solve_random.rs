//! The symbolic solver on random games, against brute force.

mod common;

use common::compare::{assert_agreement, assert_algorithms_agree};
use common::{game, program};
use ggsolve::reward::OpponentModel;
use ggsolve::sample::{Flaw, random_cyclic_game, random_game};

/// Games of each kind: few in the ordinary tests, a thousand with
/// `GGSOLVE_RANDOM_GAMES=1000 cargo test --release --test solve_random` (ten minutes).
fn games(default: u64) -> u64 {
    std::env::var("GGSOLVE_RANDOM_GAMES").ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

fn compare(seed: u64, flaw: Option<Flaw>) {
    let text = random_game(seed, flaw);
    let name = format!("random game {seed} {flaw:?}");
    let game = game(&program(&name, text.as_bytes()));
    let model = OpponentModel::ALL[(seed % 2) as usize];
    assert_agreement(&name, &game, model, 1 + (seed / 2 % 2) as usize);
}

#[test]
fn random_games_agree_with_brute_force() {
    (0..games(100)).for_each(|seed| compare(seed, None));
}

#[test]
fn flawed_games_are_refused_with_a_witness() {
    for flaw in [Flaw::Simultaneous, Flaw::DeadEnd, Flaw::NoGoal, Flaw::TwoGoals] {
        (0..games(100) / 4).for_each(|seed| compare(seed, Some(flaw)));
    }
}

#[test]
fn random_cyclic_games_agree_with_brute_force() {
    let mut endless = 0;
    let mut classic = 0;
    for seed in 0..games(60) {
        let name = format!("cyclic random game {seed}");
        let game = game(&program(&name, random_cyclic_game(seed).as_bytes()));
        let model = OpponentModel::ALL[(seed % 2) as usize];
        let took = assert_algorithms_agree(&name, &game, model, 1 + (seed / 2 % 2) as usize);
        endless += usize::from(took.first() == Some(&"global"));
        classic += usize::from(took.contains(&"classic"));
    }
    println!("{endless} games in which play can go on for ever, {classic} classified as zero-sum games");
}
