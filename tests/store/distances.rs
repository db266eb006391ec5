//! Runs that are killed, or end by a limit, while they look for the distances of a game in which states can repeat, after all
//! values are known; the next run ends in the bytes of one that met with nothing.
#![cfg(unix)]

use super::assert_same;
use crate::common::sample::boards::dodgem;
use crate::common::sample::{random_cyclic_game, random_cyclic_game_of_many, random_graph};
use crate::common::stored::{store, subject};
use crate::common::{game, program};
use base::limits::{LimitReached, Limits};
use solving::solve::{Algorithm, Event, ExpansionChoice, Listener, SolveError, SolveOptions, run_stored};
use solving::store::manifest::Progress;
use solving::store::{Manifest, Run, Store};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Of the run that is to be killed: the folder, the game, the way, and the piece of work.
const KILLED: &str = "GGSOLVE_TEST_KILLED";
const GAMES: usize = 10;
const SIGKILL: i32 = 9;

fn text(number: usize) -> String {
    let seed = number as u64;
    match number % 3 {
        _ if number == 0 => dodgem(3),
        0 => random_cyclic_game(seed),
        1 => random_cyclic_game_of_many(seed),
        _ => random_graph(seed),
    }
}

/// State by state, or by diagrams.
fn options(way: usize) -> SolveOptions {
    let expansion = [ExpansionChoice::Auto, ExpansionChoice::Relations][way];
    let algorithm = Some(Algorithm::Global);
    SolveOptions { expansion, algorithm, distances: true, threads: 1, ..SolveOptions::default() }
}

/// Does something at one of the pieces of the work for distances.
struct At<F> {
    pieces: AtomicUsize,
    act: F,
}

impl<F: Fn() + Send + Sync> Listener for At<F> {
    fn event(&self, event: &Event) {
        if matches!(event, Event::Work { what: "distances", .. }) && self.pieces.fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.act)();
        }
    }
}

/// A run that does something at a piece of the work for distances, and is told whether it is to be interrupted.
fn run_to(
    number: usize,
    way: usize,
    folder: &Path,
    piece: usize,
    act: impl Fn(&Limits) + Send + Sync,
) -> Result<(), SolveError> {
    let (text, options, limits) = (text(number), options(way), Arc::new(Limits::unlimited()));
    let mut store = Store::open(folder, subject(&text, &options), &Run::default(), &Limits::unlimited().into())?;
    let at = At { pieces: AtomicUsize::new(piece), act: || act(&limits) };
    run_stored(&game(&program("random", text.as_bytes())), &options, &mut store, &limits, &at).map(drop)
}

/// The same run in a process of its own, which kills itself there; whether it did.
fn killed(number: usize, way: usize, folder: &Path, piece: usize) -> bool {
    let name = "distances::runs_that_end_while_distances_are_found_end_in_the_same_bytes";
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", name]).env(KILLED, format!("{number} {way} {piece} {}", folder.display()));
    let output = run.stdin(Stdio::null()).output().unwrap();
    let signal = output.status.signal();
    assert!(signal == Some(SIGKILL) || output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    signal.is_some()
}

#[test]
fn runs_that_end_while_distances_are_found_end_in_the_same_bytes() {
    if let Ok(asked) = std::env::var(KILLED) {
        let words: Vec<&str> = asked.splitn(4, ' ').collect();
        let [number, way, piece] = [0, 1, 2].map(|at| words[at].parse().unwrap());
        let kill = |_: &Limits| {
            let own = std::process::id().to_string();
            Command::new("kill").args(["-s", "KILL", &own]).status().unwrap();
            std::thread::sleep(std::time::Duration::from_secs(60));
        };
        run_to(number, way, Path::new(words[3]), piece, kill).unwrap();
        return;
    }
    let mut ends = [0; 2];
    for (number, way) in (0..GAMES).flat_map(|number| [(number, 0), (number, 1)]) {
        let scene = tempfile::tempdir().unwrap();
        let whole = scene.path().join("whole.ggs");
        store(&text(number), &whole, &options(way), usize::MAX).unwrap();
        for (kind, piece) in [(0, 1), (0, 3), (1, 1), (1, 2), (1, 3)] {
            let folder = scene.path().join(format!("{kind}-{piece}.ggs"));
            let ended = match kind {
                0 => killed(number, way, &folder, piece),
                _ => match run_to(number, way, &folder, piece, Limits::interrupt) {
                    Ok(()) => false,
                    Err(SolveError::Limit(LimitReached::Interrupted)) => true,
                    Err(error) => panic!("game {number}, way {way}: {error}"),
                },
            };
            // With less work than that, the run came to its end.
            if ended {
                ends[kind] += 1;
                let manifest = Manifest::load(&folder).unwrap();
                let settled = manifest.settled.expect("all values are stored");
                assert_eq!((manifest.phase, settled.plies_file), (Progress::Backward, None), "game {number}");
                store(&text(number), &folder, &options(way), usize::MAX).unwrap();
            }
            assert_same(&whole, &folder);
        }
    }
    println!("{ends:?} ends");
    assert!(ends[0] >= 20 && ends[1] >= 30, "{ends:?}");
}
