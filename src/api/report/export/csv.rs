//! A table as CSV. Numbers have their digits alone; what is not there is an empty field.

use super::Sheet;
use super::tables::Document;
use crate::export::{comment, line};
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
