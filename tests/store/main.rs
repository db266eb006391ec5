//! Solutions on disk: the same bytes however a run went, resumed runs, refusals, damage.

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod distances;
mod force;
mod forged;
mod full;
mod kill;
mod leftovers;
mod old;
mod ranked;
mod refusals;
mod resume;
mod rounds;
mod runs;
mod spill;
mod team;
mod time;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Two roles move a counter by one, and from three on by two: a state then lies in several layers.
pub const OVERLAPPING: &str = "
    (role a) (role b)
    (init (at 0)) (init (control a))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (far 3) (far 4) (far 5) (far 6) (far 7) (far 8)
    (<= (legal ?r one) (true (control ?r)) (true (at ?n)) (succ ?n ?m))
    (<= (legal ?r two) (true (control ?r)) (true (at ?n)) (far ?n))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (at ?m)) (does ?r one) (true (at ?n)) (succ ?n ?m))
    (<= (next (at ?k)) (does ?r two) (true (at ?n)) (succ ?n ?m) (succ ?m ?k))
    (<= (next (control a)) (true (control b)))
    (<= (next (control b)) (true (control a)))
    (<= terminal (true (at 10)))
    (<= (goal a 100) (true (control b)))
    (<= (goal a 0) (true (control a)))
    (<= (goal b 100) (true (control a)))
    (<= (goal b 0) (true (control b)))";

/// Two roles push a token towards either end in turn: from the middle, where it starts, nobody need let the other win.
pub const ENDLESS: &str = include_str!("../reading/endless.gdl");

/// One player, three states.
pub const TINY: &str = "(role me)
(init (at start))
(<= (legal me left) (true (at start)))
(<= (legal me right) (true (at start)))
(<= (legal me stay) (not (true (at start))))
(<= (next (at low)) (does me left))
(<= (next (at high)) (does me right))
(<= terminal (not (true (at start))))
(<= (goal me 10) (true (at low)))
(<= (goal me 90) (true (at high)))
(<= (goal me 0) (true (at start)))
";

pub use common::shipped;

/// Writes rules to a folder.
pub fn rules(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A run that stores its solution in `folder`.
pub fn ggsolve(command: &str, game: &Path, folder: &Path, more: &[&str]) -> Command {
    let mut run = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    run.arg(command).arg(game).arg("--out").arg(folder).args(more);
    run.stdin(Stdio::null());
    run
}

/// Exit code, standard output and standard error.
pub fn finish(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs to the end, which must be a good one; standard output.
pub fn solve(command: &str, game: &Path, folder: &Path, more: &[&str]) -> String {
    let (code, output, errors) = finish(&ggsolve(command, game, folder, more).output().unwrap());
    // Warnings about the rules may be told.
    let is_quiet = !["error", "note:", "panicked"].iter().any(|word| errors.starts_with(word));
    assert!(code == Some(0) && is_quiet, "{}: {code:?}: {errors}", game.display());
    output
}

/// All files of a folder, those of folders in it left out.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

/// All files of a folder, the manifest without the records of the runs and without its checksum: what does not depend
/// on how a run went.
pub fn lasting(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    if let Some(text) = files.get_mut("manifest.json") {
        let mut manifest: serde_json::Value = serde_json::from_slice(text).unwrap();
        let fields = manifest.as_object_mut().unwrap();
        fields.shift_remove("runs");
        fields.shift_remove("checksum");
        *text = serde_json::to_vec_pretty(&manifest).unwrap();
    }
    files
}

/// Two folders hold the same bytes, records of runs aside.
pub fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (lasting(one), lasting(other));
    assert!(one.keys().eq(other.keys()), "{:?}\n{:?}", one.keys(), other.keys());
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{name} differs");
    }
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for (name, bytes) in files(from) {
        std::fs::write(to.join(name), bytes).unwrap();
    }
}
