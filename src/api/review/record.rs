//! The record of a match: the movers' moves as text, or a match in the JSON of general game playing.
//!
//! A text has the moves in the order of play, usually one per line. The moves of roles without a choice are left out, or
//! a ply has the moves of all roles in parentheses. Comments run from `;` to the end of the line, and moves may be
//! numbered (`1. (mark 1 1)`, `1)`, `1:`, `1... (mark 2 2)`). If the moves of a text cannot be played, a line without
//! parentheses is read as one move (`mark 1 1`).
//!
//! In JSON, `moves` has for each ply an array with a move of each role, in the order of the roles with chance as the
//! last one, or the mover's move as a string. The optional `states` has the fluents of each position from the start on, and is compared with the
//! positions after the moves. An array in place of the object is `moves`.

use base::limits::{LimitReached, Limits, Reserved};
use serde_json::Value;
use solving::solution::{PositionError, moves, terms};

/// The recorded moves of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// The movers' moves.
    Movers {
        /// The moves, by ply.
        moves: Vec<String>,
        /// The moves, if each line without parentheses is read as one move; `None` if they are the same.
        lines: Option<Vec<String>>,
    },
    /// The record of a game server.
    Match {
        /// By ply: the move of the mover, or the move of each role.
        moves: Vec<Vec<String>>,
        /// The states of the match, if they are recorded.
        states: Vec<Vec<String>>,
    },
}

/// Bytes of a ply of a match, about, while it is replayed and judged: its position, and the names of its moves.
const BY_PLY: u64 = 1 << 10;

impl Record {
    /// Reserves the memory for the replayed and judged plies, one for each recorded move, about.
    pub fn reserve<'l>(&self, limits: &'l Limits) -> Result<Reserved<'l>, LimitReached> {
        let plies = match self {
            Record::Movers { moves, .. } => moves.len(),
            Record::Match { moves, .. } => moves.len(),
        };
        limits.hold(plies as u64 * BY_PLY)
    }

    /// Reads a match from text: a list of moves, or the JSON of game servers.
    pub fn read(text: &str) -> Result<Record, PositionError> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if !text.starts_with(['{', '[']) {
            let (moves, lines) = moves(&without_numbers(text))?;
            return Ok(Record::Movers { moves, lines });
        }
        let value: Value = serde_json::from_str(text).map_err(|error| wrong(&format!("not JSON: {error}")))?;
        let (moves, states) = match &value {
            Value::Object(fields) => {
                let moves = fields.get("moves").ok_or_else(|| wrong("the match has no `moves`"))?;
                (moves, fields.get("states"))
            }
            moves => (moves, None),
        };
        let lists = |value: &Value, name: &str| {
            let lists = value.as_array().ok_or_else(|| wrong(&format!("`{name}` is no array")))?;
            lists.iter().map(|list| one_list(list, name)).collect::<Result<Vec<_>, _>>()
        };
        let moves = lists(moves, "moves")?;
        let states = states.map(|states| lists(states, "states")).transpose()?.unwrap_or_default();
        Ok(Record::Match { moves, states })
    }
}

/// Replaces the numbers of moves by blanks: numbers outside of parentheses and comments, before a mark.
fn without_numbers(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let (mut depth, mut rest) = (0usize, text);
    // Whether a word can start here.
    let mut fresh = true;
    while let Some(c) = rest.chars().next() {
        if c == ';' {
            let end = rest.find('\n').unwrap_or(rest.len());
            found.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        if fresh
            && depth == 0
            && let Some(length) = number(rest)
        {
            found.extend(std::iter::repeat_n(' ', length));
            rest = &rest[length..];
            continue;
        }
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        fresh = c.is_whitespace() || matches!(c, '(' | ')');
        found.push(c);
        rest = &rest[c.len_utf8()..];
    }
    found
}

/// The length of the number of a move at the start of a text: its digits and the mark after them.
fn number(text: &str) -> Option<usize> {
    let marks = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - marks.len();
    let rest = match marks.chars().next()? {
        '.' => marks.trim_start_matches('.'),
        ')' | ':' => &marks[1..],
        _ => return None,
    };
    let ends = rest.chars().next().is_none_or(|c| c.is_whitespace() || c == '(' || c == ';');
    (digits > 0 && ends).then(|| text.len() - rest.len())
}

/// A string with terms, or an array of such strings.
fn one_list(value: &Value, name: &str) -> Result<Vec<String>, PositionError> {
    let strings = match value {
        Value::Array(members) => members.iter().collect(),
        other => vec![other],
    };
    let mut found = Vec::new();
    for string in strings {
        let text = string.as_str().ok_or_else(|| wrong(&format!("a member of `{name}` is no string: {string}")))?;
        found.extend(terms(text)?);
    }
    Ok(found)
}

fn wrong(message: &str) -> PositionError {
    PositionError::Syntax(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn movers(moves: &[&str]) -> Record {
        Record::Movers { moves: texts(moves), lines: None }
    }

    #[test]
    fn moves_may_stand_in_lines() {
        let found = Record::read("; a match\n(mark 1 1)\nnoop ( mark 2 2 )\n").unwrap();
        assert_eq!(found, movers(&["(mark 1 1)", "noop", "(mark 2 2)"]));
    }

    #[test]
    fn a_line_without_parentheses_may_be_a_move() {
        let found = Record::read("1. mark 1 1 ; a comment\n2. noop\n3. mark 2 2").unwrap();
        let (moves, lines) =
            (texts(&["mark", "1", "1", "noop", "mark", "2", "2"]), texts(&["(mark 1 1)", "noop", "(mark 2 2)"]));
        assert_eq!(found, Record::Movers { moves, lines: Some(lines) });
    }

    #[test]
    fn memory_is_reserved_for_each_move() {
        let record = Record::read("one two\nthree").unwrap();
        assert!(record.reserve(&Limits::new(3 * BY_PLY - 1)).is_err());
        let limits = Limits::new(3 * BY_PLY);
        drop(record.reserve(&limits).unwrap());
        assert_eq!((limits.used(), limits.peak()), (0, 3 * BY_PLY));
    }

    #[test]
    fn moves_may_be_numbered() {
        let expected = movers(&["(mark 1 1)", "(mark 2 2)", "noop", "(mark 3 3)"]);
        for text in [
            "1. (mark 1 1)\n2. (mark 2 2)\n3. noop\n4. (mark 3 3)",
            "1) (mark 1 1)\n2) (mark 2 2)\n3) noop\n4) (mark 3 3)\n",
            "1.(mark 1 1) (mark 2 2) 2. noop (mark 3 3)",
            "1: (mark 1 1)\n1... (mark 2 2) ; 2. a comment (\n2. noop 2... (mark 3 3)",
        ] {
            assert_eq!(Record::read(text).unwrap(), expected, "{text}");
        }
        assert_eq!(Record::read("1 2 (take 3) x1. (f 4.)").unwrap(), movers(&["1", "2", "(take 3)", "x1.", "(f 4.)"]));
        assert!(Record::read("(mark 1 1))").is_err());
    }

    #[test]
    fn matches_in_json_have_joint_moves_and_states() {
        let text = r#"{"matchId": "a", "moves": [["( mark 1 1 )", "noop"], "(mark 2 2)"],
            "states": [["( cell 1 1 b )", "(control x)"], "(a)(b c)"], "scores": [100, 0]}"#;
        let moves = vec![texts(&["(mark 1 1)", "noop"]), texts(&["(mark 2 2)"])];
        let states = vec![texts(&["(cell 1 1 b)", "(control x)"]), texts(&["a", "(b c)"])];
        assert_eq!(Record::read(text).unwrap(), Record::Match { moves: moves.clone(), states });
        let bare = r#"[["(mark 1 1)", "noop"], ["(mark 2 2)"]]"#;
        assert_eq!(Record::read(bare).unwrap(), Record::Match { moves, states: vec![] });
    }

    #[test]
    fn what_is_no_match_is_told() {
        for text in ["{", "{}", "{\"moves\": 3}", "[[3]]", "[\"(a\"]", "(a", "{\"moves\": [], \"states\": {}}"] {
            assert!(matches!(Record::read(text), Err(PositionError::Syntax(_))), "{text}");
        }
    }
}
