//! The commands of a person in a match, parsed from text.

use solving::solution::{find_name, terms};

/// A command of a person in a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A move, by its name (parentheses may be left out unless it is called like a command) or by its number among the legal moves, from 1 on.
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
    let find = |wanted: &str| find_name(names.clone(), wanted);
    let in_terms = || match terms(typed).as_deref() {
        Ok([name]) => find(name),
        // `drop 2`, without the parentheses.
        Ok(several) => find(&format!("({})", several.join(" "))),
        Err(_) => None,
    };
    let number = || typed.parse::<usize>().ok()?.checked_sub(1).filter(|&place| place < names.clone().count());
    names.clone().position(|name| name == typed).or_else(in_terms).or_else(number)
}

#[cfg(test)]
mod tests {
    use super::{Command, named};

    #[test]
    fn parentheses_play_a_move_that_is_called_like_a_command_or_differs_in_case() {
        let names = ["Stop", "stop", "quit", "(drop 2)", "(Drop 2)", "Go"];
        let read = |line: &str| match Command::read(line) {
            Some(Command::Move(typed)) => named(names.iter().copied(), &typed).map(|place| names[place]),
            command => panic!("{line}: {command:?}"),
        };
        for (line, name) in [
            ("(stop)", "stop"),
            ("( Stop )", "Stop"),
            ("(quit)", "quit"),
            ("(QUIT)", "quit"),
            ("(drop  2)", "(drop 2)"),
            ("Drop 2", "(Drop 2)"),
            ("(go)", "Go"),
            ("3", "quit"),
        ] {
            assert_eq!(read(line), Some(name), "{line}");
        }
        assert_eq!((read("(STOP)"), read("DROP 2"), read("7")), (None, None, None));
        assert_eq!(Command::read("quit"), Some(Command::Quit));
    }
}
