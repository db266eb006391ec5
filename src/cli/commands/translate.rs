//! `translate`: a game in the other language, on standard output or in a file.

use super::super::arguments::{self, Translate};
use super::super::expect;
use super::super::failure::Failure;
use super::super::files::Access;
use super::super::output::print;
use super::super::progress::Display;
use super::session;
use game::rules::Language;

pub fn run(arguments: &Translate) -> Result<(), Failure> {
    let (session, _) = session::start(&arguments.resources, Some(&arguments.game), Display::Nothing)?;
    let rules = session::load(&session, &arguments.game)?;
    let to = match arguments.to {
        arguments::Language::Gdl => Language::Gdl,
        arguments::Language::Gddl => Language::Gddl,
    };
    let text = session.translate(&rules, to, arguments.ground)?;
    match &arguments.out {
        None => print(&text),
        Some(path) => {
            std::fs::write(path, text).map_err(|error| expect::failure(path, "the translation", Access::Write, &error))
        }
    }
}
