//! Reruns the tables of two papers and prints what was published next to what is measured:
//! `cargo build --release && cargo run --release --example tables`.
//!
//! `published.json` holds the published figures, what to run for each, and what is known to be wrong with them. All rows
//! take half an hour and 5 GB, nearly all of it for 6 × 6 Connect Four, Cubi Cup and Peg; arguments pick rows by a part
//! of their name or of their file (`tables chomp nim4`). Arguments that start with `-` and those after them go to
//! `ggsolve`. A row that cannot be run says why and the rest goes on; the exit code is then 1.

#[path = "../runs/mod.rs"]
mod runs;

use serde_json::Value;
use std::process::ExitCode;

const PUBLISHED: &str = include_str!("published.json");

fn main() -> ExitCode {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let first_option = wanted.iter().position(|argument| argument.starts_with('-')).unwrap_or(wanted.len());
    let options = wanted.split_off(first_option);
    let tables: Value = match serde_json::from_str(PUBLISHED) {
        Ok(tables) => tables,
        Err(error) => {
            eprintln!("published.json: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut all_run = true;
    for table in array(&tables) {
        let rows: Vec<&Value> = array(&table["rows"]).iter().filter(|row| is_wanted(row, &wanted)).collect();
        if rows.is_empty() {
            continue;
        }
        println!("{}\n", text(&table["title"]));
        println!(
            "| game | states, published | states | in layers | nodes, published | nodes of the largest layer | \
             value, published | value | seconds, published: {} | {} | seconds | note |",
            text(&table["new"]),
            text(&table["existing"]),
        );
        println!("| --- | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | ---: | --- |");
        for row in rows {
            let (line, run) = line(row, &options);
            println!("{line}");
            all_run &= run;
        }
        println!();
    }
    if all_run { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Without names, every row is.
fn is_wanted(row: &Value, wanted: &[String]) -> bool {
    wanted.is_empty()
        || wanted.iter().any(|part| {
            let name = text(&row["game"]).to_lowercase();
            name.contains(&part.to_lowercase()) || text(&row["file"]).contains(part.as_str())
        })
}

/// The printed row, and whether the game was solved.
fn line(row: &Value, options: &[String]) -> (String, bool) {
    let mut all_options = vec!["--no-store".to_owned()];
    all_options.extend(array(&row["options"]).iter().map(|option| text(option).to_owned()));
    all_options.extend_from_slice(options);
    let published = |key: &str| match &row[key] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        number => runs::grouped(number),
    };
    let note = text(&row["note"]);
    let (measured, note, run) = match runs::run("solve", &format!("games/{}", text(&row["file"])), &all_options) {
        Ok(report) => (
            [
                runs::grouped(&report["states"]),
                runs::grouped(&report["layer_states"]),
                runs::grouped(&runs::largest_layer(&report).into()),
                runs::value(&report),
                format!("{:.2}", runs::seconds(&report, "total")),
            ],
            note.to_owned(),
            true,
        ),
        Err(message) => {
            let first = message.lines().next().unwrap_or("not solved");
            (Default::default(), format!("**{first}** {note}"), false)
        }
    };
    let [states, layered, nodes, value, seconds] = measured;
    let line = format!(
        "| {} | {} | {states} | {layered} | {} | {nodes} | {} | {value} | {} | {} | {seconds} | {note} |",
        text(&row["game"]),
        published("states"),
        published("nodes"),
        published("value"),
        published("new"),
        published("existing"),
    );
    (line, run)
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}
