//! Solutions in the formats of earlier versions, as they were written then: read, or refused with the version's name.

use super::{TINY, assert_same, copy, finish, ggsolve, rules, solve};
use std::path::{Path, PathBuf};

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/solutions").join(name)
}

#[test]
fn version_1_is_read_and_still_written() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    let (new, old) = (scene.path().join("new"), scene.path().join("old"));
    solve("solve", &game, &new, &[]);
    copy(&stored("version-1"), &old);
    std::fs::write(old.join("lock"), "").unwrap();
    assert_same(&new, &old);
    let report = solve("solve", &game, &old, &[]);
    assert!(report.contains("3 reachable states"), "{report}");
}

#[test]
fn version_0_is_refused_by_name() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    let folder = scene.path().join("old");
    copy(&stored("version-0"), &folder);
    let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &[]).output().unwrap());
    assert_eq!(code, Some(5), "{errors}");
    assert!(errors.contains("version 0"), "{errors}");
}
