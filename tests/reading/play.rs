//! `play` through a pipe.

use super::{run, stored, texts};

#[test]
fn a_game_is_played_through_a_pipe() {
    let (_folder, path) = stored("tictactoe");
    let folder = path.to_str().unwrap();
    // The centre, and then always the first legal move: best play of the program does not lose.
    let (code, text, errors) = texts(run(&["play", folder], "help\n(mark 2 2)\nhint\nvalues\n1\n1\n1\n1\n"));
    assert_eq!((code, errors.as_str()), (0, ""));
    for part in ["you play xplayer", "> ", "oplayer: (mark", "2 | . x .", "best", "play is over", "play ends in"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("xplayer wins"), "{text}");
    let (code, text, _) = texts(run(&["play", folder, "--as", "OPLAYER", "--seed", "3"], "quit\n1\n"));
    assert_eq!(code, 0);
    assert!(text.contains("xplayer: (mark") && !text.contains("oplayer: ("), "{text}");
}

#[test]
fn one_seed_gives_one_game() {
    let (_folder, path) = stored("clobber_3x4");
    let game = |seed: &str| {
        let arguments = ["play", path.to_str().unwrap(), "--error-rate", "0.5", "--seed", seed];
        texts(run(&arguments, &"1\n".repeat(12)))
    };
    assert_eq!(game("7"), game("7"));
    assert!((0..8).any(|seed| game(&seed.to_string()) != game("7")));
}

#[test]
fn wrong_arguments_are_2() {
    let (_folder, path) = stored("clobber_1x6");
    let folder = path.to_str().unwrap();
    for arguments in [["--as", "green"], ["--error-rate", "2"], ["--error-rate", "NaN"], ["--seed", "-1"]] {
        assert_eq!(texts(run(&[&["play", folder], arguments.as_slice()].concat(), "")).0, 2, "{arguments:?}");
    }
}
