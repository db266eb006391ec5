//! `solve`, `classify` and `count`.

use super::super::arguments::Solve;
use super::super::expect;
use super::super::failure::Failure;
use super::super::options;
use super::super::output::{print_error, print_report};
use super::super::processes;
use super::super::shared::Logging;
use super::session;
use api::session::{Command, Destination, Error, Rules, RunReport};
use base::limits::Limits;
use solving::solve::SolveOptions;
use solving::store;
use solving::words::number::bytes;
use std::path::Path;
use std::sync::Arc;

pub fn run(command: Command, arguments: &Solve, logging: &Logging) -> Result<(), Failure> {
    let processes = processes::join()?;
    let display = options::display(arguments.progress, logging);
    let own = options(command, arguments, processes.neighbours());
    #[cfg(feature = "mpi")]
    if processes.serve(&own) {
        return Ok(());
    }
    // On drop, the team tells the other processes to end, even if this process failed.
    let team = processes.team();
    let (limits, options) = own?;
    let options = SolveOptions { team: team?, ..options };
    if let Some(path) = &arguments.plan {
        expect::writable(path, PLAN)?;
    }
    let (session, console) = session::start_within(Arc::clone(&limits), Some(&arguments.game), display)?;
    let format = arguments.report.format;
    let rules = session::load(&session, &arguments.game)?;
    one_player(arguments, rules.program().map_err(|error| session::told(error, format))?.players())?;
    let destination =
        destination(command, arguments, &options, &rules).map_err(|error| session::told(error, format))?;
    tell_processes(&options, &destination, &limits)?;
    let report = session.solve(&rules, &options, &destination);
    console.finish();
    let mut report = report.map_err(|error| match (error, &destination) {
        (Error::Limit(limit), Destination::Folder { folder, .. }) => Failure::Unstored(limit, folder.clone()),
        (error, _) => session::told(error, format),
    })?;
    report.command = command;
    for difference in &report.option_differences {
        print_error(&format!("note: {difference}\n  --force computes the solution anew\n"));
    }
    // Roles that only rules give are not known before the game is grounded.
    one_player(arguments, report.roles.len())?;
    if let Some(path) = &arguments.plan {
        write_plan(path, &report)?;
        report.line = report.line.filter(|_| arguments.line);
    }
    print_report(format, &report)
}

/// Fails if the options ask for plans of several players.
fn one_player(arguments: &Solve, roles: usize) -> Result<(), Failure> {
    let asked = [("--plan", arguments.plan.is_some()), ("--plans", arguments.plans)];
    match asked.into_iter().find(|(_, asked)| *asked && roles > 1) {
        Some((option, _)) => {
            let step = "--line gives a line of best play";
            Err(Failure::Usage(format!("{option}: a plan is of one player, and this game has {roles}\n  {step}")))
        }
        None => Ok(()),
    }
}

/// The role of the file of a plan in messages.
const PLAN: &str = "the plan";

fn write_plan(path: &Path, report: &RunReport) -> Result<(), Failure> {
    match report.plan_file() {
        Some(text) => expect::write(path, PLAN, &text),
        None => {
            print_error(&format!("note: there is no plan: {} is not written\n", path.display()));
            Ok(())
        }
    }
}

/// The limits and options of a run. `neighbours`: number of processes on this machine.
fn options(command: Command, arguments: &Solve, neighbours: usize) -> Result<(Arc<Limits>, SolveOptions), Failure> {
    let limits = options::solve_limits(arguments, neighbours)?;
    let options = options::solve_options(arguments, command == Command::Count, neighbours)?;
    Ok((limits, options))
}

/// Prints the resources of each of several processes. Fails if they share no folder.
fn tell_processes(options: &SolveOptions, destination: &Destination, limits: &Limits) -> Result<(), Failure> {
    if !options.team.is_shared() {
        return Ok(());
    }
    if let (Destination::Nowhere(_), false) = (destination, options.count_only) {
        let what = "several processes share a solution by its folder, which all of them must see: give one with -o";
        return Err(Failure::Usage(what.to_owned()));
    }
    let (size, memory, threads) = (options.team.size(), bytes(limits.memory()), options.threads);
    print_error(&format!("note: {size} processes, each with {threads} threads and up to {memory} of memory\n"));
    Ok(())
}

/// Where the solution is stored. The states of `count` are stored only on request.
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
