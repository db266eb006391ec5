//! Progress and colours in a terminal, of several widths and locales.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};

/// What the program writes to a terminal of so many columns, as `script` of util-linux records it; `None` without it.
fn recorded(columns: u32, environment: &[(&str, &str)], arguments: &str) -> Option<String> {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let game = |name: &str| games.join(name).to_string_lossy().into_owned();
    // The large one takes long enough for every stage to be drawn.
    let arguments = arguments.replace("LARGE", &game("connect4_5x5.gdl")).replace("GAME", &game("connect4_4x4.gdl"));
    let inner = format!("stty cols {columns} rows 24; {} {arguments} >/dev/null", env!("CARGO_BIN_EXE_ggsolve"));
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("script");
    command.current_dir(folder.path()).args(["-qec", &inner, "/dev/null"]).stdin(Stdio::null());
    for name in ["LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm").envs(environment.iter().copied());
    match command.output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            crate::common::lacking::lacking("script", "Debian: bsdutils");
            None
        }
    }
}

/// The lines that were drawn, without the sequences that move the cursor.
fn drawn(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                rest.by_ref().skip(1).find(|c| c.is_ascii_alphabetic());
                plain.push('\n');
            }
            _ => plain.push(c),
        }
    }
    plain.split(['\r', '\n']).map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn no_line_is_wider_than_the_terminal_and_stages_have_words() {
    for (columns, locale) in [(40, "C.UTF-8"), (80, "C.UTF-8"), (40, "C"), (80, "POSIX")] {
        let Some(text) = recorded(columns, &[("LC_ALL", locale)], "LARGE --no-store --threads 1") else { return };
        let lines = drawn(&text);
        assert!(lines.iter().any(|line| line.contains("values")), "{lines:?}");
        for line in &lines {
            assert!(line.chars().count() <= columns as usize, "{columns}: {line}");
            assert!(locale == "C.UTF-8" || line.is_ascii(), "{locale}: {line}");
            assert!(
                !["relation", "automat", "requests", "nodes", "sweep"].iter().any(|word| line.contains(word)),
                "{line}"
            );
        }
    }
}

#[test]
fn verify_has_progress() {
    let verify = format!(
        "GAME -o it.ggs --progress never >/dev/null && {} verify it.ggs --threads 2",
        env!("CARGO_BIN_EXE_ggsolve")
    );
    let Some(text) = recorded(40, &[("LANG", "C.UTF-8")], &verify) else { return };
    let lines = drawn(&text);
    assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
    // What is drawn depends on the time that it takes; what is told in lines does not.
    let folder = tempfile::tempdir().unwrap();
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/clobber_1x6.gdl");
    let run = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_ggsolve");
        let output = Command::new(program).current_dir(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    run(&[game.to_str().unwrap(), "-o", "it.ggs"]);
    let told = run(&["verify", "it.ggs", "--threads", "2", "--progress", "always"]);
    assert!(told.contains("files: 10 of 10\n"), "{told}");
}

#[test]
fn no_colour_is_respected() {
    let Some(text) = recorded(80, &[], "-v GAME --no-store") else { return };
    assert!(text.contains("\u{1b}[3"), "{text}");
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let text = recorded(80, &[variable], "-v GAME --no-store").unwrap();
        assert!(text.contains("INFO") && !text.contains('\u{1b}'), "{variable:?}: {text}");
    }
}
