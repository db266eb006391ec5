//! A stored solution as a document: tables, plots and provenance in HTML, Markdown, CSV and LaTeX. All forms have the
//! same [`tables`](mod@tables), which are built from the report that the JSON shows.

mod charts;
mod csv;
mod exact;
mod guarantees;
mod html;
mod latex;
mod markdown;
mod tables;

pub use csv::to_csv;
pub use html::framed as page;
pub(super) use tables::{Facts, layers, matrix};
pub use tables::{SHEETS, Sheet, VALUE_COLUMNS, sheets};

use crate::session::SolutionReport;
use tables::Document;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A page that needs no other files.
    Html,
    Markdown,
    /// A document for pdflatex.
    Latex,
}

pub fn rendered(report: &SolutionReport, form: Form) -> String {
    let document = Document::new(report);
    match form {
        Form::Html => html::page(report, &document),
        Form::Markdown => markdown::page(&document),
        Form::Latex => latex::page(&document),
    }
}
