//! Comma-separated values (RFC 4180) for `pandas.read_csv(file, comment="#")` and `read.csv(file, comment.char = "#")`.
//! Lines with `#` give the source of the table; column names and rows follow. Missing values are empty.

use super::rows::RowValue;
use super::{Columns, ExportError, Row, Table};
use game::propositional::FluentId;
use std::io::{self, Write};

/// A comment line.
pub fn comment(text: &str) -> String {
    format!("# {}\n", text.replace(char::is_control, " "))
}

/// A line of fields, each in quotes if necessary.
pub fn line(fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<String> = fields.map(|text| field(&text)).collect();
    format!("{}\n", fields.join(","))
}

/// A field of a line, in quotes if the text has characters with a meaning in CSV.
fn field(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r', '#']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Writes rows as lines. The moves of a field are separated by blanks; the columns of fluents have 1 and 0.
pub struct Csv<'t, W> {
    columns: &'t Columns<'t>,
    file: W,
}

impl<'t, W: Write> Csv<'t, W> {
    pub fn new(columns: &'t Columns<'t>, mut file: W) -> Result<Self, ExportError> {
        let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        let mut names = own(&["layer", "to_move", "terminal"]);
        for player in &columns.players {
            names.push(format!("value_{player}"));
            names.extend(columns.source.is_exact().then(|| format!("value_{player}_float")));
        }
        names.extend(columns.plies.then(|| "plies".to_owned()));
        names.extend(own(&["legal", "best"]));
        names.extend(columns.fluents.iter().cloned());
        let head = format!("{}{}", comment(&columns.json()), line(names.into_iter()));
        file.write_all(head.as_bytes()).map_err(ExportError::Write)?;
        Ok(Csv { columns, file })
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        let (solution, columns) = (self.columns.source.solution(), self.columns);
        let mut fields = vec![
            row.position.layer.to_string(),
            row.mover.map_or_else(String::new, |role| columns.metadata.roles[role].clone()),
            row.terminal.to_string(),
        ];
        match &row.worth {
            RowValue::Rewards(None) => fields.resize(fields.len() + columns.players.len(), String::new()),
            RowValue::Rewards(Some(rewards)) => fields.extend(rewards.iter().map(u8::to_string)),
            RowValue::Exact(value) => {
                let both = value.numbers().iter().zip(value.floats());
                fields.extend(both.flat_map(|(number, float)| [number.to_string(), float.to_string()]));
            }
        }
        fields.extend(columns.plies.then(|| row.plies.map_or_else(String::new, |plies| plies.to_string())));
        for best in [false, true] {
            let names = row.chosen(best).map(|choice| choice.name(solution));
            fields.push(names.collect::<Vec<_>>().join(" "));
        }
        let state = &row.position.state;
        let holds = |fluent| if state.contains(FluentId(fluent)) { "1" } else { "0" };
        fields.extend((0..columns.fluents.len() as u32).map(|fluent| holds(fluent).to_owned()));
        self.file.write_all(line(fields.into_iter()).as_bytes())
    }
}

impl<W: Write> Table for Csv<'_, W> {
    fn add(&mut self, rows: &[Row]) -> Result<(), ExportError> {
        rows.iter().try_for_each(|row| self.row(row)).map_err(ExportError::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_could_be_something_else() {
        let fields = ["plain", "a,b", "say \"x\"", " x", "#1", "two\nlines", ""].map(field);
        assert_eq!(fields, ["plain", "\"a,b\"", "\"say \"\"x\"\"\"", "\" x\"", "\"#1\"", "\"two\nlines\"", ""]);
        assert_eq!(comment("two\nlines"), "# two lines\n");
    }
}
