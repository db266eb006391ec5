//! `--time`: a run whose time is up ends with code 4, what it finished is stored, and another run goes on from there.

use super::{ENDLESS, OVERLAPPING, assert_same, finish, ggsolve, rules, shipped};
use ggsolve::{Destination, Error, ErrorKind, LimitReached, Limits, Session};
use solving::solve::{Event, Listener, SolveOptions};
use solving::store::Manifest;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Waits for the end of the time after some layers and rounds.
struct Wait {
    layers: AtomicUsize,
    limits: Arc<Limits>,
}

impl Listener for Wait {
    fn event(&self, event: &Event) {
        if matches!(event, Event::LayerFinished { .. }) && self.layers.fetch_sub(1, Ordering::Relaxed) == 1 {
            while self.limits.check().is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Solves a game into a folder within some limits, of which the time is up after so many layers and rounds; how many are
/// left then.
fn solve(game: &Path, folder: &Path, limits: Limits, layers: usize) -> (usize, Result<(), Error>) {
    let limits = Arc::new(limits);
    let wait = Arc::new(Wait { layers: AtomicUsize::new(layers), limits: Arc::clone(&limits) });
    let session = Session::with(limits, Arc::clone(&wait) as _);
    let destination = Destination::Folder { folder: folder.to_owned(), force: false };
    let rules = session.load_file(game).unwrap();
    let result = session.solve(&rules, &SolveOptions::default(), &destination).map(drop);
    (wait.layers.load(Ordering::Relaxed), result)
}

#[test]
fn what_was_finished_in_time_is_stored_and_gone_on_with() {
    let scene = tempfile::tempdir().unwrap();
    for (name, text) in [("overlapping.gdl", OVERLAPPING), ("endless.gdl", ENDLESS)] {
        let game = rules(scene.path(), name, text);
        let whole = scene.path().join(format!("{name}.whole"));
        let (left, solved) = solve(&game, &whole, Limits::new(1 << 30), 1000);
        assert_eq!(solved, Ok(()));
        let (events, complete) = (1000 - left, Manifest::load(&whole).unwrap().layers.len());
        for (layers, stored) in [(2, 1..=complete), (events - 1, complete..=complete)] {
            let parts = scene.path().join(format!("{name}.{layers}"));
            let limits = Limits::new(1 << 30).with_time(Duration::from_secs(3));
            let error = solve(&game, &parts, limits, layers).1.expect_err("the time does not suffice");
            assert_eq!(error.kind(), ErrorKind::Limit, "{name}: {error}");
            let Error::Unfinished { error, folder } = error else { panic!("{name}: {error}") };
            let Error::Limit(limit) = *error else { panic!("{name}: {error}") };
            assert_eq!(limit.reason(), &LimitReached::Time { limit: Duration::from_secs(3) });
            assert_eq!(folder, parts);
            let found = Manifest::load(&parts).unwrap().layers.len();
            assert!(stored.contains(&found), "{name}: {found} layers after {layers}");
            let (code, _, errors) = finish(&ggsolve("solve", &game, &parts, &["--time", "1h"]).output().unwrap());
            assert_eq!(code, Some(0), "{name}: {errors}");
            assert_same(&whole, &parts);
        }
    }
}

#[test]
fn every_command_that_works_long_ends_with_4_and_says_what_to_do() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("folder");
    let long = shipped("connect4_7x6.gdl");
    for command in ["solve", "classify", "count"] {
        let run = ggsolve(command, &long, &folder, &["--time", "1ms"]).output().unwrap();
        let (code, output, errors) = finish(&run);
        assert_eq!((code, output.as_str()), (Some(4), ""), "{command}: {errors}");
        let told = "error: time limit reached: 1.0 ms\n  in the stage `";
        assert!(errors.contains(told), "{command}: {errors}");
        let then = format!("`\n  give more with --time\n  this run stored nothing in {}\n", folder.display());
        assert!(errors.ends_with(&then), "{command}: {errors}");
    }
    // What an earlier run stored is kept by a run whose time is up before it reads a state.
    let counted = scene.path().join("counted");
    let game = shipped("connect4_4x4.gdl");
    assert_eq!(finish(&ggsolve("count", &game, &counted, &[]).output().unwrap()).0, Some(0));
    let (code, _, errors) = finish(&ggsolve("solve", &game, &counted, &["--time", "1ms"]).output().unwrap());
    let kept = format!("what was finished is kept in {}: the same command goes on from there\n", counted.display());
    assert!(code == Some(4) && errors.ends_with(&kept), "{errors}");
    let solved = scene.path().join("solved");
    let game = rules(scene.path(), "overlapping.gdl", OVERLAPPING);
    assert_eq!(finish(&ggsolve("solve", &game, &solved, &[]).output().unwrap()).0, Some(0));
    let other = |arguments: &[&std::ffi::OsStr]| {
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        finish(&run.args(arguments).args(["--time", "0.000001s"]).output().unwrap())
    };
    let (long, solved) = (long.as_os_str(), solved.as_os_str());
    for arguments in [
        vec!["ground".as_ref(), long],
        vec!["translate".as_ref(), long, "--to".as_ref(), "gddl".as_ref()],
        vec!["verify".as_ref(), solved, "--rules".as_ref(), long],
    ] {
        let (code, output, errors) = other(&arguments);
        assert_eq!((code, output.as_str()), (Some(4), ""), "{arguments:?}: {errors}");
        assert!(errors.contains("give more with --time"), "{arguments:?}: {errors}");
    }
    for wrong in ["0", "soon", "-5s", "5 parsecs"] {
        let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &["--time", wrong]).output().unwrap());
        assert_eq!(code, Some(2), "{errors}");
    }
}
