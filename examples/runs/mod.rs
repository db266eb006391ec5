//! Runs of `ggsolve`, each in a process of its own, and what their JSON reports say; shared by the examples that print
//! tables.

#![allow(dead_code)] // Each example uses a part of it.

use serde_json::Value;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The games named on the command line, or those by default, and the options behind them.
pub fn arguments(default: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut games: Vec<String> = std::env::args().skip(1).collect();
    let first_option = games.iter().position(|argument| argument.starts_with('-')).unwrap_or(games.len());
    let options = games.split_off(first_option);
    if games.is_empty() {
        games = default.iter().map(|&game| game.into()).collect();
    }
    (games, options)
}

/// The JSON report of one run, or what it printed on standard error.
pub fn run(command: &str, game: &str, options: &[String]) -> Result<Value, String> {
    let arguments: Vec<String> = [game, "--format", "json"].into_iter().map(str::to_owned).collect();
    let text = output(command, &[arguments.as_slice(), options].concat())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// What one run prints on standard output, or what it printed on standard error.
pub fn output(command: &str, arguments: &[String]) -> Result<String, String> {
    let output = Command::new(program()?)
        .arg(command)
        .args(arguments)
        .output()
        .map_err(|error| format!("ggsolve cannot be started ({error}): run `cargo build --release` first"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// As [`run`], ended after some time.
pub fn run_within(time: Duration, command: &str, game: &str, options: &[String]) -> Result<Value, String> {
    let late = || Err(format!("not within {} s", time.as_secs()));
    run_while(|spent| if spent > time { late() } else { Ok(()) }, command, game, options)
}

/// As [`run`], ended as soon as `wanted`, which is told how long it has taken, says why it is not any more.
pub fn run_while(
    mut wanted: impl FnMut(Duration) -> Result<(), String>,
    command: &str,
    game: &str,
    options: &[String],
) -> Result<Value, String> {
    let said = |error: std::io::Error| error.to_string();
    let mut child = Command::new(program()?)
        .args([command, game, "--format", "json"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("ggsolve cannot be started ({error}): run `cargo build --release` first"))?;
    // What it prints is read while it runs, so that it never waits for that.
    let (mut output, mut errors) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let complaining = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).map(|_| text)
    });
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(said)? {
            Some(status) => break status,
            None => {
                if let Err(reason) = wanted(started.elapsed()) {
                    child.kill().and_then(|()| child.wait()).map_err(said)?;
                    return Err(reason);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    };
    let [text, errors] = [reading, complaining].map(|reader| reader.join().expect("a reader does not panic"));
    if !status.success() {
        return Err(errors.map_err(said)?);
    }
    serde_json::from_str(&text.map_err(said)?).map_err(|error| error.to_string())
}

/// `ggsolve` as built by the same profile: examples stand in a folder beside it.
fn program() -> Result<PathBuf, String> {
    let example = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = example.ancestors().nth(2).ok_or("the example stands in no target folder")?;
    Ok(folder.join(format!("ggsolve{}", std::env::consts::EXE_SUFFIX)))
}

/// The rewards of the initial state, `100/0`; nothing where the report has none.
pub fn value(report: &Value) -> String {
    match &report["value"] {
        Value::Array(rewards) => rewards.iter().map(Value::to_string).collect::<Vec<_>>().join("/"),
        _ => String::new(),
    }
}

/// Nodes of the largest layer.
pub fn largest_layer(report: &Value) -> u64 {
    let layers = report["layers"].as_array();
    layers.into_iter().flatten().filter_map(|layer| layer["nodes"].as_u64()).max().unwrap_or(0)
}

/// Seconds of a phase, or of the whole run: `total`.
pub fn seconds(report: &Value, phase: &str) -> f64 {
    report["time_s"][phase].as_f64().unwrap_or(0.0)
}

/// Processor seconds of all processes that were run so far, where the system tells; else 0.
pub fn seconds_of_children() -> f64 {
    /// Parts of a second that the system counts in.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name of the program, which may have spaces: user and system time of children are fields 16 and 17.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// A count in groups of three digits.
pub fn grouped(count: &Value) -> String {
    match count {
        Value::Number(number) => base::digits::grouped(number),
        other => other.to_string(),
    }
}

/// By layer: how many states have which rewards.
pub fn states_by_rewards(report: &Value) -> Vec<Vec<(Value, Value)>> {
    let layers = report["layers"].as_array().into_iter().flatten();
    let buckets = |layer: &Value| {
        let buckets = layer["buckets"].as_array().into_iter().flatten();
        buckets.map(|bucket| (bucket["rewards"].clone(), bucket["states"].clone())).collect()
    };
    layers.map(buckets).collect()
}
