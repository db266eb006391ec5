//! What several integration tests share.
#![allow(dead_code, unused_imports)] // Each test uses a part.

pub mod compare;
pub mod explicit;
pub mod lacking;
pub mod layers;
pub mod mixed;
mod mixed_shipped;
pub mod naive;
pub mod ranked;
pub mod sample;
pub mod show;
pub mod stored;

use base::limits::Limits;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::propositional::Game;
use game::reward::OpponentModel;
use game::rules::{Program, gdl};
use std::path::{Path, PathBuf};

/// The folder of public rulesheets: `GGSOLVE_CORPUS`, or `../shared/corpus` beside this checkout. Where it is absent, that
/// is told as [`lacking::lacking`] does.
pub fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("GGSOLVE_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    lacking::lacking("corpus", &format!("there is none at {}; GGSOLVE_CORPUS names its folder", folder.display()));
    None
}

/// How many random games of a kind are compared: `default`, unless `GGSOLVE_RANDOM_GAMES` says another number.
pub fn random_games(default: u64) -> u64 {
    match std::env::var("GGSOLVE_RANDOM_GAMES") {
        Ok(number) => number.parse().expect("GGSOLVE_RANDOM_GAMES is a number"),
        Err(_) => default,
    }
}

/// The model under which a game is compared where both would take long: by its place among the games.
pub fn model_in_turn(place: usize) -> OpponentModel {
    OpponentModel::ALL[place % OpponentModel::ALL.len()]
}

/// A rulesheet under `games/`, by the name of its file.
pub fn shipped(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(file)
}

/// All rulesheets under `games/` in GDL in which roles move in turns, without chance, by name.
pub fn all_shipped() -> Vec<PathBuf> {
    let mut files = files(&shipped(""), "gdl");
    files.retain(|file| !mixed_shipped::MIXED.iter().any(|name| file.ends_with(name)));
    files
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// The rulesheets of the corpus, by name.
pub fn rulesheets(folder: &Path) -> Vec<PathBuf> {
    files(folder, "kif")
}

/// The program of a GDL text that has no errors.
pub fn program(name: &str, text: &[u8]) -> Program {
    let (program, diagnostics) = gdl::program(&Source::new(name, text));
    program.unwrap_or_else(|| panic!("{name}: {diagnostics:?}"))
}

/// The propositional form of a program.
pub fn game(program: &Program) -> Game {
    let grounding = ground(program, &Limits::unlimited(), &GroundOptions::default());
    grounding.unwrap_or_else(|error| panic!("{}: {error}", program.name)).game
}

/// The propositional form of the game in a file.
pub fn ground_file(file: &Path) -> Game {
    let text = std::fs::read(file).expect("a rulesheet can be read");
    game(&program(&file.to_string_lossy(), &text))
}
