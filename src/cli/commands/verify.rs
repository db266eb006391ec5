//! `verify`: a stored solution against its rules.

use super::super::arguments::{Format, Logging};
use super::super::failure::Failure;
use super::super::files;
use super::super::output::{print, print_json};
use super::super::progress::Console;
use super::super::reading::Verify;
use super::super::{interrupt, options};
use crate::report::VerifyReport;
use crate::verify::{Options, verify_heard};

pub fn run(arguments: &Verify, logging: &Logging) -> Result<(), Failure> {
    let limits = options::limits(&arguments.resources)?;
    interrupt::watch(&limits)?;
    let checks = Options { exhaustive: arguments.states, samples: arguments.random, seed: arguments.seed };
    let folder = &arguments.solution.solution;
    files::expect_solution(folder)?;
    let console = Console::new(options::display(arguments.progress, logging));
    let threads = options::threads(arguments.threads);
    let verification = verify_heard(folder, &checks, threads, &limits, &console)?;
    console.finish();
    let report = VerifyReport { verification: &verification, options: &checks };
    match arguments.report.format {
        Format::Json => print_json(&report.json())?,
        Format::Text => print(&report.text())?,
    }
    match verification.findings.len() {
        0 => Ok(()),
        _ => Err(Failure::Solution(format!("{}: the solution is damaged or wrong", folder.display()))),
    }
}
