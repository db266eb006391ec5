//! What lies in a folder and no manifest names, and files that do not belong together.

use super::{TINY, assert_same, copy, files, finish, ggsolve, rules, shipped, solve};
use std::process::Command;

#[test]
fn files_that_nothing_names_are_removed_at_the_next_start() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("tictactoe.gdl");
    let (whole, folder) = (scene.path().join("whole.ggs"), scene.path().join("a.ggs"));
    solve("solve", &game, &whole, &[]);
    solve("count", &game, &folder, &[]);
    for name in ["layer-00020.states", "layer-00003.ranked", "layer-00002.values.tmp", "rules.gddl"] {
        std::fs::write(folder.join(name), "left by a run that was killed").unwrap();
    }
    rules(&folder, "notes", "mine");
    solve("solve", &game, &folder, &[]);
    std::fs::remove_file(folder.join("notes")).unwrap();
    assert_same(&whole, &folder);
    // Once all was there.
    std::fs::write(folder.join("manifest.json.tmp"), "left by a run that was killed").unwrap();
    solve("solve", &game, &folder, &[]);
    assert_same(&whole, &folder);
    // Before there was a manifest.
    let early = scene.path().join("early.ggs");
    std::fs::create_dir(&early).unwrap();
    for name in ["lock", "rules.gdl.tmp", "manifest.json.tmp", "layer-00000.states"] {
        std::fs::write(early.join(name), "").unwrap();
    }
    let (code, _, errors) = finish(&ggsolve("solve", &game, &early, &[]).output().unwrap());
    assert!(
        code == Some(0) && errors.contains("early.ggs: 3 files of a solution removed, as there was no"),
        "{errors}"
    );
    assert_same(&whole, &early);
    std::fs::remove_file(early.join("manifest.json")).unwrap();
    let (code, _, errors) = finish(&ggsolve("solve", &game, &early, &[]).output().unwrap());
    assert!(code == Some(0) && errors.contains(" files of a solution removed, as there was no"), "{errors}");
    assert_same(&whole, &early);
}

#[test]
fn files_of_two_solutions_cannot_be_mixed() {
    let scene = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_ggsolve");
    // Same encoding and sizes, other rewards; and the same game under another model.
    let one = rules(scene.path(), "one.gdl", TINY);
    let other = rules(scene.path(), "other.gdl", &TINY.replace("90", "80"));
    let game = shipped("tictactoe.gdl");
    for (from, into, model, kinds) in
        [(&one, &other, "max-own", &["states", "values"][..]), (&game, &game, "max-diff", &["values"])]
    {
        let [source, target] = ["source", "target"].map(|name| scene.path().join(name));
        solve("solve", from, &source, &[]);
        solve("solve", into, &target, &["--opponent-model", model]);
        for kind in kinds {
            let mixed = scene.path().join("mixed");
            copy(&target, &mixed);
            let name = format!("layer-00001.{kind}");
            let (ours, theirs) = (files(&target)[&name].clone(), files(&source)[&name].clone());
            assert_eq!(ours[72..ours.len() - 32], theirs[72..theirs.len() - 32], "the same but for who made it");
            std::fs::write(mixed.join(&name), theirs).unwrap();
            for command in ["query", "verify"] {
                let (code, _, errors) = finish(&Command::new(program).arg(command).arg(&mixed).output().unwrap());
                assert_eq!(code, Some(5), "{command}: {errors}");
            }
            let (_, _, errors) = finish(&Command::new(program).arg("query").arg(&mixed).output().unwrap());
            assert!(errors.contains("another solution"), "{errors}");
            std::fs::remove_dir_all(&mixed).unwrap();
        }
        [source, target].iter().for_each(|folder| std::fs::remove_dir_all(folder).unwrap());
    }
}
