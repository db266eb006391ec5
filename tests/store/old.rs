//! Solutions in the formats of earlier versions, as they were written then: read, or refused with the version's name.

use super::{TINY, copy, files, finish, ggsolve, rules, solve};
use api::verify::{Options, verify};
use base::limits::Limits;
use serde_json::{Value, json};
use solving::solve::Silent;
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
