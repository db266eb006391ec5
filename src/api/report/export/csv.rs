//! A table as CSV (RFC 4180) that `pandas.read_csv(file, comment="#")` and `read.csv(file, comment.char = "#")` take: lines
//! that start with `#` say what it is and where it comes from, then one line with the names of the columns, then the
//! data. Numbers have their digits alone; what is not there is an empty field.

use super::Sheet;
use super::tables::Document;
use crate::session::SolutionReport;

/// A table, with what the report says about its origin before it.
pub fn to_csv(report: &SolutionReport, sheet: &Sheet) -> String {
    let document = Document::new(report);
    let mut text = comment(&format!("{}: {}", document.title, document.outcome));
    text.push_str(&comment(&format!("table {}: {}", sheet.name, sheet.title)));
    document.provenance.iter().for_each(|(what, how)| text.push_str(&comment(&format!("{what}: {how}"))));
    text.push_str(&line(sheet.columns.iter().map(|column| column.name.clone())));
    sheet.rows.iter().for_each(|row| text.push_str(&line(row.iter().map(|cell| cell.plain()))));
    text
}

fn comment(text: &str) -> String {
    format!("# {}\n", text.replace(char::is_control, " "))
}

fn line(fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<String> = fields.map(|text| field(&text)).collect();
    format!("{}\n", fields.join(","))
}

/// In quotes where it could be taken for something else.
fn field(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r', '#']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
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
