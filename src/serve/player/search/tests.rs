use super::*;
use crate::explicit;
use crate::sample::handmade::{lines, nim};
use game::interpreter::Turn;
use game::propositional::Game;
use game::reward::OpponentModel;
use std::time::Duration;

fn later() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

fn search(game: Game) -> (Arc<Arena>, Search) {
    let arena = Arc::new(Arena::new(game));
    let state = arena.interpreter.initial();
    let search = Search::new(Arc::clone(&arena), state, &Arc::new(Limits::unlimited()), 1).unwrap();
    (arena, search)
}

#[test]
fn what_is_proved_is_true() {
    // Games, and a number of plies after which they are small enough.
    for (game, first) in [(nim(9, 3), 0), (lines(3, 3, 3), 4), (lines(4, 1, 4), 0)] {
        let solution = explicit::solve(&game, OpponentModel::MaxOwn, 100_000).unwrap();
        let (arena, mut search) = search(game);
        let mut state = arena.interpreter.initial();
        for ply in 0.. {
            let rounds = if ply < first { 5 } else { 2000 };
            for _ in 0..rounds {
                if !search.round(later()) {
                    break;
                }
            }
            let id = solution.exploration.find(&state).unwrap();
            let proved = search.proved();
            assert!(proved.is_some() || ply < first, "a small game is proved");
            let value = solution.value(id);
            assert!(proved.is_none_or(|proved| proved == value));
            let situation = arena.interpreter.situation(&state);
            if let (Ok(Turn::Mover(role)), true) = (situation.turn(), ply >= first) {
                let best = search.best(role).unwrap();
                let joint = situation.joint_moves().find(|joint| joint[role.index()] == best).unwrap();
                let after = solution.exploration.find(&arena.interpreter.successor(&state, &joint)).unwrap();
                assert_eq!(solution.value(after)[role.index()], value[role.index()]);
            }
            let Some(joint) = situation.joint_moves().last().filter(|_| !situation.terminal) else { break };
            state = arena.interpreter.successor(&state, &joint);
            search.advance(&joint, state.clone()).unwrap();
        }
    }
}

#[test]
fn a_deadline_that_has_passed_changes_nothing() {
    let (_, mut search) = search(lines(3, 3, 3));
    assert!(search.round(Instant::now()));
    assert_eq!(search.rounds(), 0);
    assert!(search.judged(RoleId(0)).iter().all(|judged| judged.visits == 0));
    assert!(search.best(RoleId(0)).is_some());
}

#[test]
fn the_tree_stays_within_its_memory() {
    let arena = Arc::new(Arena::new(lines(4, 4, 4)));
    let limits = Arc::new(Limits::new(200_000));
    let mut search = Search::new(Arc::clone(&arena), arena.interpreter.initial(), &limits, 1).unwrap();
    for _ in 0..100 {
        search.round(later());
    }
    assert_eq!(search.rounds(), 100);
    assert!((150_000..=200_000).contains(&limits.used()), "{}", limits.used());
    let joint = arena.interpreter.situation(&arena.interpreter.initial()).joint_moves().next().unwrap();
    let state = arena.interpreter.successor(&arena.interpreter.initial(), &joint);
    search.advance(&joint, state).unwrap();
    assert!(limits.used() < 100_000, "what is above is given back: {}", limits.used());
    drop(search);
    assert_eq!(limits.used(), 0);
}
