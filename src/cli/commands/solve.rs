//! `solve`, `classify` and `count`.

use super::super::arguments::Solve;
use super::super::failure::Failure;
use super::super::options;
use super::super::output::{print_error, print_report};
use super::super::shared::Logging;
use super::session;
use crate::limits::LimitReached;
use crate::session::{Command, Destination, Error, Rules};
use crate::solve::SolveOptions;
use crate::store;

pub fn run(command: Command, arguments: &Solve, logging: &Logging) -> Result<(), Failure> {
    let display = options::display(arguments.progress, logging);
    let (session, console) = session::start_within(options::solve_limits(arguments)?, Some(&arguments.game), display)?;
    let options = options::solve_options(arguments, command == Command::Count)?;
    let format = arguments.report.format;
    let rules = session::load(&session, &arguments.game)?;
    let destination =
        destination(command, arguments, &options, &rules).map_err(|error| session::told(error, format))?;
    let report = session.solve(&rules, &options, &destination);
    console.finish();
    let mut report = report.map_err(|error| match (&error, &destination) {
        (Error::Limit(LimitReached::Interrupted), Destination::Folder { folder, .. }) => {
            Failure::Interrupted(format!("interrupted: nothing was stored in {} yet", folder.display()))
        }
        _ => session::told(error, format),
    })?;
    report.command = command;
    for difference in &report.option_differences {
        print_error(&format!("note: {difference}\n  --force computes the solution anew\n"));
    }
    print_report(format, &report)
}

/// Where the solution goes, if anywhere: counts are stored only where that is asked for.
fn destination(
    command: Command,
    arguments: &Solve,
    options: &SolveOptions,
    rules: &Rules,
) -> Result<Destination, Error> {
    let force = arguments.force;
    if let Some(algorithm) = options.algorithm.filter(|algorithm| !algorithm.is_stored()) {
        return Ok(Destination::Nowhere(format!("the algorithm {} stores nothing", algorithm.name())));
    }
    Ok(match &arguments.out {
        Some(folder) => Destination::Folder { folder: folder.clone(), force },
        None if arguments.no_store => Destination::Nowhere("--no-store asks for that".to_owned()),
        None if command == Command::Count => Destination::Nowhere("`count` stores states only with -o".to_owned()),
        None => Destination::Folder { folder: store::default_folder(&rules.program()?.name), force },
    })
}
