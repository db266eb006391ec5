//! `review`: the moves of a played match, judged.

use super::super::failure::Failure;
use super::super::input;
use super::super::output::print_report;
use super::super::reading::Review;
use super::session;
use api::review::{Record, review};
use api::session::Error;

pub fn run(arguments: &Review) -> Result<(), Failure> {
    let text = input::read_text(&arguments.record, "the match")?;
    let solution = session::open(&arguments.solution.solution)?;
    let record = Record::read(&text).map_err(Error::from)?;
    print_report(arguments.report.format, &review(&solution, &record)?)
}
