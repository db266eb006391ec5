//! `ground`: the propositional form of a game.

use super::super::arguments::Ground;
use super::super::failure::Failure;
use super::super::output::print_report;
use super::super::progress::Display;
use super::session;

pub fn run(arguments: &Ground) -> Result<(), Failure> {
    let (session, _) = session::start(&arguments.resources, Some(&arguments.game), Display::Nothing)?;
    let rules = session::load(&session, &arguments.game)?;
    let format = arguments.report.format;
    let report = match arguments.stats {
        true => session.ground_with_stats(&rules),
        false => session.ground(&rules),
    };
    let report = report.map_err(|error| session::told(error, format))?;
    print_report(format, &report)
}
