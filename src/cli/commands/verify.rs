//! `verify`: a stored solution against its rules.

use super::super::arguments::{Format, Game, Logging};
use super::super::failure::Failure;
use super::super::files;
use super::super::output::{print, print_json};
use super::super::progress::Console;
use super::super::reading::Verify;
use super::super::{interrupt, options};
use super::prepare::prepare;
use crate::report::VerifyReport;
use crate::verify::{Options, verify_with};
use std::hash::{BuildHasher, RandomState};

pub fn run(arguments: &Verify, logging: &Logging) -> Result<(), Failure> {
    let limits = options::limits(&arguments.resources)?;
    interrupt::watch(&limits)?;
    let console = Console::new(options::display(arguments.progress, logging));
    let folder = &arguments.solution.solution;
    files::expect_solution(folder)?;
    let options = Options {
        full: arguments.full,
        exhaustive: arguments.states,
        samples: arguments.random,
        samples_by_value: arguments.random_by_value,
        // The keys of a hasher are random.
        seed: arguments.seed.unwrap_or_else(|| RandomState::new().hash_one(()) >> 32),
        threads: options::threads(arguments.threads),
    };
    let rules = match &arguments.rules {
        None => None,
        Some(path) => {
            let game = Game { game: path.clone(), problem: None };
            Some(prepare(&game, arguments.report.format, &limits, &console)?.grounding.game)
        }
    };
    let verification = verify_with(folder, rules, &options, &limits, &console)?;
    console.finish();
    let rules = arguments.rules.as_ref().map(|path| path.display().to_string());
    let report = VerifyReport { verification: &verification, options: &options, rules: rules.as_deref() };
    match arguments.report.format {
        Format::Json => print_json(&report.json())?,
        Format::Text => print(&report.text())?,
    }
    match verification.findings.len() {
        0 => Ok(()),
        _ => Err(Failure::Solution(format!("{}: the solution is damaged or wrong", folder.display()))),
    }
}
