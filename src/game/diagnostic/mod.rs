//! Mistakes in an input, with their place and advice. A pass never stops at the first mistake: it appends a
//! [`Diagnostic`] to a list and continues. [`finish`] brings a list into the order of the text. With their [`Source`],
//! diagnostics become [`Findings`], which have lines and columns and are displayed as text or JSON.

mod content;
mod excerpt;
mod finding;
mod source;

pub use content::Content;
pub use finding::{Finding, Findings};
pub use source::{Position, Source};

use anstyle::AnsiColor;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A game with an error is refused; a warning stops nothing; a note is uncertain, and only `check` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    fn colour(self) -> AnsiColor {
        match self {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable name in kebab case; scripts may rely on it.
    pub code: &'static str,
    pub message: String,
    pub span: Span,
    /// A way to mend the mistake, if known.
    pub advice: Option<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Error, code, message: message.into(), span, advice: None }
    }

    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(code, span, message) }
    }

    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Bound on the kept findings: nobody reads more, and each has an excerpt of the text.
const MOST: usize = 1000;

/// Brings findings into the order of the text, without repetitions, and cuts very long lists, keeping errors first.
pub fn finish(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let in_order = |a: &Diagnostic, b: &Diagnostic| {
        (a.span, a.severity, a.code, &a.message).cmp(&(b.span, b.severity, b.code, &b.message))
    };
    diagnostics.sort_by(in_order);
    diagnostics.dedup();
    if diagnostics.len() > MOST {
        let hidden = diagnostics.len() - MOST;
        diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
        diagnostics.truncate(MOST);
        diagnostics.sort_by(in_order);
        let span = diagnostics.last().map_or(Span::default(), |last| last.span);
        let text = format!("{hidden} more findings are not shown");
        diagnostics.push(Diagnostic::warning("too-many-findings", span, text));
    }
    diagnostics
}

/// A quoted name from the source for a message, cut short if it is very long.
pub fn quote(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &name[..end]),
        None => format!("`{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finish_sorts_by_place_and_removes_repetitions() {
        let at = |start, text: &str| Diagnostic::error("code", Span { start, end: start + 1 }, text);
        let list = finish(vec![at(5, "b"), at(1, "a"), at(5, "b"), at(5, "a")]);
        assert_eq!(list, vec![at(1, "a"), at(5, "a"), at(5, "b")]);
    }

    #[test]
    fn finish_keeps_errors_when_it_cuts_a_long_list() {
        let mut list: Vec<_> =
            (0..3000).map(|start| Diagnostic::warning("code", Span { start, end: start }, "w")).collect();
        list.push(Diagnostic::error("last", Span { start: 9999, end: 9999 }, "e"));
        let list = finish(list);
        assert_eq!(list.len(), MOST + 1);
        assert!(has_errors(&list));
        assert_eq!(list[MOST].code, "too-many-findings");
        assert_eq!(list[MOST].message, "2001 more findings are not shown");
    }

    #[test]
    fn quote_cuts_long_names() {
        assert_eq!(quote("a"), "`a`");
        assert_eq!(quote(&"é".repeat(100)).chars().count(), 63);
    }
}
