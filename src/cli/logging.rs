//! Tracing output on standard error or in a file.

use super::arguments::Logging;
use super::failure::Failure;
use std::fs::File;
use std::io::IsTerminal;
use tracing::level_filters::LevelFilter;

/// Sets up tracing for the whole process: warnings only, unless asked for more. A log file gets at least what `-v`
/// tells.
pub fn start(logging: &Logging) -> Result<(), Failure> {
    let level = match (logging.verbose, &logging.log) {
        (0, None) => LevelFilter::WARN,
        (0 | 1, _) => LevelFilter::INFO,
        (2, _) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let builder = tracing_subscriber::fmt().with_max_level(level).with_target(false);
    let started = match &logging.log {
        None => builder.with_ansi(std::io::stderr().is_terminal()).with_writer(std::io::stderr).try_init(),
        Some(path) => {
            let file = File::create(path).map_err(|error| Failure::file(path, &error))?;
            builder.with_ansi(false).with_writer(file).try_init()
        }
    };
    // It fails only if the process has a subscriber already, which then stays.
    drop(started);
    Ok(())
}
