//! `ground`: the propositional form of a game.

use super::super::arguments::{Format, Ground};
use super::super::failure::Failure;
use super::super::output::{print, print_json};
use super::super::progress::{Console, Display};
use super::super::{interrupt, options};
use super::prepare::{Prepared, prepare};
use crate::ground::Statistics;
use crate::mutex;
use crate::report::GroundReport;
use crate::solve::{Stage, StageTime};

pub fn run(arguments: &Ground) -> Result<(), Failure> {
    let limits = options::limits(&arguments.resources)?;
    interrupt::watch(&limits)?;
    let console = Console::new(Display::Nothing);
    let format = arguments.report.format;
    let Prepared { grounding, mut times, diagnostics } = prepare(&arguments.game, format, &limits, &console)?;
    let game = &grounding.game;
    let (groups, seconds) = console.stage(Stage::Groups, || mutex::groups(game, &mutex::Effort::default(), &limits));
    let groups = groups?;
    times.push(StageTime { stage: Stage::Groups, seconds });
    let Statistics { atoms, instances, passes, .. } = &grounding.statistics;
    let passes = passes.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64())).collect();
    let report = GroundReport { game, groups: &groups, rules: *instances, atoms: *atoms, times, passes, diagnostics };
    match format {
        Format::Json => print_json(&report.json()),
        Format::Text => print(&report.text()),
    }
}
