//! An object on each line: `{"metadata": …}`, then for each position the keys of a query, `legal` and `best`.

use super::rows::RowValue;
use super::{Columns, ExportError, Row, Table};
use serde::Serialize;
use solving::exact::Value;
use std::io::{self, Write};

pub struct Jsonl<'t, W> {
    columns: &'t Columns<'t>,
    file: W,
}

#[derive(Serialize)]
struct Line<'r> {
    layer: u32,
    state: Vec<String>,
    to_move: Option<&'r str>,
    terminal: bool,
    #[serde(flatten)]
    worth: Worth<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
    legal: Vec<&'r str>,
    best: Vec<&'r str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Worth<'r> {
    Rewards { value: Option<&'r [u8]> },
    Exact { value: &'r Value, value_float: Vec<f64> },
}

impl<'t, W: Write> Jsonl<'t, W> {
    pub fn new(columns: &'t Columns<'t>, mut file: W) -> Result<Self, ExportError> {
        writeln!(file, "{{\"metadata\":{}}}", columns.json()).map_err(ExportError::Write)?;
        Ok(Jsonl { columns, file })
    }

    fn line(&mut self, row: &Row) -> io::Result<()> {
        let solution = self.columns.source.solution();
        let names = |best: bool| row.chosen(best).map(|choice| choice.name(solution)).collect();
        let line = Line {
            layer: row.position.layer,
            state: solution.state_names(&row.position.state),
            to_move: row.mover.map(|role| self.columns.metadata.roles[role].as_str()),
            terminal: row.terminal,
            worth: match &row.worth {
                RowValue::Rewards(value) => Worth::Rewards { value: value.as_deref() },
                RowValue::Exact(value) => Worth::Exact { value, value_float: value.floats() },
            },
            plies: row.plies,
            legal: names(false),
            best: names(true),
        };
        serde_json::to_writer(&mut self.file, &line)?;
        self.file.write_all(b"\n")
    }
}

impl<W: Write> Table for Jsonl<'_, W> {
    fn add(&mut self, rows: &[Row]) -> Result<(), ExportError> {
        rows.iter().try_for_each(|row| self.line(row)).map_err(ExportError::Write)
    }
}
