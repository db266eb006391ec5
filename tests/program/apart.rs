//! Games some of whose moves have conditions that no small diagram holds: values by diagrams and by rank beside those of
//! single states.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Two players mark two squares; then `x` claims or gives up. A claim is legal if some index has marks in its row and in
/// its column, which takes exponentially many nodes. `more`: rules for the turn, and what else is legal.
fn rules(more: &str) -> String {
    let indices: String = (0..14).map(|index| format!("(index {index}) ")).collect();
    let rules = "(role x) (role o) (init (control x)) (init (stage 0)) (other x o) (other o x)
        (succ 0 1) (succ 1 2) (succ 2 3) (base (stage 0)) (base (stage 1)) (base (stage 2)) (base (stage 3))
        (<= (base (marked ?a ?b)) (index ?a) (index ?b)) (base (control x)) (base (control o))
        (base claimed) (base passed)
        (<= (row ?a) (true (marked ?a ?b))) (<= (column ?b) (true (marked ?a ?b))) (<= crossed (row ?i) (column ?i))
        (<= early (true (stage 0))) (<= early (true (stage 1)))
        (<= (legal ?p (mark ?a ?b)) (true (control ?p)) (index ?a) (index ?b) early (not (true (marked ?a ?b))))
        (<= (legal x claim) (true (control x)) (true (stage 2)) crossed)
        (<= (legal x pass) (true (control x)) (true (stage 2)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= lifting (does x lift))
        (<= (next (stage 0)) lifting) (<= (next (stage ?t)) (true (stage ?s)) (succ ?s ?t) (not lifting))
        (<= (next (control x)) lifting) (<= (next (control ?q)) (true (control ?p)) (other ?p ?q) (not lifting))
        (<= (next (marked ?a ?b)) (does ?p (mark ?a ?b)))
        (<= (next (marked ?a ?b)) (true (marked ?a ?b)) (not lifting))
        (<= (next claimed) (does x claim)) (<= (next passed) (does x pass))
        (<= terminal (true claimed)) (<= terminal (true passed)) (<= half (true passed) (row 0))
        (<= (goal x 100) (true claimed)) (<= (goal o 0) (true claimed)) (<= (goal ?p 50) (role ?p) half)
        (<= (goal x 0) (true passed) (not half)) (<= (goal o 100) (true passed) (not half))";
    format!("{rules} {indices} {more}")
}

fn solve(file: &Path, engine: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let arguments = ["--no-store", "--format", "json", "--engine", engine, "-vv"];
    let output = command.arg("solve").arg(file).args(arguments).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let apart = errors.lines().any(|line| line.contains("relation node") && line.contains(" apart"));
    assert_eq!(apart, engine != "auto", "{engine}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// By layer: its states, and the states of each value.
fn layers(report: &Value) -> Vec<(Value, Vec<(Value, Value)>)> {
    let buckets = |layer: &Value| {
        let buckets = layer["buckets"].as_array().unwrap();
        buckets.iter().map(|bucket| (bucket["rewards"].clone(), bucket["states"].clone())).collect()
    };
    report["layers"].as_array().unwrap().iter().map(|layer| (layer["states"].clone(), buckets(layer))).collect()
}

#[test]
fn conditions_of_moves_that_stay_apart_change_no_value() {
    let folder = tempfile::tempdir().unwrap();
    // Play ends; and play that starts again as often as `x` wants.
    for more in ["", "(<= (legal x lift) (true (control x)) (true (stage 2)) (not crossed))"] {
        let file = folder.path().join("crossed.gdl");
        std::fs::write(&file, rules(more)).unwrap();
        let states = solve(&file, "auto");
        assert_eq!(states["engine"], "explicit");
        assert_eq!(states["states"], 43_331);
        let expected = layers(&states);
        assert!(expected.iter().any(|(_, buckets)| buckets.len() == 3), "all three values occur");
        for engine in ["symbolic", "hybrid"] {
            assert_eq!(layers(&solve(&file, engine)), expected, "{engine} {more}");
        }
    }
}
