//! What `ground --stats` tells of the cost of rules: every row has its place in the text, or says that it has none.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The text of a run of `ground --stats`.
fn text(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("ggsolve").unwrap();
    let output = command.current_dir(folder).args([&["ground", "--stats"], arguments].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The same as JSON.
fn stats(folder: &Path, arguments: &[&str]) -> Value {
    let output = text(folder, &[arguments, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&output).unwrap();
    report["stats"].clone()
}

fn rows(stats: &Value) -> &Vec<Value> {
    stats["rules"].as_array().unwrap()
}

/// A game with stones on a row of points that are counted from point to point, with so large numbers that the counter
/// outgrows its budget unless it is made for what is asked.
fn counted(points: usize) -> String {
    let mut text = String::from(
        "(role a)\n(init (stone p0))
(<= (legal a (put ?x)) (point ?x))
(<= (next (stone ?x)) (or (does a (put ?x)) (true (stone ?x))))
(<= terminal (count 3 ?n))
(<= (goal a 100) (count 3 ?n))
(<= (goal a 0) (not (count 3 0)))
(<= (count ?w ?b) (loop p0 0 0 ?w ?b))
(<= (loop ?x ?w1 ?b1 ?w ?b) (one ?x ?w1 ?b1 ?w ?b) (last ?x))
(<= (loop ?x ?w1 ?b1 ?w ?b) (one ?x ?w1 ?b1 ?w2 ?b2) (after ?x ?y) (loop ?y ?w2 ?b2 ?w ?b))
(<= (one ?x ?w1 ?b ?w ?b) (true (stone ?x)) (succ ?w1 ?w) (number ?b))
(<= (one ?x ?w ?b1 ?w ?b) (not (true (stone ?x))) (point ?x) (succ ?b1 ?b) (number ?w))\n",
    );
    (0..points).for_each(|point| writeln!(text, "(point p{point}) (after p{point} p{})", point + 1).unwrap());
    writeln!(text, "(last p{})", points - 1).unwrap();
    (0..2 * points).for_each(|number| writeln!(text, "(number {number}) (succ {number} {})", number + 1).unwrap());
    text
}

#[test]
fn a_sentence_is_one_row_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.kif"), counted(4)).unwrap();
    let found = stats(folder.path(), &["small.kif"]);
    let of_line = |line: usize| rows(&found).iter().filter(|row| row["line"] == json!(line)).collect::<Vec<_>>();
    // The disjunction became two rules: a stone is put, or was there.
    let [next] = of_line(4)[..] else { panic!("one row for the sentence: {found}") };
    assert_eq!((&next["head"], &next["made"]), (&json!("(next (stone ?x))"), &json!(8)));
    assert_eq!((&next["file"], &next["column"], &next["demanded"]), (&json!("small.kif"), &json!(1), &json!(null)));
    let [terminal] = of_line(5)[..] else { panic!("{found}") };
    assert_eq!(terminal["head"], json!("terminal"), "as the text has it");
    assert!(rows(&found).iter().all(|row| row["steps"].as_u64() > Some(0)));
    assert!(rows(&found).is_sorted_by_key(|row| std::cmp::Reverse(row["steps"].as_u64())));
    assert_eq!((&found["restarts"], &found["restricted"], &found["folded"]), (&json!(0), &json!([]), &json!([])));
    for key in ["parse", "ground", "groups", "symmetries"] {
        assert!(found["time_s"][key].is_number(), "{key}: {found}");
    }
    assert!(found["peak_memory_bytes"].as_u64() >= found["peak_bytes"]["ground"].as_u64());

    let text = text(folder.path(), &["small.kif"]);
    assert!(text.contains(&format!("Cost of rules ({})\n", rows(&found).len())), "{text}");
    assert!(text.contains("  line 5: terminal\n") && !text.contains("began again"), "{text}");
}

#[test]
fn what_is_made_on_demand_is_told_with_the_rule_that_it_is_a_part_of() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("large.kif"), counted(30)).unwrap();
    let found = stats(folder.path(), &["large.kif"]);
    assert!(found["restarts"].as_u64() > Some(0));
    let restricted = found["restricted"].as_array().unwrap();
    let named = restricted.iter().find(|row| row["relation"] == json!("loop")).expect("the counter is restricted");
    assert_eq!(named["bound"], json!([true, true, true, true, false]), "all uses count to 3");
    assert!(named.get("part_of").is_none());
    let rule = rows(&found).iter().find(|row| row["line"] == json!(10)).unwrap();
    assert_eq!(rule["demanded"], named["demanded"]);
    assert!(rule["made"].as_u64() > Some(0));
    for row in restricted.iter().filter(|row| row.get("relation").is_none()) {
        assert!(row["part_of"]["line"].as_u64() >= Some(2), "{row}");
    }
    let output = text(folder.path(), &["large.kif"]);
    assert!(output.contains("Evaluation began again") && output.contains("(loop ! ! ! ! _)"), "{output}");
    assert!(!output.contains("split ") && !output.contains("gathered "), "{output}");
}

#[test]
fn of_two_files_the_one_of_a_line_is_named() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gddl/planning"));
    let files = ["blocks.pddl", "blocks-3.pddl"];
    let found = stats(folder, &files);
    let lines = files.map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
    for row in rows(&found) {
        let head = row["head"].as_str().unwrap();
        assert!(!head.contains('|'), "a name of the text: {head}");
        match row["file"].as_str() {
            Some(name) => {
                let file = files.iter().position(|file| *file == name).expect("one of the files");
                let line = lines[file].lines().nth(row["line"].as_u64().unwrap() as usize - 1).expect("a line of it");
                assert!(line.chars().count() >= row["column"].as_u64().unwrap() as usize, "{row}: {line}");
            }
            None => assert_eq!((&row["line"], &row["column"]), (&json!(null), &json!(null))),
        }
    }
    let place = |row: &Value| {
        row["file"].as_str().map(|file| format!("{file}:{}: {}", row["line"], row["head"].as_str().unwrap()))
    };
    let text = text(folder, &files);
    let dearest = rows(&found).iter().find_map(place).unwrap();
    assert!(text.contains(&dearest), "{dearest} in {text}");
    // Facts that no action changes stay; no line says so.
    assert!(rows(&found).iter().any(|row| row["line"].is_null()) && text.contains(", which no line says\n"), "{text}");
    let number = rows(&found).len();
    assert!(
        number > 20 && text.contains(&format!("Cost of rules (the 20 dearest of {number}, JSON lists all)")),
        "{text}"
    );
}
