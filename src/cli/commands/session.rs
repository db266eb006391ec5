//! Sessions, rules and solutions for commands.

use super::super::failure::Failure;
use super::super::output::print_json;
use super::super::progress::{Console, Display};
use super::super::shared::{Format, Game, Resources};
use super::super::{expect, input, interrupt, options};
use api::session::{Error, Rules, Session};
use base::limits::Limits;
use base::machine;
use solving::solution::Opened;
use solving::solve::Silent;
use std::path::Path;
use std::sync::Arc;

pub fn start(resources: &Resources, game: Option<&Game>, display: Display) -> Result<(Session, Arc<Console>), Failure> {
    start_within(options::limits(resources)?, game, display)
}

/// As [`start`], with the command's own limits.
pub fn start_within(
    limits: Arc<Limits>,
    game: Option<&Game>,
    display: Display,
) -> Result<(Session, Arc<Console>), Failure> {
    interrupt::watch(&limits)?;
    Ok(listened(&limits, game, display))
}

/// As [`start_within`], if the process already watches for interrupts.
pub fn listened(limits: &Arc<Limits>, game: Option<&Game>, display: Display) -> (Session, Arc<Console>) {
    let check = game.map_or_else(String::new, input::check_command);
    let console = Arc::new(Console::new(display, check));
    (Session::with(Arc::clone(limits), Arc::clone(&console) as _), console)
}

/// A session for a command that takes a second and has everything in its report. Its memory has the usual bound.
pub fn quiet() -> Result<Session, Failure> {
    let limits = usual_limits();
    interrupt::watch(&limits)?;
    Ok(Session::with(limits, Arc::new(Silent)))
}

/// The failure of a command. With JSON, errors of the rules are printed in place of a report, too.
pub fn told(error: Error, format: Format) -> Failure {
    match error.document().filter(|_| format == Format::Json).map(|document| print_json(&document)) {
        Some(Err(failure)) => failure,
        _ => error.into(),
    }
}

pub fn load(session: &Session, game: &Game) -> Result<Rules, Failure> {
    let source = input::source(game)?;
    session.check_room(&source)?;
    Ok(session.load(source))
}

pub fn open(folder: &Path, limits: &Arc<Limits>) -> Result<Opened, Failure> {
    expect::solution(folder)?;
    Ok(Session::with(Arc::clone(limits), Arc::new(Silent)).open_any(folder)?)
}

pub fn usual_limits() -> Arc<Limits> {
    Arc::new(Limits::new(machine::granted_memory()))
}
