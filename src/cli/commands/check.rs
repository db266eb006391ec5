//! `check`: every finding on a game, on standard output.

use super::super::arguments::{Check, Format};
use super::super::failure::Failure;
use super::super::output::{print, print_json};
use super::super::{input, interrupt, memory};
use crate::diagnostic::{finish, has_errors};
use crate::inspect::{self, Inspection, Verdict};
use crate::limits::Limits;
use crate::report::CheckReport;
use std::sync::Arc;

pub fn run(arguments: &Check) -> Result<(), Failure> {
    let limits = Arc::new(Limits::new(memory::default_limit()));
    interrupt::watch(&limits)?;
    let rules = input::read(&arguments.game)?;
    let (program, mut diagnostics) = rules.program();
    let mut verdict = Verdict::Invalid;
    if let Some(program) = program {
        let Inspection { diagnostics: more, verdict: found } = inspect::program(&program, &limits)?;
        diagnostics = finish(diagnostics.into_iter().chain(more).collect());
        verdict = found;
    }
    let report = CheckReport { source: &rules.source, diagnostics: &diagnostics, verdict: &verdict };
    match arguments.report.format {
        Format::Json => print_json(&report.json())?,
        Format::Text => print(&report.text())?,
    }
    if has_errors(&diagnostics) { Err(Failure::Invalid { report: String::new() }) } else { Ok(()) }
}
