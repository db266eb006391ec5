//! The commands of a person in a match, parsed from text.

use solving::solution::terms;

/// A command of a person in a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A move, by its name (parentheses may be left out) or by its number among the legal moves, from 1 on.
    Move(String),
    /// Lists the legal moves.
    List {
        /// Whether values are requested.
        values: bool,
    },
    /// Shows the best moves.
    Hint,
    /// Shows the position.
    Board,
    /// Lists the fluents that hold.
    State,
    /// Takes back the person's last move.
    Undo,
    /// Starts the match again.
    New,
    /// Lists the commands.
    Help,
    /// Ends the match.
    Quit,
}

impl Command {
    /// Reads a command, in any case of letters. `None` for an empty line.
    pub fn read(line: &str) -> Option<Command> {
        let line = line.trim();
        Some(match line.to_ascii_lowercase().as_str() {
            "" => return None,
            "quit" | "exit" | "q" => Command::Quit,
            "help" | "?" => Command::Help,
            "board" => Command::Board,
            "state" => Command::State,
            "moves" => Command::List { values: false },
            "values" => Command::List { values: true },
            "hint" => Command::Hint,
            "undo" => Command::Undo,
            "new" => Command::New,
            _ => Command::Move(line.to_owned()),
        })
    }
}

/// The index of a typed move: by its exact name, by a name that is unique if case is ignored, or by its number.
pub fn named<'n>(names: impl Iterator<Item = &'n str> + Clone, typed: &str) -> Option<usize> {
    let only = |wanted: &str| {
        let mut found = names.clone().enumerate().filter(|(_, name)| name.eq_ignore_ascii_case(wanted));
        found.next().filter(|_| found.next().is_none()).map(|(place, _)| place)
    };
    let in_terms = || match terms(typed).as_deref() {
        Ok([name]) => only(name),
        // `drop 2`, without the parentheses.
        Ok(several) => only(&format!("({})", several.join(" "))),
        Err(_) => None,
    };
    let number = || typed.parse::<usize>().ok()?.checked_sub(1).filter(|&place| place < names.clone().count());
    names.clone().position(|name| name == typed).or_else(in_terms).or_else(number)
}
