//! What distances cost: `cargo build --release && cargo run --release --example distances -- GAMES… --threads 1`.
//!
//! A row for each game: how far its states are from the end at most, processor seconds of whole runs without and with
//! `--distances`, one after the other, and the bytes of the stored solutions. Without games, ten shipped ones. Options
//! go to `ggsolve`.

mod runs;

use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

const DEFAULT: [&str; 10] = [
    "games/tictactoe.gdl",
    "games/tictactoe3.gdl",
    "games/clobber_3x4.gdl",
    "games/minichess.gdl",
    "games/nim4.gdl",
    "games/sheepandwolf.gdl",
    "games/eightpuzzle.gdl",
    "games/clobber.gdl",
    "games/connect4_5x5.gdl",
    "games/connect4_6x4.gdl",
];

/// One run: its report, processor seconds, and bytes of its folder.
struct Run {
    report: Value,
    seconds: f64,
    bytes: u64,
}

fn main() -> ExitCode {
    let (games, options) = runs::arguments(&DEFAULT);
    println!(
        "| game | states | plies | longest play | without, s | with, s | ratio | without, MB | with, MB | ratio |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut right = true;
    for game in &games {
        match (run(game, &options, false), run(game, &options, true)) {
            (Ok(without), Ok(with)) => {
                // The values are the same.
                right &= runs::states_by_rewards(&without.report) == runs::states_by_rewards(&with.report);
                println!("{}", row(game, &without, &with));
            }
            (Err(message), _) | (_, Err(message)) => {
                right = false;
                println!("| {game} | {} | | | | | | | | |", message.lines().next().unwrap_or(""));
            }
        }
    }
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(game: &str, options: &[String], distances: bool) -> Result<Run, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("solution");
    let mut options = options.to_vec();
    options.extend(["--out".to_owned(), out.display().to_string()]);
    options.extend(distances.then(|| "--distances".to_owned()));
    let before = runs::seconds_of_children();
    let report = runs::run("solve", game, &options)?;
    Ok(Run { report, seconds: runs::seconds_of_children() - before, bytes: bytes(&out).unwrap_or(0) })
}

fn bytes(folder: &Path) -> std::io::Result<u64> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

fn row(game: &str, without: &Run, with: &Run) -> String {
    let plies = with.report["plies"].as_u64().map_or("–".to_owned(), |plies| plies.to_string());
    let longest = with.report["longest"].as_array().into_iter().flatten().filter_map(|play| play["plies"].as_u64());
    let longest = longest.max().map_or("–".to_owned(), |plies| plies.to_string());
    let name = Path::new(game).file_stem().unwrap_or_default().to_string_lossy();
    let (states, megabytes) = (runs::grouped(&with.report["states"]), |run: &Run| run.bytes as f64 / 1e6);
    let ratio =
        |with: f64, without: f64| if without > 0.0 { format!("{:.2}", with / without) } else { "–".to_owned() };
    format!(
        "| `{name}` | {states} | {plies} | {longest} | {:.2} | {:.2} | {} | {:.3} | {:.3} | {} |",
        without.seconds,
        with.seconds,
        ratio(with.seconds, without.seconds),
        megabytes(without),
        megabytes(with),
        ratio(megabytes(with), megabytes(without)),
    )
}
