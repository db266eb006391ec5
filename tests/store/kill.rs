//! Runs that are killed at random times and taken up again end in the bytes of a run that was not.

use super::{ENDLESS, OVERLAPPING, assert_same, ggsolve, rules, shipped, solve};
use ggsolve::random::Random;
use ggsolve::sample::random_cyclic_game;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Kills runs of a game with an engine until `kills` were killed and the last one was taken up to its end.
fn kill(game: &Path, engine: &str, kills: usize, random: &mut Random) {
    let scene = tempfile::tempdir().unwrap();
    let whole = scene.path().join("whole.ggs");
    let start = Instant::now();
    solve("solve", game, &whole, &["--engine", engine]);
    let mut longest = start.elapsed().as_micros() as usize;
    let (mut killed, mut rounds) = (0, 0);
    while killed < kills {
        rounds += 1;
        let folder = scene.path().join(format!("{rounds}.ggs"));
        loop {
            let threads = ["1", "2"][random.below(2)];
            let mut run = ggsolve("solve", game, &folder, &["--engine", engine, "--threads", threads]);
            let mut child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(random.below(longest) as u64));
            // It may have ended, which is what counts then.
            let _ = child.kill();
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(0) => break,
                Some(_) => panic!("{}: {}", game.display(), String::from_utf8_lossy(&output.stderr)),
                None => killed += 1,
            }
            // Where starting takes longer than it did, nothing would ever be finished.
            longest += longest / 50;
        }
        assert_same(&whole, &folder);
    }
    println!("{}, {engine}: killed {killed} times in {rounds} rounds", game.display());
}

fn games(folder: &Path) -> Vec<PathBuf> {
    let overlapping = rules(folder, "overlapping.gdl", OVERLAPPING);
    let endless = rules(folder, "endless.gdl", ENDLESS);
    let cyclic = rules(folder, "cyclic.gdl", &random_cyclic_game(3));
    let shipped = ["tictactoe.gdl", "clobber_3x4.gdl", "connect4_4x4.gdl"].map(shipped);
    shipped.into_iter().chain([overlapping, endless, cyclic]).collect()
}

#[test]
fn killed_runs_end_in_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(1);
    for game in games(folder.path()) {
        for engine in ["auto", "hybrid"] {
            kill(&game, engine, 4, &mut random);
        }
    }
}

/// At least 200 kills: `cargo test --release --test store -- --ignored killed_often`.
#[test]
#[ignore = "takes minutes"]
fn killed_often_runs_end_in_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(2);
    let mut games = games(folder.path());
    games.extend(["connect4_4x5.gdl", "connect4_5x4.gdl"].map(shipped));
    for game in games {
        for engine in ["auto", "hybrid"] {
            kill(&game, engine, 25, &mut random);
        }
    }
}
