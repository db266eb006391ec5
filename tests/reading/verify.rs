//! `verify`: damage is found by checksums, wrong values with right checksums by the rules.

use super::common::{game, program, shipped};
use super::plain_store::{Layered, Table, read_layer, replace_layer, write_folder};
use super::{copy, run, stored, texts};
use crate::common::sample::random_game;
use api::verify::{Options, Verification, verify};
use base::limits::Limits;
use base::random::Random;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solve::Silent;
use solving::store::manifest::Manifest;
use std::path::Path;

fn checked(folder: &Path, options: &Options) -> Verification {
    verify(folder, None, options, &Limits::unlimited(), &Silent).unwrap()
}

fn messages(folder: &Path, options: &Options) -> String {
    let findings = checked(folder, options).findings;
    findings.into_iter().map(|finding| format!("{}: {}\n", finding.place, finding.message)).collect()
}

#[test]
fn right_solutions_pass() {
    for name in ["tictactoe", "clobber_1x6", "clobber_3x4"] {
        let (_folder, path) = stored(name);
        for exhaustive in [100_000, 500, 0] {
            let options = Options { exhaustive, samples: 200, seed: 5, ..Options::default() };
            let found = checked(&path, &options);
            assert_eq!(found.findings, [], "{name}");
            let all = |layer: &api::verify::Checked| layer.states <= BigUint::from(exhaustive);
            assert!(found.complete && found.layers.iter().all(|layer| layer.exhaustive == all(layer)), "{name}");
        }
        let (code, text, _) = texts(run(&["verify", path.to_str().unwrap(), "--states", "500", "--random", "50"], ""));
        assert_eq!(code, 0);
        assert!(text.contains("everything that was checked is right"), "{text}");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let (_folder, path) = stored("clobber_1x6");
    let mut random = Random::new(3);
    let names: Vec<_> = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.len() > 8);
    for file in names {
        let bytes = std::fs::read(&file).unwrap();
        let places: Vec<usize> = (0..12).map(|_| random.below(bytes.len())).chain([0, bytes.len() - 1]).collect();
        for place in places {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << random.below(8);
            std::fs::write(&file, &damaged).unwrap();
            let (code, _, errors) = texts(run(&["verify", path.to_str().unwrap()], ""));
            assert_eq!(code, 5, "{} {place}: {errors}", file.display());
        }
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(texts(run(&["verify", path.to_str().unwrap()], "")).0, 5, "{}", file.display());
        std::fs::write(&file, &bytes).unwrap();
    }
    assert_eq!(texts(run(&["verify", path.to_str().unwrap()], "")).0, 0);
}

/// Changes a layer of a copy and gives the findings.
fn with_layer(path: &Path, layer: u32, change: impl Fn(&mut Table)) -> String {
    let folder = tempfile::tempdir().unwrap();
    copy(path, folder.path());
    let mut table = read_layer(path, layer);
    change(&mut table);
    replace_layer(folder.path(), layer, &table);
    let (code, _, _) = texts(run(&["verify", folder.path().to_str().unwrap()], ""));
    let found = messages(folder.path(), &Options::default());
    assert_eq!(code, if found.is_empty() { 0 } else { 5 });
    found
}

#[test]
fn wrong_values_with_right_checksums_are_found() {
    let (_folder, path) = stored("clobber_3x4");
    let layers = Manifest::load(&path).unwrap().layers.len() as u32;
    for layer in 0..layers {
        assert_eq!(with_layer(&path, layer, |_| {}), "");
        for state in 0..3 {
            // One state has another value.
            let found = with_layer(&path, layer, |table| {
                let index = state * table.len() / 3;
                let value = table.values_mut().nth(index).unwrap();
                *value = if *value == 1 { 2 } else { *value - 1 };
            });
            assert!(found.contains("the value is "), "{layer}: {found}");
        }
    }
}

#[test]
fn wrong_sets_of_states_are_found() {
    let (_folder, path) = stored("clobber_3x4");
    let layers = Manifest::load(&path).unwrap().layers.len() as u32;
    for layer in 1..layers {
        let missing = with_layer(&path, layer, |table| {
            table.pop_first();
        });
        assert!(missing.contains("the manifest has") && missing.contains("lacks the state after"), "{missing}");
        let other = read_layer(&path, (layer + 1) % layers);
        let (key, value) = other.into_iter().next_back().unwrap();
        let more = with_layer(&path, layer, |table| {
            table.insert(key.clone(), value);
        });
        assert!(more.contains("the next layer has") || more.contains("the manifest has"), "{layer}: {more}");
        // As many states as before, but one is another.
        let swapped = with_layer(&path, layer, |table| {
            table.pop_last();
            table.insert(key.clone(), value);
        });
        assert!(!swapped.is_empty(), "{layer}");
    }
    assert!(
        with_layer(&path, 0, |table| {
            let key: Vec<bool> = table.keys().next().unwrap().iter().map(|bit| !bit).collect();
            *table = Table::from([(key, 1)]);
        })
        .contains("not the initial state")
    );
}

/// Of a single player, whether all states are looked at or conditions are counted in the diagrams.
#[test]
fn wrong_rewards_of_terminal_states_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gripper.ggs");
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gddl/planning/gripper.pddl");
    assert_eq!(texts(run(&["solve", game, "-o", path.to_str().unwrap()], "")).0, 0);
    let right = Manifest::load(&path).unwrap();
    let layer =
        right.layers.iter().rposition(|layer| layer.ends.as_ref().is_some_and(|ends| !ends.is_empty())).unwrap();
    for exhaustive in [100_000, 0] {
        let options = Options { exhaustive, samples: 20, ..Options::default() };
        assert_eq!(messages(&path, &options), "");
        let mut manifest = right.clone();
        let end = &mut manifest.layers[layer].ends.as_mut().unwrap()[0];
        let mut others = right.rewards.iter().filter(|rewards| **rewards != end.rewards);
        end.rewards = others.next_back().expect("there are two rewards").clone();
        manifest.save(&path).unwrap();
        let found = messages(&path, &options);
        assert!(found.contains("terminal states by their rewards"), "{exhaustive}: {found}");
        right.save(&path).unwrap();
    }
}

#[test]
fn wrong_counts_are_found() {
    let (_folder, path) = stored("tictactoe");
    let right = Manifest::load(&path).unwrap();
    type Change = fn(&mut Manifest);
    let changes: [(&str, Change); 14] = [
        ("rules.gdl: the hash", |manifest| manifest.rules_hash = "0".repeat(64)),
        ("layer 3: the manifest has 253 states", |manifest| manifest.layers[3].states += 1u32),
        ("layer 6: the manifest has 149 terminal states", |manifest| manifest.layers[6].terminal += 1u32),
        ("the buckets", |manifest| manifest.layers[5].buckets.as_mut().unwrap()[0].states += 1u32),
        ("there are 5478", |manifest| manifest.states = Some(5477u32.into())),
        ("terminal", |manifest| manifest.terminal_states = Some(957u32.into())),
        ("two layers", |manifest| manifest.progress_measure = Some(false)),
        ("choose in turn is told in two ways", |manifest| manifest.alternating = Some(false)),
        ("layer 4: the manifest has a role choose twice in a row so far, but none", |manifest| {
            manifest.layers[4].alternating = false;
        }),
        ("the value is", |manifest| manifest.rewards.swap(4, 6)),
        ("layer 4: the manifest has", |manifest| manifest.layers[4].nodes += 1),
        ("turn_taking is false; no states", |manifest| manifest.turn_taking = false),
        ("30 fluents in 10 groups, 19 bits; 20 moves; it has", |manifest| manifest.encoding.fluents += 1),
        ("20 bits; 20 moves; it has", |manifest| manifest.encoding.bits += 1),
    ];
    for (expected, change) in changes {
        let mut manifest = right.clone();
        change(&mut manifest);
        manifest.save(&path).unwrap();
        let found = messages(&path, &Options::default());
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn a_role_that_chooses_twice_in_a_row_is_found() {
    let (mut found, model) = (0, OpponentModel::MaxOwn);
    for seed in 0..40 {
        let (rules, folder) = (random_game(seed, None), tempfile::tempdir().unwrap());
        let game = game(&program("random", rules.as_bytes()));
        let Some(layered) = Layered::new(&game, model, 2_000) else { continue };
        write_folder(folder.path(), rules.as_bytes(), &game, model, &layered);
        let mut manifest = Manifest::load(folder.path()).unwrap();
        if game.roles.len() != 2 || manifest.alternating == Some(true) {
            continue;
        }
        found += 1;
        manifest.alternating = Some(true);
        manifest.layers.iter_mut().for_each(|layer| layer.alternating = true);
        manifest.save(folder.path()).unwrap();
        let messages = messages(folder.path(), &Options::default());
        assert!(messages.contains("but one chooses twice in a row"), "{seed}: {messages}");
    }
    assert!(found > 3, "{found}");
}

#[test]
fn random_states_find_what_is_wrong_often_enough() {
    let (_folder, path) = stored("tictactoe");
    let mut table = read_layer(&path, 5);
    // A tenth of the states.
    for value in table.values_mut().step_by(10) {
        *value = if *value == 1 { 2 } else { 1 };
    }
    replace_layer(&path, 5, &table);
    let options = Options { exhaustive: 0, samples: 300, seed: 1, ..Options::default() };
    let found = messages(&path, &options);
    assert!(found.contains("layer 5: "), "{found}");
    assert_eq!(found, messages(&path, &options), "one seed, one result");
}

#[test]
fn what_was_proved_sampled_or_left_open_is_told() {
    use api::verify::{Claim, How};
    let (_folder, path) = stored("tictactoe");
    let shown = |options: &Options, claim: Claim| {
        let found = checked(&path, options);
        assert_eq!(found.findings, []);
        found.claims.iter().find(|(other, _)| *other == claim).map(|(_, how)| how)
    };
    let (full, sampled) = (
        Options { full: true, exhaustive: 0, threads: 2, ..Options::default() },
        Options { exhaustive: 0, samples: 10, samples_by_value: 10, ..Options::default() },
    );
    let exact = [
        Claim::Checksums,
        Claim::LayerStates,
        Claim::Buckets,
        Claim::Terminal,
        Claim::Alternating,
        Claim::Disjoint,
        Claim::DistinctStates,
        Claim::DistinctTerminal,
    ];
    for claim in exact {
        assert_eq!(shown(&full, claim), Some(How::Proved), "{claim:?}");
        assert_eq!(shown(&sampled, claim), Some(How::Proved), "{claim:?}: for layers of any size");
    }
    for (claim, how) in [
        (Claim::Turns, How::Sampled),
        (Claim::Values, How::Sampled),
        (Claim::Successors, How::Sampled),
        (Claim::NoOthers, How::Open),
    ] {
        assert_eq!(shown(&full, claim), Some(How::Proved), "{claim:?}");
        assert_eq!(shown(&sampled, claim), Some(how), "{claim:?}");
    }
}

#[test]
fn your_own_rules_are_checked_against() {
    let (folder, path) = stored("tictactoe");
    let rules = shipped("tictactoe.gdl");
    let text = std::fs::read_to_string(&rules).unwrap();
    let verify_with = |rules: &Path| run(&["verify", path.to_str().unwrap(), "--rules", rules.to_str().unwrap()], "");
    let (code, out, _) = texts(verify_with(&rules));
    assert!(code == 0 && out.contains("against the rules in") && out.contains("tictactoe.gdl"), "{out}");
    // Rules of the same fluents in which a full board is worth something else.
    let other = folder.path().join("mine.gdl");
    std::fs::write(&other, text.replace(" 50)", " 40)")).unwrap();
    let (code, out, _) = texts(verify_with(&other));
    assert!(code == 5 && out.contains("the goals are [40, 40]"), "{out}");
    // Of other fluents.
    let (code, _, errors) = texts(verify_with(&rules.with_file_name("nim40.gdl")));
    assert!(code == 5 && errors.contains("not of these rules"), "{errors}");
}

/// Whether progress is shown or not.
#[test]
fn what_all_states_will_take_is_told_before_they_are_looked_at() {
    let (_folder, path) = stored("tictactoe");
    let verify =
        |more: &[&str]| texts(run(&[&["verify", path.to_str().unwrap(), "--progress", "never"], more].concat(), ""));
    let (code, text, errors) = verify(&["--full"]);
    assert!(code == 0 && text.contains("everything that was checked is right"), "{text}");
    assert!(errors.starts_with("walking over 5,478 states in 10 layers: about "), "{errors}");
    assert_eq!(verify(&[]).2, "");
}

#[test]
fn the_seed_is_told_and_repeats() {
    let (_folder, path) = stored("tictactoe");
    let json = |arguments: &[&str]| -> serde_json::Value {
        let all = [&["verify", path.to_str().unwrap(), "--states", "9", "--format", "json"], arguments].concat();
        serde_json::from_str(&texts(run(&all, "")).1).unwrap()
    };
    let (first, second) = (json(&[]), json(&[]));
    assert_ne!(first["seed"], second["seed"], "a new one for each run");
    assert_eq!(json(&["--seed", &first["seed"].to_string()]), first);
    assert_eq!(first["claims"]["buckets"], "proved");
    assert_eq!(first["claims"]["values"], "sampled");
}
