//! `plan`: the time, memory and disk space of a full solution.

use super::super::arguments::Plan;
use super::super::failure::Failure;
use super::super::options;
use super::super::output::print_report;
use super::super::shared::Logging;
use super::session;
use std::sync::Arc;

pub fn run(arguments: &Plan, logging: &Logging) -> Result<(), Failure> {
    let display = options::display(arguments.progress, logging);
    let (options, terms) = options::plan_options(arguments)?;
    let limits = Arc::new(options::plan_limits(&arguments.resources.memory)?);
    let (session, console) = session::start_within(limits, Some(&arguments.game), display)?;
    let format = arguments.report.format;
    let rules = session::load(&session, &arguments.game)?;
    let report = session.plan(&rules, &options, terms, arguments.nodes);
    console.finish();
    print_report(format, &report.map_err(|error| session::told(error, format))?)
}
