//! Several processes (threads that share no memory here) store the bytes of one.

use super::{assert_same, shipped};
use base::limits::Limits;
use ggsolve::{Algorithm, Destination, EngineChoice, Error, Event, Listener, OpponentModel, Session, SolveOptions};
use solving::solve::team::{Team, with_threads};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Least states of a layer that is shared: more than one block for several processes.
const LEAST: u64 = 1 << 10;

/// Counts the layers that were shared, and interrupts the run after a number of layers.
struct Shared {
    limits: Arc<Limits>,
    layers: AtomicU32,
    until: u32,
    stopped: AtomicBool,
}

impl Listener for Shared {
    fn event(&self, event: &Event) {
        if matches!(event, Event::Shared(_)) && self.layers.fetch_add(1, Ordering::Relaxed) + 1 == self.until {
            self.stopped.store(true, Ordering::Relaxed);
            self.limits.interrupt();
        }
    }
}

/// How many layers were shared; `until`: after so many the run is interrupted.
fn solve(
    game: &Path,
    folder: &Path,
    options: &SolveOptions,
    team: Team,
    memory: u64,
    until: u32,
) -> Result<u32, Error> {
    let limits = Arc::new(Limits::new(memory));
    let listener = Arc::new(Shared {
        limits: Arc::clone(&limits),
        layers: AtomicU32::new(0),
        until,
        stopped: AtomicBool::new(false),
    });
    let session = Session::with(limits, Arc::clone(&listener) as Arc<dyn Listener>);
    let rules = session.load_file(game)?;
    let destination = Destination::Folder { folder: folder.to_owned(), force: false };
    session.solve(&rules, &SolveOptions { team, ..options.clone() }, &destination)?;
    Ok(listener.layers.load(Ordering::Relaxed))
}

/// Two folders and those in them hold the same bytes.
fn assert_all_same(one: &Path, other: &Path) {
    assert_same(one, other);
    for entry in std::fs::read_dir(one).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            assert_same(&entry.path(), &other.join(entry.file_name()));
        }
    }
}

fn unlimited(_: usize) -> Limits {
    Limits::unlimited()
}

fn games() -> Vec<(PathBuf, SolveOptions)> {
    let [auto, hybrid] = [EngineChoice::Auto, EngineChoice::Hybrid].map(|engine| {
        let opponent_model = OpponentModel::MaxOwn;
        SolveOptions { engine, opponent_model, ..SolveOptions::default() }
    });
    let difference = SolveOptions { opponent_model: OpponentModel::MaxDiff, ..hybrid.clone() };
    let distances = SolveOptions { distances: true, ..hybrid.clone() };
    let layered = SolveOptions { algorithm: Some(Algorithm::Layered), ..hybrid.clone() };
    let guarantees = SolveOptions { guarantees: vec!["all".to_owned()], ..hybrid.clone() };
    [
        ("connect4_4x4.gdl", &auto),
        ("connect4_4x5.gdl", &distances),
        ("clobber_3x4.gdl", &difference),
        ("chomp_8x7.gdl", &hybrid),
        ("nim4.gdl", &layered),
        ("clobber3_3x4.gdl", &guarantees),
        ("tictactoe3_4x3.gdl", &hybrid),
        ("minichess.gdl", &hybrid),
    ]
    .map(|(game, options)| (shipped(game), options.clone()))
    .into()
}

#[test]
fn processes_store_the_bytes_of_one() {
    let scene = tempfile::tempdir().unwrap();
    let (mut shared, mut random) = (0, base::random::Random::new(5));
    for (game, options) in games() {
        let name = game.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = |what: &str| scene.path().join(format!("{name}-{what}"));
        let whole = folder("whole");
        solve(&game, &whole, &options, Team::default(), u64::MAX, 0).unwrap();
        for size in [1, 3] {
            let parts = folder(&size.to_string());
            let layers =
                with_threads(size, LEAST, unlimited, |team| solve(&game, &parts, &options, team, u64::MAX, 0).unwrap());
            assert_all_same(&whole, &parts);
            assert!(size > 1 || layers == 0, "{name}: one process shares nothing");
            shared += layers;
            std::fs::remove_dir_all(&parts).unwrap();
        }
        // Interrupted again and again, and gone on with by another number of processes.
        let parts = folder("parts");
        let mut runs = 0;
        loop {
            let (size, until) = (2 + random.below(3), 2 + random.below(8) as u32);
            let ended =
                with_threads(size, LEAST, unlimited, |team| solve(&game, &parts, &options, team, u64::MAX, until));
            runs += 1;
            match ended {
                Ok(_) => break,
                Err(error) => assert!(error.to_string().contains("interrupted") && runs < 100, "{name}: {error}"),
            }
        }
        assert_all_same(&whole, &parts);
        println!("{name}: {runs} runs");
    }
    assert!(shared > 100, "{shared} layers were shared");
}

/// From some number of processes on each has several ranges, and many of these are empty where there are few blocks.
#[test]
fn many_processes_store_the_bytes_of_one() {
    let scene = tempfile::tempdir().unwrap();
    let options = SolveOptions { engine: EngineChoice::Hybrid, ..SolveOptions::default() };
    let (whole, parts) = (scene.path().join("whole"), scene.path().join("parts"));
    let game = shipped("connect4_4x4.gdl");
    solve(&game, &whole, &options, Team::default(), u64::MAX, 0).unwrap();
    let team = |team| solve(&game, &parts, &options, team, u64::MAX, 0).unwrap();
    assert!(with_threads(33, LEAST, unlimited, team) > 5);
    assert_same(&whole, &parts);
}

/// A process with little memory solves its range in halves; one with too little ends the run, and says that it was that one.
#[test]
fn a_process_that_lacks_memory_is_told() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_5x4.gdl");
    let options = SolveOptions { engine: EngineChoice::Hybrid, ..SolveOptions::default() };
    let whole = scene.path().join("whole");
    solve(&game, &whole, &options, Team::default(), u64::MAX, 0).unwrap();
    let (mut solved, mut told) = (0, 0);
    for step in 0..12 {
        let memory = (256 << 10) << (step / 2);
        let memory = memory + memory / 2 * (step % 2);
        let folder = scene.path().join(step.to_string());
        let limits = |_| Limits::new(memory);
        match with_threads(2, LEAST, limits, |team| solve(&game, &folder, &options, team, u64::MAX, 0)) {
            Ok(layers) => {
                assert!(layers > 0);
                assert_same(&whole, &folder);
                solved += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("memory limit reached") && text.contains("process 1"), "{text}");
                // What was finished is gone on with.
                solve(&game, &folder, &options, Team::default(), u64::MAX, 0).unwrap();
                assert_same(&whole, &folder);
                told += 1;
            }
        }
    }
    assert!(solved > 3 && told > 3, "{solved} solved, {told} told");
}
