//! Solves games one after the other, each in a process of its own, and prints a table of what that took:
//! `cargo build --release && cargo run --release --example benchmark -- games/connect4_5x5.gdl …`.
//!
//! Without games, the shipped ones that take less than a minute. Arguments that start with `-` and those after them
//! go to `ggsolve`, for instance `--threads 1` or `--opponent-model max-diff`; the first one may be `--count`, which
//! runs the forward pass only.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

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
    if games.is_empty() {
        games = DEFAULT.map(String::from).to_vec();
    }
    println!(
        "| game | value | states | nodes of the largest layer | peak memory, MiB | forward, s | backward, s | total, s |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for game in &games {
        match run(if count { "count" } else { "solve" }, game, &options) {
            Ok(report) => println!("{}", row(&report)),
            Err(message) => {
                eprintln!("{game}: {message}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// The JSON report of one run.
fn run(command: &str, game: &str, options: &[String]) -> Result<Value, String> {
    let output = Command::new(program()?)
        .args([command, game, "--format", "json"])
        .args(options)
        .output()
        .map_err(|error| format!("ggsolve cannot be started ({error}): run `cargo build --release` first"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// `ggsolve` as built by the same profile: examples stand in a folder beside it.
fn program() -> Result<PathBuf, String> {
    let example = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = example.ancestors().nth(2).ok_or("the example stands in no target folder")?;
    Ok(folder.join(format!("ggsolve{}", std::env::consts::EXE_SUFFIX)))
}

fn row(report: &Value) -> String {
    let value = match &report["value"] {
        Value::Array(rewards) => rewards.iter().map(Value::to_string).collect::<Vec<_>>().join("/"),
        _ => String::new(),
    };
    let largest = report["layers"].as_array().into_iter().flatten().filter_map(|layer| layer["nodes"].as_u64()).max();
    let memory = report["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20;
    let seconds = |key: &str| format!("{:.2}", report["time_s"][key].as_f64().unwrap_or(0.0));
    format!(
        "| {} | {value} | {} | {} | {memory} | {} | {} | {} |",
        report["game"].as_str().unwrap_or(""),
        grouped(&report["states"].to_string()),
        grouped(&largest.unwrap_or(0).to_string()),
        seconds("forward"),
        seconds("backward"),
        seconds("total"),
    )
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    digits.parse().map_or(digits.to_owned(), |number| ggsolve::report::grouped(&number))
}
