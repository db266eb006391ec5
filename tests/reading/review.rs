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

/// The best move and the other one pay the mover as much, and differ for the other player. Then both pass in turn, each
/// by its own name for it.
#[test]
fn a_move_that_differs_for_others_alone_is_no_mistake_and_passes_are_those_of_who_has_the_turn() {
    let scene = tempfile::tempdir().unwrap();
    let [game, folder] = ["passes.gdl", "passes.ggs"].map(|name| scene.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&game, include_str!("../common/passes.gdl")).unwrap();
    let (code, _, errors) = texts(run(&["solve", &game, "-o", &folder], ""));
    assert_eq!(code, 0, "{errors}");
    let (code, output, errors) = texts(run(&["review", &folder, "-", "--format", "json"], "b\npass\npass\n"));
    assert_eq!(code, 0, "{errors}");
    let review: Value = serde_json::from_str(&output).unwrap();
    let first = &review["moves"][0];
    assert_eq!((&first["before"], &first["after"]), (&json!([60, 0]), &json!([60, 100])));
    assert_eq!((&first["keeps_value"], &first["score"]), (&json!(false), &json!(1.0)));
    let plies: Vec<_> = review["moves"].as_array().unwrap().iter().map(|ply| (&ply["role"], &ply["move"])).collect();
    assert_eq!(plies[1..], [(&json!("blue"), &json!("pass")), (&json!("red"), &json!("pass"))]);
    assert_eq!(review["finished"], json!(true));
    // A ply may be given by the moves of all roles.
    let joint = "1. (b noop)\n2. (noop pass)\n3. (pass noop)\n";
    let (code, again, errors) = texts(run(&["review", &folder, "-", "--format", "json"], joint));
    assert_eq!((code, again.as_str()), (0, output.as_str()), "{errors}");
}

/// A role settles for a value, and another move then turns out to pay the role as much and the other role less: who
/// makes it gives nothing away, and the position is no puzzle.
#[test]
fn a_move_as_good_as_what_was_settled_for_is_no_mistake() {
    let text = "(role a) (role b) (init (at x))
        (<= (legal b end) (true (at x))) (<= (legal b on) (true (at x))) (<= (legal a noop) (true (at x)))
        (<= (legal a end) (true (at y))) (<= (legal a back) (true (at y))) (<= (legal b noop) (true (at y)))
        (<= (next (at s)) (does b end)) (<= (next (at y)) (does b on))
        (<= (next (at t)) (does a end)) (<= (next (at x)) (does a back))
        (<= terminal (true (at s))) (<= terminal (true (at t)))
        (<= (goal a 60) (true (at s))) (<= (goal b 60) (true (at s)))
        (<= (goal a 10) (true (at t))) (<= (goal b 60) (true (at t)))";
    let scene = tempfile::tempdir().unwrap();
    let [game, folder] = ["tie.gdl", "tie.ggs"].map(|name| scene.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&game, text).unwrap();
    let (code, _, errors) = texts(run(&["solve", &game, "-o", &folder], ""));
    assert_eq!(code, 0, "{errors}");
    let json = |arguments: &[&str], input: &str| -> Value {
        let (code, output, errors) = texts(run(&[arguments, &["--format", "json"]].concat(), input));
        assert_eq!(code, 0, "{errors}");
        serde_json::from_str(&output).unwrap()
    };
    let review = json(&["review", &folder, "-"], "on\nend\n");
    let first = &review["moves"][0];
    assert_eq!((&first["before"], &first["after"]), (&json!([60, 60]), &json!([10, 60])));
    assert_eq!((&first["keeps_value"], &first["gives_away"]), (&json!(false), &Value::Null));
    assert_eq!((&first["score"], &review["mistakes"]), (&json!(1.0), &json!([])));
    assert_eq!(json(&["puzzles", &folder], "")["puzzles"], json!([]));
}
