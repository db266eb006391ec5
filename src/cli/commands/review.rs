//! `review`: the moves of a played match, judged.

use super::super::failure::Failure;
use super::super::input;
use super::super::output::print_report;
use super::super::reading::Review;
use super::session;
use api::review::{Record, review_exact, review_from};
use api::session::Error;
use solving::solution::Opened;

pub fn run(arguments: &Review) -> Result<(), Failure> {
    let text = input::read_text(&arguments.record, "the match")?;
    let limits = session::usual_limits();
    let solution = session::open(&arguments.solution.solution, &limits)?;
    let record = Record::read(&text).map_err(Error::from)?;
    let format = arguments.report.format;
    match &solution {
        Opened::Rewards(solution) => {
            let lines = arguments.why.then_some(arguments.nodes);
            print_report(format, &review_from(solution, &solution.start(), &record, lines, &limits)?)
        }
        Opened::Exact(exact) => {
            print_report(format, &review_exact(exact, &exact.start(), &record, arguments.why, &limits)?)
        }
    }
}
