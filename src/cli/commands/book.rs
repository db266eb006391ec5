//! `book`: the distances of all positions up to a ply.

use super::super::failure::Failure;
use super::super::output::print_report;
use super::super::reading::Book;
use super::super::shared::Logging;
use super::super::{expect, options};
use super::session;
use api::session::ErrorKind;

pub fn run(arguments: &Book, logging: &Logging) -> Result<(), Failure> {
    let display = options::display(arguments.progress, logging);
    let (session, console) = session::start(&arguments.resources, None, display)?;
    let folder = &arguments.solution.solution;
    expect::solution(folder)?;
    let report = session.book(folder, arguments.plies, options::threads(arguments.threads))?;
    console.finish();
    print_report(arguments.report.format, &report)?;
    match report.complete {
        true => Ok(()),
        false => {
            let message = "some searches did not fit in memory\n  give more with --memory: the same command goes on";
            Err(Failure::Reported(ErrorKind::Limit, message.to_owned()))
        }
    }
}
