//! Every flipped bit of a stored solution is found, and none crashes a query or keeps it from its end.

use super::{ENDLESS, OVERLAPPING, TINY, files, finish, ggsolve, rules, shipped, solve};
use api::verify::{Options, verify};
use base::limits::Limits;
use base::random::Random;
use solving::solve::Silent;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn is_right(folder: &Path) -> bool {
    verify(folder, None, &Options::default(), &Limits::unlimited(), &Silent)
        .is_ok_and(|result| result.findings.is_empty())
}

#[test]
fn every_flipped_byte_is_found() {
    let scene = tempfile::tempdir().unwrap();
    for (name, text) in [("tiny", TINY), ("overlapping", OVERLAPPING), ("endless", ENDLESS)] {
        let game = rules(scene.path(), &format!("{name}.gdl"), text);
        let folder = scene.path().join(format!("{name}.ggs"));
        solve("solve", &game, &folder, if name == "endless" { &["--distances"] } else { &[] });
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

#[test]
fn a_version_that_is_no_number_is_damage() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("tiny.ggs");
    solve("solve", &rules(scene.path(), "tiny.gdl", TINY), &folder, &[]);
    let manifest = folder.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let told = |text: &str| {
        std::fs::write(&manifest, text).unwrap();
        query(&folder)
    };
    let (code, _, told_absent) = told(&text.replacen("\"version\"", "\"versiom\"", 1));
    assert!(code == Some(5) && told_absent.contains("its format version is not a number"), "{told_absent}");
    let (code, _, told_later) = told(&text.replacen("\"version\": ", "\"version\": 9", 1));
    assert!(code == Some(5) && told_later.contains("reads versions up to"), "{told_later}");
}

/// Files of a finished solution are looked at as a query does before it is told as finished.
#[test]
fn a_damaged_solution_is_not_told_as_finished() {
    let scene = tempfile::tempdir().unwrap();
    let (folder, game) = (scene.path().join("tictactoe.ggs"), shipped("tictactoe.gdl"));
    let guarantee = ["--guarantee", "xplayer"];
    solve("solve", &game, &folder, &guarantee);
    for name in ["rules.gdl", "layer-00004.values", "layer-00004.states", "guarantee-0/layer-00004.values"] {
        let path = folder.join(name);
        let bytes = std::fs::read(&path).unwrap();
        let mut other = bytes.clone();
        other[bytes.len() / 2] ^= 1;
        for damaged in [Some(&other[..]), Some(&bytes[1..]), None] {
            std::fs::remove_file(&path).unwrap();
            damaged.map_or(Ok(()), |damaged| std::fs::write(&path, damaged)).unwrap();
            let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &guarantee).output().unwrap());
            assert!(code == Some(5) && errors.contains(name) && errors.contains("--force"), "{errors}");
            std::fs::write(&path, &bytes).unwrap();
        }
        std::fs::write(&path, other).unwrap();
        solve("solve", &game, &folder, &["--force", "--guarantee", "xplayer"]);
        assert!(is_right(&folder) && std::fs::read(&path).unwrap() == bytes, "{name}");
    }
}

/// Small files are compared with their checksums by a query, too: damage in the values never becomes another value.
#[test]
fn a_query_of_small_files_sees_damage_that_leaves_them_well_formed() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("tictactoe.ggs");
    solve("solve", &shipped("tictactoe.gdl"), &folder, &[]);
    let repeats = scene.path().join("endless.ggs");
    solve("solve", &rules(scene.path(), "endless.gdl", ENDLESS), &repeats, &["--distances"]);
    let of_all = files(&repeats).into_keys().filter(|name| name.starts_with("settled-"));
    let mut looked_at: Vec<_> = of_all.map(|name| (&repeats, name)).collect();
    assert_eq!(looked_at.len(), 3, "values, rounds and distances: {looked_at:?}");
    looked_at.extend(["layer-00001.values", "layer-00001.states"].map(|name| (&folder, name.to_owned())));
    for (folder, name) in looked_at {
        let (path, bytes) = (folder.join(&name), files(folder)[&name].clone());
        for place in (0..bytes.len()).step_by(11) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x55;
            std::fs::write(&path, damaged).unwrap();
            let (code, output, errors) = query(folder);
            assert_eq!(code, Some(5), "{name} at {place}: {output}{errors}");
        }
        std::fs::write(&path, &bytes).unwrap();
    }
    assert_eq!(query(&folder).0, Some(0));
    // What a manifest names has to be there; a finding has its name once.
    for name in ["layer-00001.values", "layer-00000.states", "rules.gdl"] {
        let (path, bytes) = (folder.join(name), files(&folder)[name].clone());
        std::fs::remove_file(&path).unwrap();
        let (code, _, errors) = query(&folder);
        assert!(code == Some(5) && errors.contains("the file is missing"), "{name}: {code:?}: {errors}");
        if name != "rules.gdl" {
            let again = ggsolve("solve", &shipped("tictactoe.gdl"), &folder, &[]).output().unwrap();
            let errors = String::from_utf8(again.stderr).unwrap();
            assert!(errors.contains(&format!("{name}: damaged: the file is missing\n")), "{errors}");
            let report = Command::new(env!("CARGO_BIN_EXE_ggsolve")).arg("verify").arg(&folder).output().unwrap();
            let report = String::from_utf8(report.stdout).unwrap();
            assert!(report.contains(&format!("\n  {name}: damaged: the file is missing\n")), "{report}");
        }
        std::fs::write(&path, &bytes).unwrap();
    }
}

/// A folder in place of a file is damage, and is replaced with the rest; what cannot be read may be right.
#[test]
fn a_folder_in_place_of_a_file_is_damage_and_a_file_that_cannot_be_read_is_none() {
    let scene = tempfile::tempdir().unwrap();
    let (folder, game) = (scene.path().join("tiny.ggs"), rules(scene.path(), "tiny.gdl", TINY));
    solve("solve", &game, &folder, &[]);
    let told = |command: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_ggsolve")).arg(command).arg(&folder).output().unwrap();
        let (code, printed, errors) = finish(&output);
        (code, format!("{printed}{errors}"))
    };
    for name in ["layer-00000.states", "layer-00000.values", "rules.gdl"] {
        let path = folder.join(name);
        std::fs::remove_file(&path).unwrap();
        // Opening a link to itself fails for every user, also for one whom no permissions bind.
        std::os::unix::fs::symlink(name, &path).unwrap();
        for command in ["query", "verify"] {
            let (code, text) = told(command);
            assert!(code == Some(1) && text.contains(name) && !text.contains("damaged"), "{command}: {code:?}: {text}");
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        for command in ["query", "verify"] {
            let (code, text) = told(command);
            assert!(code == Some(5) && text.contains("damaged: a folder in place of the file"), "{command}: {text}");
        }
        let (code, _, errors) = finish(&ggsolve("solve", &game, &folder, &[]).output().unwrap());
        assert!(code == Some(5) && errors.contains(&format!("{name}: damaged: a folder in place")), "{errors}");
        solve("solve", &game, &folder, &["--force"]);
        assert!(is_right(&folder));
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

/// Flips by default; more with `GGSOLVE_FLIPS`.
const FLIPS: usize = 40;
/// No query of these solutions takes as long.
const LONGEST: Duration = Duration::from_secs(60);

/// Exit code of a query, and what it says; it must end by itself.
fn query(folder: &Path) -> (Option<i32>, String, String) {
    let mut query = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let query = query.arg("query").arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = query.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < LONGEST, "a query hangs");
        std::thread::sleep(Duration::from_millis(1));
    }
    finish(&child.wait_with_output().unwrap())
}

/// A thousand flips: `GGSOLVE_FLIPS=1000 cargo test --release --test store -- flipped_bits --nocapture`.
#[test]
fn flipped_bits_are_found_and_crash_no_query() {
    let flips = std::env::var("GGSOLVE_FLIPS").map_or(FLIPS, |number| number.parse().unwrap());
    let scene = tempfile::tempdir().unwrap();
    let endless = rules(scene.path(), "endless.gdl", ENDLESS);
    let overlapping = rules(scene.path(), "overlapping.gdl", OVERLAPPING);
    let (tictactoe, clobber) = (shipped("tictactoe.gdl"), shipped("clobber_3x4.gdl"));
    let mut solutions = Vec::new();
    for (game, engine) in [(tictactoe, "auto"), (clobber, "hybrid"), (overlapping, "hybrid"), (endless, "auto")] {
        let folder = scene.path().join(solutions.len().to_string());
        solve("solve", &game, &folder, &["--engine", engine]);
        let (code, right, errors) = query(&folder);
        assert_eq!(code, Some(0), "{errors}");
        // By kind of file, so that each is hit as often as the others.
        let mut kinds = BTreeMap::<String, Vec<String>>::new();
        for (name, _) in files(&folder).into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let kind = name.rsplit_once('.').map_or(name.clone(), |(_, kind)| kind.to_owned());
            kinds.entry(kind).or_default().push(name);
        }
        solutions.push((folder, right, kinds));
    }
    let (mut random, mut told, mut hit) = (Random::new(5), 0, BTreeMap::<String, usize>::new());
    for number in 0..flips {
        let (folder, right, kinds) = &solutions[number % solutions.len()];
        let kind = (*random.choose(&kinds.keys().collect::<Vec<_>>()).unwrap()).clone();
        let name = random.choose(&kinds[&kind]).unwrap();
        let path = folder.join(name);
        let bytes = std::fs::read(&path).unwrap();
        let (place, bit) = (random.below(bytes.len()), random.below(8));
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << bit;
        std::fs::write(&path, damaged).unwrap();
        assert!(!is_right(folder), "{name}: bit {bit} of byte {place}");
        let (code, output, errors) = query(folder);
        match code {
            // What it read was not what was damaged, or only the checksum of a file shows it.
            Some(0) => assert!(output == *right || !is_right(folder)),
            Some(5) => told += 1,
            code => panic!("{name}: bit {bit} of byte {place}: {code:?}: {errors}"),
        }
        if ["json", "gdl"].contains(&kind.as_str()) {
            assert_eq!(code, Some(5), "{name}: a query reads it: bit {bit} of byte {place}: {errors}");
        }
        std::fs::write(&path, bytes).unwrap();
        *hit.entry(kind).or_default() += 1;
    }
    println!("{flips} flips in {hit:?}: all found by verify, {told} by the query of the first position");
}
