//! What a person can ask for in a match, and how it is typed.

use solving::solution::terms;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A move by its name (parentheses may be left out) or its number, from 1 on, among the legal ones.
    Move(String),
    /// The legal moves, with what each leads to if `values`.
    List {
        values: bool,
    },
    Hint,
    Board,
    State,
    /// Takes back the person's last move.
    Undo,
    /// Starts again.
    New,
    Help,
    Quit,
}

impl Command {
    /// The request of a line, in any case of letters; `None` for an empty one.
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

/// The place of the legal move that is meant among the names of all: by its exact name, by its name but for the case of
/// letters if that is clear, or by its number.
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
