//! Sweeps that are larger than the bound on memory go on in temporary files: the same bytes, and nothing left behind.

use super::{assert_same, finish, ggsolve, shipped, solve};
use std::path::Path;

/// Less than the sweeps of this game take by themselves, and enough for what stays in memory.
const BOUND: &str = "44M";
const SYMBOLIC: [&str; 4] = ["--engine", "symbolic", "--threads", "2"];

/// Bytes that the layers of a run wrote to temporary files, as its log tells them.
fn on_disk(log: &str) -> u64 {
    let told =
        log.lines().filter_map(|line| line.split_once(" bytes on disk")?.0.rsplit(' ').next()?.parse::<u64>().ok());
    told.sum()
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn what_does_not_fit_into_memory_waits_on_disk() {
    let scene = tempfile::tempdir().unwrap();
    let (game, scratch) = (shipped("connect4_5x5.gdl"), scene.path().join("scratch"));
    std::fs::create_dir(&scratch).unwrap();
    let (plenty, little) = (scene.path().join("plenty"), scene.path().join("little"));
    solve("solve", &game, &plenty, &SYMBOLIC);
    let mut run = ggsolve("solve", &game, &little, &SYMBOLIC);
    run.args(["-v", "--memory", BOUND, "--scratch"]).arg(&scratch);
    let (code, _, log) = finish(&run.output().unwrap());
    assert_eq!(code, Some(0), "{log}");
    assert!(on_disk(&log) > 1 << 20, "{log}");
    assert_same(&plenty, &little);
    assert!(is_empty(&scratch), "temporary files have no names");
}

#[test]
fn a_bound_on_temporary_files_ends_the_run_and_another_goes_on() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_5x5.gdl");
    let (plenty, little) = (scene.path().join("plenty"), scene.path().join("little"));
    solve("solve", &game, &plenty, &SYMBOLIC);
    let mut run = ggsolve("solve", &game, &little, &SYMBOLIC);
    let (code, _, errors) = finish(&run.args(["--memory", BOUND, "--disk", "256K"]).output().unwrap());
    assert_eq!(code, Some(4), "{errors}");
    for part in ["disk limit reached", "values of layer", "preimage", "--disk", "goes on from there"] {
        assert!(errors.contains(part), "`{part}` is missing: {errors}");
    }
    solve("solve", &game, &little, &SYMBOLIC);
    assert_same(&plenty, &little);
}

#[test]
fn a_folder_for_temporary_files_that_is_missing_is_told() {
    let scene = tempfile::tempdir().unwrap();
    let mut run = ggsolve("solve", &shipped("tictactoe.gdl"), &scene.path().join("a"), &[]);
    let (code, _, errors) = finish(&run.args(["--scratch", "nowhere"]).output().unwrap());
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("nowhere is not a folder"), "{errors}");
}
