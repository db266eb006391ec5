//! What a person can ask for in a match, and how it is typed.

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
