//! `solve`, `classify` and `count`.

use super::super::arguments::{Format, Logging, Solve};
use super::super::failure::Failure;
use super::super::output::{print, print_json};
use super::super::progress::Console;
use super::super::{interrupt, memory, options};
use super::prepare::{Prepared, prepare};
use crate::report::{Command, RunReport, refusal_json};
use crate::solve::{self, SolveError};
use std::time::Instant;

pub fn run(command: Command, arguments: &Solve, logging: &Logging) -> Result<(), Failure> {
    let start = Instant::now();
    let limits = options::limits(&arguments.resources)?;
    let options = options::solve_options(arguments, command == Command::Count)?;
    interrupt::watch(&limits)?;
    let console = Console::new(options::display(arguments.progress, logging));
    let format = arguments.report.format;
    let Prepared { grounding, times } = prepare(&arguments.game.game, format, &limits, &console)?;
    let game = &grounding.game;
    let outcome = solve::run(game, &options, &limits, &console);
    console.finish();
    let outcome = outcome.or_else(|error| {
        if let (SolveError::Refused(refusal), Format::Json) = (&error, format) {
            print_json(&refusal_json(&game.name, refusal))?;
        }
        Err(Failure::solve(&game.name, error))
    })?;
    let report = RunReport {
        command,
        game: &game.name,
        roles: game.roles.iter().map(ToString::to_string).collect(),
        outcome: &outcome,
        before: times,
        total_seconds: start.elapsed().as_secs_f64(),
        peak_memory_bytes: memory::peak(),
    };
    match format {
        Format::Json => print_json(&report.json()),
        Format::Text => print(&report.text()),
    }
}
