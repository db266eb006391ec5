//! Shipped games solved from the command line, compared with published results.
//!
//! The large ones take minutes: `cargo test --release --test games -- --ignored published`.

use serde_json::Value;
use std::process::Command;

/// The report of one run.
fn report(command: &str, game: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_ggsolve"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([command, &format!("games/{game}.gdl"), "--format", "json", "--no-store"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{game}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn layers(report: &Value, key: &str) -> Vec<u64> {
    report["layers"].as_array().unwrap().iter().map(|layer| layer[key].as_u64().unwrap()).collect()
}

/// States by rewards, in the order of the report.
fn buckets(report: &Value) -> Vec<(Vec<u64>, u64)> {
    let rewards = |bucket: &Value| bucket["rewards"].as_array().unwrap().iter().map(|r| r.as_u64().unwrap()).collect();
    let buckets = report["buckets"].as_array().unwrap();
    buckets.iter().map(|bucket| (rewards(bucket), bucket["states"].as_u64().unwrap())).collect()
}

/// Value and number of states; the layers are disjoint, and the buckets are a partition.
fn connect_four(size: &str, value: [u64; 2], states: u64) {
    let report = report("solve", &format!("connect4_{size}"));
    assert_eq!(report["value"], serde_json::json!(value), "{size}");
    assert_eq!(report["states"].as_u64(), Some(states), "{size}");
    assert_eq!(layers(&report, "states").iter().sum::<u64>(), states, "{size}");
    assert_eq!(layers(&report, "terminal").iter().sum::<u64>(), report["terminal_states"].as_u64().unwrap(), "{size}");
    assert_eq!(buckets(&report).iter().map(|bucket| bucket.1).sum::<u64>(), states, "{size}");
}

const DRAW: [u64; 2] = [50, 50];
const SECOND: [u64; 2] = [0, 100];

#[test]
fn published_small_connect_four() {
    connect_four("4x4", DRAW, 161_029);
    connect_four("4x5", DRAW, 1_706_255);
    connect_four("5x4", DRAW, 3_945_711);
    connect_four("5x5", DRAW, 69_763_700);
}

#[test]
#[ignore = "takes minutes"]
fn published_large_connect_four() {
    connect_four("6x4", SECOND, 94_910_577);
    connect_four("5x6", DRAW, 1_044_334_437);
    connect_four("7x4", DRAW, 2_265_792_710);
    connect_four("6x5", DRAW, 2_818_972_642);
}

#[test]
fn published_clobber() {
    let report = report("solve", "clobber");
    assert_eq!(report["value"], serde_json::json!([30, 0]));
    assert_eq!((report["states"].as_u64(), report["terminal_states"].as_u64()), (Some(26_787_440), Some(356_493)));
    let expected = [
        1, 31, 790, 7937, 64_672, 275_550, 1_001_484, 2_246_304, 4_422_566, 5_542_585, 5_930_954, 3_987_558, 2_210_054,
        792_819, 242_120, 51_468, 9187, 1256, 96, 8,
    ];
    assert_eq!(layers(&report, "states"), expected);
}

#[test]
#[ignore = "takes minutes"]
fn published_peg() {
    let report = report("classify", "peg");
    assert_eq!(report["value"], serde_json::json!([100]));
    assert_eq!((report["states"].as_u64(), report["terminal_states"].as_u64()), (Some(187_636_299), Some(162_352)));
    let expected = [
        1, 4, 12, 60, 296, 1338, 5648, 21_842, 77_559, 249_690, 717_788, 1_834_379, 4_138_302, 8_171_208, 14_020_166,
        20_773_236, 26_482_824, 28_994_876, 27_286_330, 22_106_348, 15_425_572, 9_274_496, 4_792_664, 2_120_101,
        800_152, 255_544, 68_236, 14_727, 2529, 334, 32, 5,
    ];
    assert_eq!(layers(&report, "states"), expected);
    let expected = [
        (0, 116_057),
        (10, 228_492),
        (20, 572_871),
        (30, 1_305_817),
        (40, 3_169_848),
        (50, 7_233_160),
        (60, 12_869_577),
        (70, 41_976_387),
        (80, 39_688_157),
        (90, 67_047_807),
        (99, 4),
        (100, 13_428_122),
    ];
    assert_eq!(buckets(&report), expected.map(|(reward, states)| (vec![reward], states)));
}
