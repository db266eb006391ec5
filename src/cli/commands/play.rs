//! `play`: a game against a stored solution, line by line.

use super::super::failure::Failure;
use super::super::input;
use super::super::output::{Reader, print, say};
use super::super::reading::Play;
use super::open::open;
use crate::play::{Dialogue, Settings};
use crate::propositional::{Game, RoleId};

/// Positions to keep in a search for the fastest win: about a second.
const NODES: usize = 20_000;

pub fn run(arguments: &Play) -> Result<(), Failure> {
    if !(0.0..=1.0).contains(&arguments.error_rate) {
        return Err(Failure::Usage(format!("--error-rate: {} is not between 0 and 1", arguments.error_rate)));
    }
    let stored = open(&arguments.solution.solution)?;
    let settings = Settings {
        human: role(&stored.game, arguments.role.as_deref())?,
        errors_per_million: (arguments.error_rate * 1e6).round() as u32,
        seed: arguments.seed,
        nodes: NODES,
    };
    let (mut dialogue, text) = Dialogue::start(stored.analyst(), settings)?;
    let mut reader = say(&text)?;
    while reader == Reader::Listening {
        print("> ")?;
        let Some(line) = input::line(&mut std::io::stdin().lock())? else { return print("\n") };
        let answer = dialogue.answer(&line)?;
        reader = say(&answer.text)?;
        if answer.done {
            break;
        }
    }
    Ok(())
}

/// The role of a name; the first one if none is named.
fn role(game: &Game, name: Option<&str>) -> Result<RoleId, Failure> {
    let Some(name) = name else { return Ok(RoleId(0)) };
    let found = game.role_ids().find(|role| game.roles[role.index()].to_string().eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let roles: Vec<String> = game.roles.iter().map(ToString::to_string).collect();
        Failure::Usage(format!("--as: there is no role {name}; the roles are {}", roles.join(", ")))
    })
}
