//! `export`: positions of a stored solution with their values, as a table for other programs.

use super::super::failure::Failure;
use super::super::output::{print_error, print_report, report_text};
use super::super::reading::{Draw, Export, Rows};
use super::super::shared::Logging;
use super::super::{expect, options};
use super::session;
use api::export::{Form, Options};
use api::session::Error;
use base::random;
use solving::solution::{Over, Sample};
use solving::store::is_output;

pub fn run(arguments: &Export, logging: &Logging) -> Result<(), Failure> {
    let display = options::display(arguments.progress, logging);
    let (session, console) = session::start(&arguments.resources, None, display)?;
    let folder = &arguments.solution.solution;
    expect::solution(folder)?;
    let over = if arguments.over == Draw::Values { Over::Values } else { Over::States };
    let seed = arguments.seed.unwrap_or_else(random::new_seed);
    let options = Options {
        form: match arguments.to {
            Rows::Parquet => Form::Parquet,
            Rows::Npz => Form::Npz,
            Rows::Csv => Form::Csv,
            Rows::Jsonl => Form::Jsonl,
        },
        layer: arguments.layer,
        sample: arguments.sample.map(|number| Sample { number, seed, over }),
        symmetric: arguments.symmetric,
    };
    let report = match session.export(folder, &options, &arguments.out) {
        Err(Error::Store(error)) if expect::is_unread(&error) => return Ok(()),
        report => report?,
    };
    console.finish();
    // Where the table is on standard output, nothing else is.
    match is_output(&arguments.out) {
        true => print_error(&report_text(arguments.report.format, &report)),
        false => print_report(arguments.report.format, &report)?,
    }
    Ok(())
}
