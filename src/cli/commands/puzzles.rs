//! `puzzles`: positions in which exactly one move keeps the value.

use super::super::failure::Failure;
use super::super::output::{print, print_report};
use super::super::reading::Puzzles;
use super::super::shared::{Format, Logging};
use super::super::{expect, options};
use super::session;
use api::puzzles::Options;
use base::random;

/// The role of the file in messages.
const PAGE: &str = "the page";

pub fn run(arguments: &Puzzles, logging: &Logging) -> Result<(), Failure> {
    let display = options::display(arguments.progress, logging);
    let (session, console) = session::start(&arguments.resources, None, display)?;
    let folder = &arguments.solution.solution;
    expect::solution(folder)?;
    if let Some(file) = &arguments.html {
        expect::writable(file, PAGE)?;
    }
    let options = Options {
        number: arguments.number,
        layer: arguments.layer,
        draws: arguments.draws,
        seed: arguments.seed.unwrap_or_else(random::new_seed),
    };
    let report = session.puzzles(folder, &options)?;
    console.finish();
    if let Some(file) = &arguments.html {
        expect::write(file, PAGE, &report.page())?;
    }
    print_report(arguments.report.format, &report)?;
    match (&arguments.html, arguments.report.format) {
        (Some(file), Format::Text) => print(&format!("  The page is in {}.\n", file.display())),
        _ => Ok(()),
    }
}
