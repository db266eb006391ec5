//! Findings with their place in the text, as plain data: what is shown to people and given to scripts.
//!
//! A [`Diagnostic`] needs its [`Source`] to be understood; a [`Finding`] stands by itself.

use super::excerpt::{Excerpt, WIDTH};
use super::{Diagnostic, Position, Severity, Source, has_errors};
use serde::Serialize;
use std::fmt;

/// One finding. Its JSON is the element of `diagnostics` in the command contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// Stable and in kebab case: scripts may rely on it.
    pub code: &'static str,
    pub message: String,
    /// The name of the file, as it was given.
    pub file: String,
    /// Lines and columns count from 1, columns in characters.
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    /// What to do about it, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The line, with the place marked; `None` where the file is no text.
    #[serde(skip)]
    pub(super) excerpt: Option<Excerpt>,
}

impl Finding {
    /// A diagnostic of a source.
    pub fn new(source: &Source, diagnostic: &Diagnostic) -> Finding {
        let Diagnostic { severity, code, ref message, span, ref advice } = *diagnostic;
        let (start, end) = (source.position(span.start), source.position(span.end));
        let length = source.slice(span).chars().take(WIDTH).count();
        let excerpt = || {
            let (before, rest) = source.line_around(span.start);
            Excerpt::new(before, rest, length)
        };
        Finding {
            severity,
            code,
            message: message.clone(),
            file: source.name_at(span.start).to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            advice: advice.clone(),
            excerpt: source.foreign().is_none().then(excerpt),
        }
    }

    /// Where it is.
    pub fn position(&self) -> Position {
        Position { line: self.line, column: self.column }
    }
}

/// Place, message, the line with the place marked by carets, advice: lines, the last one ended.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { severity, code, message, file, line, column, advice, excerpt, .. } = self;
        writeln!(f, "{file}:{line}:{column}: {}[{code}]: {message}", severity.name())?;
        let gutter = " ".repeat(line.to_string().len());
        if let Some(Excerpt { text, marks }) = excerpt {
            writeln!(f, "{line} | {text}\n{gutter} | {marks}")?;
        }
        match advice {
            Some(advice) => writeln!(f, "{gutter} = {advice}"),
            None => Ok(()),
        }
    }
}

/// All findings on a text, in its order. The JSON is the object that commands print in place of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// The name of the text.
    #[serde(skip)]
    pub name: String,
    /// None of them is an error.
    pub ok: bool,
    pub diagnostics: Vec<Finding>,
}

impl Findings {
    pub fn new(source: &Source, diagnostics: &[Diagnostic]) -> Findings {
        let located = diagnostics.iter().map(|diagnostic| Finding::new(source, diagnostic));
        Findings { name: source.name().to_owned(), ok: !has_errors(diagnostics), diagnostics: located.collect() }
    }

    /// How many there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The errors alone.
    pub fn errors(&self) -> Findings {
        let errors = self.diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
        Findings { name: self.name.clone(), ok: self.ok, diagnostics: errors.cloned().collect() }
    }

    /// The warnings in short: how many, the first ones each on a line with its place, and the command that shows all.
    /// Empty where there are none.
    pub fn summary(&self, command: &str) -> String {
        let warnings: Vec<&Finding> =
            self.diagnostics.iter().filter(|finding| finding.severity == Severity::Warning).collect();
        let plural = match warnings.len() {
            0 => return String::new(),
            1 => "",
            _ => "s",
        };
        let mut text = format!("{}: {} warning{plural}, `{command}` shows more\n", self.name, warnings.len());
        for Finding { file, line, column, message, advice, .. } in warnings.iter().take(LISTED) {
            let advice = advice.as_ref().map_or(String::new(), |advice| format!("; {advice}"));
            text += &format!("  {file}:{line}:{column}: {message}{advice}\n");
        }
        if warnings.len() > LISTED {
            text += &format!("  and {} more\n", warnings.len() - LISTED);
        }
        text
    }
}

/// Findings listed in a summary.
const LISTED: usize = 3;

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.iter().try_for_each(|finding| write!(f, "{finding}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;
    use serde_json::json;

    #[test]
    fn text_marks_the_place() {
        let source = Source::new("a.kif", b"(role x)\n\t(foo ?y)\n");
        let diagnostic =
            Diagnostic::error("unsafe-variable", Span { start: 15, end: 17 }, "no value").with_advice("bind it");
        let expected = "a.kif:2:7: error[unsafe-variable]: no value\n2 | \t(foo ?y)\n  | \t     ^^\n  = bind it\n";
        assert_eq!(Findings::new(&source, &[diagnostic]).to_string(), expected);
    }

    #[test]
    fn what_is_no_text_is_not_shown() {
        let source = Source::new("a.pdf", b"%PDF-1.4\n\x00");
        let (_, diagnostics) = crate::rules::Language::Gdl.program(&source);
        let expected = "a.pdf:1:1: error[no-text]: no rules can be read here: it is a PDF document, not a plain text\n  \
                        = copy its text to a plain text file\n";
        assert_eq!(Findings::new(&source, &diagnostics).to_string(), expected);
    }

    #[test]
    fn summaries_count_and_show_the_first() {
        let source = Source::new("a.kif", b"(role x)\n(foo ?y)\n");
        let warning = |start| Diagnostic::warning("w", Span { start, end: start + 1 }, format!("at {start}"));
        let mut list = vec![warning(0).with_advice("do this"), Diagnostic::note("n", Span::default(), "n")];
        let summary = |list: &[Diagnostic]| Findings::new(&source, list).summary("see");
        assert_eq!(summary(&list), "a.kif: 1 warning, `see` shows more\n  a.kif:1:1: at 0; do this\n");
        list.extend([9, 10, 11, 12].map(warning));
        let text = summary(&list);
        assert!(text.starts_with("a.kif: 5 warnings") && text.ends_with("2:2: at 10\n  and 2 more\n"), "{text}");
        assert_eq!(summary(&list[1..2]), "");
    }

    #[test]
    fn json_follows_the_contract() {
        let source = Source::new("a.kif", b"(role x)\n");
        let findings = Findings::new(&source, &[Diagnostic::warning("w", Span { start: 6, end: 7 }, "m")]);
        let expected = json!({"ok": true, "diagnostics": [{
            "severity": "warning", "code": "w", "message": "m", "file": "a.kif",
            "line": 1, "column": 7, "end_line": 1, "end_column": 8,
        }]});
        assert_eq!(serde_json::to_value(&findings).unwrap(), expected);
    }
}
