//! A stored solution as a document: tables, plots and provenance in HTML, Markdown, CSV and LaTeX.
//!
//! The [`tables`](mod@tables) are made once, from the report that the JSON is as well; every form renders the same ones.

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
pub use tables::{SHEETS, Sheet, VALUE_COLUMNS, sheets};

use crate::session::SolutionReport;
use tables::Document;

/// What a report is rendered as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One page that holds everything it needs.
    Html,
    Markdown,
    /// A document that pdflatex takes.
    Latex,
}

/// The whole report.
pub fn rendered(report: &SolutionReport, form: Form) -> String {
    let document = Document::new(report);
    match form {
        Form::Html => html::page(report, &document),
        Form::Markdown => markdown::page(&document),
        Form::Latex => latex::page(&document),
    }
}
