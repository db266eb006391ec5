//! Faults planted in the manifest alone, with a right checksum: words that no solution has are refused by every reader,
//! and what the states and the rules tell otherwise is found by `verify`.

use super::common::shipped;
use super::{copy, run, texts};
use api::verify::{Options, verify};
use base::limits::Limits;
use solving::solve::Silent;
use solving::store::manifest::{BucketRecord, Manifest};
use std::path::{Path, PathBuf};

type Change = fn(&mut Manifest);

/// A game solved by the program.
fn solved(scene: &Path, game: &str, options: &[&str]) -> PathBuf {
    let (rules, folder) = (shipped(game), scene.join(format!("{game}{}.ggs", options.concat())));
    let all = [&["solve", rules.to_str().unwrap(), "-o", folder.to_str().unwrap()], options].concat();
    let (code, _, errors) = texts(run(&all, ""));
    assert_eq!(code, 0, "{errors}");
    assert_eq!(messages(&folder), "", "{game}");
    folder
}

fn messages(folder: &Path) -> String {
    let full = Options { full: true, ..Options::default() };
    match verify(folder, None, &full, &Limits::unlimited(), &Silent) {
        Ok(found) => {
            found.findings.into_iter().map(|finding| format!("{}: {}\n", finding.place, finding.message)).collect()
        }
        Err(error) => error.to_string(),
    }
}

/// Plants each fault in a copy, in which `verify` has to tell the words beside it.
fn find(folder: &Path, changes: &[(&str, Change)]) {
    let scene = tempfile::tempdir().unwrap();
    copy(folder, scene.path());
    let right = Manifest::load(folder).unwrap();
    for (expected, change) in changes {
        let mut manifest = right.clone();
        change(&mut manifest);
        assert_ne!(manifest, right, "{expected}");
        manifest.save(scene.path()).unwrap();
        let found = messages(scene.path());
        assert!(found.contains(expected), "{}, {expected}: {found}", folder.display());
    }
}

fn buckets(manifest: &mut Manifest) -> impl Iterator<Item = &mut BucketRecord> {
    manifest.layers.iter_mut().flat_map(|layer| layer.buckets.iter_mut().flatten())
}

/// Of any algorithm.
const COMMON: [(&str, Change); 8] = [
    ("groups", |manifest| manifest.encoding.groups = 10_000),
    ("groups", |manifest| manifest.encoding.groups = 0),
    ("moves; it has", |manifest| manifest.encoding.moves += 1),
    ("moves; it has", |manifest| manifest.encoding.moves -= 1),
    ("the goals of the roles have other combinations", |manifest| manifest.rewards.push(vec![100, 101])),
    ("the goals of the roles have other combinations", |manifest| _ = manifest.rewards.pop()),
    ("counts that do not fit the phase", |manifest| manifest.progress_measure = None),
    ("counts that do not fit the phase", |manifest| manifest.alternating = None),
];

#[test]
fn wrong_keys_of_layered_solutions_are_found() {
    let scene = tempfile::tempdir().unwrap();
    for options in [&[][..], &["--engine", "hybrid"], &["--distances"]] {
        let folder = solved(scene.path(), "tictactoe.gdl", options);
        find(&folder, &COMMON);
        find(
            &folder,
            &[
                ("nodes that lead to", |manifest| buckets(manifest).for_each(|bucket| bucket.nodes += 1)),
                ("layer 9: the manifest has", |manifest| buckets(manifest).last().unwrap().nodes += 1),
                ("11 groups", |manifest| manifest.encoding.groups += 1),
                ("9 groups", |manifest| manifest.encoding.groups -= 1),
            ],
        );
    }
}

#[test]
fn wrong_keys_of_solutions_of_all_states_at_once_are_found() {
    let scene = tempfile::tempdir().unwrap();
    let changes: [(&str, Change); 6] = [
        ("nodes that lead to", |manifest| buckets(manifest).last().unwrap().nodes += 1),
        ("layer 0: the manifest has", |manifest| buckets(manifest).next().unwrap().nodes += 1),
        ("are not in their order", |manifest| {
            manifest.layers.iter_mut().flat_map(|layer| &mut layer.buckets).for_each(|buckets| buckets.reverse())
        }),
        ("another base", |manifest| manifest.settled.as_mut().unwrap().base -= 1),
        ("another base", |manifest| manifest.settled.as_mut().unwrap().base = 2),
        ("11 groups", |manifest| manifest.encoding.groups += 1),
    ];
    for options in [&[][..], &["--engine", "hybrid"], &["--distances"]] {
        let folder = solved(scene.path(), "dodgem_3.gdl", options);
        find(&folder, &COMMON);
        find(&folder, &changes);
    }
}

#[test]
fn wrong_keys_of_solutions_with_exact_values_are_found() {
    let scene = tempfile::tempdir().unwrap();
    for game in ["goofspiel_4.gdl", "race_20.gdl"] {
        let folder = solved(scene.path(), game, &[]);
        find(&folder, &COMMON);
        find(
            &folder,
            &[
                ("alternating is true", |manifest| manifest.alternating = Some(true)),
                ("alternating is true", |manifest| manifest.layers[1].alternating = true),
            ],
        );
    }
}

#[test]
fn a_measure_before_all_layers_are_known_is_refused() {
    let scene = tempfile::tempdir().unwrap();
    let folder = solved(scene.path(), "tictactoe.gdl", &[]);
    super::without_values_before(2, &folder);
    super::two_layers_only(&folder);
    assert_eq!(messages(&folder), "");
    find(
        &folder,
        &[
            ("counts that do not fit the phase", |manifest| manifest.progress_measure = Some(true)),
            ("counts that do not fit the phase", |manifest| manifest.alternating = Some(true)),
        ],
    );
}

/// `query` says the same as `verify`.
#[test]
fn unknown_words_are_refused() {
    let scene = tempfile::tempdir().unwrap();
    let right = solved(scene.path(), "tictactoe.gdl", &[]);
    let changes: [(&str, Change); 7] = [
        ("a forward pass that is over", |manifest| manifest.work_ns = Some(5)),
        ("unknown algorithm", |manifest| manifest.algorithm = "layers".to_owned()),
        ("unknown algorithm", |manifest| manifest.algorithm = "matrix".to_owned()),
        ("unknown opponent model", |manifest| manifest.opponent_model = Some("max".to_owned())),
        ("unknown opponent model", |manifest| manifest.opponent_model = Some("guarantee 2".to_owned())),
        ("unknown engine", |manifest| manifest.runs[0].engine = Some("quantum".to_owned())),
        ("does not read", |manifest| manifest.language = "kif".to_owned()),
    ];
    find(&right, &changes);
    let wrong = scene.path().join("wrong");
    for (expected, change) in changes {
        copy(&right, &wrong);
        let mut manifest = Manifest::load(&right).unwrap();
        change(&mut manifest);
        manifest.save(&wrong).unwrap();
        for command in ["query", "verify"] {
            let (code, _, errors) = texts(run(&[command, wrong.to_str().unwrap()], ""));
            assert!(code == 5 && errors.contains(expected), "{command}: {code}: {errors}");
        }
    }
    // A phase is read as one of three words.
    let text = std::fs::read_to_string(right.join("manifest.json")).unwrap();
    let other = text.replace("\"phase\": \"complete\"", "\"phase\": \"finished\"");
    let sum = Manifest::load(&right).unwrap().checksum;
    let zeros = other.replace(&sum, &"0".repeat(64));
    let sum = solving::store::hex(&solving::store::checksum(zeros.as_bytes()));
    std::fs::write(wrong.join("manifest.json"), zeros.replacen(&"0".repeat(64), &sum, 1)).unwrap();
    for command in ["query", "verify"] {
        let (code, _, errors) = texts(run(&[command, wrong.to_str().unwrap()], ""));
        assert!(code == 5 && errors.contains("unknown variant `finished`"), "{command}: {code}: {errors}");
    }
}
