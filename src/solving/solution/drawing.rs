//! A state on a board, as data and as text.

use serde::Serialize;
use std::fmt::Write;

pub(super) const EMPTY: &str = ".";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    /// Names of the columns, from the left.
    pub columns: Vec<String>,
    /// Names of the rows, from below.
    pub rows: Vec<String>,
    /// The signs by row (from below) and column, `.` for an empty cell; `None` where there is no cell.
    pub cells: Vec<Vec<Option<String>>>,
    pub others: Vec<String>,
    pub legend: Vec<Meaning>,
    pub contents: Vec<Meaning>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Meaning {
    pub sign: String,
    pub content: String,
}

impl Drawing {
    /// Lines with `indent` blanks before and a line break after each; fluents that are not on the board come last.
    pub fn text(&self, indent: usize) -> String {
        let length = |text: &str| text.chars().count();
        let label = self.rows.iter().map(|name| length(name)).max().unwrap_or(0);
        let signs = self.cells.iter().flatten().flatten().chain(&self.columns);
        let width = signs.map(|sign| length(sign)).max().unwrap_or(1);
        let (mut text, margin) = (String::new(), " ".repeat(indent));
        for (name, cells) in self.rows.iter().zip(&self.cells).rev() {
            let line: Vec<String> =
                cells.iter().map(|cell| format!("{:>width$}", cell.as_deref().unwrap_or(""))).collect();
            let _ = writeln!(text, "{margin}{name:>label$} | {}", line.join(" ").trim_end());
        }
        let names: Vec<String> = self.columns.iter().map(|name| format!("{name:>width$}")).collect();
        let _ = writeln!(text, "{margin}{:label$} +-{}", "", "-".repeat((width + 1) * names.len() - 1));
        let _ = writeln!(text, "{margin}{:label$}   {}", "", names.join(" "));
        let mut below = self.others.clone();
        if !self.legend.is_empty() {
            let meanings = self.legend.iter().map(|Meaning { sign, content }| format!("{sign} {content}"));
            below.push(format!("[{}]", meanings.collect::<Vec<_>>().join(", ")));
        }
        if !below.is_empty() {
            let _ = writeln!(text, "{margin}{}", below.join(" "));
        }
        text
    }
}
