//! From a file to its propositional game: what `ground` and `solve` start with.

use super::super::arguments::{Format, Game};
use super::super::failure::Failure;
use super::super::input;
use super::super::output::print_json;
use super::super::progress::Console;
use crate::diagnostic::{Diagnostic, Severity, Source, render_json, render_text};
use crate::ground::{self, GroundError, GroundOptions, Grounding};
use crate::limits::Limits;
use crate::rules::{Language, Program};
use crate::solve::{Stage, StageTime};

/// Rules that were read and checked.
pub struct Rules {
    pub source: Source,
    pub language: Language,
    pub program: Program,
    /// What that took.
    pub seconds: f64,
}

/// A grounded game and how long that took.
pub struct Prepared {
    pub grounding: Grounding,
    pub times: Vec<StageTime>,
}

/// Reads, checks and grounds a game. Findings that refuse it are also printed as JSON where that is the format.
pub fn prepare(game: &Game, format: Format, limits: &Limits, console: &Console) -> Result<Prepared, Failure> {
    grounded(&read(game, format, console)?, format, limits, console)
}

/// Reads and checks a game.
pub fn read(game: &Game, format: Format, console: &Console) -> Result<Rules, Failure> {
    let (rules, seconds) = console.stage(Stage::Parse, || {
        let input::Rules { source, language } = input::read(game)?;
        parse(source, language, format)
    });
    Ok(Rules { seconds, ..rules? })
}

/// Checks the rules of a text.
pub fn parse(source: Source, language: Language, format: Format) -> Result<Rules, Failure> {
    let (program, diagnostics) = language.program(&source);
    match program {
        Some(program) => {
            let warnings = diagnostics.iter().filter(|finding| finding.severity == Severity::Warning).count();
            if warnings > 0 {
                tracing::info!("{warnings} warnings, see `ggsolve check {}`", source.name());
            }
            Ok(Rules { source, language, program, seconds: 0.0 })
        }
        None => Err(invalid(&source, &diagnostics, format)?),
    }
}

/// Grounds rules.
pub fn grounded(rules: &Rules, format: Format, limits: &Limits, console: &Console) -> Result<Prepared, Failure> {
    let (grounding, ground) =
        console.stage(Stage::Ground, || ground::ground(&rules.program, limits, &GroundOptions::default()));
    let grounding = grounding.or_else(|error| Err(refuse(&rules.source, error, format)?))?;
    let parse = StageTime { stage: Stage::Parse, seconds: rules.seconds };
    Ok(Prepared { grounding, times: vec![parse, StageTime { stage: Stage::Ground, seconds: ground }] })
}

/// The failure that findings are; outside, what went wrong while telling it.
fn invalid(source: &Source, diagnostics: &[Diagnostic], format: Format) -> Result<Failure, Failure> {
    if format == Format::Json {
        print_json(&render_json(source, diagnostics))?;
    }
    let errors: Vec<Diagnostic> =
        diagnostics.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect();
    Ok(Failure::Invalid { report: render_text(source, &errors) })
}

fn refuse(source: &Source, error: GroundError, format: Format) -> Result<Failure, Failure> {
    match (error.finding(), error) {
        (None, GroundError::Limit(limit) | GroundError::Explosion { reason: limit, .. }) => Ok(Failure::Limit(limit)),
        (Some(finding), GroundError::Explosion { .. }) => {
            Ok(Failure::Exploded { report: render_text(source, &[finding]) })
        }
        (finding, _) => invalid(source, finding.as_slice(), format),
    }
}
