//! Solves the games of `docs/results.json` again and prints what is claimed beside what is measured:
//! `cargo reproduce`.
//!
//! Without names, the rows that are not marked as long: under half an hour on one core, most of it for 6 × 6 Connect
//! Four, and 8 GB. Names pick rows by a part of their title (`cargo reproduce clobber`), `--readme` those of the README's
//! table, `--all` all of them. Values, states and nodes must be the claimed ones, else the exit code is 1; seconds and
//! memory are printed as ratios. `--record` writes what was measured into the file, of which the tables of the README
//! and of `docs/performance.md` are made (`GGSOLVE_UPDATE_DOCS=1 cargo test --release --test docs`).

mod results;
#[path = "../runs/mod.rs"]
mod runs;

use results::Row;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match reproduce(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all that ran is as claimed.
fn reproduce(mut names: Vec<String>) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut given = |option: &str| {
        let before = names.len();
        names.retain(|name| name != option);
        names.len() < before
    };
    let [all, readme, record] = ["--all", "--readme", "--record"].map(&mut given);
    if let Some(unknown) = names.iter().find(|name| name.starts_with('-')) {
        return Err(format!("unknown option {unknown}; there are --all, --readme and --record"));
    }
    let mut rows = results::read(root)?;
    let is_named = |row: &Row| names.iter().any(|name| row.title().contains(name.as_str()));
    let is_wanted = |row: &Row| if names.is_empty() { all || !row.long } else { is_named(row) };
    let wanted: Vec<usize> =
        (0..rows.len()).filter(|&row| is_wanted(&rows[row]) && (rows[row].readme || !readme)).collect();
    if wanted.is_empty() {
        return Err("no row of docs/results.json has such a title".to_owned());
    }
    build(root)?;
    println!("| game | as claimed | memory, claimed | memory | ratio | seconds, claimed | seconds | ratio |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut holds = true;
    for index in wanted {
        let claimed = &rows[index];
        let measured = measure(root, claimed).map_err(|error| format!("{}: {error}", claimed.title()))?;
        let differs = differences(claimed, &measured);
        println!(
            "| {} | {} | {} | {} | {:.2} | {} | {} | {:.2} |",
            claimed.title(),
            if differs.is_empty() { "yes".to_owned() } else { format!("**no**: {}", differs.join(", ")) },
            results::bytes(claimed.memory_bytes),
            results::bytes(measured.memory_bytes),
            measured.memory_bytes as f64 / claimed.memory_bytes as f64,
            results::seconds(claimed.seconds),
            results::seconds(measured.seconds),
            measured.seconds / claimed.seconds,
        );
        std::io::stdout().flush().map_err(|error| error.to_string())?;
        holds &= differs.is_empty();
        if record {
            rows[index] = measured;
            let path = root.join("docs/results.json");
            std::fs::write(&path, results::text(&rows)).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(holds)
}

/// The program beside this example.
fn build(root: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").ok_or("run it by Cargo: `cargo reproduce`")?;
    let built =
        Command::new(cargo).args(["build", "--release", "--locked", "--bin", "ggsolve"]).current_dir(root).status();
    match built {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`cargo build --release` ended with {status}")),
        Err(error) => Err(format!("`cargo build --release` cannot be started: {error}")),
    }
}

/// The same row with what its run gives now.
fn measure(root: &Path, claimed: &Row) -> Result<Row, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let rules = match &claimed.generate {
        None => root.join(format!("games/{}.gdl", claimed.name())),
        Some(arguments) => {
            let path = folder.path().join("generated.gdl");
            std::fs::write(&path, runs::output("generate", arguments)?).map_err(|error| error.to_string())?;
            path
        }
    };
    // A run that has its own number of threads says so in its options.
    let mut options = claimed.options.clone();
    if !options.iter().any(|option| option == "--threads") {
        options.extend(["--threads".to_owned(), "1".to_owned()]);
    }
    options.push("--no-store".to_owned());
    let before = runs::seconds_of_children();
    let report = runs::run(&claimed.command, &rules.to_string_lossy(), &options)?;
    let count = |key: &str| report[key].as_u64().ok_or_else(|| format!("the report has no `{key}`"));
    let states = count("states")?;
    Ok(Row {
        value: (!runs::value(&report).is_empty()).then(|| runs::value(&report)),
        states,
        layer_states: report["layer_states"].as_u64().filter(|&layered| layered != states),
        nodes: runs::largest_layer(&report),
        memory_bytes: count("peak_memory_bytes")?,
        seconds: ((runs::seconds_of_children() - before) * 100.0).round() / 100.0,
        commit: Some(commit(root, &report)),
        machine: Some(base::machine::description()),
        ..claimed.clone()
    })
}

fn commit(root: &Path, report: &Value) -> String {
    let version = report["version"].as_str().unwrap_or(env!("CARGO_PKG_VERSION")).to_owned();
    let said = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    match said {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => version,
    }
}

/// The figures that must be the same on every machine and are not.
fn differences(claimed: &Row, measured: &Row) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or("none".to_owned(), results::grouped);
    let value = |row: &Row| row.value.clone().unwrap_or_default();
    let figures = [
        ("value", value(claimed), value(measured)),
        ("states", results::grouped(claimed.states), results::grouped(measured.states)),
        ("states in layers", count(claimed.layer_states), count(measured.layer_states)),
        ("nodes", results::grouped(claimed.nodes), results::grouped(measured.nodes)),
    ];
    let differing = figures.into_iter().filter(|(_, claimed, measured)| claimed != measured);
    differing.map(|(name, claimed, measured)| format!("{name} {measured} instead of {claimed}")).collect()
}
