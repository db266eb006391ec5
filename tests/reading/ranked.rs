//! Solutions with values by rank: every answer against brute force; wrong values with right checksums are found.

use super::common::ranked::copy_ranked;
use super::common::{game, program, shipped};
use super::plain_store::Layered;
use super::values::compare_folder;
use super::{copy, run, stored, texts};
use api::verify::{Options, verify};
use base::limits::Limits;
use game::reward::OpponentModel;
use solving::solve::Silent;
use solving::store::manifest::Manifest;
use solving::store::{Kind, Opener, Ranked, checksum, hex};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn ranked(name: &str, which: impl Fn(usize) -> bool) -> (TempDir, PathBuf) {
    let (folder, path) = stored(name);
    let ranked = folder.path().join("ranked.ggs");
    copy_ranked(&path, &ranked, 1, 0, which);
    (folder, ranked)
}

/// What is wrong with a solution; a file that cannot be looked at at all is an error.
fn messages(folder: &Path, options: &Options) -> String {
    match verify(folder, None, options, &Limits::unlimited(), &Silent) {
        Ok(found) => found.findings.iter().map(|found| format!("{}: {}\n", found.place, found.message)).collect(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_answer_is_that_of_brute_force() {
    for name in ["tictactoe", "clobber_1x6", "clobber_3x4"] {
        let file = shipped(&format!("{name}.gdl"));
        let ground = game(&program(name, &std::fs::read(file).unwrap()));
        let layered = Layered::new(&ground, OpponentModel::MaxOwn, 20_000).unwrap();
        for (all, every) in [(true, 1), (false, 2), (false, 3)] {
            let (_folder, path) = ranked(name, |layer| layer % every == 0);
            let files = Manifest::load(&path).unwrap().layers.into_iter().map(|layer| layer.values_file.unwrap().name);
            let by_rank: Vec<bool> = files.map(|name| name.ends_with(".ranked")).collect();
            assert!(by_rank[0] && by_rank.contains(&false) != all);
            compare_folder(name, &path, &ground, &layered);
            for exhaustive in [100_000, 500, 0] {
                assert_eq!(
                    messages(&path, &Options { exhaustive, samples: 200, seed: 5, ..Options::default() }),
                    "",
                    "{name}"
                );
            }
            let (code, text, _) = texts(run(&["query", path.to_str().unwrap()], ""));
            assert_eq!(code, 0, "{text}");
        }
    }
}

/// Changes bytes of a layer's values from the start of a part on, with right checksums everywhere.
fn with_bytes(path: &Path, layer: usize, change: impl Fn(&Ranked, &mut Vec<u8>)) -> String {
    let folder = tempfile::tempdir().unwrap();
    copy(path, folder.path());
    let mut manifest = Manifest::load(path).unwrap();
    let record = manifest.layers[layer].values_file.clone().unwrap();
    let ranked = manifest.file(path, &record, Kind::Ranked, layer as u32).ranked().unwrap();
    let record = manifest.layers[layer].values_file.as_mut().unwrap();
    let mut bytes = std::fs::read(path.join(&record.name)).unwrap();
    bytes.truncate(bytes.len() - 32);
    change(&ranked, &mut bytes);
    bytes.extend(checksum(&bytes));
    (record.bytes, record.sha256) = (bytes.len() as u64, hex(&checksum(&bytes)));
    std::fs::write(folder.path().join(&record.name), &bytes).unwrap();
    manifest.save(folder.path()).unwrap();
    messages(folder.path(), &Options::default())
}

#[test]
fn wrong_values_with_right_checksums_are_found() {
    let (_folder, path) = ranked("clobber_3x4", |_| true);
    let layers = Manifest::load(&path).unwrap().layers.len();
    for layer in (1..layers).step_by(3) {
        assert_eq!(with_bytes(&path, layer, |_, _| {}), "");
        // The counts, anywhere in their data or directory.
        for part in 0..4 {
            let found = with_bytes(&path, layer, |ranked, bytes| {
                let start = 96 + 4 * ranked.values().len();
                let blocks = bytes.len() - 8 - u64::from_le_bytes(*bytes.last_chunk().unwrap()) as usize;
                bytes[start + part * (blocks - start) / 4] ^= 1 << part;
            });
            assert!(!found.is_empty(), "{layer}");
        }
        // The index, the number of states, the values.
        let wrong = with_bytes(&path, layer, |_, bytes| *bytes.last_chunk_mut().unwrap() = 1u64.to_le_bytes());
        assert!(!wrong.is_empty(), "{layer}");
        assert!(with_bytes(&path, layer, |_, bytes| bytes[72] ^= 1).contains("not the ranks"), "{layer}");
        let found = with_bytes(&path, layer, |_, bytes| bytes[96] = 200);
        assert!(found.contains("has a value 200") || found.contains("without rewards"), "{layer}: {found}");
        let swapped = with_bytes(&path, layer, |ranked, bytes| match ranked.values() {
            [_] => bytes[96] = if bytes[96] == 1 { 2 } else { 1 },
            _ => bytes.swap(96, 100),
        });
        assert!(swapped.contains("the value is ") && swapped.contains("the buckets"), "{layer}: {swapped}");
        // The codes of some states: a block is replaced by itself, not compressed, but for a bit.
        let (mut found, mut changed) = (String::new(), false);
        let manifest = Manifest::load(&path).unwrap();
        let record = &manifest.layers[layer];
        let file = record.values_file.as_ref().unwrap();
        let ranked = manifest.file(&path, file, Kind::Ranked, layer as u32).ranked().unwrap();
        if ranked.values().len() == 2 {
            changed = true;
            found = with_bytes(&path, layer, |ranked, bytes| {
                let mut codes = Vec::new();
                ranked.open_block(0, &mut Opener::default(), &mut codes).unwrap();
                codes[0] ^= 1;
                let end = bytes.len() - 8;
                bytes.truncate(end - u64::from_le_bytes(*bytes.last_chunk().unwrap()) as usize);
                bytes.extend(&codes);
                bytes.extend((codes.len() as u64).to_le_bytes());
            });
        }
        assert!(!changed || found.contains("the value is ") && found.contains("the buckets"), "{layer}: {found}");
    }
}
