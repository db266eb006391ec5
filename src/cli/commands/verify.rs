//! `verify`: a stored solution against its rules.

use super::super::arguments::Format;
use super::super::failure::Failure;
use super::super::output::{print, print_json};
use super::super::reading::Verify;
use super::super::{interrupt, options};
use crate::report::VerifyReport;
use crate::verify::{Options, verify};

pub fn run(arguments: &Verify) -> Result<(), Failure> {
    let limits = options::limits(&arguments.resources)?;
    interrupt::watch(&limits)?;
    let options = Options { exhaustive: arguments.states, samples: arguments.random, seed: arguments.seed };
    let folder = &arguments.solution.solution;
    let verification = verify(folder, &options, &limits)?;
    let report = VerifyReport { verification: &verification, options: &options };
    match arguments.report.format {
        Format::Json => print_json(&report.json())?,
        Format::Text => print(&report.text())?,
    }
    match verification.findings.len() {
        0 => Ok(()),
        _ => Err(Failure::Solution(format!("{}: the solution is damaged or wrong", folder.display()))),
    }
}
