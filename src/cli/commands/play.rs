//! `play`: a match against a stored solution, line by line.

use super::super::failure::Failure;
use super::super::input;
use super::super::output::{Reader, print, say};
use super::super::reading::Play;
use super::session;
use api::play::{Command, ExactMatch, Match, Settings, Told};
use game::propositional::RoleId;
use solving::solution::{Opened, ReadError, Solution};
use std::sync::Arc;

/// Number of positions that a search for distances keeps, in about a second.
const NODES: usize = 50_000;

pub fn run(arguments: &Play) -> Result<(), Failure> {
    if !(0.0..=1.0).contains(&arguments.error_rate) {
        return Err(Failure::Usage(format!("--error-rate: {} is not between 0 and 1", arguments.error_rate)));
    }
    let limits = session::usual_limits();
    let solution = session::open(&arguments.solution.solution, &limits)?;
    let settings = Settings {
        human: role(solution.solution(), arguments.role.as_deref())?,
        errors_per_million: (arguments.error_rate * 1e6).round() as u32,
        seed: arguments.seed,
        nodes: NODES,
    };
    match solution {
        Opened::Rewards(solution) => {
            let (mut game, told) = Match::start(Arc::new(*solution), settings)?;
            played(&told, |command| game.answer(command))
        }
        Opened::Exact(solution) => {
            let (mut game, told) = ExactMatch::start(solution, settings, limits)?;
            played(&told, |command| game.answer(command))
        }
    }
}

fn played(told: &[Told], mut answer: impl FnMut(&Command) -> Result<Vec<Told>, ReadError>) -> Result<(), Failure> {
    let mut reader = say(&text(told))?;
    while reader == Reader::Listening {
        print("> ")?;
        let Some(line) = input::line(&mut std::io::stdin().lock())? else { return print("\n") };
        let Some(command) = Command::read(&line) else { continue };
        let told = answer(&command)?;
        reader = say(&text(&told))?;
        if told.contains(&Told::Left) {
            break;
        }
    }
    Ok(())
}

fn text(told: &[Told]) -> String {
    told.iter().map(ToString::to_string).collect()
}

/// The role with a name; by default the first role.
fn role(solution: &Solution, name: Option<&str>) -> Result<RoleId, Failure> {
    let Some(name) = name else { return Ok(RoleId(0)) };
    let roles = solution.roles();
    let found = (0u32..).zip(&roles).find(|(_, role)| role.eq_ignore_ascii_case(name)).map(|(index, _)| RoleId(index));
    found.ok_or_else(|| Failure::Usage(format!("--as: there is no role {name}; the roles are {}", roles.join(", "))))
}
