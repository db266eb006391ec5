//! The rulesheets under `games/`.

mod explicit;
#[path = "../../examples/generate/games/mod.rs"]
mod games;
mod published;

use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games")
}

/// `cargo run --release --example generate -- shipped games` mends a difference.
#[test]
fn shipped_files_are_what_the_generator_prints() {
    for (file, arguments) in games::SHIPPED {
        let text = std::fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(games::shipped(arguments).unwrap() == text, "{file} differs from: generate {arguments}");
    }
}

#[test]
fn every_shipped_file_has_a_line_in_the_readme() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for (file, _) in games::SHIPPED {
        let line = format!("| `{file}` |");
        assert!(readme.contains(&line), "games/README.md lacks {file}");
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
    ] {
        assert!(games::shipped(arguments).is_err(), "{arguments}");
    }
    assert!(games::USAGE.contains("connect4"));
}
