//! `translate`: a game in the other language, on standard output or in a file.

use super::super::arguments::{Format, Language, Translate};
use super::super::failure::Failure;
use super::super::files::{self, Access};
use super::super::output::print;
use super::super::progress::{Console, Display};
use super::super::{interrupt, options};
use super::prepare;
use crate::translate::{TranslateError, gddl, gdl, ground};

pub fn run(arguments: &Translate) -> Result<(), Failure> {
    let limits = options::limits(&arguments.resources)?;
    interrupt::watch(&limits)?;
    let console = Console::new(Display::Nothing);
    let rules = prepare::read(&arguments.game, Format::Text, &console)?;
    let text = match arguments.to {
        Language::Gdl => {
            prepare::warn(&rules, &limits, &console)?;
            gdl::text(&rules.program)
        }
        Language::Gddl => {
            let game = prepare::grounded(&rules, Format::Text, &limits, &console)?.grounding.game;
            let text = match arguments.ground {
                true => ground::text(&game, &limits),
                false => gddl(&rules.program, &game, &limits),
            };
            text.map_err(|error| match error {
                TranslateError::Refused(refusal) => {
                    Failure::Refused { game: game.name.clone(), refusal: refusal.into() }
                }
                TranslateError::Limit(limit) => Failure::Limit(limit),
            })?
        }
    };
    match &arguments.out {
        None => print(&text),
        Some(path) => {
            std::fs::write(path, text).map_err(|error| files::failure(path, "the translation", Access::Write, &error))
        }
    }
}
