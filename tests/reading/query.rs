//! `query` on the command line.

use super::{run, stored, texts, two_layers_only, without_values_before};
use serde_json::{Value, json};
use std::path::Path;

fn query(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    texts(run(&[&["query", folder.to_str().unwrap()], arguments].concat(), input))
}

fn json_of(folder: &Path, arguments: &[&str]) -> Value {
    let (code, output, errors) = query(folder, &[arguments, &["--format", "json"]].concat(), "");
    assert_eq!((code, errors.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&output).unwrap()
}

#[test]
fn positions_are_named_by_moves_or_by_fluents() {
    let (_folder, path) = stored("tictactoe");
    let start = json_of(&path, &[]);
    assert_eq!(start["to_move"], "xplayer");
    assert_eq!((&start["value"], &start["terminal"], &start["layer"]), (&json!([50, 50]), &json!(false), &json!(0)));
    assert_eq!(start["moves"].as_array().unwrap().len(), 9);
    assert_eq!(
        start["moves"][4],
        json!({"move": "(mark 2 2)", "role": "xplayer", "joint": ["(mark 2 2)", "noop"], "value": [50, 50],
            "keeps_value": true, "optimal": true})
    );

    let edge = json_of(&path, &["--moves", "(mark 1 1) (mark 1 2)", "--distance"]);
    assert_eq!((&edge["to_move"], &edge["value"]), (&json!("xplayer"), &json!([100, 0])));
    assert_eq!(edge["distance"], json!({"plies": 5, "exact": true}));
    let fluents: Vec<&str> = edge["state"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let again = json_of(&path, &["--state", &fluents.join(" "), "--distance"]);
    assert_eq!(again, edge);
    // Moves may follow fluents.
    let more = json_of(&path, &["--state", &fluents.join(" "), "--moves", "( MARK 2 2 )"]);
    assert_eq!(more, json_of(&path, &["--moves", "(mark 1 1) (mark 1 2) (mark 2 2)"]));
}

/// A search for distances that ends early tells which bound to raise.
#[test]
fn what_ended_a_search_is_told() {
    let (_folder, path) = stored("connect4_4x4");
    for (bound, option) in [("nodes", "50"), ("memory", "2M")] {
        let arguments = ["--distance", &format!("--{bound}"), option];
        let found = query(&path, &[&arguments[..], &["--format", "json"]].concat(), "");
        let found: Value = serde_json::from_str(&found.1).unwrap();
        assert_eq!((&found["distance"]["exact"], &found["distance_ended_by"]), (&json!(false), &json!(bound)));
        let (_, text, _) = query(&path, &arguments, "");
        assert!(text.contains(&format!("raise --{bound} for more than lower bounds")), "{text}");
    }
    let found = json_of(&path, &["--distance"]);
    assert_eq!((&found["distance"]["exact"], found.get("distance_ended_by")), (&json!(true), None));
}

#[test]
fn the_last_ply_is_forced_and_can_be_named() {
    let (_folder, path) = stored("tictactoe");
    let moves = "(mark 1 1)(mark 2 2)(mark 3 3)(mark 1 2)(mark 3 2)(mark 3 1)(mark 1 3)(mark 2 3)";
    let forced = json_of(&path, &["--moves", moves]);
    assert_eq!((&forced["to_move"], &forced["forced"], &forced["layer"]), (&json!("xplayer"), &json!(true), &json!(8)));
    let only = json!([{"move": "(mark 2 1)", "role": "xplayer", "joint": ["(mark 2 1)", "noop"], "value": [50, 50],
        "keeps_value": true, "optimal": true}]);
    assert_eq!(forced["moves"], only);
    let end = json_of(&path, &["--moves", &format!("{moves} (mark 2 1)")]);
    assert_eq!((&end["terminal"], &end["moves"], &end["layer"]), (&json!(true), &json!([]), &json!(9)));
    assert_eq!(end["to_move"], Value::Null);
    assert_eq!(json_of(&path, &["--moves", &format!("{moves} noop")]), end);
    let (_, text, _) = query(&path, &["--moves", moves], "");
    assert!(text.contains("xplayer to move, without a choice"), "{text}");
    let (code, _, errors) = query(&path, &["--moves", &format!("{moves} (mark 2 1) noop")], "");
    assert_eq!((code, errors.as_str()), (2, "error: ply 10: noop follows, but play is over\n"));
}

#[test]
fn the_text_has_the_board_and_every_move() {
    let (_folder, path) = stored("tictactoe");
    let (code, text, _) = query(&path, &["--moves", "(mark 1 1) (mark 1 2)", "--distance"], "");
    assert_eq!(code, 0);
    for part in [
        "tictactoe, in layer 2: xplayer to move",
        "3 | . . .",
        "2 | o . .",
        "1 | x . .",
        "a win for xplayer, 100 to 0",
        "play ends in 5 plies",
        "  best  (mark 2 2)    100/0      5\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_single_move_needs_no_parentheses() {
    let (_folder, path) = stored("tictactoe");
    let [bare, whole] = ["mark 2 2", "(mark 2 2)"].map(|moves| query(&path, &["--moves", moves], ""));
    assert_eq!((bare.0, &bare.1), (0, &whole.1), "{}", bare.2);
    let (_, lines, _) = query(&path, &["--moves", "-", "--format", "json"], "mark 2 2\n(mark 2 2)\n");
    assert_eq!(lines.lines().next(), lines.lines().nth(1));
    let (code, _, errors) = query(&path, &["--moves", "mark 4 4"], "");
    assert!(
        code == 2 && errors.contains("neither mark nor (mark 4 4) is a legal move of xplayer; legal: "),
        "{errors}"
    );
}

#[test]
fn many_positions_come_from_standard_input() {
    let (_folder, path) = stored("tictactoe");
    let (code, output, errors) =
        query(&path, &["--moves", "-", "--format", "json"], "(mark 1 1)\n\n(mark 9 9)\n(mark 2 2) ; the centre\n");
    assert_eq!((code, errors.as_str()), (2, "error: 1 position is wrong\n"));
    let answers: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let layers: Vec<&Value> = answers.iter().map(|answer| &answer["layer"]).collect();
    assert_eq!(layers, [&json!(1), &json!(0), &Value::Null, &json!(1)]);
    assert_eq!(answers[2]["line"], 3);
    let state = answers[1]["state"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    let line = format!("{}\n", state.collect::<Vec<_>>().join(" "));
    let (code, output, _) = query(&path, &["--state", "-"], &line.repeat(2));
    assert_eq!((code, output.matches("tictactoe, at the start").count()), (0, 2));
    assert_eq!(query(&path, &["--state", "-", "--moves", "-"], "").0, 2);
}

const ALL_BUT_CENTRE: &str = "(cell 1 1 b) (cell 1 2 b) (cell 1 3 b) (cell 2 1 b) (cell 2 3 b) (cell 3 1 b) (cell 3 2 b) \
    (cell 3 3 b)";

#[test]
fn a_byte_order_mark_before_the_first_position_is_no_part_of_it() {
    let (_scene, folder) = stored("tictactoe");
    let (code, text, errors) = query(&folder, &["--moves", "-"], "\u{feff}mark 1 1\r\n");
    assert!(code == 0 && text.contains("oplayer to move"), "{text}{errors}");
}

#[test]
fn too_little_memory_for_the_rules_is_a_limit_and_no_damage() {
    let (_scene, folder) = stored("tictactoe");
    let codes: Vec<i32> = ["20K", "50K", "100K", "200K", "8M"]
        .map(|memory| {
            let (code, _, errors) = query(&folder, &["--memory", memory], "");
            assert!(
                !errors.contains("damaged") && (code == 0) != errors.contains("give more with --memory"),
                "{errors}"
            );
            code
        })
        .into();
    assert!(codes.iter().all(|code| [0, 4].contains(code)) && codes[0] == 4 && codes[4] == 0, "{codes:?}");
}

#[test]
fn what_is_wrong_with_a_position_is_told() {
    let (_folder, path) = stored("tictactoe");
    for (arguments, expected) in [
        (["--moves", "(mark 1 1) (mark 1 1)"], "ply 2: (mark 1 1) is not a legal move of oplayer; legal: (mark 1 2)"),
        (["--moves", "(mark 1"], "never closed"),
        (["--state", "(cell 1 1 z)"], "unknown fluent (cell 1 1 z); known are (cell 1 1 b)"),
        (
            ["--state", "(cell 1 1 x)"],
            "fluents are missing, one of each list must hold: (cell 1 2 b) (cell 1 2 o) (cell 1 2 x); ",
        ),
        (
            ["--state", &format!("{ALL_BUT_CENTRE} (cell 2 2 x) (cell 2 2 b) (control oplayer)")],
            "these fluents clash, at most one of each list holds at a time: (cell 2 2 b) (cell 2 2 x)\n",
        ),
        (
            ["--state", &format!("{ALL_BUT_CENTRE} (cell 2 2 x)")],
            "fluents are missing, one of each list must hold: (control oplayer) (control xplayer)\n",
        ),
        (
            ["--state", &format!("{ALL_BUT_CENTRE} (cell 2 2 x) (control xplayer)")],
            "the state is unreachable: the fluents fit together, but no play leads to a state with exactly these: ",
        ),
    ] {
        let (code, output, errors) = query(&path, &arguments, "");
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}");
        assert!(errors.contains(expected), "{errors}");
    }
    assert_eq!(query(Path::new("no such folder"), &[], "").0, 1);
    std::fs::write(path.join("layer-00001.values"), b"short").unwrap();
    let (code, _, errors) = query(&path, &[], "");
    assert_eq!(code, 5, "{errors}");
}

#[test]
fn unfinished_solutions_answer_as_far_as_they_are() {
    let (_folder, path) = stored("tictactoe");
    without_values_before(7, &path);
    let moves = "(mark 1 1)(mark 2 2)(mark 3 3)(mark 1 2)(mark 3 2)(mark 3 1)(mark 1 3)";
    assert_eq!(json_of(&path, &["--moves", moves])["layer"], 7);
    let (code, _, errors) = query(&path, &[], "");
    assert_eq!(code, 4);
    assert!(errors.contains("only the layers from 7 on are solved"), "{errors}");

    two_layers_only(&path);
    let (code, _, errors) = query(&path, &["--moves", moves], "");
    assert_eq!(code, 4, "{errors}");
    assert!(errors.contains("no layer is solved"), "{errors}");
}
