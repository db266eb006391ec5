//! Solutions in the formats of earlier versions, as they were written then: read, or refused with the version's name.

use super::{ENDLESS, TINY, copy, files, finish, ggsolve, rules, solve};
use api::verify::{Options, verify};
use base::limits::Limits;
use serde_json::{Value, json};
use solving::solve::Silent;
use solving::store::{Manifest, checksum};
use std::path::{Path, PathBuf};

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/solutions").join(name)
}

#[test]
fn complete_solutions_of_versions_1_and_2_are_read() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    for version in ["version-1", "version-2"] {
        let folder = scene.path().join(version);
        copy(&stored(version), &folder);
        let before = files(&folder);
        let report: Value = serde_json::from_str(&solve("solve", &game, &folder, &["--format", "json"])).unwrap();
        assert_eq!(
            [&report["states"], &report["value"], &report["from_disk"]],
            [&json!(3), &json!([90]), &json!(true)]
        );
        assert_eq!([&report["runs"], &report["time_s"]["total"]], [&json!([]), &json!(null)]);
        // A line reads the values, and writes nothing.
        let report = solve("solve", &game, &folder, &["--line"]);
        assert!(report.contains("right") && report.contains("nothing was computed"), "{report}");
        let result = verify(&folder, None, &Options::default(), &Limits::unlimited(), &Silent).unwrap();
        assert!(result.complete && result.findings.is_empty(), "{:?}", result.findings);
        let mut after = files(&folder);
        after.remove("lock");
        assert_eq!(after, before);
    }
}

/// Numbers after the last one, at which play ends, had variables.
#[test]
fn complete_solutions_with_fluents_behind_the_end_of_play_are_read() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("behind");
    copy(&stored("behind"), &folder);
    let manifest = Manifest::load(&folder).unwrap();
    assert!(manifest.variables.iter().any(|variable| variable == "(step 4)"));
    let text = std::fs::read_to_string(folder.join("rules.gdl")).unwrap();
    let game = rules(scene.path(), "counter.gdl", &text);
    let report = solve("solve", &game, &folder, &[]);
    assert!(report.contains("nothing was computed"), "{report}");
    let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &["--line"]).output().unwrap());
    assert!(code == Some(5) && errors.contains("another version of ggsolve"), "{errors}");
    let mut query = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let (code, answer, errors) = finish(&query.arg("query").arg(&folder).output().unwrap());
    assert!(code == Some(0) && answer.contains("(step 1)"), "{answer}{errors}");
    let result = verify(&folder, None, &Options::default(), &Limits::unlimited(), &Silent).unwrap();
    assert!(result.complete && result.findings.is_empty(), "{:?}", result.findings);
}

#[test]
fn other_versions_are_refused_by_name() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    for (name, version) in [("version-0", "version 0"), ("version-1-counted", "version 1, which is only read")] {
        let folder = scene.path().join(name);
        copy(&stored(name), &folder);
        let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &[]).output().unwrap());
        assert_eq!(code, Some(5), "{errors}");
        assert!(errors.contains(version) && errors.contains("--force"), "{errors}");
        // A count that is finished is still reported.
        if name == "version-1-counted" {
            assert!(solve("count", &game, &folder, &[]).contains("3 reachable states"));
        }
        solve("solve", &game, &folder, &["--force"]);
        let result = verify(&folder, None, &Options::default(), &Limits::unlimited(), &Silent).unwrap();
        assert!(result.complete && result.findings.is_empty(), "{:?}", result.findings);
    }
}

/// Distances of play by rounds had the version that those of layers have still.
#[test]
fn distances_of_play_by_rounds_are_refused_and_those_of_layers_are_read() {
    let scene = tempfile::tempdir().unwrap();
    for (name, text, version) in [("tiny", TINY, 4), ("endless", ENDLESS, 5)] {
        let game = rules(scene.path(), &format!("{name}.gdl"), text);
        let folder = scene.path().join(name);
        solve("solve", &game, &folder, &["--distances"]);
        let manifest = Manifest::load(&folder).unwrap();
        assert_eq!(manifest.version, version, "{name}");
        Manifest { version: 4, ..manifest }.save(&folder).unwrap();
        let run = |arguments: &[&str]| finish(&ggsolve("solve", &game, &folder, arguments).output().unwrap());
        let mut query = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        let asked = finish(&query.arg("query").arg(&folder).output().unwrap());
        let solved = run(&["--distances"]);
        if version == 4 {
            assert_eq!((asked.0, solved.0), (Some(0), Some(0)), "{} {}", asked.2, solved.2);
            assert!(asked.1.contains("plies") && solved.1.contains("nothing was computed"), "{} {}", asked.1, solved.1);
            continue;
        }
        for (code, _, errors) in [asked, solved] {
            assert_eq!(code, Some(5), "{errors}");
            assert!(errors.contains("an earlier version") && errors.contains("--force"), "{errors}");
        }
        let (code, _, errors) = run(&["--distances", "--force"]);
        assert_eq!(code, Some(0), "{errors}");
        assert_eq!(Manifest::load(&folder).unwrap().version, 5);
    }
}

#[test]
fn books_of_play_by_rounds_are_refused_and_those_of_layers_are_read() {
    let scene = tempfile::tempdir().unwrap();
    for (name, text, version) in [("tiny", TINY, 1u32), ("endless", ENDLESS, 2)] {
        let game = rules(scene.path(), &format!("{name}.gdl"), text);
        let folder = scene.path().join(name);
        solve("solve", &game, &folder, &[]);
        let run = |command: &str, arguments: &[&str]| {
            let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
            finish(&run.arg(command).arg(&folder).args(arguments).output().unwrap())
        };
        assert_eq!(run("book", &["--plies", "2"]).0, Some(0), "{name}");
        let book = folder.join("book.distances");
        let mut bytes = std::fs::read(&book).unwrap();
        assert_eq!(bytes[8..12], version.to_le_bytes(), "{name}");
        bytes[8] = 1;
        let end = bytes.len() - 32;
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum);
        std::fs::write(&book, bytes).unwrap();
        let (code, output, errors) = run("query", &[]);
        if version == 1 {
            assert_eq!(code, Some(0), "{errors}");
            assert!(output.contains("plies"), "{output}");
            continue;
        }
        assert_eq!(code, Some(5), "{errors}");
        assert!(errors.contains("an earlier version") && errors.contains("remove the file"), "{errors}");
        std::fs::remove_file(&book).unwrap();
        assert_eq!((run("book", &["--plies", "2"]).0, run("query", &[]).0), (Some(0), Some(0)));
    }
}
