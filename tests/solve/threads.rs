//! Runs with several threads write the same bytes as runs with one, whatever levels they share and however many
//! processors there are.
//!
//! The ordinary tests take some dozens of runs. `TMPDIR=/dev/shm GGSOLVE_RUNS=5000 cargo test --release --test solve threads
//! -- --ignored --nocapture` takes so many, with two threads, three and eight.

use crate::engines::{game, solve_into};
use base::limits::Limits;
use base::random::Random;
use game::propositional::Game;
use game::reward::OpponentModel;
use solving::solve::{EngineChoice, SolveOptions};
use solving::store::LayerFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a run stores of layers, by file.
type Stored = BTreeMap<String, Vec<u8>>;

fn stored(game: &Game, options: &SolveOptions) -> Stored {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("solution");
    solve_into(&folder, game, options, &Arc::new(Limits::unlimited()));
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
    let bodies = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        LayerFile::open(&entry.path()).ok().map(|file| (name, file.body().to_vec()))
    });
    bodies.collect()
}

fn options(engine: EngineChoice, threads: usize, sharing_from: u64) -> SolveOptions {
    SolveOptions { engine, threads, sharing_from: Some(sharing_from), ..SolveOptions::default() }
}

/// Runs with several threads against the run with one: sizes of levels from which threads share them are such that
/// all levels are shared, some, or few.
fn compare(games: &[&str], runs: usize, threads: &[usize], told: usize) {
    let mut random = Random::new(17);
    let engines = [EngineChoice::Symbolic, EngineChoice::Hybrid];
    let games: Vec<(Game, [Stored; 2])> = games
        .iter()
        .map(|name| {
            let game = game(name);
            let expected = engines.map(|engine| stored(&game, &options(engine, 1, 1)));
            assert!(expected.iter().all(|stored| stored.len() > 3), "{name} has layers");
            (game, expected)
        })
        .collect();
    for run in 0..runs {
        let (game, expected) = &games[run % games.len()];
        let threads = threads[random.below(threads.len())];
        let sharing_from = [1, 2, 3, 5, 8, 16, 40, 100, 300, 1000][random.below(10)];
        let engine = random.below(2);
        let options = SolveOptions {
            opponent_model: OpponentModel::default(),
            ..options(engines[engine], threads, sharing_from)
        };
        let found = stored(game, &options);
        assert!(
            found == expected[engine],
            "{}, run {run}: {threads} threads, levels shared from {sharing_from}, {:?}",
            game.name,
            engines[engine]
        );
        if (run + 1) % told == 0 {
            println!("{} runs with equal bytes", run + 1);
        }
    }
}

#[test]
fn dozens_of_runs_that_share_some_levels_write_the_bytes_of_one_thread() {
    compare(&["tictactoe", "clobber_3x4", "nim40"], 48, &[2, 2, 3, 8], 48);
}

#[test]
#[ignore = "5,000 runs: see the module"]
fn thousands_of_runs_that_share_some_levels_write_the_bytes_of_one_thread() {
    let runs = std::env::var("GGSOLVE_RUNS").map_or(5000, |runs| runs.parse().expect("GGSOLVE_RUNS is a number"));
    let games = ["tictactoe", "clobber_3x4", "nim40", "chomp_8x7", "connect4_4x4", "clobber_1x6", "minichess"];
    compare(&games, runs, &[2, 2, 2, 2, 3, 8], 250);
}
