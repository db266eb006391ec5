//! Shipped games solved from the command line, compared with published results.
//!
//! The large ones take minutes: `cargo test --release --test games -- --ignored published`.

use crate::common::layers::{CLOBBER_4X5, PEG, PEG_REWARDS};
use serde_json::{Value, json};
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

/// Games that go round, and those whose layers share states: the value, null for endless play; the states, and those won
/// for the first player, won for the second, and with endless play.
fn with_states_once(game: &str, value: Value, [states, first, second, endless]: [u64; 4]) {
    let report = report("solve", game);
    assert_eq!((&report["value"], report["states"].as_u64()), (&value, Some(states)), "{game}");
    let mut buckets: Vec<(Value, u64)> = (report["buckets"].as_array().unwrap().iter())
        .map(|bucket| (bucket["rewards"].clone(), bucket["states"].as_u64().unwrap()))
        .collect();
    buckets.sort_by_key(|bucket| bucket.0.to_string());
    let expected = [(json!([0, 100]), second), (json!([100, 0]), first), (Value::Null, endless)];
    assert_eq!(buckets, expected.into_iter().filter(|bucket| bucket.1 > 0).collect::<Vec<_>>(), "{game}");
}

fn with_winner(game: &str, value: Value) {
    assert_eq!(report("solve", game)["value"], value, "{game}");
}

/// Quixo and Breakthrough by the players who win, Teeko a draw: see games/README.md.
#[test]
fn published_small_games_that_go_round() {
    with_states_once("quixo_3", json!([100, 0]), [32_027, 16_021, 16_006, 0]);
    with_winner("breakthrough_4x4", json!([0, 100]));
}

#[test]
#[ignore = "takes minutes"]
fn published_games_that_go_round() {
    with_states_once("quixo_4", json!([100, 0]), [82_497_861, 39_645_425, 39_639_200, 3_213_236]);
    with_states_once("teeko", Value::Null, [171_875_046, 35_087_767, 39_918_165, 96_869_114]);
    with_states_once("morris_six", Value::Null, [47_957_097, 22_259_906, 22_155_374, 3_541_817]);
    with_winner("breakthrough_4x5", json!([0, 100]));
    with_winner("breakthrough_4x6", json!([100, 0]));
}

/// Tanaka (2009) counts 246,803,167 positions up to the mirror and to who is to move, 2,682,700 of them drawn.
#[test]
#[ignore = "takes an hour"]
fn published_dobutsu_shogi_and_tic_tac_chec() {
    with_states_once("dobutsu", json!([0, 100]), [987_146_084, 488_208_123, 488_208_123, 10_729_838]);
    with_states_once("tic_tac_chec", Value::Null, [4_920_027_969, 199_831_958, 199_828_154, 4_520_367_857]);
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
