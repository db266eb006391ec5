//! The rulesheets under `games/`.

mod awari;
mod boards;
#[path = "../common/mod.rs"]
mod common;
mod exact;
mod explicit;
#[path = "../../games/families/mod.rs"]
mod games;
mod published;

use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games")
}

/// `ggsolve generate shipped games` mends a difference.
#[test]
fn shipped_files_are_what_the_generator_prints() {
    for (file, arguments) in games::SHIPPED {
        let text = std::fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(games::shipped(arguments).unwrap() == text, "{file} differs from: generate {arguments}");
    }
}

/// Names of the rulesheets in GDL, those that no generator prints among them.
fn rulesheets() -> Vec<String> {
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|file| file.ends_with(".gdl"))
        .collect();
    files.sort();
    assert!(games::SHIPPED.iter().all(|(file, _)| files.iter().any(|found| found == file)));
    files
}

#[test]
fn every_shipped_file_has_a_line_in_the_readme() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for file in rulesheets() {
        let line = format!("| `{file}` |");
        assert!(readme.contains(&line), "games/README.md lacks {file}");
    }
}

#[test]
fn shipped_files_declare_their_fluents_and_moves() {
    for file in rulesheets() {
        let text = std::fs::read_to_string(folder().join(&file)).unwrap();
        assert!(text.contains("(base ") && text.contains("(input "), "{file}");
    }
}

#[test]
fn sizes_that_make_no_game_are_refused() {
    for arguments in [
        "",
        "chess",
        "connect4 7",
        "connect4 7 0",
        "connect4 7 101",
        "tictactoe 3 3 4",
        "peg round",
        "peg 3x12",
        "peg 1x1",
        "nim",
        "cubicup 0",
        "quixo 1",
        "awari 12",
        "awari 4 0",
        "awari 4 5 1",
        "morris four",
        "morris three flying",
        "morris six walking",
        "teeko 3",
        "breakthrough 1 4",
        "breakthrough 4 3",
        "dodgem 1",
        "hare-and-hounds 2",
        "fox-and-geese round 3",
        "fox-and-geese 1x4 2",
        "fox-and-geese 2x2 4",
        "chess-ending knight 4",
        "chess-ending rook 2",
        "chess-ending pawn 3",
        "dobutsu 4",
        "dobutsu 3 chick",
        "dobutsu 4 hen",
        "tic-tac-chec 3 rook bishop",
        "tic-tac-chec 3 knight bishop pawn",
        "tic-tac-chec 4 rook bishop knight queen",
        "goofspiel 4 rising",
        "goofspiel 4 shuffled win",
        "goofspiel 4 rising chips",
        "goofspiel 10 rising points",
        "oshi-zumo 3 2 4",
        "oshi-zumo 3 2 0",
        "oshi-zumo 6 2 1 7 8",
        "tictactoe-simultaneous 3 3 4",
        "duel 5 1",
        "pig 8 1 20",
        "pig 8",
        "race 0",
    ] {
        assert!(games::shipped(arguments).is_err(), "{arguments}");
    }
    assert_eq!(games::shipped("clobber 5 5 x").unwrap_err(), "x is neither zero-sum nor a number from 1 to 100");
    assert!(games::USAGE.contains("connect4"));
    // A wider line would be wrapped to the margin of a terminal.
    assert!(games::USAGE.lines().all(|line| line.len() <= 80), "{}", games::USAGE);
}
