//! Reading stored solutions: `query`, `play`, `review`, `verify`, and the reader in Python.

mod book;
#[path = "../common/mod.rs"]
mod common;
mod cyclic;
mod export;
mod faults;
mod plain_store;
mod planted;
mod play;
mod puzzles;
mod python;
mod query;
mod ranked;
mod report;
mod review;
mod sample;
mod values;
mod verify;

use game::reward::OpponentModel;
use plain_store::{Layered, write_folder};
use solving::store::manifest::{Manifest, Progress};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Two roles move a counter by one or two: a state then lies in several layers.
const OVERLAPPING: &str = "
    (role a) (role b)
    (init (at 0)) (init (control a))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
    (far 0) (far 1) (far 2) (far 3) (far 4) (far 5) (far 6)
    (<= (legal ?r one) (true (control ?r)) (true (at ?n)) (succ ?n ?m))
    (<= (legal ?r two) (true (control ?r)) (true (at ?n)) (far ?n))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (at ?m)) (does ?r one) (true (at ?n)) (succ ?n ?m))
    (<= (next (at ?k)) (does ?r two) (true (at ?n)) (succ ?n ?m) (succ ?m ?k))
    (<= (next (control a)) (true (at ?n)))
    (<= terminal (true (at 8)))
    (<= (goal a 100) (true (at 8)))
    (<= (goal a 0) (not (true (at 8))))
    (<= (goal b 0) (true (at 8)))
    (<= (goal b 100) (not (true (at 8))))";

/// A solution by brute force of one of the shipped games, in a folder that lasts as long as the first value.
fn stored(game: &str) -> (TempDir, PathBuf) {
    let file = common::shipped(&format!("{game}.gdl"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{game}.ggs"));
    let rules = std::fs::read(&file).unwrap();
    let ground = common::game(&common::program(&file.to_string_lossy(), &rules));
    let layered = Layered::new(&ground, OpponentModel::MaxOwn, 1_000_000).unwrap();
    write_folder(&path, &rules, &ground, OpponentModel::MaxOwn, &layered);
    (folder, path)
}

/// Changes the solution in a folder to one whose backward pass was interrupted: layers before `first` have no values.
fn without_values_before(first: usize, path: &Path) {
    let mut manifest = Manifest::load(path).unwrap();
    manifest.phase = Progress::Backward;
    for layer in &mut manifest.layers[..first] {
        (layer.values_file, layer.buckets) = (None, None);
    }
    manifest.save(path).unwrap();
}

/// Changes the solution in a folder to one whose forward pass was interrupted after two layers.
fn two_layers_only(path: &Path) {
    let mut manifest = Manifest::load(path).unwrap();
    manifest.phase = Progress::Forward;
    manifest.layers.truncate(2);
    (manifest.states, manifest.terminal_states, manifest.opponent_model) = (None, None, None);
    (manifest.progress_measure, manifest.alternating) = (None, None);
    manifest.save(path).unwrap();
}

/// Runs the program with an input.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A program that ends early does not read all of it.
    let _ = std::io::Write::write_all(&mut pipe, input.as_bytes());
    drop(pipe);
    child.wait_with_output().unwrap()
}

/// Exit code, standard output and standard error.
fn texts(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal ends it"), text(output.stdout), text(output.stderr))
}

/// Copies the files of a folder to another.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
