//! The example reader, written from the page of the format, against brute force.

use super::common::ranked::copy_ranked;
use super::common::{game, program};
use super::plain_store::Layered;
use super::stored;
use ggsolve::internals::reward::OpponentModel;
use std::path::Path;
use std::process::Command;

#[test]
fn the_reader_in_python_agrees() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: no python3");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reader = root.join("examples/read_solution.py");
    assert!(std::fs::read_to_string(&reader).unwrap().lines().count() < 180);
    let read = |folder: &Path, fluents: &str| {
        let output = Command::new("python3").args([&reader, folder]).arg(fluents).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (mut unread, mut all) = (0, 0);
    for (name, ranked) in [("tictactoe", false), ("clobber_3x4", false), ("tictactoe", true), ("clobber_3x4", true)] {
        let (folder, mut path) = stored(name);
        if ranked {
            let by_rank = folder.path().join("ranked.ggs");
            copy_ranked(&path, &by_rank, 1, 0, |layer| layer > 0);
            path = by_rank;
        }
        let rules = std::fs::read(root.join("games").join(format!("{name}.gdl"))).unwrap();
        let ground = game(&program(name, &rules));
        let layered = Layered::new(&ground, OpponentModel::MaxOwn, 20_000).unwrap();
        for (layer, ids) in layered.layers.iter().enumerate() {
            for &id in ids.iter().step_by(1 + ids.len() / 4) {
                let (ok, output, errors) = read(&path, &layered.state(id).names(&ground).join(" "));
                let value = layered.solution.value(id);
                let roles = ground.roles.iter().zip(value).map(|(role, reward)| format!("{role} {reward}"));
                all += 1;
                if errors.starts_with("these values need Python 3.14") {
                    unread += 1;
                    continue;
                }
                let expected = format!("layer {layer}: {}\n", roles.collect::<Vec<_>>().join(", "));
                assert_eq!((ok, output, errors), (true, expected, String::new()));
            }
        }
        assert!(read(&path, "(cell 1 1 nothing)").2.contains("unknown fluent (cell 1 1 nothing)"));
        assert!(read(&path, "(control nobody)").2.contains("unknown fluent"));
        assert!(!read(&path, "").0);
    }
    if unread > 0 {
        println!("skipped: {unread} of {all} values, for which this Python has no Zstandard");
    }
}
