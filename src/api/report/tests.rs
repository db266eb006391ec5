//! Reports of small outcomes made by hand.

use crate::session::{Command, LayerReport, RunReport, Times};
use game::reward::OpponentModel;
use num_bigint::BigUint;
use serde_json::{Value, json};
use solving::solve::{Algorithm, Bucket, Difference, EncodingSize, Engine};
use solving::store::RunRecord;
use solving::store::runs::{Seconds, TOTAL};

fn bucket(rewards: Option<&[u8]>, states: u32) -> Bucket {
    Bucket { rewards: rewards.map(<[u8]>::to_vec), states: BigUint::from(states), nodes: Some(3), plies: Vec::new() }
}

fn json_of(report: &RunReport) -> Value {
    serde_json::to_value(report).unwrap()
}

/// `forward`: milliseconds of the forward pass.
fn run(forward: u32, peak_memory_bytes: u64, finished: bool) -> RunRecord {
    let times = [("parse", 500), ("forward", forward), (TOTAL, 500 + forward)];
    RunRecord {
        version: "1.2.3".to_owned(),
        options: [("engine", "hybrid"), ("order", "search")].map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
        engine: Some("hybrid".to_owned()),
        threads: 2,
        memory_limit_bytes: 1 << 20,
        time_s: times.map(|(name, time)| (name.to_owned(), Seconds::new(f64::from(time) / 1e3))).into(),
        peak_memory_bytes: Some(peak_memory_bytes),
        machine: "a processor".to_owned(),
        finished,
    }
}

fn report(command: Command, roles: &[&str], value: Option<&[u8]>, buckets: Vec<Bucket>) -> RunReport {
    let layer = |layer: usize, states: u32, terminal: u32, buckets| LayerReport {
        layer,
        orbits: None,
        states: states.into(),
        terminal: terminal.into(),
        nodes: 5,
        engine: Engine::Symbolic,
        means: None,
        buckets: Some(buckets),
        shares: None,
        mixed: None,
        ends: None,
    };
    RunReport {
        orbits: None,
        game: "small".to_owned(),
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        command,
        opponent_model: OpponentModel::MaxOwn,
        algorithm: Algorithm::Layered,
        algorithm_reason: "it was asked for",
        engine: Engine::Symbolic,
        rules_sha256: "00".repeat(32),
        value: Some(value.map(<[u8]>::to_vec)),
        exact_value: None,
        no_value: None,
        plies: None,
        longest: Vec::new(),
        line: None,
        line_exact: true,
        line_repeats: None,
        plans: None,
        states: 3u32.into(),
        layer_states: 4u32.into(),
        terminal_states: 1u32.into(),
        progress_measure: false,
        turn_taking: true,
        alternating: true,
        layers: vec![layer(0, 1, 0, vec![]), layer(1, 3, 1, buckets.clone())],
        buckets: Some(buckets),
        shares: None,
        ties: None,
        not_best: None,
        guarantees: Default::default(),
        unfinished_guarantees: Vec::new(),
        dead_ends: None,
        unreached: None,
        aim: None,
        cycle: None,
        encoding: EncodingSize { fluents: 4, groups: 2, bits: 3, moves: 6 },
        stored: Some("a game.ggs".into()),
        from_disk: false,
        has_values: false,
        option_differences: Vec::new(),
        time_s: Times(None),
        peak_memory_bytes: None,
        runs: Vec::new(),
        diagnostics: Vec::new(),
        unstored: None,
    }
    .with_runs(vec![run(250, 2048, true)])
}

#[test]
fn ties_say_whether_a_state_counts_in_several_layers() {
    let report = report(Command::Solve, &["x", "o"], Some(&[50, 50]), vec![bucket(Some(&[50, 50]), 4)]);
    let [ties, none] = [2u32, 0].map(|ties| report.ties_text(&ties.into()));
    assert!(ties.starts_with("In 2 states a tie decides, counted in every layer that contains them: "), "{ties}");
    assert!(none.starts_with("In 0 states a tie decides: "), "{none}");
    let apart = RunReport { layer_states: report.states.clone(), ..report };
    assert!(apart.ties_text(&2u32.into()).starts_with("In 2 states a tie decides: "));
}

#[test]
fn what_was_read_from_disk_tells_the_runs_that_computed_it() {
    let (value, buckets): (Option<&[u8]>, _) = (Some(&[50, 50]), vec![bucket(Some(&[50, 50]), 4)]);
    let difference = Difference {
        option: "engine",
        given: "symbolic".to_owned(),
        stored: vec!["hybrid".to_owned()],
        applies: false,
    };
    let report = report(Command::Solve, &["x", "o"], value, buckets)
        .with_runs(vec![run(250, 4096, false), run(1000, 2048, true)]);
    let report = RunReport { from_disk: true, option_differences: vec![difference], ..report };
    let json = json_of(&report);
    assert_eq!([&json["from_disk"], &json["stored"]], [&json!(true), &json!("a game.ggs")]);
    assert_eq!(json["time_s"]["forward"], json!(1.25));
    assert_eq!(json["time_s"]["total"], json!(2.25));
    assert_eq!(json["peak_memory_bytes"], json!(4096));
    assert_eq!([&json["runs"][0]["finished"], &json["runs"][1]["finished"]], [&json!(false), &json!(true)]);
    let of_run = ["version", "options", "threads", "memory_limit_bytes", "time_s", "peak_memory_bytes", "machine"];
    assert!(of_run.iter().all(|key| json["runs"][0].get(key).is_some()));
    assert_eq!(json["option_differences"][0]["stored"], json!(["hybrid"]));
    let text = report.to_string();
    for part in [
        "  time      parse 1.000 s, forward 1.250 s, total 2.250 s\n",
        "  memory    4.0 KiB at the peak\n",
        "  runs      0.750 s until it was stopped: ggsolve 1.2.3 --engine hybrid; engine hybrid, threads 2, at most 1.0 MiB; a processor\n",
        "in 'a game.ggs', read from there: nothing was computed.\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let unknown = report.clone().with_runs(Vec::new());
    assert_eq!(
        [&json_of(&unknown)["time_s"]["total"], &json_of(&unknown)["peak_memory_bytes"]],
        [&json!(null), &json!(null)]
    );
    assert!(unknown.to_string().contains("not recorded"));
}
