//! Every game that an independent engine explored to its end, solved with each choice of engine:
//! `cargo build --release && cargo run --release --example oracle -- ../shared/corpus`.
//!
//! The folder holds rulesheets and, under `oracle`, a JSON file of the same name for each. A line for each game and
//! engine: states, which engine solved most layers, processor seconds as a whole and by stage; behind it what is beyond
//! the goals (0.3 s + 4 µs a state, and 1.2 times the best engine asked for + 0.2 s). Engines that are asked for are
//! stopped when they have taken longer than `auto`. Options go to `ggsolve`; one thread unless they say otherwise. Games
//! with too many roles or that are not turn-taking are left out.

mod runs;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const ENGINES: [&str; 3] = ["auto", "symbolic", "hybrid"];
const STAGES: [&str; 8] = ["parse", "ground", "probe", "groups", "encode", "order", "forward", "backward"];
/// Seconds that any game may take, and for each state.
const GAME: f64 = 0.3;
const STATE: f64 = 4e-6;
/// What `auto` may take of the best engine's time, and seconds more.
const BEST: f64 = 1.2;
const MORE: f64 = 0.2;

fn main() -> ExitCode {
    let (folders, options) = runs::arguments(&["../shared/corpus"]);
    let mut sums = [0.0; ENGINES.len()];
    let mut beyond = 0;
    println!("| game | states | asked for | engine | seconds | by stage |");
    println!("| --- | ---: | --- | --- | ---: | --- |");
    for folder in folders {
        for (states, game) in games(Path::new(&folder)) {
            // Wall time of `auto`, which comes first.
            let (mut seconds, mut took) = ([None; ENGINES.len()], None::<f64>);
            for (index, engine) in ENGINES.into_iter().enumerate() {
                let mut fixed = ["--no-store", "--threads", "1", "--engine", engine].map(String::from).to_vec();
                if let Some(taken) = took {
                    fixed.extend(["--time".to_owned(), format!("{}s", taken.ceil() + 1.0)]);
                }
                let (before, begin) = (runs::seconds_of_children(), Instant::now());
                let report = runs::run("solve", &game.to_string_lossy(), &[&fixed[..], &options].concat());
                took = took.or(Some(begin.elapsed().as_secs_f64()));
                let taken = runs::seconds_of_children() - before;
                let name = game.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                match report {
                    Ok(report) => {
                        println!("{}", row(&name, states, engine, taken, &report));
                        seconds[index] = Some(taken);
                        sums[index] += taken;
                    }
                    Err(message) => {
                        // Warnings come before the reason.
                        let error = message.lines().find(|line| line.starts_with("error"));
                        let line = error.or(message.lines().next()).unwrap_or_default();
                        println!("| {name} | {states} | {engine} | | {taken:.2} | {line} |");
                    }
                }
            }
            let Some(auto) = seconds[0] else { continue };
            let best = seconds.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let most = (GAME + STATE * states as f64).min(BEST * best + MORE);
            if auto > most {
                println!("| | | | | more than {most:.2} | |");
                beyond += 1;
            }
        }
    }
    for (engine, sum) in ENGINES.into_iter().zip(sums) {
        println!("| sum | | {engine} | | {sum:.2} | |");
    }
    println!("\n{beyond} games take more than they may.");
    if beyond == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The games that were explored to their end and can be solved, with their states, the smallest first.
fn games(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut games: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let oracle = folder.join("oracle").join(path.file_stem()?).with_extension("json");
            let oracle: Value = serde_json::from_str(&std::fs::read_to_string(oracle).ok()?).ok()?;
            let solvable = oracle["explored"] == "full"
                && oracle["turn_taking"] == true
                && oracle["roles"].as_array().is_some_and(|roles| roles.len() <= 2);
            solvable.then(|| (oracle["distinct_states"].as_u64().unwrap_or(0), path))
        })
        .collect();
    games.sort();
    games
}

fn row(name: &str, states: u64, asked: &str, seconds: f64, report: &Value) -> String {
    let stages = STAGES.map(|stage| (stage, runs::seconds(report, stage)));
    let stages: Vec<String> =
        stages.iter().filter(|stage| stage.1 >= 0.005).map(|(stage, time)| format!("{stage} {time:.2}")).collect();
    let engine = report["engine"].as_str().unwrap_or("");
    format!("| {name} | {states} | {asked} | {engine} | {seconds:.2} | {} |", stages.join(", "))
}
