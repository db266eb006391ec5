//! A folder of stored solutions, not all of which are of use.

use super::common::explicit::solve;
use super::disguise::Disguise;
use super::manager::{Manager, Seat};
use super::process::Process;
use super::wire::Dialect;
use assert_cmd::Command;
use base::random::Random;
use game::reward::OpponentModel;
use std::path::Path;

fn ggsolve(arguments: &[&str], folder: &Path) {
    let mut command = Command::cargo_bin("ggsolve").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).arg("-o").arg(folder).assert().success();
}

#[test]
fn a_stored_solution_is_played_by_whatever_the_names_are() {
    let scene = tempfile::tempdir().unwrap();
    let names = ["tictactoe", "clobber_1x6", "clobber_3x4"];
    for name in names {
        ggsolve(&["solve", &format!("games/{name}.gdl")], &scene.path().join(name));
    }
    ggsolve(&["count", "games/nim4.gdl"], &scene.path().join("counted"));
    let damaged = scene.path().join("damaged");
    ggsolve(&["solve", "games/nim4.gdl"], &damaged);
    let manifest = damaged.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replacen("nim4", "nim5", 1)).unwrap();
    std::fs::create_dir(scene.path().join("empty")).unwrap();
    std::fs::write(scene.path().join("file"), "no folder").unwrap();

    let folder = scene.path().to_string_lossy().into_owned();
    // Two processes, for two seats of the same match.
    let players = [Process::start(&["--solutions", &folder]), Process::start(&["--solutions", &folder])];
    let mut random = Random::new(5);
    for name in names {
        let manager = Manager::shipped(name);
        let value = solve(&manager.game, OpponentModel::MaxOwn, 300_000).unwrap().initial_value().to_vec();
        for (round, dialect) in [Dialect::Base, Dialect::Dresden].into_iter().enumerate() {
            let disguise = Disguise::scrambled(&manager.text, dialect, &mut random);
            for role in 0..2 {
                let mut seats = [Seat::Random; 2];
                seats[role] = Seat::Player(&players[role]);
                let id = format!("{name}.{round}.{role}");
                let played = manager.play(&id, &seats, (120, 60), &disguise, &mut random);
                assert!(played.rewards[role] >= value[role], "{name}: {played:?}, value {value:?}");
                players[role].told(&format!("{id}: played by the solution in {folder}/{name}"));
            }
            let seats = [Seat::Player(&players[0]), Seat::Player(&players[1])];
            let played = manager.play(&format!("{name}.{round}"), &seats, (120, 60), &disguise, &mut random);
            assert_eq!(played.rewards, value, "{name} against itself");
        }
    }
    let log = players[0].log();
    for (folder, reason) in [("counted", "states are counted there"), ("damaged", "checksum")] {
        let told: Vec<&str> = log.lines().filter(|line| line.contains(&format!("/{folder}: passed over"))).collect();
        assert_eq!(told.len(), 1, "told once: {log}");
        assert!(told[0].contains(reason) && told[0].contains("WARN"), "{}", told[0]);
    }
}

/// A server may name a role that the rules do not have.
#[test]
fn a_match_without_a_role_is_not_said_to_be_played_by_a_solution() {
    let scene = tempfile::tempdir().unwrap();
    ggsolve(&["solve", "games/clobber_1x6.gdl"], &scene.path().join("clobber_1x6"));
    let folder = scene.path().to_string_lossy().into_owned();
    let player = Process::start(&["--solutions", &folder]);
    let manager = Manager::shipped("clobber_1x6");
    let rules = Disguise::none(&manager.text, Dialect::Base);
    let start = |id: &str, role: &str| player.say(&format!("(START {id} {role} ({}) 60 60)", rules.rules()));
    assert_eq!(start("stranger", "nobody"), "ready");
    player.told("stranger: the rules have no role nobody");
    // It is neither solved nor looked for: what is told next is of the next match.
    assert_eq!(player.say("(STOP stranger NIL)"), "done");
    assert!(!player.log().contains("stranger: played by"), "{}", player.log());
    // The next match goes by it.
    assert_eq!(start("known", &manager.game.roles[0].to_string()), "ready");
    player.told(&format!("known: played by the solution in {folder}/clobber_1x6"));
}

/// Files are looked at before a solution is used, but for large ones.
#[test]
fn a_game_with_a_damaged_solution_is_solved_anew() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().to_string_lossy().into_owned();
    ggsolve(&["solve", "games/nim4.gdl"], &scene.path().join("nim4"));
    let path = scene.path().join("nim4/layer-00001.states");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    std::fs::write(&path, bytes).unwrap();
    let player = Process::start(&["--solutions", &folder]);
    let manager = Manager::shipped("nim4");
    let (rules, role) = (Disguise::none(&manager.text, Dialect::Base), &manager.game.roles[0]);
    assert_eq!(player.say(&format!("(START damaged {role} ({}) 60 60)", rules.rules())), "ready");
    assert!(player.told(&format!("damaged: {folder}/nim4: passed over: ")).contains("checksum"));
    player.told("damaged: solved");
    assert!(!player.log().contains("played by the solution"), "{}", player.log());
    assert_eq!(player.say("(STOP damaged NIL)"), "done");
}
