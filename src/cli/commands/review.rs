//! `review`: the moves of a played match, judged.

use super::super::arguments::Format;
use super::super::failure::Failure;
use super::super::input;
use super::super::output::{print, print_json};
use super::super::reading::Review;
use super::open::open;
use crate::report::ReviewReport;
use crate::review::{Record, review};
use crate::solution::ReadError;

pub fn run(arguments: &Review) -> Result<(), Failure> {
    let text = input::read_text(&arguments.record, "the match")?;
    let stored = open(&arguments.solution.solution)?;
    let mut analyst = stored.analyst();
    let record = Record::read(&text).map_err(ReadError::from)?;
    let review = review(&mut analyst, &record)?;
    let report = ReviewReport { game: &stored.game, model: stored.model(), review: &review };
    match arguments.report.format {
        Format::Json => print_json(&report.json()),
        Format::Text => print(&report.text()),
    }
}
