//! `check`: every finding in a rulesheet, on standard output.

use super::super::arguments::{Check, Format};
use super::super::failure::Failure;
use super::super::input;
use super::super::output::{print, print_json};
use crate::diagnostic::{Severity, has_errors, render_json, render_text};

pub fn run(arguments: &Check) -> Result<(), Failure> {
    let rules = input::read(&arguments.game)?;
    let (source, (_, diagnostics)) = (&rules.source, rules.program());
    match arguments.report.format {
        Format::Json => print_json(&render_json(source, &diagnostics))?,
        Format::Text => {
            let count = |severity| diagnostics.iter().filter(|finding| finding.severity == severity).count();
            let counts = [(count(Severity::Error), "error"), (count(Severity::Warning), "warning")];
            let counts = counts.map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
            print(&format!("{}{}: {}\n", render_text(source, &diagnostics), source.name(), counts.join(", ")))?;
        }
    }
    if has_errors(&diagnostics) { Err(Failure::Invalid { report: String::new() }) } else { Ok(()) }
}
