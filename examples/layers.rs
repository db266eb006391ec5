//! A game layer by layer, as the tables of the 2014 paper on the hybrid have it:
//! `cargo build --release && cargo run --release --example layers -- games/connect4_6x5.gdl --threads 1`.
//!
//! States, nodes, bytes of the diagram in memory, by what the values were computed and in how many configurations or
//! requests, and bytes of the values. Bitvectors are asked for unless `--engine` is given; options go to `ggsolve`.

mod runs;

use serde_json::Value;
use std::process::ExitCode;

/// Bytes of a node in memory.
const NODE_BYTES: u64 = 8;

fn main() -> ExitCode {
    let mut games: Vec<String> = std::env::args().skip(1).collect();
    let first_option = games.iter().position(|argument| argument.starts_with('-')).unwrap_or(games.len());
    let mut options = games.split_off(first_option);
    if !options.iter().any(|option| option == "--engine") {
        options.extend(["--engine", "hybrid"].map(String::from));
    }
    options.push("--no-store".to_owned());
    if games.is_empty() {
        eprintln!("name a game: cargo run --release --example layers -- games/connect4_5x5.gdl");
        return ExitCode::FAILURE;
    }
    for game in &games {
        let report = match runs::run("solve", game, &options) {
            Ok(report) => report,
            Err(message) => {
                eprint!("{message}");
                return ExitCode::FAILURE;
            }
        };
        println!(
            "| layer | states | nodes | bytes of the diagram | by | configurations or requests | bytes of the values |"
        );
        println!("| ---: | ---: | ---: | ---: | --- | ---: | ---: |");
        let mut sums = [0_u64; 4];
        for layer in report["layers"].as_array().into_iter().flatten() {
            let nodes = layer["nodes"].as_u64().unwrap_or(0);
            let backward = &layer["backward"];
            let [requests, bytes] = ["requests", "bytes"].map(|key| backward[key].as_u64().unwrap_or(0));
            let figures = [nodes, nodes * NODE_BYTES, requests, bytes];
            sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
            let by = backward["by"].as_str().unwrap_or_default();
            row(&layer["layer"].to_string(), &layer["states"], by, figures);
        }
        row("sum", &report["layer_states"], "", sums);
        println!(
            "\n{game}: {} forward {:.1} s, backward {:.1} s, {} MB\n",
            runs::value(&report),
            runs::seconds(&report, "forward"),
            runs::seconds(&report, "backward"),
            report["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20,
        );
    }
    ExitCode::SUCCESS
}

fn row(name: &str, states: &Value, by: &str, figures: [u64; 4]) {
    let [nodes, diagram, requests, values] = figures.map(|figure| runs::grouped(&figure.into()));
    println!("| {name} | {} | {nodes} | {diagram} | {by} | {requests} | {values} |", runs::grouped(states));
}
