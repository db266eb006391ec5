//! Solves games one after the other, each in a process of its own, and prints a table of what that took:
//! `cargo build --release && cargo run --release --example benchmark -- games/connect4_5x5.gdl …`.
//!
//! Without games, the shipped ones that take less than a minute. Arguments that start with `-` and those after them
//! go to `ggsolve`, for instance `--threads 1` or `--opponent-model max-diff`; the first one may be `--count`, which
//! runs the forward pass only.

mod runs;

use serde_json::Value;
use std::process::ExitCode;

const DEFAULT: [&str; 10] = [
    "games/tictactoe.gdl",
    "games/clobber_1x6.gdl",
    "games/clobber_3x4.gdl",
    "games/clobber.gdl",
    "games/connect4_4x4.gdl",
    "games/connect4_4x5.gdl",
    "games/connect4_5x4.gdl",
    "games/connect4_5x5.gdl",
    "games/connect4_6x4.gdl",
    "games/peg.gdl",
];

fn main() -> ExitCode {
    let mut games: Vec<String> = std::env::args().skip(1).collect();
    let first_option = games.iter().position(|argument| argument.starts_with('-')).unwrap_or(games.len());
    let mut options = games.split_off(first_option);
    let count = options.first().is_some_and(|option| option == "--count");
    if count {
        options.remove(0);
    }
    options.push("--no-store".to_owned());
    if games.is_empty() {
        games = DEFAULT.map(String::from).to_vec();
    }
    println!(
        "| game | value | states | nodes of the largest layer | peak memory, MiB | forward, s | backward, s | total, s |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for game in &games {
        match runs::run(if count { "count" } else { "solve" }, game, &options) {
            Ok(report) => println!("{}", row(&report)),
            Err(message) => {
                eprintln!("{game}: {message}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn row(report: &Value) -> String {
    let memory = report["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20;
    let seconds = |phase: &str| format!("{:.2}", runs::seconds(report, phase));
    format!(
        "| {} | {} | {} | {} | {memory} | {} | {} | {} |",
        report["game"].as_str().unwrap_or(""),
        runs::value(report),
        runs::grouped(&report["states"]),
        runs::grouped(&runs::largest_layer(report).into()),
        seconds("forward"),
        seconds("backward"),
        seconds("total"),
    )
}
