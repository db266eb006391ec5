//! A joint move is shown by one move, the same one wherever it is shown, and a line that is shown can be given back.

use game::interpreter::Interpreter;
use game::propositional::Game;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Three roles in a ring: where it is one's turn, `wait` passes it on and the others' `go` has no effect. The last
/// round has a choice for `b`.
const RING: &str = "
    (role a) (role b) (role c)
    (init (turn a)) (init (round 1))
    (after a b) (after b c) (after c a) (step 1 2) (step 2 3)
    (<= (legal ?r wait) (true (turn ?r)))
    (<= (legal b leap) (true (turn b)) (true (round 2)))
    (<= (legal ?r go) (role ?r) (not (true (turn ?r))))
    (<= (next (turn ?s)) (does ?r wait) (after ?r ?s))
    (<= (next (turn a)) (does b leap))
    (<= (next (round ?n)) (true (round ?n)) (not (true (turn c))))
    (<= (next (round ?m)) (true (round ?n)) (step ?n ?m) (true (turn c)))
    (<= terminal (true (round 3)))
    (<= (goal ?r 0) (role ?r))";

/// Two roles. In every ply one steps and the other has `noop`, and `first` may itself `noop` where it has a choice, so
/// that a left out forced ply and the wait in it have the same name as a move with a choice.
const NOOPS: &str = "
    (role first) (role second)
    (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal first noop) (true (step 1)))
    (<= (legal first noop) (true (step 2)))
    (<= (legal first noop) (true (step 3)))
    (<= (legal first jump) (true (step 2)))
    (<= (legal second move) (true (step 1)))
    (<= (legal second noop) (true (step 2)))
    (<= (legal second move) (true (step 3)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (next jumped) (does first jump)) (<= (next jumped) (true jumped))
    (<= (next moved) (does second move)) (<= (next moved) (true moved))
    (<= terminal (true (step 4)))
    (<= (goal first 100) (true jumped)) (<= (goal first 0) (not (true jumped))) (goal second 50)";

fn game(rules: &str) -> Game {
    crate::common::game(&crate::common::program("rules.gdl", rules.as_bytes()))
}

#[test]
fn a_wait_is_known_by_its_effect_whatever_it_is_called_and_however_many_roles_there_are() {
    let game = game(RING);
    let interpreter = Interpreter::new(&game);
    let mut state = interpreter.initial();
    let mut shown = Vec::new();
    loop {
        let situation = interpreter.situation(&state);
        if situation.terminal {
            break;
        }
        let joint = situation.joint_moves().last().unwrap();
        let ply = interpreter.ply(&game, &state, &situation, joint);
        state = interpreter.successor(&state, &ply.joint);
        shown.push((game.roles[ply.role.index()].to_string(), ply.name(&game), ply.forced));
    }
    let shown: Vec<(&str, &str, bool)> = shown.iter().map(|(role, name, forced)| (&**role, &**name, *forced)).collect();
    let round = [("a", "wait", true), ("b", "wait", true), ("c", "wait", true)];
    assert_eq!(shown[..3], round);
    assert_eq!(shown[3..], [("a", "wait", true), ("b", "wait", false), ("c", "wait", true)]);
}

/// Runs the program in a folder; its output where it succeeds.
fn run(folder: &Path, arguments: &[&str], input: &str) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    command.current_dir(folder).args(arguments).args(["--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn json(text: Result<String, String>) -> Value {
    serde_json::from_str(&text.unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// A solution of some rules.
fn solved(rules: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("game.gdl"), rules).unwrap();
    run(folder.path(), &["game.gdl"], "").unwrap();
    folder
}

#[test]
fn a_forced_ply_may_be_named_or_left_out() {
    let folder = solved(NOOPS);
    let state = |moves: &str| {
        let answer = run(folder.path(), &["query", "game.ggs", "--moves", moves], "")?;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        Ok::<_, String>((answer["layer"].as_u64().unwrap(), strings(&answer["state"]).join(" ")))
    };
    let start = json(run(folder.path(), &["query", "game.ggs"], ""));
    assert_eq!((&start["to_move"], &start["forced"]), (&json!("second"), &json!(true)));
    assert_eq!(start["moves"].as_array().unwrap().len(), 1);
    assert_eq!((&start["moves"][0]["move"], &start["moves"][0]["joint"]), (&json!("move"), &json!(["noop", "move"])));
    // Named, left out, and the last one named by itself or by the wait in it.
    let end = (3, "(step 4) jumped moved".to_owned());
    for spelling in ["move jump move", "jump move", "move jump noop", "jump noop", "( MOVE )( JUMP )( MOVE )"] {
        assert_eq!(state(spelling).unwrap(), end, "{spelling}");
    }
    // `noop` is what the first role can play once it has a choice, so the forced ply before it is implied.
    assert_eq!(state("noop").unwrap(), (2, "(step 3) moved".to_owned()));
    assert_eq!(state("move noop").unwrap(), (2, "(step 3) moved".to_owned()));
    assert_eq!(state("noop move").unwrap(), (3, "(step 4) moved".to_owned()));
    assert!(state("move jump move noop").unwrap_err().contains("ply 4: noop follows, but play is over"));
    assert!(state("fly").unwrap_err().contains("ply 2: fly is not a legal move of first; legal: jump noop"));
}

#[test]
fn every_line_that_is_shown_is_played_again_to_its_end() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let shipped = [
        "tictactoe.gdl",
        "tictactoe.gddl",
        "connect4_4x4.gdl",
        "connect4_4x4.gddl",
        "clobber_1x6.gdl",
        "clobber_1x6.gddl",
        "clobber_3x4.gdl",
        "clobber_3x4.gddl",
        "nim4.gdl",
        "nim40.gdl",
        "nim40.gddl",
        "chomp_8x7.gdl",
    ];
    let mut forced = 0;
    for name in shipped {
        let folder = tempfile::tempdir().unwrap();
        let path = games.join(name);
        let report = json(run(folder.path(), &[path.to_str().unwrap(), "-o", "it.ggs", "--line"], ""));
        let line = strings(&report["line"]);
        assert_eq!(report["line_joint"].as_array().unwrap().len(), line.len());
        for (played, joint) in line.iter().zip(report["line_joint"].as_array().unwrap()) {
            assert_eq!(joint.as_array().unwrap().len(), report["roles"].as_array().unwrap().len());
            assert!(strings(joint).contains(played), "{name}: {played} of {joint}");
        }
        let end = json(run(folder.path(), &["query", "it.ggs", "--moves", &line.join(" ")], ""));
        assert_eq!((&end["terminal"], &end["layer"]), (&json!(true), &json!(line.len())), "{name}");
        assert_eq!(end["value"], report["value"], "{name}");
        let review = json(run(folder.path(), &["review", "it.ggs", "-"], &line.join("\n")));
        assert_eq!((&review["finished"], &review["mistakes"]), (&json!(true), &json!([])), "{name}");
        let moves = review["moves"].as_array().unwrap();
        assert_eq!(moves.iter().map(|reviewed| reviewed["move"].clone()).collect::<Value>(), report["line"], "{name}");
        assert_eq!(moves.iter().map(|reviewed| reviewed["joint"].clone()).collect::<Value>(), report["line_joint"]);
        // Without its forced plies the line is the same, but for those at its end, which nothing after them implies.
        let chosen = |reviewed: &&Value| reviewed["forced"] == false;
        let choices: Vec<&str> =
            moves.iter().filter(chosen).map(|reviewed| reviewed["move"].as_str().unwrap()).collect();
        forced += moves.len() - choices.len();
        let last = moves.iter().rposition(|reviewed| reviewed["forced"] == false).unwrap() + 1;
        let reached = json(run(folder.path(), &["query", "it.ggs", "--moves", &choices.join(" ")], ""));
        assert_eq!(reached["layer"], json!(last), "{name}");
        // What the position shows to be played is what the line plays.
        if let Some(next) = moves.get(last) {
            assert_eq!((&reached["forced"], reached["moves"].as_array().unwrap().len()), (&json!(true), 1), "{name}");
            assert_eq!((&reached["moves"][0]["move"], &reached["to_move"]), (&next["move"], &next["role"]), "{name}");
        }
    }
    assert!(forced > 8, "there are forced plies to look at: {forced}");
}

#[test]
fn the_path_to_a_refused_state_names_the_moves_that_a_line_would() {
    // Step 3 leaves the first role without a move.
    let rules = NOOPS.replace("(<= (legal first noop) (true (step 3)))", "");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("game.gdl"), rules).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ggsolve"))
        .current_dir(folder.path())
        .args(["game.gdl", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["error"]["code"], &report["error"]["path"]),
        (&json!("no-legal-move"), &json!(["move", "jump"]))
    );
}
