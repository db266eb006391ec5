//! A report in Markdown, with tables as GitHub and pandoc read them.

use super::Sheet;
use super::tables::{Column, Document};
use std::fmt::Write;

pub fn page(document: &Document) -> String {
    let mut text = format!("# {}\n\n{}\n", escaped(&document.title), escaped(&document.outcome));
    let figures = document.figures.iter().map(|(what, number)| format!("- {what}: {}", escaped(number)));
    let _ = writeln!(text, "\n{}", figures.collect::<Vec<_>>().join("\n"));
    document.remarks.iter().for_each(|remark| text.push_str(&format!("\n{}\n", escaped(remark))));
    for sheet in &document.sheets {
        let _ = write!(text, "\n## {}\n\n{}", escaped(&sheet.title), table(sheet));
    }
    text.push_str("\n## Provenance\n\n");
    for (what, how) in &document.provenance {
        let _ = writeln!(text, "- {}: {}", escaped(what), escaped(how));
    }
    text
}

fn table(sheet: &Sheet) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = |column: &Column| if column.numeric { "---:" } else { "---" }.to_owned();
    let mut text = row(sheet.columns.iter().map(|column| escaped(&column.name)).collect());
    text.push_str(&row(sheet.columns.iter().map(rule).collect()));
    for cells in &sheet.rows {
        text.push_str(&row(cells.iter().map(|cell| escaped(&cell.shown())).collect()));
    }
    text
}

/// The text with a backslash before each character of markup, and with spaces for control characters.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => safe.extend(['\\', c]),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("a|b_c*<d>\n`e`"), "a\\|b\\_c\\*\\<d\\> \\`e\\`");
    }
}
