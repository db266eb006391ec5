//! What the commands start with: the arguments of a game as rules in a session, and solutions that are open.

use super::super::failure::Failure;
use super::super::output::print_json;
use super::super::progress::{Console, Display};
use super::super::shared::{Format, Game, Resources};
use super::super::{expect, input, interrupt, options};
use api::session::{Error, Rules, Session};
use base::limits::Limits;
use base::machine;
use solving::solution::{ExactSolution, Solution};
use solving::solve::Silent;
use std::path::Path;
use std::sync::Arc;

/// A session within the given bounds, and the console that listens.
pub fn start(resources: &Resources, game: Option<&Game>, display: Display) -> Result<(Session, Arc<Console>), Failure> {
    start_within(options::limits(resources)?, game, display)
}

/// As [`start`], with limits of a command's own.
pub fn start_within(
    limits: Arc<Limits>,
    game: Option<&Game>,
    display: Display,
) -> Result<(Session, Arc<Console>), Failure> {
    interrupt::watch(&limits)?;
    Ok(listened(&limits, game, display))
}

/// As [`start_within`], where interrupts are watched for already.
pub fn listened(limits: &Arc<Limits>, game: Option<&Game>, display: Display) -> (Session, Arc<Console>) {
    let check = game.map_or_else(String::new, input::check_command);
    let console = Arc::new(Console::new(display, check));
    (Session::with(Arc::clone(limits), Arc::clone(&console) as _), console)
}

/// A session with the usual bound of memory, for what takes a second and tells everything in its report.
pub fn quiet() -> Result<Session, Failure> {
    let limits = Arc::new(Limits::new(machine::granted_memory()));
    interrupt::watch(&limits)?;
    Ok(Session::with(limits, Arc::new(Silent)))
}

/// The failure of a command; where the rules are the reason, they are told in place of a report in JSON, too.
pub fn told(error: Error, format: Format) -> Failure {
    match error.document().filter(|_| format == Format::Json).map(|document| print_json(&document)) {
        Some(Err(failure)) => failure,
        _ => error.into(),
    }
}

/// The rules of a game.
pub fn load(session: &Session, game: &Game) -> Result<Rules, Failure> {
    let source = input::source(game)?;
    session.check_room(&source)?;
    Ok(session.load(source))
}

/// The solution in a folder, with the usual bound of memory.
pub fn open(folder: &Path) -> Result<Solution, Failure> {
    expect::solution(folder)?;
    Ok(Session::default().open(folder)?)
}

/// The solution in a folder, if its values are exact numbers.
pub fn open_exact(folder: &Path, limits: &Arc<Limits>) -> Result<Option<ExactSolution>, Failure> {
    expect::solution(folder)?;
    Ok(Session::with(Arc::clone(limits), Arc::new(Silent)).open_exact(folder)?)
}

/// As [`open`], within some limits.
pub fn open_within(folder: &Path, limits: &Arc<Limits>) -> Result<Solution, Failure> {
    expect::solution(folder)?;
    Ok(Session::with(Arc::clone(limits), Arc::new(Silent)).open(folder)?)
}
