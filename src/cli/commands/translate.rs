//! `translate`: writes a game in GDL or GDDL or for Gambit, or a position of a solution as a table for Gambit.

use super::super::arguments::{self, Translate};
use super::super::expect;
use super::super::failure::Failure;
use super::super::files::is_solution;
use super::super::output::print;
use super::super::progress::Display;
use super::session;
use api::session::{Error, Session};
use api::translate::gambit::Form;
use game::rules::Language;
use solving::solution::Opened;

pub fn run(arguments: &Translate) -> Result<(), Failure> {
    let (session, _) = session::start(&arguments.resources, Some(&arguments.game), Display::Nothing)?;
    let text = match is_solution(&arguments.game.game) || arguments.moves.is_some() || arguments.state.is_some() {
        true => position(&session, arguments)?,
        false => game(&session, arguments)?,
    };
    match &arguments.out {
        None => print(&text),
        Some(path) => expect::write(path, "the translation", &text),
    }
}

fn game(session: &Session, arguments: &Translate) -> Result<String, Failure> {
    let rules = session::load(session, &arguments.game)?;
    Ok(match arguments.to {
        arguments::Language::Gdl => session.translate(&rules, Language::Gdl, arguments.ground),
        arguments::Language::Gddl => session.translate(&rules, Language::Gddl, arguments.ground),
        arguments::Language::Efg => session.gambit(&rules, Form::Tree),
        arguments::Language::Nfg => session.gambit(&rules, Form::Table),
    }?)
}

fn position(session: &Session, arguments: &Translate) -> Result<String, Failure> {
    let Translate { moves, state, .. } = arguments;
    let folder = &arguments.game.game;
    expect::solution(folder)?;
    if !matches!(arguments.to, arguments::Language::Nfg) {
        let what = "a solution is written as the table of one of its positions, --to nfg; other forms are of rules";
        return Err(Failure::Usage(what.to_owned()));
    }
    let Opened::Exact(solution) = session.open_any(folder)? else {
        let what = "the table of a position is of games with chance or choices at the same time";
        return Err(Failure::Usage(format!("{}: {what}", folder.display())));
    };
    let start = state.as_ref().map_or_else(|| Ok(solution.start()), |text| solution.position(text));
    let reached = start.and_then(|start| solution.follow(&start, moves.as_deref().unwrap_or_default()));
    Ok(session.gambit_position(&solution, &reached.map_err(Error::from)?)?)
}
