//! `review` of known matches.

use super::{run, stored, texts};
use serde_json::{Value, json};

/// An edge beside a corner loses; the win is given back with the third move, and kept to the end.
const MATCH: &str =
    "(mark 1 1)\n(mark 1 2) ; loses\n(mark 3 1) ; threatens\n(mark 2 1)\n(mark 2 2)\n(mark 3 3)\n(mark 1 3)\n";

#[test]
fn moves_that_give_the_result_away_are_named() {
    let (_folder, path) = stored("tictactoe");
    let file = path.join("match.txt");
    std::fs::write(&file, MATCH).unwrap();
    let arguments = ["review", path.to_str().unwrap(), file.to_str().unwrap()];
    let (code, text, errors) = texts(run(&arguments, ""));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(text.contains("2  oplayer  (mark 1 2)   50/50  100/0  gives the draw away; best: (mark 2 2)"), "{text}");
    assert!(text.contains("every move was best but that of ply 2"), "{text}");
    assert!(text.contains("the result: a win for xplayer, 100 to 0"), "{text}");
    assert!(text.contains("decided by ply 2, (mark 1 2) of oplayer"), "{text}");
    let (code, text, _) = texts(run(&["review", arguments[1], "-"], "; nothing yet\n"));
    assert!(code == 0 && text.contains("the match has no moves") && !text.contains("every move"), "{text}");
    let (code, output, _) = texts(run(&["review", arguments[1], "-", "--format", "json"], MATCH));
    let report: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((code, &report["mistakes"], &report["finished"]), (0, &json!([2]), &json!(true)));
    assert_eq!(report["value"], json!([100, 0]));
    assert_eq!(
        report["moves"][1],
        json!({"ply": 2, "role": "oplayer", "move": "(mark 1 2)", "joint": ["noop", "(mark 1 2)"], "forced": false,
            "before": [50, 50], "after": [100, 0],
            "keeps_value": false, "optimal": false, "gives_away": "draw", "best": ["(mark 2 2)"],
            "score": 0.0})
    );
}

#[test]
fn matches_of_general_game_playing_are_read() {
    let (_folder, path) = stored("tictactoe");
    let folder = path.to_str().unwrap();
    let text = json!({
        "matchId": "test.1", "startClock": 30,
        "moves": [["( mark 2 2 )", "noop"], ["noop", "( mark 1 2 )"], ["( mark 3 1 )", "noop"]],
        "states": [["( cell 1 1 b )", "( control xplayer )"]],
    });
    let (code, _, errors) = texts(run(&["review", folder, "-"], &text.to_string()));
    assert_eq!(code, 2);
    assert!(errors.contains("the state after ply 0 is not the one"), "{errors}");
    let moves = json!({"moves": text["moves"]});
    let (code, output, _) = texts(run(&["review", folder, "-"], &moves.to_string()));
    assert_eq!(code, 0);
    assert!(output.contains("the match stops where best play leads to: a win for xplayer"), "{output}");
    let (code, _, errors) = texts(run(&["review", folder, "-"], "(mark 1 1)\n(mark 7 7)\n"));
    assert_eq!(code, 2);
    assert!(errors.contains("ply 2: (mark 7 7) is not a legal move of oplayer"), "{errors}");
}
