//! Compares the algorithms side by side, as the first table of the 2010 paper does with two of them:
//! `cargo build --release && cargo run --release --example algorithms -- games/tictactoe.gdl …`.
//!
//! A row for each game: seconds of both passes by algorithm, with the ratio to the layered one, a dash where the
//! algorithm refuses the game; the matrix, whose restarts can double with each step, is left out where there are more
//! than ten layers. Without games, some shipped ones.
//! Arguments that start with `-` and those after them go to `ggsolve`.

mod runs;

use std::process::ExitCode;

/// What the algorithms are compared on by default.
const DEFAULT: [&str; 7] = [
    "games/clobber_1x6.gdl",
    "games/tictactoe.gdl",
    "games/clobber_3x4.gdl",
    "games/connect4_4x4.gdl",
    "games/minichess.gdl",
    "games/nim4.gdl",
    "games/chomp_8x7.gdl",
];

const MATRIX: &str = "matrix";
const ALGORITHMS: [&str; 4] = ["layered", "global", "classic", MATRIX];
/// Most layers of a game that the matrix is tried on.
const MATRIX_LAYERS: usize = 10;

fn main() -> ExitCode {
    let (games, options) = runs::arguments(&DEFAULT);
    println!("| game | states | nodes of the largest layer | {}, s | result |", ALGORITHMS.join(", s | "));
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    let mut agreed = true;
    for game in &games {
        let (mut cells, mut results, mut layered) = (Vec::new(), Vec::new(), None);
        let mut sizes = [const { String::new() }; 2];
        let mut long = false;
        for algorithm in ALGORITHMS {
            if algorithm == MATRIX && long {
                cells.push("–".to_owned());
                continue;
            }
            let options = [&["--algorithm".to_owned(), algorithm.to_owned()], options.as_slice()].concat();
            match runs::run("solve", game, &options) {
                Ok(report) => {
                    let seconds = runs::seconds(&report, "forward") + runs::seconds(&report, "backward");
                    long |= report["layers"].as_array().is_some_and(|layers| layers.len() > MATRIX_LAYERS);
                    let ratio = layered.map_or(String::new(), |layered: f64| format!(" ({:.1})", seconds / layered));
                    layered = layered.or((algorithm == ALGORITHMS[0]).then_some(seconds));
                    cells.push(format!("{seconds:.3}{ratio}"));
                    if sizes[0].is_empty() {
                        let largest = runs::largest_layer(&report).into();
                        sizes = [runs::grouped(&report["states"]), runs::grouped(&largest)];
                    }
                    results.push(if report["value"].is_null() { "endless".to_owned() } else { runs::value(&report) });
                }
                Err(message) => {
                    eprintln!("{game}, {algorithm}: {}", message.lines().next().unwrap_or_default());
                    cells.push("–".to_owned());
                }
            }
        }
        results.dedup();
        agreed &= results.len() == 1;
        println!("| {game} | {} | {} | {} |", sizes.join(" | "), cells.join(" | "), results.join(" or "));
    }
    if agreed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
