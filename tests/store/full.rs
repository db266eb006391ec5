//! A file that cannot be written whole: the run says so and what to do, keeps what was finished, and the next one goes
//! on.
#![cfg(unix)]

use super::{assert_same, files, finish, ggsolve, shipped, solve};
use solving::store::Manifest;
use std::process::Command;

/// Runs under a bound on the size of files, in units of 512 bytes, whose signal would end a program that does not
/// ignore it.
fn bounded(run: &Command, blocks: usize) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -f {blocks}; exec \"$0\" \"$@\""));
    shell.arg(run.get_program()).args(run.get_args());
    shell
}

#[test]
fn a_run_goes_on_where_a_full_disk_stopped_it() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_4x4.gdl");
    let (whole, folder) = (scene.path().join("whole.ggs"), scene.path().join("full.ggs"));
    solve("solve", &game, &whole, &[]);
    let largest = files(&whole).values().map(Vec::len).max().unwrap();
    let mut layers = 0;
    for blocks in (4..).step_by(4) {
        let (code, _, errors) = finish(&bounded(&ggsolve("solve", &game, &folder, &[]), blocks).output().unwrap());
        if code == Some(0) {
            break;
        }
        assert_eq!(code, Some(1), "{errors}");
        assert!(errors.contains("full.ggs/"), "the file is named: {errors}");
        assert!(errors.contains("ulimit -f"), "{errors}");
        assert!(blocks * 512 <= 2 * largest + 8192, "{errors}");
        if folder.exists() {
            assert!(files(&folder).keys().all(|name| !name.ends_with(".tmp")), "nothing half written is left");
            assert!(errors.contains("the same command goes on"), "{errors}");
            let now = Manifest::load(&folder).unwrap().files().count();
            assert!(now >= layers, "finished layers stay");
            layers = now;
        }
    }
    assert!(layers > 3);
    assert_same(&whole, &folder);
}
