//! Folders that are not written to: of another game, model or version, with other files, or locked.

use super::{OVERLAPPING, TINY, files, finish, ggsolve, rules, shipped, solve};
use std::path::Path;

fn refused(command: &str, game: &Path, folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let before = files(folder);
    let (code, output, errors) = finish(&ggsolve(command, game, folder, more).output().unwrap());
    assert_eq!(output, "");
    assert_eq!(files(folder), before, "nothing was touched");
    (code, errors)
}

#[test]
fn a_solution_of_something_else_is_refused_by_name() {
    let scene = tempfile::tempdir().unwrap();
    let (tiny, other) =
        (rules(scene.path(), "tiny.gdl", TINY), rules(scene.path(), "other.gdl", &TINY.replace("90", "80")));
    for command in ["solve", "count"] {
        let folder = scene.path().join(command);
        solve(command, &tiny, &folder, &[]);
        let (code, errors) = refused("solve", &other, &folder, &[]);
        assert_eq!(code, Some(5), "{errors}");
        assert!(errors.contains("another game (tiny"), "{errors}");
    }
    let folder = scene.path().join("solve");
    let (code, errors) = refused("classify", &tiny, &folder, &["--opponent-model", "max-diff"]);
    assert_eq!(code, Some(5), "{errors}");
    assert!(errors.contains("max-own") && errors.contains("max-diff"), "{errors}");
    // The model does not matter to counts.
    solve("count", &tiny, &folder, &["--opponent-model", "max-diff"]);
}

#[test]
fn a_folder_with_other_files_is_not_written_to() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    let (code, errors) = refused("solve", &game, scene.path(), &[]);
    assert_eq!(code, Some(5), "{errors}");
    assert!(errors.contains("other files"), "{errors}");
    let (code, errors) = {
        let output = ggsolve("solve", &game, &game, &[]).output().unwrap();
        let (code, _, errors) = finish(&output);
        (code, errors)
    };
    assert_eq!(code, Some(1), "a file is no folder: {errors}");
}

#[test]
fn two_runs_do_not_write_to_one_folder() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("tictactoe.gdl"), scene.path().join("a.ggs"));
    solve("count", &game, &folder, &[]);
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let (code, errors) = refused("solve", &game, &folder, &[]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("another run is writing"), "{errors}");
    drop(lock);
    solve("solve", &game, &folder, &[]);
}

#[test]
fn a_refused_game_leaves_no_folder() {
    let scene = tempfile::tempdir().unwrap();
    let dead_end = OVERLAPPING.replace("(<= terminal (true (at 10)))", "(<= terminal (true (at 10)) (true never))");
    let game = rules(scene.path(), "game.gdl", &dead_end);
    let own = scene.path().join("own.ggs");
    std::fs::create_dir(&own).unwrap();
    for command in ["solve", "count"] {
        let folder = scene.path().join("a.ggs");
        let (code, _, errors) = finish(&ggsolve(command, &game, &folder, &[]).output().unwrap());
        assert_eq!(code, Some(3), "{errors}");
        assert!(!folder.exists());
        // A user's own folder stays.
        assert_eq!(refused(command, &game, &own, &[]).0, Some(3));
    }
}

/// A choice at the same time that comes late, and options that have no meaning then.
#[test]
fn options_that_do_not_apply_leave_the_folder_as_it_was() {
    let scene = tempfile::tempdir().unwrap();
    let steps: String = (0..400).map(|step| format!("(succ {step} {})", step + 1)).collect();
    let text = format!(
        "(role a) (role b) (init (at 0)) {steps}
         (<= (legal a go) (true (at ?n))) (<= (legal a jump) (true (at ?n)))
         (<= (legal b go) (true (at ?n))) (<= (legal b jump) (true (at 399)))
         (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
         (<= terminal (true (at 400))) (goal a 100) (goal b 0)"
    );
    let game = rules(scene.path(), "late.gdl", &text);
    let (new, old) = (scene.path().join("new.ggs"), scene.path().join("old.ggs"));
    solve("solve", &rules(scene.path(), "tiny.gdl", TINY), &old, &[]);
    let (code, errors) = refused("solve", &game, &old, &["--force", "--distances"]);
    assert!(code == Some(2) && errors.contains("--distances is not for games with"), "{code:?} {errors}");
    let (code, _, errors) = finish(&ggsolve("solve", &game, &new, &["--distances"]).output().unwrap());
    assert_eq!((code, new.exists()), (Some(2), false), "{errors}");
}

#[test]
fn without_options_the_solution_stands_in_the_current_folder() {
    let scene = tempfile::tempdir().unwrap();
    rules(scene.path(), "tiny.gdl", TINY);
    let run = |arguments: &[&str]| {
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        assert!(run.current_dir(scene.path()).args(arguments).output().unwrap().status.success());
    };
    run(&["count", "tiny.gdl"]);
    run(&["solve", "tiny.gdl", "--no-store"]);
    assert!(!scene.path().join("tiny.ggs").exists());
    run(&["tiny.gdl"]);
    assert!(scene.path().join("tiny.ggs/manifest.json").exists());
}
