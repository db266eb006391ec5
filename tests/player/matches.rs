//! Whole matches of ten games: one and two players, three, and simultaneous moves.

use super::common;
use super::common::explicit::solve;
use super::disguise::Disguise;
use super::manager::{Manager, Seat};
use super::process::Process;
use super::wire::Dialect;
use base::random::Random;
use game::reward::OpponentModel;

/// As many seats as there are roles: the player in one of them, random moves in the others.
fn one<'a>(player: &'a Process, role: usize, manager: &Manager) -> Vec<Seat<'a>> {
    (0..manager.game.roles.len()).map(|other| if other == role { Seat::Player(player) } else { Seat::Random }).collect()
}

/// Small games are solved before they begin: their result is the value at least.
#[test]
fn games_that_are_solved_in_time_are_played_perfectly() {
    let player = Process::start(&[]);
    let mut random = Random::new(1);
    for name in ["tictactoe", "clobber_1x6", "nim4", "blocks", "hanoi"] {
        let manager = Manager::shipped(name);
        let value = solve(&manager.game, OpponentModel::MaxOwn, 300_000).unwrap().initial_value().to_vec();
        for (role, &worst) in value.iter().enumerate() {
            let dialect = if role == 0 { Dialect::Dresden } else { Dialect::Base };
            let disguise = Disguise::scrambled(&manager.text, dialect, &mut random);
            let id = format!("{name}.{role}");
            let played = manager.play(&id, &one(&player, role, &manager), (120, 60), &disguise, &mut random);
            assert!(played.rewards[role] >= worst, "{name}: {played:?}");
        }
    }
    // The second match of a game goes by the solution of the first, whose names were others.
    player.told("tictactoe.1: played by the solution in");
    let (code, left) = player.stop();
    assert_eq!((code, left), (Some(0), vec![]));
}

#[test]
fn a_game_too_large_to_be_solved_is_played_legally() {
    let player = Process::start(&[]);
    let mut random = Random::new(2);
    let manager = Manager::shipped("connect4_7x6");
    let disguise = Disguise::scrambled(&manager.text, Dialect::Base, &mut random);
    let played = manager.play("large", &one(&player, 0, &manager), (2, 1), &disguise, &mut random);
    assert!(played.plies >= 7, "{played:?}");
    // What works in the background ends with the match.
    assert_eq!(player.say("(INFO)"), "((name tester) (status available))");
    assert_eq!(player.stop().0, Some(0));
}

#[test]
fn it_plays_against_itself() {
    let players = [Process::start(&[]), Process::start(&[])];
    let manager = Manager::shipped("tictactoe");
    let disguise = Disguise::none(&manager.text, Dialect::Base);
    let seats = [Seat::Player(&players[0]), Seat::Player(&players[1])];
    let played = manager.play("itself", &seats, (120, 60), &disguise, &mut Random::new(3));
    assert_eq!((played.rewards, played.plies), (vec![50, 50], 9));
}

/// Three roles, and roles that move at once: what the solver may refuse, servers play all the same.
#[test]
fn games_of_three_roles_and_simultaneous_moves_are_played() {
    let Some(corpus) = common::corpus() else { return };
    let player = Process::start(&[]);
    let mut random = Random::new(4);
    for name in ["3pttc", "switches", "roshambo2", "gt_coordination", "point_grab"] {
        let manager = Manager::new(&corpus.join(format!("{name}.kif")));
        let role = manager.game.roles.len() - 1;
        let disguise = Disguise::scrambled(&manager.text, Dialect::Base, &mut random);
        let played = manager.play(name, &one(&player, role, &manager), (1, 1), &disguise, &mut random);
        assert!(played.plies > 0, "{name}");
    }
}
