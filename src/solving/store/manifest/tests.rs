use super::*;
use crate::store::{Kind, layer_name};

fn file(name: String) -> FileRecord {
    FileRecord { name, bytes: 100, sha256: "00".repeat(32), nodes: 3 }
}

fn manifest() -> Manifest {
    let layer = |layer: u32| LayerRecord {
        layer,
        states: BigUint::from(10u32).pow(30),
        terminal: BigUint::from(3u32),
        nodes: 3,
        alternating: true,
        states_file: file(layer_name(layer, Kind::States)),
        values_file: (layer > 0).then(|| file(layer_name(layer, Kind::Values))),
        buckets: (layer > 0).then(|| {
            let (rewards, states) = (Some(vec![0, 100]), BigUint::from(10u32).pow(30));
            vec![BucketRecord { rewards, states, nodes: 3, plies: Vec::new() }]
        }),
        ends: (layer > 1).then(|| vec![EndRecord { rewards: vec![0, 100], states: BigUint::from(3u32) }]),
        ..LayerRecord::default()
    };
    Manifest {
        format: FORMAT.to_owned(),
        version: crate::store::VERSION,
        id: Some("33".repeat(32)),
        game: "a \"game\"".to_owned(),
        language: "gdl".to_owned(),
        rules_file: "rules.gdl".to_owned(),
        rules_sha256: "11".repeat(32),
        rules_hash: "22".repeat(32),
        roles: vec!["x".to_owned(), "y".to_owned()],
        opponent_model: Some("max-own".to_owned()),
        algorithm: "layered".to_owned(),
        phase: Progress::Backward,
        variables: vec!["(cell 1 é)".to_owned(); 3],
        defaults: vec![DefaultFluent { fluent: "b".to_owned(), unless: vec![0, 2] }],
        rewards: vec![vec![0, 100]],
        encoding: EncodingSize { fluents: 4, groups: 2, bits: 3, moves: 9 },
        progress_measure: Some(true),
        turn_taking: true,
        alternating: Some(false),
        states: Some(BigUint::from(10u32).pow(40)),
        terminal_states: Some(BigUint::from(0u32)),
        cycle: Some(CycleRecord {
            path: vec!["go noop".to_owned()],
            state: vec!["b".to_owned()],
            moves: vec!["back noop".to_owned()],
        }),
        layers: (0..3).map(layer).collect(),
        runs: vec![crate::store::Run::default().record()],
        ..Manifest::default()
    }
}

#[test]
fn a_manifest_comes_back_as_it_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = manifest();
    manifest.save(folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join(NAME)).unwrap();
    assert!(text.contains(&format!("\"states\": 1{}", "0".repeat(40))), "{text}");
    let loaded = Manifest::load(folder.path()).unwrap();
    assert_eq!(loaded.checksum.len(), 64);
    assert_eq!(Manifest { checksum: String::new(), ..loaded.clone() }, manifest);
    loaded.save(folder.path()).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join(NAME)).unwrap(), text);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn every_flipped_bit_is_found() {
    let folder = tempfile::tempdir().unwrap();
    manifest().save(folder.path()).unwrap();
    let path = folder.path().join(NAME);
    let bytes = std::fs::read(&path).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, damaged).unwrap();
        let error = Manifest::load(folder.path()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::Foreign { .. }), "{place}: {error}");
    }
}

#[test]
fn other_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(NAME), format!("{{\"format\": \"{FORMAT}\", \"version\": 8}}")).unwrap();
    let error = Manifest::load(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }) && error.to_string().contains("version 8"), "{error}");
}

#[test]
fn parts_must_fit_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let changes: [fn(&mut Manifest); 12] = [
        |manifest| manifest.phase = Progress::Forward,
        |manifest| manifest.phase = Progress::Complete,
        |manifest| manifest.layers[1].layer = 4,
        |manifest| manifest.layers[2].values_file = None,
        |manifest| manifest.layers[2].buckets = None,
        |manifest| manifest.layers[2].states_file.name = "../other".to_owned(),
        |manifest| manifest.rules_file = "../rules.gdl".to_owned(),
        |manifest| manifest.rewards = vec![vec![1]],
        |manifest| manifest.defaults[0].unless = vec![3],
        |manifest| manifest.id = None,
        |manifest| manifest.id = Some("33".to_owned()),
        |manifest| manifest.version = 2,
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut manifest = manifest();
        change(&mut manifest);
        manifest.save(folder.path()).unwrap();
        let error = Manifest::load(folder.path()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{number}: {error}");
    }
}

fn timed() -> Manifest {
    let mut timed = Manifest { distances: true, version: crate::store::DISTANCES_VERSION, ..manifest() };
    for layer in &mut timed.layers[1..] {
        let rewards = vec![0, 100];
        layer.ends = Some(vec![EndRecord { rewards, states: layer.terminal.clone() }]);
        for bucket in layer.buckets.iter_mut().flatten() {
            // As many plies are left as there are later layers.
            let plies = 0..3 - layer.layer;
            let each = &bucket.states / (3 - layer.layer);
            bucket.plies = plies.map(|plies| PliesRecord { plies, states: each.clone() }).collect();
        }
    }
    timed
}

#[test]
fn distances_come_with_their_version_and_for_all_states() {
    let folder = tempfile::tempdir().unwrap();
    timed().save(folder.path()).unwrap();
    let loaded = Manifest::load(folder.path()).unwrap();
    assert_eq!(loaded.endings().count(), 2, "layers 1 and 2 have ends");
    assert_ne!(timed().file_id(Kind::Values), manifest().file_id(Kind::Values));
    assert_eq!(timed().file_id(Kind::States), manifest().file_id(Kind::States));
    let of_bucket = |manifest: &mut Manifest, change: fn(&mut Vec<PliesRecord>)| {
        change(&mut manifest.layers[1].buckets.as_mut().unwrap()[0].plies);
    };
    let changes: [&dyn Fn(&mut Manifest); 8] = [
        &|manifest| manifest.distances = false,
        &|manifest| manifest.version = crate::store::VERSION,
        &|manifest| manifest.opponent_model = None,
        &|manifest| manifest.layers[2].ends = None,
        &|manifest| of_bucket(manifest, Vec::clear),
        &|manifest| of_bucket(manifest, |plies| plies.reverse()),
        &|manifest| of_bucket(manifest, |plies| plies[0].states += 1u32),
        &|manifest| of_bucket(manifest, |plies| plies[1].plies = 2),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut manifest = timed();
        change(&mut manifest);
        manifest.save(folder.path()).unwrap();
        let error = Manifest::load(folder.path()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{number}: {error}");
    }
}

#[test]
fn the_identity_does_not_depend_on_runs() {
    let (one, mut other) = (manifest(), manifest());
    other.runs.clear();
    other.phase = Progress::Complete;
    other.rules_sha256 = "44".repeat(32);
    assert_eq!(one.identity(), other.identity());
    let changes: [fn(&mut Manifest); 4] = [
        |manifest| manifest.rules_hash = "55".repeat(32),
        |manifest| manifest.roles.reverse(),
        |manifest| manifest.variables[0] = "a".to_owned(),
        |manifest| manifest.algorithm = "global".to_owned(),
    ];
    for change in changes {
        let mut other = manifest();
        change(&mut other);
        assert_ne!(one.identity(), other.identity());
    }
    let model = |name: Option<&str>| Manifest { opponent_model: name.map(str::to_owned), ..manifest() };
    let id = |kind, name| model(name).file_id(kind).unwrap();
    assert_eq!(id(Kind::States, Some("max-own")), id(Kind::States, None));
    assert_ne!(id(Kind::Values, Some("max-own")), id(Kind::Values, Some("max-diff")));
    assert_ne!(id(Kind::Values, Some("max-own")), id(Kind::States, Some("max-own")));
}
