//! A stored solution as a document in HTML, Markdown, CSV or LaTeX: [`tables`](mod@tables) and provenance. HTML has
//! plots, too, and CSV more tables.

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

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A page that needs no other files.
    Html,
    /// Markdown, with tables as GitHub and pandoc read them.
    Markdown,
    /// A document for pdflatex.
    Latex,
}

/// The report on a solution as a document.
pub fn rendered(report: &SolutionReport, form: Form) -> String {
    let document = Document::new(report);
    match form {
        Form::Html => html::page(report, &document),
        Form::Markdown => markdown::page(&document),
        Form::Latex => latex::page(&document),
    }
}
