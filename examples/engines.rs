//! Compares the engines side by side: `cargo build --release && cargo run --release --example engines`.
//!
//! A row for each game: seconds of the backward pass and peak memory of diagrams throughout, of bitvectors throughout,
//! and of the choice by layer. Without games, ten shipped ones. Options go to `ggsolve`.

mod runs;

use std::process::ExitCode;

/// What the engines are compared on by default.
const DEFAULT: [&str; 10] = [
    "games/tictactoe.gdl",
    "games/clobber_3x4.gdl",
    "games/minichess.gdl",
    "games/nim4.gdl",
    "games/connect4_4x5.gdl",
    "games/sheepandwolf.gdl",
    "games/numbertictactoe.gdl",
    "games/clobber.gdl",
    "games/connect4_5x5.gdl",
    "games/connect4_6x4.gdl",
];
const ENGINES: [&str; 3] = ["symbolic", "hybrid", "auto"];

fn main() -> ExitCode {
    let (games, options) = runs::arguments(&DEFAULT);
    println!("| game | states | symbolic, s | MB | hybrid, s | MB | auto, s | MB | layers by rank |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut agreed = true;
    for game in &games {
        let (mut cells, mut results, mut by_rank) = (Vec::new(), Vec::new(), String::new());
        let mut states = String::new();
        for engine in ENGINES {
            let options = [&["--no-store", "--engine", engine].map(String::from), options.as_slice()].concat();
            match runs::run("solve", game, &options) {
                Ok(report) => {
                    states = runs::grouped(&report["states"]);
                    cells.push(format!("{:.2}", runs::seconds(&report, "backward")));
                    cells.push((report["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20).to_string());
                    results.push((report["value"].clone(), runs::states_by_rewards(&report)));
                    let layers: Vec<_> = report["layers"].as_array().into_iter().flatten().collect();
                    let ranked = layers.iter().filter(|layer| layer["engine"] == "hybrid").count();
                    by_rank = format!("{ranked} of {}", layers.len());
                }
                Err(message) => {
                    eprintln!("{game}, {engine}: {}", message.lines().next().unwrap_or_default());
                    cells.extend(["–", "–"].map(String::from));
                }
            }
        }
        results.dedup();
        agreed &= results.len() == 1;
        println!("| {game} | {states} | {} | {by_rank} |", cells.join(" | "));
    }
    if agreed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
