//! The command line: parses arguments, calls the library, prints reports and sets exit codes. Only this module prints
//! or ends the process.

mod arguments;
mod command_line;
mod commands;
mod expect;
mod failure;
#[path = "../../games/families/mod.rs"]
mod families;
mod files;
mod input;
mod interrupt;
mod locale;
mod logging;
mod memory;
#[cfg(feature = "mpi")]
mod mpi;
mod options;
mod output;
mod processes;
mod progress;
mod reading;
mod shared;
mod time;

use arguments::Cli;
use clap::FromArgMatches;
use failure::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command line of this process. Returns its exit code.
pub fn main() -> ExitCode {
    memory::give_back_large_blocks();
    interrupt::ignore_file_size_signal();
    match run(std::env::args_os().collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let told = output::report_failure(&failure);
            ExitCode::from(told.map_or_else(|failure| failure.exit_code(), |()| failure.exit_code()))
        }
    }
}

fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    let words = command_line::with_command(arguments)?;
    let mut definition = arguments::definition();
    let matches = definition
        .try_get_matches_from_mut(words.clone())
        .map_err(|error| command_line::refused(error, &mut definition, &words))?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| Failure::Arguments(error.format(&mut definition)))?;
    logging::start(&cli.logging)?;
    commands::run(cli)
}
