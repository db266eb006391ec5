//! Puzzles as text, and as a page with boards.

use super::export::page;
use super::plot::escaped;
use crate::session::{PuzzleRecord, PuzzleReport};
use base::digits::{counted, grouped};
use solving::solution::{Drawing, Numbers};
use solving::words::exact::{exact_text, numbers_text};
use solving::words::number::{plies_text, seconds};
use solving::words::value::{outcome_text, value_text};
use std::fmt::{self, Write};

/// The puzzles, and then the answers.
impl fmt::Display for PuzzleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.heading())?;
        if !self.puzzles.is_empty() {
            writeln!(f)?;
        }
        for puzzle in &self.puzzles {
            writeln!(f, "  {}. {}", puzzle.number, puzzle.question(&self.roles))?;
            match &puzzle.drawing {
                Some(drawing) => writeln!(f, "\n{}", drawing.text(4))?,
                None => writeln!(f, "\n    {}\n", puzzle.state.join(" "))?,
            }
        }
        if !self.puzzles.is_empty() {
            writeln!(f, "  Answers\n")?;
        }
        for puzzle in &self.puzzles {
            writeln!(f, "  {}. {}", puzzle.number, puzzle.answer())?;
        }
        writeln!(f, "\n  seed {}, {}", self.seed, seconds(self.time_s.as_f64()))
    }
}

impl PuzzleReport {
    fn heading(&self) -> String {
        let (positions, all) = (grouped(self.positions), grouped(&self.layer_states));
        let looked = match (&self.states, self.all) {
            (Some(states), true) if *states == self.layer_states => format!("all {positions} positions"),
            (Some(states), true) => format!("all {} positions ({all} {IN_EVERY_LAYER})", grouped(states)),
            (None, true) => format!("all {positions} positions, {IN_EVERY_LAYER}"),
            (Some(states), false) if *states == self.layer_states => format!("{positions} positions drawn at random"),
            (_, false) => format!("{positions} positions drawn at random from {all}, {IN_EVERY_LAYER}"),
        };
        if self.found == 0 {
            return format!(
                "{}: no puzzle in {looked}; in none does exactly one move keep the value and beat all others",
                self.game
            );
        }
        let found = format!("{} in {looked}", counted(self.found, "puzzle"));
        match self.puzzles.len() {
            1 => format!("{}: {found}, the most difficult one", self.game),
            number => format!("{}: {found}, the {number} most difficult", self.game),
        }
    }

    /// The puzzles as one page without other files. A click shows an answer.
    pub fn page(&self) -> String {
        let mut body =
            format!("<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n", escaped(&self.game), escaped(&self.heading()));
        for puzzle in &self.puzzles {
            let _ = writeln!(body, "<section>\n<h2>{}</h2>", puzzle.number);
            let _ = writeln!(body, "<p>{}</p>", escaped(&puzzle.question(&self.roles)));
            match &puzzle.drawing {
                Some(drawing) => board(&mut body, drawing),
                None => drop(writeln!(body, "<p>{}</p>", escaped(&puzzle.state.join(" ")))),
            }
            let answer = escaped(&puzzle.answer());
            let _ = writeln!(body, "<details><summary>Answer</summary><p>{answer}</p></details>\n</section>");
        }
        let rules = escaped(&self.rules_sha256);
        let _ = writeln!(body, "<section>\n<p>Seed {}; SHA-256 of the rules {rules}</p>\n</section>", self.seed);
        page(&format!("{}: puzzles", self.game), &body, BOARDS)
    }
}

impl PuzzleRecord {
    fn question(&self, roles: &[String]) -> String {
        let plies = self.plies.map_or_else(String::new, |plies| format!(", {} from the end", plies_text(plies)));
        let (outcome, difficulty) = (outcome(roles, self.value.as_ref()), self.difficulty);
        let moves = self.moves.len();
        format!(
            "{} to move in layer {}{plies}: which one of {moves} moves keeps {outcome}? Difficulty {difficulty:.2}",
            self.to_move, self.layer
        )
    }

    fn answer(&self) -> String {
        let wrong = self.moves.iter().filter(|option| option.action != self.solution);
        let wrong = wrong.map(|option| format!("{} {}", option.action, number_text(option.value.as_ref())));
        let (value, players) = (number_text(self.value.as_ref()), &self.players);
        let rates = [players.random, players.greedy, players.search].map(|rate| format!("{rate:.2}"));
        format!(
            "{} {value}; the others: {}. Wrong at random {}, looking a ply ahead {}, looking {} ahead {}",
            self.solution,
            wrong.collect::<Vec<_>>().join(", "),
            rates[0],
            rates[1],
            plies_text(players.search_plies),
            rates[2]
        )
    }
}

fn outcome(roles: &[String], value: Option<&Numbers>) -> String {
    match value {
        Some(Numbers::Exact(value)) => exact_text(roles, value),
        Some(Numbers::Rewards(rewards)) => outcome_text(roles, Some(rewards)),
        None => "endless play".to_owned(),
    }
}

fn number_text(value: Option<&Numbers>) -> String {
    match value {
        Some(Numbers::Exact(value)) => numbers_text(value),
        Some(Numbers::Rewards(rewards)) => value_text(Some(rewards)),
        None => value_text(None),
    }
}

/// What is said of counts of states of layers that may share states.
const IN_EVERY_LAYER: &str = "if each is counted in every layer that contains it";

const BOARDS: &str = "table.board { border-collapse: collapse; width: auto; margin: 1rem 0 }\n\
    table.board td { border: 1px solid; width: 2.2rem; height: 2.2rem; text-align: center; padding: 0 }\n\
    table.board td.none { border: none }\ntable.board th { font-weight: normal; text-align: center; padding: 0 0.5rem }\n";

/// The board with its last row on top, and the fluents that are not on the board below.
fn board(body: &mut String, drawing: &Drawing) {
    body.push_str("<table class=\"board\">\n<tbody>\n");
    for (name, cells) in drawing.rows.iter().zip(&drawing.cells).rev() {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", escaped(name));
        for cell in cells {
            let _ = match cell.as_deref() {
                None => write!(body, "<td class=\"none\"></td>"),
                Some(".") => write!(body, "<td></td>"),
                Some(sign) => write!(body, "<td>{}</td>", escaped(sign)),
            };
        }
        body.push_str("</tr>\n");
    }
    body.push_str("<tr><th></th>");
    for name in &drawing.columns {
        let _ = write!(body, "<th scope=\"col\">{}</th>", escaped(name));
    }
    body.push_str("</tr>\n</tbody>\n</table>\n");
    let legend = drawing.legend.iter().map(|meaning| format!("{} {}", meaning.sign, meaning.content));
    let below: Vec<String> = drawing.others.iter().cloned().chain(legend).collect();
    if !below.is_empty() {
        let _ = writeln!(body, "<p>{}</p>", escaped(&below.join(", ")));
    }
}
