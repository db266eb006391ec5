//! Solves games of three and more roles, each in a process of its own, and prints a table of what came out, with what each
//! role can force and where ties decide: `cargo build --release && cargo run --release --example many_players -- GAMES…`.
//!
//! Without games, those rulesheets of three and more roles in the folder that `GGSOLVE_CORPUS` names. `SECONDS` bounds each
//! run (600). Arguments that start with `-` and those after them go to `ggsolve`, for instance `--memory 16G`.

mod runs;

use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const SECONDS: u64 = 600;

fn main() -> ExitCode {
    let (mut games, mut options) = runs::arguments(&[]);
    options.extend(["--guarantee", "all", "--ties", "--no-store"].map(String::from));
    if let (true, Some(folder)) = (games.is_empty(), std::env::var_os("GGSOLVE_CORPUS")) {
        games = of_many(Path::new(&folder));
    }
    let seconds = std::env::var("SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    println!(
        "| game | value | forced by each role | states | where ties decide | peak memory, MiB | processor seconds |"
    );
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: |");
    for game in &games {
        let before = runs::seconds_of_children();
        let name = Path::new(game).file_stem().unwrap_or_default().to_string_lossy();
        match runs::run_within(Duration::from_secs(seconds), "solve", game, &options) {
            Ok(report) => println!("{}", row(&report, runs::seconds_of_children() - before)),
            Err(message) => println!("| {name} | {} | | | | | |", message.lines().next().unwrap_or("")),
        }
    }
    ExitCode::SUCCESS
}

/// The rulesheets of a folder that name three roles or more.
fn of_many(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut games: Vec<String> = entries.map(|entry| entry.path().display().to_string()).collect();
    games.retain(|game| game.ends_with(".kif") && std::fs::read_to_string(game).is_ok_and(|text| roles(&text) > 2));
    games.sort();
    games
}

/// Facts of `role` in a text.
fn roles(text: &str) -> usize {
    let facts = text.lines().filter(|line| !line.trim_start().starts_with(';'));
    facts
        .flat_map(|line| line.match_indices("(role ").map(|(at, head)| &line[at + head.len()..]))
        .filter(|rest| !rest.trim_start().starts_with('?'))
        .count()
}

fn row(report: &Value, seconds: f64) -> String {
    let memory = report["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20;
    let value = |of: &Value| if of.is_null() { "endless".to_owned() } else { of.to_string() };
    let guarantees = report["guarantees"].as_object();
    let forced: Vec<String> = guarantees.into_iter().flatten().map(|(_, own)| value(&own["value"])).collect();
    format!(
        "| {} | {} | {} | {} | {} | {memory} | {seconds:.1} |",
        report["game"].as_str().unwrap_or(""),
        runs::value(report),
        forced.join("/"),
        runs::grouped(&report["states"]),
        runs::grouped(&report["ties"]),
    )
}
