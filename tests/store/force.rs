//! `--force` replaces a solution of something else, and nothing but that.

use super::{ENDLESS, TINY, assert_same, copy, files, finish, ggsolve, rules, shipped, solve};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Two players choose at the same time, and what they want is not opposed.
const NO_VALUE: &str = "(role a) (role b) (role c) (init now) (base over)
    (<= (legal ?r left) (role ?r) (true now)) (<= (legal ?r right) (role ?r) (true now))
    (<= (next over) (true now)) (<= (next same) (does a ?m) (does b ?m))
    (<= terminal (true over)) (<= (goal a 100) (true same)) (<= (goal a 0) (not (true same)))
    (<= (goal b 50) (true same)) (<= (goal b 10) (not (true same)))
    (<= (goal c 70) (true same)) (<= (goal c 0) (not (true same)))";

fn refused(game: &Path, folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let before = files(folder);
    let (code, _, errors) = finish(&ggsolve("solve", game, folder, more).output().unwrap());
    assert_eq!(files(folder), before, "nothing was touched");
    assert!(!folder.join(".replaced").exists());
    (code, errors)
}

#[test]
fn another_games_or_models_solution_is_replaced() {
    let scene = tempfile::tempdir().unwrap();
    let tiny = rules(scene.path(), "tiny.gdl", TINY);
    let edited = rules(scene.path(), "edited.gdl", &TINY.replace("90", "80"));
    let (folder, whole) = (scene.path().join("a.ggs"), scene.path().join("whole.ggs"));
    solve("solve", &tiny, &folder, &[]);
    let (code, errors) = refused(&edited, &folder, &[]);
    assert_eq!(code, Some(5), "{errors}");
    assert!(errors.contains("another folder with -o") && errors.contains("--force"), "{errors}");
    solve("solve", &edited, &folder, &["--force"]);
    solve("solve", &edited, &whole, &[]);
    assert_same(&whole, &folder);
    solve("solve", &edited, &folder, &["--force", "--opponent-model", "max-diff"]);
    solve("solve", &edited, &folder, &["--opponent-model", "max-diff"]);
    // What is damaged, too.
    for name in ["manifest.json", "layer-00001.values"] {
        std::fs::write(folder.join(name), "x").unwrap();
        let (code, errors) = refused(&edited, &folder, &["--opponent-model", "max-diff"]);
        assert_eq!(code, Some(5), "{errors}");
        solve("solve", &edited, &folder, &["--force"]);
        assert_same(&whole, &folder);
    }
}

#[test]
fn rules_that_are_refused_leave_the_old_solution() {
    let scene = tempfile::tempdir().unwrap();
    let tiny = rules(scene.path(), "tiny.gdl", TINY);
    let folder = scene.path().join("a.ggs");
    solve("solve", &tiny, &folder, &[]);
    for text in
        ["(role", "(role a) (role b) (role c)", "(role me) (init (at 1)) (<= terminal (true (at 2))) (goal me 0)"]
    {
        let wrong = rules(scene.path(), "wrong.gdl", text);
        let (code, errors) = refused(&wrong, &folder, &["--force"]);
        assert_eq!(code, Some(3), "{errors}");
    }
}

/// The old solution would be moved to wherever the link points.
#[cfg(unix)]
#[test]
fn a_link_in_place_of_what_is_replaced_is_not_followed() {
    let scene = tempfile::tempdir().unwrap();
    let tiny = rules(scene.path(), "tiny.gdl", TINY);
    let edited = rules(scene.path(), "edited.gdl", &TINY.replace("90", "80"));
    let (folder, elsewhere) = (scene.path().join("a.ggs"), scene.path().join("elsewhere"));
    solve("solve", &tiny, &folder, &[]);
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.join(".replaced")).unwrap();
    let manifest = std::fs::read(folder.join("manifest.json")).unwrap();
    let (code, _, errors) = finish(&ggsolve("solve", &edited, &folder, &["--force"]).output().unwrap());
    assert_eq!(code, Some(5), "{errors}");
    assert!(errors.contains(".replaced") && errors.contains("remove the link"), "{errors}");
    assert_eq!(std::fs::read(folder.join("manifest.json")).unwrap(), manifest);
    assert!(std::fs::read_dir(&elsewhere).unwrap().next().is_none());
}

/// What does not suit is found after the new solution was begun.
#[test]
fn a_run_that_is_refused_late_leaves_the_old_solution() {
    let scene = tempfile::tempdir().unwrap();
    let (tiny, endless) = (rules(scene.path(), "tiny.gdl", TINY), rules(scene.path(), "endless.gdl", ENDLESS));
    let folder = scene.path().join("a.ggs");
    for old in [&tiny, &endless] {
        solve("solve", old, &folder, &["--force"]);
        let (code, errors) = refused(&endless, &folder, &["--algorithm", "layered", "--force"]);
        assert_eq!(code, Some(3), "{errors}");
        assert!(errors.contains("for ever"), "{errors}");
    }
    // Two players who want different things choose at the same time: all states are stored before there is no value.
    let novalue = rules(scene.path(), "novalue.gdl", NO_VALUE);
    let tictactoe = shipped("tictactoe.gdl");
    solve("solve", &tictactoe, &folder, &["--force", "--guarantee", "all"]);
    let guarantee = || files(&folder.join("guarantee-0"));
    let before = guarantee();
    let (code, errors) = refused(&novalue, &folder, &["--force"]);
    assert_eq!(code, Some(3), "{errors}");
    assert_eq!(guarantee(), before);
}

/// The old solution comes back if the new one was never begun, and goes once that is finished.
#[test]
fn a_solution_that_is_aside_is_kept_or_forgotten() {
    let scene = tempfile::tempdir().unwrap();
    let (old, new) = (rules(scene.path(), "tiny.gdl", TINY), shipped("clobber_3x4.gdl"));
    let (folder, whole) = (scene.path().join("a.ggs"), scene.path().join("whole.ggs"));
    solve("solve", &old, &folder, &[]);
    solve("solve", &new, &whole, &[]);
    let before = files(&folder);
    // As a kill between the moves of its files leaves it.
    let aside = folder.join(".replaced");
    let move_aside = |names: &[&str]| {
        std::fs::create_dir(&aside).unwrap();
        names.iter().for_each(|name| std::fs::rename(folder.join(name), aside.join(name)).unwrap());
    };
    for names in [&["manifest.json"][..], &["manifest.json", "layer-00000.states", "rules.gdl"]] {
        move_aside(names);
        let mut query = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        let (code, _, errors) = finish(&query.arg("query").arg(&folder).output().unwrap());
        assert!(code == Some(1) && errors.contains("--force") && errors.contains("brings that back"), "{errors}");
        let (code, _, errors) = finish(&ggsolve("solve", &new, &folder, &[]).output().unwrap());
        assert_eq!(code, Some(5), "{errors}");
        assert_eq!(files(&folder), before);
    }
    // A new one was finished, and the old one not removed yet.
    move_aside(&before.keys().map(String::as_str).filter(|name| *name != "lock").collect::<Vec<_>>());
    for entry in std::fs::read_dir(&whole).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    // It is finished, so the one that it replaced does not come back.
    let endless = rules(scene.path(), "endless.gdl", ENDLESS);
    let (code, _, errors) =
        finish(&ggsolve("solve", &endless, &folder, &["--force", "--algorithm", "layered"]).output().unwrap());
    assert_eq!(code, Some(3), "{errors}");
    assert!(!aside.exists());
    assert_same(&whole, &folder);
}

/// Where another run is refused at sight.
#[test]
fn the_old_solution_stays_beside_an_unfinished_one() {
    let scene = tempfile::tempdir().unwrap();
    let (old, new) = (rules(scene.path(), "tiny.gdl", TINY), shipped("connect4_4x5.gdl"));
    let (folder, whole) = (scene.path().join("a.ggs"), scene.path().join("whole.ggs"));
    let aside = folder.join(".replaced");
    solve("solve", &old, &folder, &[]);
    let before = files(&folder).len();
    let bounded = |more: &[&str]| {
        let (code, _, errors) = finish(&ggsolve("solve", &new, &folder, more).output().unwrap());
        assert_eq!(code, Some(4), "{errors}");
        assert_eq!(files(&aside).len() + 1, before, "all but the lock");
    };
    bounded(&["--force", "--disk", "100K"]);
    let begun = files(&folder);
    let wrong = rules(scene.path(), "wrong.gdl", "(role a) (role b) (role c)");
    let (code, _, errors) = finish(&ggsolve("solve", &wrong, &folder, &["--force"]).output().unwrap());
    assert_eq!(code, Some(3), "{errors}");
    assert_eq!(files(&folder), begun);
    solve("solve", &new, &folder, &["--guarantee", "all"]);
    assert!(!aside.exists());
    solve("solve", &new, &whole, &["--guarantee", "all"]);
    assert_same(&whole, &folder);
}

#[test]
fn nothing_but_a_solution_is_replaced() {
    let scene = tempfile::tempdir().unwrap();
    let tiny = rules(scene.path(), "tiny.gdl", TINY);
    // Rules that somebody keeps in a folder, a manifest of something else, any other file.
    for (name, text) in [("rules.gdl", TINY), ("manifest.json", "{\"format\": \"a web site\"}"), ("notes", "")] {
        let folder = scene.path().join(name.replace('.', "-"));
        std::fs::create_dir(&folder).unwrap();
        rules(&folder, name, text);
        for more in [&[][..], &["--force"]] {
            let (code, _, errors) = finish(&ggsolve("solve", &tiny, &folder, more).output().unwrap());
            assert_eq!(code, Some(5), "{name}: {errors}");
            assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), text);
        }
    }
    // A file of somebody beside a solution stays.
    let folder = scene.path().join("a.ggs");
    solve("solve", &shipped("tictactoe.gdl"), &folder, &[]);
    rules(&folder, "notes", "mine");
    solve("solve", &tiny, &folder, &["--force"]);
    assert!(folder.join("notes").exists() && !folder.join("layer-00009.values").exists());
    // A run is writing it.
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let (code, errors) = refused(&shipped("tictactoe.gdl"), &folder, &["--force"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("another run is writing"), "{errors}");
}

/// A kill in the middle loses nothing: the next run begins or goes on as always.
#[test]
fn a_replacement_that_is_killed_is_taken_up() {
    let scene = tempfile::tempdir().unwrap();
    let (old, new) = (shipped("tictactoe.gdl"), shipped("clobber_3x4.gdl"));
    let (first, whole) = (scene.path().join("first.ggs"), scene.path().join("whole.ggs"));
    solve("solve", &old, &first, &[]);
    solve("solve", &new, &whole, &[]);
    for delay in (0..16).map(|step| 1500 * step) {
        let folder = scene.path().join(format!("{delay}.ggs"));
        copy(&first, &folder);
        let mut run = ggsolve("solve", &new, &folder, &["--force"]);
        let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(delay));
        // It may have ended, which is what counts then.
        let _ = child.kill();
        child.wait().unwrap();
        solve("solve", &new, &folder, &["--force"]);
        assert_same(&whole, &folder);
        assert!(!folder.join(".replaced").exists());
    }
}
