//! From a file to its propositional game: what `ground` and `solve` start with.

use super::super::arguments::{Format, Game};
use super::super::failure::Failure;
use super::super::input;
use super::super::output::print_json;
use super::super::progress::Console;
use crate::diagnostic::{
    Diagnostic, Severity, Source, finish, render_findings, render_json, render_summary, render_text,
};
use crate::ground::{self, GroundError, GroundOptions, Grounding};
use crate::inspect;
use crate::limits::Limits;
use crate::rules::{Language, Program};
use crate::solve::{Stage, StageTime};
use serde_json::Value;

/// Rules that were read and checked.
pub struct Rules {
    pub source: Source,
    pub language: Language,
    pub program: Program,
    /// What there is to say about the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The command that tells all of it.
    pub check: String,
    /// All findings, where they were told already.
    pub told: Option<Value>,
    /// What that took.
    pub seconds: f64,
}

/// A grounded game and how long that took.
pub struct Prepared {
    pub grounding: Grounding,
    pub times: Vec<StageTime>,
    /// What `check` says, as it stands under `diagnostics` in JSON.
    pub diagnostics: Value,
}

/// Reads, checks and grounds a game and tells its warnings. Findings that refuse it are also printed as JSON where that
/// is the format.
pub fn prepare(game: &Game, format: Format, limits: &Limits, console: &Console) -> Result<Prepared, Failure> {
    grounded(&read(game, format, console)?, format, limits, console)
}

/// Reads and checks a game.
pub fn read(game: &Game, format: Format, console: &Console) -> Result<Rules, Failure> {
    let (rules, seconds) = console.stage(Stage::Parse, || {
        let input::Rules { source, language } = input::read(game)?;
        parse(source, language, input::check_command(game), format)
    });
    Ok(Rules { seconds, ..rules? })
}

/// Checks the rules of a text; `check` is the command that tells all there is to say about it.
pub fn parse(source: Source, language: Language, check: String, format: Format) -> Result<Rules, Failure> {
    let (program, diagnostics) = language.program(&source);
    match program {
        Some(program) => Ok(Rules { source, language, program, diagnostics, check, told: None, seconds: 0.0 }),
        None => Err(invalid(&source, &diagnostics, format)?),
    }
}

/// Grounds rules and tells their warnings.
pub fn grounded(rules: &Rules, format: Format, limits: &Limits, console: &Console) -> Result<Prepared, Failure> {
    let (grounding, ground) =
        console.stage(Stage::Ground, || ground::ground(&rules.program, limits, &GroundOptions::default()));
    let grounding = match grounding {
        Ok(grounding) => grounding,
        Err(error) => {
            tell(rules, Vec::new(), console);
            return Err(refuse(&rules.source, error, format)?);
        }
    };
    let diagnostics = tell(rules, inspect::grounded(&rules.program, &grounding).diagnostics, console);
    let parse = StageTime { stage: Stage::Parse, seconds: rules.seconds };
    Ok(Prepared { grounding, times: vec![parse, StageTime { stage: Stage::Ground, seconds: ground }], diagnostics })
}

/// Tells the warnings of rules that need not be grounded, by what `check` finds out about them.
pub fn warn(rules: &Rules, limits: &Limits, console: &Console) -> Result<Value, Failure> {
    Ok(tell(rules, inspect::program(&rules.program, limits)?.diagnostics, console))
}

/// Tells, once, the warnings among the findings on a text and some more on standard error; all findings as JSON.
fn tell(rules: &Rules, more: Vec<Diagnostic>, console: &Console) -> Value {
    if let Some(told) = &rules.told {
        return told.clone();
    }
    let diagnostics = finish(rules.diagnostics.iter().cloned().chain(more).collect());
    console.warn(&render_summary(&rules.source, &diagnostics, &rules.check));
    render_findings(&rules.source, &diagnostics)
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
