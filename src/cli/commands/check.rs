//! `check`: every finding on a game, on standard output.

use super::super::arguments::Check;
use super::super::failure::Failure;
use super::super::output::print_report;
use super::session;
use crate::session::ErrorKind;

pub fn run(arguments: &Check) -> Result<(), Failure> {
    let session = session::quiet()?;
    let report = session.check(&session::load(&session, &arguments.game)?)?;
    print_report(arguments.report.format, &report)?;
    if report.findings.ok { Ok(()) } else { Err(Failure::Reported(ErrorKind::Rules, String::new())) }
}
