//! `query`: positions and their values.

use super::super::arguments::Format;
use super::super::failure::Failure;
use super::super::input;
use super::super::output::{Reader, print, print_json, say};
use super::super::reading::Query;
use super::open::open;
use crate::report::{Board, QueryReport};
use crate::solution::{Analyst, Position, ReadError, terms};
use serde_json::{Value, json};
use std::io::BufRead;

pub fn run(arguments: &Query) -> Result<(), Failure> {
    let from_input = |text: &Option<String>| text.as_deref() == Some("-");
    if from_input(&arguments.moves) && from_input(&arguments.state) {
        return Err(Failure::Usage("--moves and --state cannot both be read from standard input".to_owned()));
    }
    let stored = open(&arguments.solution.solution)?;
    let mut query = Queries { analyst: stored.analyst(), board: Board::new(&stored.game), arguments };
    if from_input(&arguments.moves) || from_input(&arguments.state) {
        return query.batch(std::io::stdin().lock());
    }
    match query.answer(arguments.state.as_deref(), arguments.moves.as_deref())? {
        (json, None) => print_json(&json),
        (_, Some(text)) => print(&text),
    }
}

struct Queries<'a> {
    analyst: Analyst<'a>,
    board: Option<Board>,
    arguments: &'a Query,
}

impl Queries<'_> {
    /// Answers each line of the input; a line that is wrong is told, and fails the command at its end.
    fn batch(&mut self, mut input: impl BufRead) -> Result<(), Failure> {
        let mut wrong = 0u64;
        let mut number = 0u64;
        while let Some(line) = input::line(&mut input)? {
            number += 1;
            let state = self.arguments.state.as_deref().map(|state| if state == "-" { line.as_str() } else { state });
            let moves = self.arguments.moves.as_deref().map(|moves| if moves == "-" { line.as_str() } else { moves });
            let text = match (self.answer(state, moves), self.arguments.report.format) {
                (Ok((_, Some(text))), _) => format!("{text}\n"),
                (Ok((json, None)), _) => format!("{json}\n"),
                (Err(ReadError::Position(error)), format) => {
                    wrong += 1;
                    let message = error.to_string();
                    match format {
                        Format::Json => format!("{}\n", json!({"error": message, "line": number})),
                        Format::Text => format!("line {number}: {message}\n\n"),
                    }
                }
                (Err(error), _) => return Err(error.into()),
            };
            if say(&text)? == Reader::Gone {
                break;
            }
        }
        match wrong {
            0 => Ok(()),
            1 => Err(Failure::Usage("1 position is wrong".to_owned())),
            _ => Err(Failure::Usage(format!("{wrong} positions are wrong"))),
        }
    }

    /// The report on one position as JSON, and as text where that is asked for.
    fn answer(&mut self, state: Option<&str>, moves: Option<&str>) -> Result<(Value, Option<String>), ReadError> {
        let start = match state {
            Some(text) => self.analyst.position(&terms(text)?)?,
            None => self.analyst.start(),
        };
        let steps = self.analyst.replay(&start, &moves.map(terms).transpose()?.unwrap_or_default())?;
        let position: &Position = steps.last().map_or(&start, |step| &step.successor);
        let assessment = self.analyst.assess(position)?;
        let distances = self
            .arguments
            .distance
            .then(|| self.analyst.distances(&assessment, self.arguments.nodes))
            .transpose()?
            .flatten();
        let report = QueryReport {
            game: self.analyst.game(),
            model: self.analyst.model(),
            board: self.board.as_ref(),
            assessment: &assessment,
            distances,
        };
        Ok(match self.arguments.report.format {
            Format::Json => (report.json(), None),
            Format::Text => (Value::Null, Some(report.text())),
        })
    }
}
