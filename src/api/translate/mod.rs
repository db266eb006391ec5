//! Writes a game in the other language, or in the file formats of another program.
//!
//! Every program can be written in GDL, so [`gdl`] writes the rules one by one. GDDL states explicitly who moves, what
//! an action requires and what it changes, which GDL leaves implicit. If the rules have a suitable form, [`lifted`]
//! keeps their names and parameters. [`ground`] writes the propositional game, for any game with one player or with
//! players who take turns. [`gambit`] writes a game as a tree or a table. The same game always yields the same text.

mod description;
pub mod gambit;
pub mod gdl;
pub mod ground;
mod layout;
pub mod lifted;
mod names;
mod possible;

use base::limits::{LimitReached, Limits};
use game::diagnostic::Source;
use game::propositional::Game;
use game::refusal::Refusal;
use game::rules::{Language, Program, gddl as language};
use lifted::Obstacle;

/// The reason why there is no translation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranslateError {
    /// The game has no such form.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] LimitReached),
}

/// What a translation says if it leaves out costs of moves.
pub fn without_costs(to: Language) -> &'static str {
    match to {
        Language::Gdl => {
            "the costs of moves are left out, for which GDL has no place: plans of this text are counted in moves"
        }
        Language::Gddl => "the costs of moves are left out: plans of this text are counted in moves",
    }
}

/// Adds a comment below the first line of a text, if the text leaves out costs of moves.
pub fn told(text: String, program: &Program, to: Language) -> String {
    match text.split_once('\n').filter(|_| program.costs.is_some()) {
        Some((title, rest)) => format!("{title}\n;;; {}\n{rest}", without_costs(to)),
        None => text,
    }
}

/// The game in GDDL, with the names and parameters of the rules where possible, or otherwise with the obstacle to that.
/// `game`: the grounded program. `idle`: the rules that apply in no reachable state, which are left out.
pub fn gddl(
    program: &Program,
    game: &Game,
    idle: &[usize],
    limits: &Limits,
) -> Result<(String, Option<Obstacle>), TranslateError> {
    let obstacle = match lifted::text(&possible::program(program, idle), game, limits)? {
        // Some clashes of names show only when the text is read.
        Ok(text) if language::program(&Source::new("translation", text.as_bytes())).0.is_some() => {
            return Ok((text, None));
        }
        Ok(_) => Obstacle::of_game("names that clash in GDDL"),
        Err(obstacle) => obstacle,
    };
    Ok((ground::text(game, limits)?, Some(obstacle)))
}
