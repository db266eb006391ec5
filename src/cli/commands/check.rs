//! `check`: every finding on a game, on standard output.

use super::super::arguments::Check;
use super::super::failure::Failure;
use super::super::output::print_report;
use super::session;
use api::session::ErrorKind;

pub fn run(arguments: &Check) -> Result<(), Failure> {
    let session = session::quiet()?;
    let report = session.check(&session::load(&session, &arguments.game)?)?;
    print_report(arguments.report.format, &report)?;
    // The solver may refuse a game whose rules have no errors.
    if report.findings.ok && report.solvable != Some(false) {
        Ok(())
    } else {
        Err(Failure::Reported(ErrorKind::Rules, String::new()))
    }
}
