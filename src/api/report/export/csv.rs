//! A table as CSV. Numbers are plain digits; a missing value is an empty field.

use super::Sheet;
use super::tables::Document;
use crate::export::{comment, line};
use crate::session::SolutionReport;

/// The table with comments before it that give its origin.
pub fn to_csv(report: &SolutionReport, sheet: &Sheet) -> String {
    let document = Document::new(report);
    let mut text = comment(&format!("{}: {}", document.title, document.outcome));
    text.push_str(&comment(&format!("table {}: {}", sheet.name, sheet.title)));
    document.provenance.iter().for_each(|(what, how)| text.push_str(&comment(&format!("{what}: {how}"))));
    text.push_str(&line(sheet.columns.iter().map(|column| column.name.clone())));
    sheet.rows.iter().for_each(|row| text.push_str(&line(row.iter().map(|cell| cell.plain()))));
    text
}
