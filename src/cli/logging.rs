//! Tracing output on standard error or in a file.

use super::expect;
use super::failure::Failure;
use super::files::{self, Access};
use super::output::{self, print_error};
use super::processes;
use super::shared::Logging;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tracing::level_filters::LevelFilter;

/// Sets up tracing for the process: warnings only by default; a log file gets at least what `-v` prints.
pub fn start(logging: &Logging) -> Result<(), Failure> {
    let level = match (logging.verbose, &logging.log) {
        (0, None) => LevelFilter::WARN,
        (0 | 1, _) => LevelFilter::INFO,
        (2, _) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let builder = tracing_subscriber::fmt().with_max_level(level).with_target(false).log_internal_errors(false);
    let started = match &logging.log {
        None => builder.with_ansi(output::has_colour(&std::io::stderr())).with_writer(std::io::stderr).try_init(),
        Some(path) => {
            let path = processes::own_name(path);
            let file = File::create(&path).map_err(|error| expect::failure(&path, "the log", Access::Write, &error))?;
            let log = Log { file: Arc::new(file), path, failed: Arc::default() };
            builder.with_ansi(false).with_writer(move || log.clone()).try_init()
        }
    };
    // This fails only if the process already has a subscriber, which then stays.
    drop(started);
    Ok(())
}

/// The log file. If a write to it fails, that is reported once, and the run goes on.
#[derive(Clone)]
struct Log {
    file: Arc<File>,
    path: PathBuf,
    failed: Arc<AtomicBool>,
}

impl Log {
    fn failure(&self, error: &std::io::Error) {
        if !self.failed.swap(true, Ordering::Relaxed) {
            let reason = files::meaning(error.kind(), &error.to_string());
            let path = self.path.display();
            print_error(&format!(
                "warning: {path}: the log cannot be written: {reason}\n  the work goes on without it\n"
            ));
        }
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !self.failed.load(Ordering::Relaxed)
            && let Err(error) = (&*self.file).write_all(bytes)
        {
            self.failure(&error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
