//! Games that an independent engine could explore only in part: those that are solved within ten minutes, and why the
//! others are not: `cargo build --release && cargo run --release --example partly -- ../shared/corpus --memory 16G`.
//!
//! The folder holds rulesheets and, under `oracle`, a JSON file of the same name for each. Turn-taking games of one and two
//! roles are tried for [`TRIAL`] seconds each. What has come to an end is told; else the layers of the forward pass tell how
//! many diagram nodes the others will have, as in `ggsolve plan`. What can
//! be done within [`BOUND`] seconds by that is run for so long, or until its further layers tell otherwise. Options go to
//! `ggsolve`; one thread unless they say otherwise. Games can be named behind the folder.

mod runs;

use serde_json::Value;
use solving::solve::growth::Growth;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const TRIAL: u64 = 20;
const BOUND: u64 = 600;

/// A layer of the forward pass, as the log tells it.
#[derive(Clone, Copy)]
struct Layer {
    nodes: f64,
    seconds: f64,
}

fn main() -> ExitCode {
    let (mut folders, options) = runs::arguments(&["../shared/corpus"]);
    let only = folders.split_off(1);
    let log = std::env::temp_dir().join(format!("ggsolve-partly-{}.log", std::process::id()));
    println!("| game | states | value | processor seconds | peak memory, MiB | engine, or why it is not solved |");
    println!("| --- | ---: | --- | ---: | ---: | --- |");
    for game in games(Path::new(&folders[0])) {
        let name = game.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !only.is_empty() && !only.contains(&name) {
            continue;
        }
        let row = match run(&game, &log, TRIAL, &options) {
            Tried::Limit(_, forecast) if forecast.is_ok() => run(&game, &log, BOUND, &options),
            tried => tried,
        };
        println!("| {name} | {} |", row.cells());
    }
    // It is of no use any more; a file that is not there is no failure.
    let _ = std::fs::remove_file(&log);
    ExitCode::SUCCESS
}

/// What came out of a run.
enum Tried {
    Solved(Value, f64),
    Refused(String),
    /// The limit that was met, and whether more time would serve, or why not.
    Limit(String, Result<(), String>),
}

impl Tried {
    fn cells(&self) -> String {
        match self {
            Tried::Solved(report, seconds) => format!(
                "{} | {} | {seconds:.1} | {} | {}",
                runs::grouped(&report["states"]),
                runs::value(report),
                report["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20,
                report["engine"].as_str().unwrap_or(""),
            ),
            Tried::Refused(reason) => format!("| | | | refused: {reason}"),
            Tried::Limit(reason, Ok(())) => format!("| | | | {reason}"),
            Tried::Limit(_, Err(forecast)) => format!("| | | | {forecast}"),
        }
    }
}

fn run(game: &Path, log: &Path, seconds: u64, options: &[String]) -> Tried {
    let time = format!("{seconds}s");
    let mut all = ["--no-store", "--threads", "1", "-vv", "--progress", "never", "--time", &time, "--log"]
        .map(String::from)
        .to_vec();
    all.push(log.display().to_string());
    all.extend(options.iter().cloned());
    let before = runs::seconds_of_children();
    let mut hopeless = None;
    let wanted = |spent: Duration| {
        // A trial goes on to its end.
        let goes_on = seconds == TRIAL || spent.as_secs() < TRIAL;
        let told = if goes_on { Ok(()) } else { forecast(&read(log), BOUND as f64) };
        hopeless = told.clone().err();
        told
    };
    let message = match runs::run_while(wanted, "solve", &game.to_string_lossy(), &all) {
        Ok(report) => return Tried::Solved(report, runs::seconds_of_children() - before),
        Err(message) => message,
    };
    if let Some(reason) = hopeless {
        return Tried::Limit(message, Err(reason));
    }
    let line = |of: &str| message.lines().find(|line| line.contains(of)).map(|line| line.trim().replace('|', "/"));
    if let Some(limit) = line("limit reached") {
        return Tried::Limit(limit, forecast(&read(log), BOUND as f64));
    }
    Tried::Refused(line("error").unwrap_or_else(|| "no reason told".to_owned()))
}

/// A log; nothing if there is none yet.
fn read(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}

/// Whether a run whose log this is would end within so many seconds, as far as its layers tell.
fn forecast(log: &str, bound: f64) -> Result<(), String> {
    if log.contains("backward") {
        return Ok(());
    }
    let stage = log.lines().filter_map(stage).next_back().unwrap_or("parse");
    // Layers of states one by one have no nodes.
    let one_by_one = log.lines().rfind(|line| line.contains("forward layer"));
    let one_by_one =
        one_by_one.and_then(|line| line.split_once("forward ")).map(|(_, layer)| format!("one by one: {layer}"));
    let layers: Vec<Layer> = log.lines().filter_map(layer).collect();
    let nodes: Vec<f64> = layers.iter().map(|layer| layer.nodes.ln()).collect();
    let Some(growth) = Growth::of(&nodes) else {
        return Err(match layers.len() {
            0 => one_by_one.unwrap_or_else(|| format!("no layers in time, still at the stage `{stage}`")),
            some => format!("{some} layers of diagrams in time, the last one of {} nodes", layers[some - 1].nodes),
        });
    };
    let last = layers[layers.len() - 1];
    let told = format!("layer {} has {:.0} nodes", layers.len() - 1, last.nodes);
    if !growth.ends() {
        return Err(format!("{told}, and the growth does not fall"));
    }
    let (largest, all) = (last.nodes * growth.to_peak().exp(), growth.to_come());
    // Going back takes several times as long as going forward.
    let seconds = all * last.seconds / last.nodes;
    if seconds > bound / 2.0 {
        return Err(format!(
            "{told}; the largest will have some {largest:.0e}, and the forward pass take {seconds:.0e} s"
        ));
    }
    Ok(())
}

/// The stage that a line says has begun.
fn stage(line: &str) -> Option<&str> {
    let told = line.split_once(" DEBUG ")?.1;
    (!told.is_empty() && told.chars().all(|c| c.is_ascii_lowercase())).then_some(told)
}

/// What a line tells of a layer: `forward layer 3: 238 states, 82 nodes, 0.3 ms`. Layers of states one by one have none.
fn layer(line: &str) -> Option<Layer> {
    let told = line.split_once("forward layer ")?.1.split_once(": ")?.1;
    let mut parts = told.rsplitn(3, ", ");
    let (time, unit) = parts.next()?.split_once(' ')?;
    let nodes: f64 = parts.next()?.strip_suffix(" nodes")?.replace(',', "").parse().ok()?;
    let seconds = time.parse::<f64>().ok()? * if unit == "ms" { 1e-3 } else { 1.0 };
    (nodes > 0.0).then_some(Layer { nodes, seconds })
}

/// Turn-taking games of one and two roles that were explored in part.
fn games(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut games: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|game| is_partly_explored(game)).collect();
    games.sort();
    games
}

fn is_partly_explored(game: &Path) -> bool {
    let (Some(folder), Some(name)) = (game.parent(), game.file_stem()) else { return false };
    let oracle = folder.join("oracle").join(name).with_extension("json");
    let oracle = std::fs::read_to_string(oracle).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    oracle.is_some_and(|oracle| {
        oracle["explored"] != "full"
            && oracle["turn_taking"] == true
            && oracle["roles"].as_array().is_some_and(|roles| roles.len() <= 2)
    })
}
