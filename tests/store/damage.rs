//! Every flipped byte of a stored solution is found.

use super::{ENDLESS, OVERLAPPING, TINY, files, finish, ggsolve, rules, solve};
use ggsolve::limits::Limits;
use ggsolve::verify::{Options, verify};
use std::path::Path;

fn is_right(folder: &Path) -> bool {
    verify(folder, &Options::default(), &Limits::unlimited()).is_ok_and(|result| result.findings.is_empty())
}

#[test]
fn every_flipped_byte_is_found() {
    let scene = tempfile::tempdir().unwrap();
    for (name, text) in [("tiny", TINY), ("overlapping", OVERLAPPING), ("endless", ENDLESS)] {
        let game = rules(scene.path(), &format!("{name}.gdl"), text);
        let folder = scene.path().join(format!("{name}.ggs"));
        solve("solve", &game, &folder, &[]);
        assert!(is_right(&folder));
        for (file, bytes) in files(&folder) {
            let path = folder.join(&file);
            // All of the small one, some of the other.
            for place in (0..bytes.len()).step_by(if name == "tiny" { 1 } else { 37 }) {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << (place % 8);
                std::fs::remove_file(&path).unwrap();
                std::fs::write(&path, damaged).unwrap();
                assert!(!is_right(&folder), "{file} at {place}");
            }
            std::fs::write(&path, &bytes).unwrap();
        }
        for (file, bytes) in files(&folder).into_iter().filter(|(file, _)| file != "lock") {
            std::fs::remove_file(folder.join(&file)).unwrap();
            assert!(!is_right(&folder), "{file} is missing");
            std::fs::write(folder.join(&file), bytes).unwrap();
        }
    }
}

/// What a run reads when it goes on, it checks.
#[test]
fn a_damaged_layer_is_not_gone_on_from() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    let folder = scene.path().join("tiny.ggs");
    solve("count", &game, &folder, &[]);
    for name in ["layer-00001.states", "manifest.json", "rules.gdl"] {
        let bytes = files(&folder)[name].clone();
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 1;
        std::fs::write(folder.join(name), damaged).unwrap();
        let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &[]).output().unwrap());
        assert_eq!(code, Some(5), "{errors}");
        assert!(errors.contains(name) && errors.contains("damaged"), "{errors}");
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    solve("solve", &game, &folder, &[]);
}
