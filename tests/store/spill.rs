//! Sweeps that are larger than the bound on memory go on in temporary files: the same bytes, and nothing left behind.

use super::{assert_same, finish, ggsolve, shipped, solve};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Stdio};

/// Less than the sweeps of this game take by themselves, and enough for what stays in memory.
const BOUND: &str = "28M";
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
fn a_bound_on_disk_space_holds_for_temporary_files_and_another_run_goes_on() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_5x5.gdl");
    let (plenty, little) = (scene.path().join("plenty"), scene.path().join("little"));
    solve("solve", &game, &plenty, &SYMBOLIC);
    let mut run = ggsolve("solve", &game, &little, &SYMBOLIC);
    // Room for the solution, and so for none of the temporary files that its last layers need beside it.
    let bound = bytes_in(&plenty).to_string();
    let (code, _, errors) = finish(&run.args(["--memory", BOUND, "--disk", &bound]).output().unwrap());
    assert_eq!(code, Some(4), "{errors}");
    for part in [
        "disk limit reached",
        "values of layer",
        "preimage",
        "--disk",
        "with more room, the same command goes on from there",
    ] {
        assert!(errors.contains(part), "`{part}` is missing: {errors}");
    }
    solve("solve", &game, &little, &SYMBOLIC);
    assert_same(&plenty, &little);
}

/// Bytes of all files in a folder.
fn bytes_in(folder: &Path) -> u64 {
    std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

/// The bound holds for the solution as well: what is finished within it is kept, and counts from then on.
#[test]
fn a_bound_on_disk_space_holds_for_the_solution() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_5x5.gdl");
    let (plenty, little) = (scene.path().join("plenty"), scene.path().join("little"));
    solve("solve", &game, &plenty, &[]);
    let whole = bytes_in(&plenty);
    let mut before = 0;
    for part in [3, 2] {
        let bound = whole / part;
        let mut run = ggsolve("solve", &game, &little, &[]);
        let (code, _, errors) = finish(&run.args(["--disk", &bound.to_string()]).output().unwrap());
        assert_eq!(code, Some(4), "{errors}");
        for part in ["disk limit reached", "the solution and temporary files", "--disk", "goes on from there"] {
            assert!(errors.contains(part), "`{part}` is missing: {errors}");
        }
        let after = bytes_in(&little);
        // The manifest, with the record of the run, is written whatever the bound is.
        assert!(before < after && after < bound + (64 << 10), "{before} {after} of {bound}");
        before = after;
    }
    let mut run = ggsolve("solve", &game, &little, &[]);
    let (code, _, errors) = finish(&run.args(["--disk", &(before / 4).to_string()]).output().unwrap());
    assert_eq!(code, Some(4), "{errors}");
    // Within the bound of before the run goes on from where it was; it can't end there either.
    let mut run = ggsolve("solve", &game, &little, &[]);
    let (code, _, errors) = finish(&run.args(["--disk", &(whole / 2).to_string()]).output().unwrap());
    assert_eq!(code, Some(4), "{errors}");
    assert!(!errors.contains(" 0 bytes of"), "{errors}");
    solve("solve", &game, &little, &[]);
    assert_same(&plenty, &little);
    // A finished solution needs no more.
    let mut run = ggsolve("solve", &game, &little, &[]);
    let (code, _, errors) = finish(&run.args(["--disk", "1K"]).output().unwrap());
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn a_folder_for_temporary_files_that_is_missing_is_told() {
    let scene = tempfile::tempdir().unwrap();
    let mut run = ggsolve("solve", &shipped("tictactoe.gdl"), &scene.path().join("a"), &[]);
    let (code, _, errors) = finish(&run.args(["--scratch", "nowhere"]).output().unwrap());
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("nowhere is not a folder"), "{errors}");
}

/// Layers whose values a run made, as its log tells them.
fn made(log: &str) -> BTreeSet<u32> {
    let told = log.lines().filter_map(|line| line.split_once(" layer ")?.1.split_once(": sweep of ")?.0.parse().ok());
    told.collect()
}

/// Bytes of the temporary files of a process, which have no names.
#[cfg(target_os = "linux")]
fn bytes_in_temporary_files(run: &Child) -> u64 {
    let Ok(files) = std::fs::read_dir(format!("/proc/{}/fd", run.id())) else { return 0 };
    let unnamed = files.flatten().filter(|file| {
        std::fs::read_link(file.path()).is_ok_and(|target| target.to_string_lossy().ends_with(" (deleted)"))
    });
    unnamed.filter_map(|file| Some(std::fs::metadata(file.path()).ok()?.len())).sum()
}

/// A run is killed as soon as it has written much of a sweep to disk: of what it solved, only the layer at hand is solved
/// again, and no file of it is left. Layers take half a second each: of quicker ones several are saved together.
#[cfg(target_os = "linux")]
#[test]
fn a_kill_during_a_sweep_on_disk_loses_that_layer_only() {
    const KILLS: usize = 1;
    let scene = tempfile::tempdir().unwrap();
    let (game, scratch) = (shipped("connect4_5x6.gdl"), scene.path().join("scratch"));
    std::fs::create_dir(&scratch).unwrap();
    let (plenty, little) = (scene.path().join("plenty"), scene.path().join("little"));
    solve("solve", &game, &plenty, &SYMBOLIC);
    let run = || {
        let mut run = ggsolve("solve", &game, &little, &SYMBOLIC);
        run.args(["-v", "--memory", "84M", "--scratch"]).arg(&scratch).stdout(Stdio::null()).stderr(Stdio::piped());
        run
    };
    let mut runs = Vec::new();
    for kill in 1..=KILLS {
        let mut child = run().spawn().unwrap();
        while bytes_in_temporary_files(&child) < (10 + 10 * kill as u64) << 20 {
            assert!(child.try_wait().unwrap().is_none(), "the run ended before its {kill}th kill");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        let (code, _, log) = finish(&child.wait_with_output().unwrap());
        assert_eq!(code, None, "{log}");
        assert!(is_empty(&scratch), "temporary files have no names");
        runs.push(made(&log));
    }
    let (code, _, log) = finish(&run().output().unwrap());
    assert_eq!(code, Some(0), "{log}");
    runs.push(made(&log));
    assert_same(&plenty, &little);
    for (run, next) in runs.iter().zip(&runs[1..]) {
        let again: Vec<_> = run.intersection(next).collect();
        assert!(again.len() <= 1, "solved again: {again:?} of {run:?}");
    }
}
