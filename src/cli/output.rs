//! Prints on standard output and standard error, and handles readers that close them.

use super::expect;
use super::failure::Failure;
use super::files::Access;
use super::locale;
use super::shared::Format;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Listening,
    Gone,
}

/// Prints on standard output. If the reader has closed it, the exit code of the command does not change.
pub fn print(text: &str) -> Result<(), Failure> {
    say(text).map(|_| ())
}

/// As [`print()`], for a command that ends when its output has no reader any longer.
pub fn say(text: &str) -> Result<Reader, Failure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => Ok(Reader::Listening),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(expect::failure(Path::new("standard output"), "the report", Access::Write, &error)),
    }
}

pub fn print_json(value: &Value) -> Result<(), Failure> {
    // A JSON value can always be written as text.
    print(&format!("{value:#}\n"))
}

/// A failure to print on standard error cannot be reported anywhere.
pub fn print_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints why a command ended without a result. Fails if requested help cannot be printed.
pub fn report_failure(failure: &Failure) -> Result<(), Failure> {
    if let Failure::Arguments(error) = failure {
        // Help goes to standard output, errors to standard error.
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        if let Err(error) = printed
            && error.kind() != ErrorKind::BrokenPipe
            && failure.exit_code() == 0
        {
            let failure = expect::failure(Path::new("standard output"), "the help", Access::Write, &error);
            print_error(&failure.text(false));
            return Err(failure);
        }
    }
    print_error(&failure.text(has_colour(&std::io::stderr())));
    Ok(())
}

pub fn has_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && locale::has_colour()
}

pub fn print_report(format: Format, report: &(impl Serialize + Display)) -> Result<(), Failure> {
    match format {
        Format::Text if has_colour(&std::io::stdout()) => print(&format!("{report:#}")),
        format => print(&report_text(format, report)),
    }
}

/// A report without colour.
pub fn report_text(format: Format, report: &(impl Serialize + Display)) -> String {
    match format {
        // A JSON value can always be written as text.
        Format::Json => format!("{:#}\n", json(report)),
        Format::Text => report.to_string(),
    }
}

pub fn json(report: &impl Serialize) -> Value {
    serde_json::to_value(report).expect("a report has texts as keys, and nothing else can fail")
}
