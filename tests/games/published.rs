//! Shipped games solved from the command line, compared with published results.
//!
//! The large ones take minutes: `cargo test --release --test games -- --ignored published`.

use crate::common::layers::{CLOBBER_4X5, PEG, PEG_REWARDS};
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
    assert_eq!(layers(&report, "states"), CLOBBER_4X5);
}

#[test]
#[ignore = "takes minutes"]
fn published_peg() {
    let report = report("classify", "peg");
    assert_eq!(report["value"], serde_json::json!([100]));
    assert_eq!((report["states"].as_u64(), report["terminal_states"].as_u64()), (Some(187_636_299), Some(162_352)));
    assert_eq!(layers(&report, "states"), PEG);
    assert_eq!(buckets(&report), PEG_REWARDS.map(|(reward, states)| (vec![reward], states)));
}
