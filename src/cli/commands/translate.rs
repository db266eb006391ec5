//! `translate`: a game in the other language or as a file of Gambit, on standard output or in a file.

use super::super::arguments::{self, Translate};
use super::super::expect;
use super::super::failure::Failure;
use super::super::files::Access;
use super::super::output::print;
use super::super::progress::Display;
use super::session;
use api::translate::gambit::Form;
use game::rules::Language;

pub fn run(arguments: &Translate) -> Result<(), Failure> {
    let (session, _) = session::start(&arguments.resources, Some(&arguments.game), Display::Nothing)?;
    let rules = session::load(&session, &arguments.game)?;
    let text = match arguments.to {
        arguments::Language::Gdl => session.translate(&rules, Language::Gdl, arguments.ground),
        arguments::Language::Gddl => session.translate(&rules, Language::Gddl, arguments.ground),
        arguments::Language::Efg => session.gambit(&rules, Form::Tree),
        arguments::Language::Nfg => session.gambit(&rules, Form::Table),
    }?;
    match &arguments.out {
        None => print(&text),
        Some(path) => {
            std::fs::write(path, text).map_err(|error| expect::failure(path, "the translation", Access::Write, &error))
        }
    }
}
