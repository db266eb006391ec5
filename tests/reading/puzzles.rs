//! `puzzles` on the command line, checked by brute force: in each, exactly one move keeps the value.

use super::{run, texts};
use crate::common::explicit::retrograde;
use crate::common::{game, program, shipped};
use base::limits::Limits;
use game::interpreter::{Interpreter, State};
use game::reward::OpponentModel;
use game::symmetry::{Effort, Kept, Rules};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn solved(name: &str) -> (TempDir, PathBuf) {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("solution.ggs");
    let file = shipped(&format!("{name}.gdl"));
    let (code, _, errors) = texts(run(&["solve", file.to_str().unwrap(), "-o", folder.to_str().unwrap()], ""));
    assert_eq!(code, 0, "{errors}");
    (scene, folder)
}

fn puzzles(folder: &Path, options: &[&str]) -> Value {
    let arguments = [&["puzzles", folder.to_str().unwrap(), "--format", "json"], options].concat();
    let (code, output, errors) = texts(run(&arguments, ""));
    assert_eq!((code, errors.as_str()), (0, ""));
    serde_json::from_str(&output).unwrap()
}

fn names(value: &Value) -> BTreeSet<String> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// All puzzles of a game against its values by brute force. `most`: a bound on its states.
fn compare(name: &str, most: usize) -> usize {
    let (_scene, folder) = solved(name);
    let report = puzzles(&folder, &["--number", "1000000", "--draws", "1000000"]);
    let text = std::fs::read(shipped(&format!("{name}.gdl"))).unwrap();
    let game = game(&program(name, &text));
    let model = OpponentModel::MaxOwn;
    let solution = retrograde(&game, model, most).unwrap();
    let (exploration, interpreter) = (&solution.exploration, Interpreter::new(&game));
    // Brute force: which moves of a state keep its value.
    let keeping = |state: &State| -> Option<(usize, BTreeSet<String>)> {
        let situation = interpreter.situation(state);
        let mover = situation.legal.iter().position(|moves| moves.len() > 1).filter(|_| !situation.terminal)?;
        let value = |state: &State| &solution.values[exploration.find(state).unwrap().index()];
        let kept = situation.joint_moves().filter(|joint| value(&interpreter.successor(state, joint)) == value(state));
        let kept = kept.map(|joint| game.moves[joint[mover].index()].term.to_string()).collect();
        Some((mover, kept))
    };
    let start = interpreter.initial();
    let kept = Kept { state: Some(&start), roles: true };
    let limits = Limits::unlimited();
    let symmetries = Rules::new(&game, &limits).unwrap().symmetries(kept, &Effort::default(), &limits).unwrap();
    let images = symmetries.elements(1000);
    let least = |state: &State| images.iter().map(|images| images.state(state)).min().unwrap_or_else(|| state.clone());
    let states = exploration.ids().map(|id| exploration.state(id));
    let expected: BTreeSet<State> =
        states.filter(|state| keeping(state).is_some_and(|(_, kept)| kept.len() == 1)).map(least).collect();

    let mut found = BTreeSet::new();
    let mut last = 1.0;
    for puzzle in report["puzzles"].as_array().unwrap() {
        let holds = names(&puzzle["state"]);
        let flags: Vec<bool> = game.fluents.iter().map(|term| holds.contains(&term.to_string())).collect();
        let state = State::from_flags(&flags);
        let (mover, kept) = keeping(&state).expect("a role has a choice");
        assert_eq!(kept, BTreeSet::from([puzzle["solution"].as_str().unwrap().to_owned()]), "{puzzle}");
        assert_eq!(puzzle["to_move"], game.roles[mover].to_string());
        assert!(found.insert(least(&state)), "one of each orbit: {puzzle}");
        // The random player, by hand; the others are probabilities.
        let (moves, players) = (puzzle["moves"].as_array().unwrap().len() as f64, &puzzle["players"]);
        let rate = |name: &str| players[name].as_f64().unwrap();
        assert!((rate("random") - (moves - 1.0) / moves).abs() < 1e-12, "{puzzle}");
        assert!(["greedy", "search"].iter().all(|name| (0.0..=1.0).contains(&rate(name))), "{puzzle}");
        let difficulty = puzzle["difficulty"].as_f64().unwrap();
        let mean = ["random", "greedy", "search"].map(rate).iter().sum::<f64>() / 3.0;
        assert!((difficulty - mean).abs() < 1e-12 && difficulty <= last, "{puzzle}");
        last = difficulty;
    }
    assert_eq!((found.len(), &report["all"]), (expected.len(), &Value::from(true)));
    assert_eq!(found, expected);
    assert_eq!(report["found"], expected.len());
    found.len()
}

#[test]
fn exactly_one_move_keeps_the_value() {
    // A game whose play ends, one in which it can go on for ever, and one of a single player.
    assert!(compare("tictactoe", 10_000) > 100);
    assert!(compare("morris_three", 20_000) > 100);
    assert!(compare("hanoi", 10_000) > 0);
}

#[test]
fn players_that_look_ahead_find_what_is_in_sight() {
    let (_scene, folder) = solved("tictactoe");
    let report = puzzles(&folder, &["--number", "1000000", "--draws", "100000"]);
    let (mut wins, mut blocks) = (0, 0);
    for puzzle in report["puzzles"].as_array().unwrap() {
        let state = names(&puzzle["state"]);
        let own = if puzzle["to_move"] == "xplayer" { "x" } else { "o" };
        let other = if own == "x" { "o" } else { "x" };
        // Places where a mark of one makes a line.
        let threats = |mark: &str| {
            let at = |x: i32, y: i32, what: &str| state.contains(&format!("(cell {x} {y} {what})"));
            let rows = (1..=3).map(|x| [(x, 1), (x, 2), (x, 3)]).chain((1..=3).map(|y| [(1, y), (2, y), (3, y)]));
            let lines = rows.chain([[(1, 1), (2, 2), (3, 3)], [(1, 3), (2, 2), (3, 1)]]);
            let open = lines.filter(|line| line.iter().filter(|&&(x, y)| at(x, y, mark)).count() == 2);
            let open = open.flat_map(|line| line.into_iter().find(|&(x, y)| at(x, y, "b")));
            open.collect::<BTreeSet<(i32, i32)>>()
        };
        let players = &puzzle["players"];
        if !threats(own).is_empty() {
            assert_eq!((&players["greedy"], &players["search"]), (&Value::from(0.0), &Value::from(0.0)), "{puzzle}");
            wins += 1;
        } else if !threats(other).is_empty() {
            // All moves look alike to the greedy one; the other one blocks.
            assert_eq!(players["greedy"], players["random"], "{puzzle}");
            assert_eq!(players["search"], Value::from(0.0), "{puzzle}");
            blocks += 1;
        }
    }
    assert!(wins > 10 && blocks > 10, "{wins} {blocks}");
}

#[test]
fn draws_depend_on_the_seed_and_a_page_shows_the_boards() {
    let (scene, folder) = solved("tictactoe");
    let options = |seed| ["--draws", "300", "--number", "3", "--seed", seed];
    let without_time = |mut report: Value| {
        report["time_s"] = Value::Null;
        report
    };
    let first = without_time(puzzles(&folder, &options("1")));
    assert_eq!(first, without_time(puzzles(&folder, &options("1"))));
    assert_ne!(first["puzzles"], puzzles(&folder, &options("2"))["puzzles"]);
    assert_eq!((first["puzzles"].as_array().unwrap().len(), &first["all"]), (3, &Value::from(false)));
    let layer = puzzles(&folder, &["--layer", "4"]);
    assert!(layer["puzzles"].as_array().unwrap().iter().all(|puzzle| puzzle["layer"] == 4));
    for layer in ["10", "4294967295"] {
        let (code, _, errors) = texts(run(&["puzzles", folder.to_str().unwrap(), "--layer", layer], ""));
        assert!(code == 2 && errors.contains(&format!("there is no layer {layer}: ")), "{errors}");
    }

    let page = scene.path().join("puzzles.html");
    let arguments =
        [&["puzzles", folder.to_str().unwrap(), "--html", page.to_str().unwrap()][..], &options("1")].concat();
    let (code, output, errors) = texts(run(&arguments, ""));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(output.contains("  1. ") && output.contains("  Answers\n"), "{output}");
    let text = std::fs::read_to_string(&page).unwrap();
    let document = roxmltree::Document::parse_with_options(
        &text,
        roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() },
    );
    let document = document.unwrap_or_else(|error| panic!("{error}: {text}"));
    let boards = document.descendants().filter(|node| node.attribute("class") == Some("board"));
    assert_eq!(
        boards.map(|board| board.descendants().filter(|node| node.has_tag_name("td")).count()).sum::<usize>(),
        27
    );
}

#[test]
fn endless_play_is_named_where_it_is_to_be_kept() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("endless.ggs");
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reading/endless.gdl");
    let (code, _, errors) = texts(run(&["solve", rules.to_str().unwrap(), "-o", folder.to_str().unwrap()], ""));
    assert_eq!(code, 0, "{errors}");
    let (code, output, _) = texts(run(&["puzzles", folder.to_str().unwrap()], ""));
    assert_eq!(code, 0);
    assert!(output.contains("which one of 2 moves keeps endless play?"), "{output}");
    assert!(output.contains(", looking 3 plies ahead 0."), "{output}");
    let (code, output, _) = texts(run(&["puzzles", folder.to_str().unwrap(), "--number", "1"], ""));
    assert_eq!(code, 0);
    assert!(output.lines().next().unwrap().ends_with(", the most difficult one"), "{output}");
}

#[test]
fn states_of_several_layers_count_once() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("shared.ggs");
    // `c` lies in two layers, and so do the ends behind it.
    let rules = "(role x) (role y) (init (at a)) (e a b) (e a c) (e b c) (e c d) (e c f) (legal y wait)
        (<= (legal x (to ?b)) (true (at ?a)) (e ?a ?b)) (<= (next (at ?b)) (does x (to ?b)))
        (<= terminal (true (at d))) (<= terminal (true (at f)))
        (<= (goal x 0) (true (at d))) (<= (goal y 100) (true (at d)))
        (<= (goal x 100) (true (at f))) (<= (goal y 0) (true (at f)))";
    let (code, _, errors) = texts(run(&["solve", "-", "-o", folder.to_str().unwrap()], rules));
    assert_eq!(code, 0, "{errors}");
    let folder_name = folder.to_str().unwrap();
    for (options, expected) in [
        (&[][..], "1 puzzle in all 5 positions (8 if each is counted in every layer that contains it)"),
        (
            &["--draws", "5", "--seed", "1"],
            "5 positions drawn at random from 8, if each is counted in every layer that",
        ),
        (&["--layer", "2"], "1 puzzle in all 3 positions, the most difficult one"),
    ] {
        let page = scene.path().join("puzzles.html");
        let arguments = [&["puzzles", folder_name, "--html", page.to_str().unwrap()][..], options].concat();
        let (code, output, errors) = texts(run(&arguments, ""));
        assert_eq!((code, errors.as_str()), (0, ""));
        assert!(output.contains(expected), "{output}");
        assert!(std::fs::read_to_string(&page).unwrap().contains(expected), "{options:?}");
    }
    let report = puzzles(&folder, &[]);
    assert_eq!(
        [&report["states"], &report["layer_states"], &report["positions"]],
        [5, 8, 8].map(Value::from).each_ref()
    );
    let report = puzzles(&folder, &["--layer", "2"]);
    assert_eq!([&report["states"], &report["layer_states"]], [3, 3].map(Value::from).each_ref());
}
