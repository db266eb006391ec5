//! `verify`: a stored solution against its rules.

use super::super::failure::Failure;
use super::super::output::print_report;
use super::super::reading::Verify;
use super::super::shared::{Game, Logging};
use super::super::{expect, options};
use super::session;
use api::session::ErrorKind;
use api::verify::Options;
use base::random;

pub fn run(arguments: &Verify, logging: &Logging) -> Result<(), Failure> {
    let game = arguments.rules.as_ref().map(|path| Game { game: path.clone(), second: None, problem: None });
    let display = options::display(arguments.progress, logging);
    let (session, console) = session::start(&arguments.resources, game.as_ref(), display)?;
    let folder = &arguments.solution.solution;
    expect::solution(folder)?;
    let options = Options {
        full: arguments.full,
        exhaustive: arguments.states,
        samples: arguments.random,
        samples_by_value: arguments.random_by_value,
        seed: arguments.seed.unwrap_or_else(random::new_seed),
        threads: options::threads(arguments.threads),
    };
    let format = arguments.report.format;
    let rules = game.as_ref().map(|game| session::load(&session, game)).transpose()?;
    let report = session.verify(folder, rules.as_ref(), &options).map_err(|error| session::told(error, format))?;
    console.finish();
    print_report(format, &report)?;
    match report.ok {
        true => Ok(()),
        false => {
            let message = format!("{}: the solution is damaged or wrong", folder.display());
            Err(Failure::Reported(ErrorKind::Solution, message))
        }
    }
}
