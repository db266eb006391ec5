//! Values by rank: the same bytes whatever the threads and interruptions; what is damaged is found.

use super::common::ranked::copy_ranked;
use super::{OVERLAPPING, assert_same, files, rules, shipped, solve};
use api::verify::{Options, verify};
use base::limits::Limits;
use solving::solve::Silent;
use std::path::Path;

fn is_right(folder: &Path) -> bool {
    verify(folder, None, &Options::default(), &Limits::unlimited(), &Silent)
        .is_ok_and(|result| result.findings.is_empty())
}

#[test]
fn interruptions_and_threads_do_not_show() {
    let scene = tempfile::tempdir().unwrap();
    let overlapping = rules(scene.path(), "overlapping.gdl", OVERLAPPING);
    for game in [shipped("clobber_3x4.gdl"), shipped("tictactoe.gdl"), overlapping] {
        let [diagrams, whole, parts, again] =
            ["diagrams", "whole", "parts", "again"].map(|name| scene.path().join(name));
        solve("solve", &game, &diagrams, &[]);
        let mixed = |layer: usize| !layer.is_multiple_of(3);
        copy_ranked(&diagrams, &whole, 1, 0, mixed);
        assert!(is_right(&whole));
        for stop in (0..=5).rev() {
            copy_ranked(&diagrams, &parts, 3, stop, mixed);
            assert!(is_right(&parts), "stopped before the values of {stop}");
        }
        assert_same(&whole, &parts);
        copy_ranked(&whole, &again, 1, 0, mixed);
        assert_same(&whole, &again);
        // What is complete is reported from the folder.
        let tables = [&diagrams, &whole].map(|folder| solve("classify", &game, folder, &[]));
        assert_eq!(tables[0].lines().next(), tables[1].lines().next());
        [diagrams, whole, parts, again].iter().for_each(|folder| std::fs::remove_dir_all(folder).unwrap());
    }
}

#[test]
fn every_flipped_byte_is_found() {
    let scene = tempfile::tempdir().unwrap();
    let [diagrams, folder] = ["diagrams", "ranked"].map(|name| scene.path().join(name));
    solve("solve", &shipped("clobber_1x6.gdl"), &diagrams, &[]);
    copy_ranked(&diagrams, &folder, 1, 0, |_| true);
    for (file, bytes) in files(&folder).into_iter().filter(|(file, _)| file.ends_with(".ranked")) {
        let path = folder.join(&file);
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, damaged).unwrap();
            assert!(!is_right(&folder), "{file} at {place}");
        }
        std::fs::write(&path, &bytes).unwrap();
    }
    assert!(is_right(&folder));
}
