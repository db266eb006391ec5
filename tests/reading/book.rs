//! `book`: the distances of all positions up to a ply, against plain recursion; resumed, damaged and false ones.

use crate::common::program;
use crate::{copy, run, stored, texts};
use base::limits::Limits;
use game::interpreter::{State, Turn};
use serde_json::Value;
use solving::solution::{Position, Solution};
use solving::store::{BOOK, Book, Manifest};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn book(folder: &Path, plies: &str, more: &[&str]) -> (i32, Value, String) {
    let folder = folder.to_str().unwrap();
    let (code, out, err) = texts(run(&[&["book", folder, "--plies", plies, "--format", "json"], more].concat(), ""));
    (code, serde_json::from_str(&out).unwrap_or_default(), err)
}

/// The plies to the end, by recursion over all best moves; `None`: play can go on for ever.
fn obvious(solution: &Solution, position: &Position, known: &mut BTreeMap<State, Option<u32>>) -> Option<u32> {
    if let Some(&plies) = known.get(&position.state) {
        return plies;
    }
    let found = solution.assess(position).unwrap();
    let plies = found.value.as_deref().map(|value| {
        let best = found.moves.iter().filter(|option| option.keeps_value);
        let after = best.map(|option| {
            let next = Position { layer: position.layer + 1, state: option.successor.clone() };
            obvious(solution, &next, known).expect("a best move leads to an end") + 1
        });
        let after: Vec<u32> = after.collect();
        let loses = match found.turn {
            Turn::Mover(role) => value.iter().any(|&reward| reward > value[role.index()]),
            _ => false,
        };
        if loses { after.into_iter().max() } else { after.into_iter().min() }.unwrap_or(0)
    });
    known.insert(position.state.clone(), plies);
    plies
}

/// Compares the book of a solution with all positions up to a ply; how many have a distance.
fn compare(folder: &Path, plies: u32) -> usize {
    let solution = Solution::open(folder, &Limits::unlimited()).unwrap();
    let (mut known, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let mut layer = BTreeSet::from([solution.start().state]);
    let mut number = 0;
    for ply in 0..=plies {
        let mut next = BTreeSet::new();
        for state in layer {
            let position = Position { layer: ply, state: state.clone() };
            let expected = obvious(&solution, &position, &mut known);
            assert_eq!(solution.worth(&position).unwrap().plies, expected, "{:?}", state.names(solution.game()));
            number += usize::from(expected.is_some());
            for option in solution.assess(&position).unwrap().moves {
                if !seen.contains(&option.successor) {
                    next.insert(option.successor);
                }
            }
            seen.insert(state);
        }
        layer = next.into_iter().filter(|state| !seen.contains(state)).collect();
    }
    assert_eq!(solution.book().map(Book::states), Some(number));
    number
}

/// A solution of rules by the program itself.
fn solved(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let scene = tempfile::tempdir().unwrap();
    let (rules, folder) = (scene.path().join("game.gdl"), scene.path().join("game.ggs"));
    std::fs::write(&rules, text).unwrap();
    assert!(!program("game", text.as_bytes()).rules.is_empty());
    let (code, _, err) = texts(run(&["solve", rules.to_str().unwrap(), "-o", folder.to_str().unwrap()], ""));
    assert_eq!(code, 0, "{err}");
    (scene, folder)
}

#[test]
fn books_are_what_plain_recursion_finds() {
    for (game, plies) in [("tictactoe", 9), ("tictactoe", 4), ("nim40", 5), ("hanoi", 3), ("tictactoe3", 3)] {
        let (_scene, folder) = stored(game);
        let (code, report, err) = book(&folder, &plies.to_string(), &["--threads", "2"]);
        assert_eq!((code, &report["complete"]), (0, &Value::Bool(true)), "{game}: {err}");
        let states: u64 =
            report["layers"].as_array().unwrap().iter().map(|layer| layer["known"].as_u64().unwrap()).sum();
        assert_eq!(compare(&folder, plies) as u64, states, "{game}");
    }
}

#[test]
fn positions_that_come_again_and_endless_ones() {
    for (text, plies) in [(include_str!("endless.gdl"), 4), (crate::OVERLAPPING, 6)] {
        let (_scene, folder) = solved(text);
        let (code, report, err) = book(&folder, &plies.to_string(), &[]);
        assert_eq!((code, &report["complete"]), (0, &Value::Bool(true)), "{err}");
        compare(&folder, plies);
    }
}

#[test]
fn one_of_an_orbit_is_searched() {
    let (_scene, folder) = stored("tictactoe");
    let (_, report, _) = book(&folder, "2", &[]);
    // 72 positions of two marks, of which 12 differ by more than the symmetries of the square.
    assert_eq!((&report["symmetries"], &report["searched"]), (&Value::from(8), &Value::from(12)));
    assert_eq!(report["distance"], 9);
}

#[test]
fn what_is_there_is_gone_on_from() {
    let (_scene, folder) = stored("tictactoe");
    let at_once = folder.with_file_name("at_once.ggs");
    copy(&folder, &at_once);
    book(&at_once, "4", &[]);
    let expected = std::fs::read(at_once.join(BOOK)).unwrap();
    // By plies.
    book(&folder, "2", &[]);
    let (_, report, _) = book(&folder, "4", &[]);
    assert!(report["searched"].as_u64().unwrap() > 0);
    assert_eq!(std::fs::read(folder.join(BOOK)).unwrap(), expected);
    // From a part, as an interruption leaves it.
    let manifest = Manifest::load(&folder).unwrap();
    let all = Book::open(&folder, &manifest).unwrap().unwrap();
    let part: Vec<(Vec<u8>, u32)> = all.records().step_by(2).map(|(key, plies)| (key.to_vec(), plies)).collect();
    Book::write(&folder, &manifest, 4, &part, &Limits::unlimited().into()).unwrap();
    let (code, again, _) = book(&folder, "4", &[]);
    assert_eq!(code, 0);
    assert!(again["searched"].as_u64() < report["searched"].as_u64(), "{again} {report}");
    assert_eq!(std::fs::read(folder.join(BOOK)).unwrap(), expected);
    // Nothing is left to do.
    let (code, nothing, _) = book(&folder, "3", &[]);
    assert_eq!((code, &nothing["searched"]), (0, &Value::from(0)));
    assert_eq!(std::fs::read(folder.join(BOOK)).unwrap(), expected);
}

#[test]
fn a_limit_keeps_what_was_found() {
    let (_scene, folder) = stored("tictactoe");
    book(&folder, "2", &[]);
    let before = std::fs::read(folder.join(BOOK)).unwrap();
    let (code, _, err) = book(&folder, "6", &["--time", "1ms"]);
    assert_eq!(code, 4, "{err}");
    assert!(err.contains("the same command goes on"), "{err}");
    let manifest = Manifest::load(&folder).unwrap();
    let kept = Book::open(&folder, &manifest).unwrap().unwrap();
    assert!(kept.bytes() >= before.len() as u64);
    assert_eq!(book(&folder, "6", &[]).0, 0);
    compare(&folder, 6);
}

#[test]
#[cfg(unix)]
fn an_interruption_keeps_what_was_found() {
    let (_scene, folder) = stored("tictactoe3");
    let arguments = ["book", folder.to_str().unwrap(), "--plies", "6", "--threads", "1", "--progress", "always"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    // A thousand searches are to be done: some are, and most are not.
    assert!(lines.any(|line| line.starts_with("distances: 20 of ")));
    let signalled = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let told = lines.collect::<Vec<String>>().join("\n");
    assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
    assert!(told.contains("interrupted") && told.contains("the same command goes on from there"), "{told}");
    let manifest = Manifest::load(&folder).unwrap();
    let kept = Book::open(&folder, &manifest).unwrap().unwrap().states();
    assert!(kept > 0);
    let (code, report, err) = book(&folder, "6", &[]);
    assert_eq!((code, &report["complete"]), (0, &Value::Bool(true)), "{err}");
    let all: u64 = report["layers"].as_array().unwrap().iter().map(|layer| layer["known"].as_u64().unwrap()).sum();
    assert!((kept as u64) < all, "{kept} of {all}");
    // What the whole book takes when nothing is there.
    let at_once = folder.with_file_name("at_once.ggs");
    copy(&folder, &at_once);
    std::fs::remove_file(at_once.join(BOOK)).unwrap();
    let (_, whole, _) = book(&at_once, "6", &[]);
    assert!(report["searched"].as_u64() < whole["searched"].as_u64(), "{report} {whole}");
    assert_eq!(std::fs::read(folder.join(BOOK)).unwrap(), std::fs::read(at_once.join(BOOK)).unwrap());
}

#[test]
fn damaged_and_foreign_books_are_told() {
    let (_scene, folder) = stored("tictactoe");
    let path = folder.to_str().unwrap();
    book(&folder, "2", &[]);
    let file = folder.join(BOOK);
    let right = std::fs::read(&file).unwrap();
    let refused = |what: &str| {
        for arguments in [vec!["query", path], vec!["verify", path], vec!["book", path, "--plies", "2"]] {
            let (code, out, err) = texts(run(&arguments, ""));
            assert!(code == 5 && format!("{err}{out}").contains("book.distances"), "{what}: {arguments:?} {code}");
            let is_advised = err.contains("remove the file") || err.contains("format version");
            assert!(is_advised || arguments[0] == "verify", "{what}: {arguments:?} {err}");
        }
    };
    for place in [0, 9, 13, 17, 25, 40, 64, right.len() / 2, right.len() - 1] {
        let mut wrong = right.clone();
        wrong[place] ^= 1;
        std::fs::write(&file, &wrong).unwrap();
        refused(&format!("byte {place}"));
    }
    for length in [0, 10, 64, right.len() - 1] {
        std::fs::write(&file, &right[..length]).unwrap();
        refused(&format!("cut to {length}"));
    }
    let (_other_scene, other) = stored("nim40");
    book(&other, "2", &[]);
    std::fs::copy(other.join(BOOK), &file).unwrap();
    refused("of another solution");
    std::fs::write(&file, &right).unwrap();
    assert_eq!(texts(run(&["verify", path], "")).0, 0);
}

#[test]
fn verify_finds_wrong_distances_under_right_checksums() {
    let (_scene, folder) = stored("tictactoe");
    let path = folder.to_str().unwrap();
    book(&folder, "2", &[]);
    let (code, out, _) = texts(run(&["verify", path, "--seed", "1", "--full", "--format", "json"], ""));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["claims"]["book"]), (0, &Value::from("proved")));
    let manifest = Manifest::load(&folder).unwrap();
    let records: Vec<(Vec<u8>, u32)> = {
        let book = Book::open(&folder, &manifest).unwrap().unwrap();
        book.records().map(|(key, plies)| (key.to_vec(), plies)).collect()
    };
    for index in (0..records.len()).step_by(11) {
        let mut wrong = records.clone();
        wrong[index].1 += 2;
        Book::write(&folder, &manifest, 2, &wrong, &Limits::unlimited().into()).unwrap();
        let (code, out, _) = texts(run(&["verify", path, "--full"], ""));
        assert!(code == 5 && out.contains("has the distance"), "record {index}: {out}");
    }
    // A ply fewer: the last one does not belong there.
    Book::write(&folder, &manifest, 1, &records, &Limits::unlimited().into()).unwrap();
    let (code, out, _) = texts(run(&["verify", path], ""));
    assert!(code == 5 && out.contains("72 states that are no positions up to ply 1"), "{out}");
}

#[test]
fn a_solution_that_is_replaced_loses_its_book() {
    let (_scene, folder) = solved(crate::OVERLAPPING);
    book(&folder, "2", &[]);
    let (rules, path) = (folder.with_file_name("game.gdl"), folder.to_str().unwrap());
    let rules = rules.to_str().unwrap();
    // A finished one keeps it.
    assert_eq!(texts(run(&["solve", rules, "-o", path], "")).0, 0);
    assert!(folder.join(BOOK).exists());
    let (code, _, err) = texts(run(&["solve", rules, "-o", path, "--force", "--opponent-model", "max-diff"], ""));
    assert_eq!(code, 0, "{err}");
    assert!(!folder.join(BOOK).exists());
}

#[test]
fn books_need_all_values() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("counted.ggs");
    let rules = crate::common::shipped("tictactoe.gdl");
    let path = folder.to_str().unwrap();
    assert_eq!(texts(run(&["count", rules.to_str().unwrap(), "-o", path], "")).0, 0);
    let (code, _, err) = book(&folder, "2", &[]);
    assert!(code == 4 && err.contains("values are missing"), "{code} {err}");
    assert!(!folder.join(BOOK).exists());
}

#[test]
fn stored_distances_need_no_book() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("all.ggs");
    let rules = crate::common::shipped("tictactoe.gdl");
    let path = folder.to_str().unwrap();
    assert_eq!(texts(run(&["solve", "--distances", rules.to_str().unwrap(), "-o", path], "")).0, 0);
    let (code, _, err) = book(&folder, "2", &[]);
    assert!(code == 2 && err.contains("has the distances of all states already"), "{code} {err}");
    assert!(!folder.join(BOOK).exists());
}
