//! Findings as text for people and as data for scripts (the `check` object of the command contract).

use super::{Diagnostic, Position, Source, has_errors};
use serde_json::{Value, json};
use std::fmt::Write;

/// A line is shown up to this many characters, starting this far before the place that is marked.
const WIDTH: usize = 100;
const LEAD: usize = 40;

/// Findings as text: place, message, the line with the place marked by carets, advice.
pub fn render_text(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let Position { line, column } = source.position(diagnostic.span.start);
        let Diagnostic { severity, code, message, .. } = diagnostic;
        // Writing to a string cannot fail.
        let (name, severity) = (source.name_at(diagnostic.span.start), severity.name());
        let _ = writeln!(text, "{name}:{line}:{column}: {severity}[{code}]: {message}");
        let length = source.slice(diagnostic.span).chars().take(WIDTH).count();
        let gutter = " ".repeat(line.to_string().len());
        if source.foreign().is_none() {
            let excerpt = excerpt(source.line_at(diagnostic.span.start), column, length);
            let _ = writeln!(text, "{line} | {}\n{gutter} | {}", excerpt.0, excerpt.1);
        }
        if let Some(advice) = &diagnostic.advice {
            let _ = writeln!(text, "{gutter} = {advice}");
        }
    }
    text
}

/// The part of a line around a column, and the carets that stand below `length` characters from there.
fn excerpt(line: &str, column: usize, length: usize) -> (String, String) {
    let skipped = if line.len() > WIDTH { (column - 1).saturating_sub(LEAD) } else { 0 };
    let shown: Vec<char> = line.chars().skip(skipped).take(WIDTH).collect();
    let (before, after) = (if skipped > 0 { "…" } else { "" }, line.chars().nth(skipped + WIDTH).map_or("", |_| "…"));
    let at = (column - 1 - skipped).min(shown.len());
    // Tabs stay tabs, so that the carets stand below the place however wide a tab is.
    let blank = shown[..at].iter().map(|&c| if c == '\t' { '\t' } else { ' ' });
    let indent: String = before.chars().map(|_| ' ').chain(blank).collect();
    let carets = "^".repeat(length.clamp(1, (shown.len() - at).max(1)));
    let shown: String = shown.iter().map(|&c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
    (format!("{before}{shown}{after}"), format!("{indent}{carets}"))
}

/// Findings as the object that `check --format json` prints.
pub fn render_json(source: &Source, diagnostics: &[Diagnostic]) -> Value {
    let findings: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let start = source.position(diagnostic.span.start);
            let end = source.position(diagnostic.span.end);
            let mut finding = json!({
                "severity": diagnostic.severity.name(),
                "code": diagnostic.code,
                "message": diagnostic.message,
                "file": source.name_at(diagnostic.span.start),
                "line": start.line,
                "column": start.column,
                "end_line": end.line,
                "end_column": end.column,
            });
            if let Some(advice) = &diagnostic.advice {
                finding["advice"] = json!(advice);
            }
            finding
        })
        .collect();
    json!({"ok": !has_errors(diagnostics), "diagnostics": findings})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;

    #[test]
    fn text_marks_the_place() {
        let source = Source::new("a.kif", b"(role x)\n\t(foo ?y)\n");
        let diagnostic =
            Diagnostic::error("unsafe-variable", Span { start: 15, end: 17 }, "no value").with_advice("bind it");
        let expected = "a.kif:2:7: error[unsafe-variable]: no value\n2 | \t(foo ?y)\n  | \t     ^^\n  = bind it\n";
        assert_eq!(render_text(&source, &[diagnostic]), expected);
    }

    #[test]
    fn what_is_no_text_is_not_shown() {
        let source = Source::new("a.pdf", b"%PDF-1.4\n\x00");
        let (_, diagnostics) = crate::rules::Language::Gdl.program(&source);
        let expected = "a.pdf:1:1: error[no-text]: no rules can be read here: it is a PDF document, not a plain text\n  \
                        = copy its text to a plain text file\n";
        assert_eq!(render_text(&source, &diagnostics), expected);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let (line, carets) = excerpt(&"x".repeat(1000), 500, 3);
        assert_eq!(line.chars().count(), WIDTH + 2);
        assert_eq!(carets, format!("{}^^^", " ".repeat(LEAD + 1)));
        assert_eq!(excerpt("ab", 3, 10), ("ab".to_owned(), "  ^".to_owned()));
    }

    #[test]
    fn json_follows_the_contract() {
        let source = Source::new("a.kif", b"(role x)\n");
        let value = render_json(&source, &[Diagnostic::warning("w", Span { start: 6, end: 7 }, "m")]);
        assert_eq!(value["ok"], json!(true));
        let finding = &value["diagnostics"][0];
        assert_eq!((&finding["line"], &finding["column"]), (&json!(1), &json!(7)));
        assert_eq!((&finding["severity"], &finding["code"]), (&json!("warning"), &json!("w")));
        assert_eq!((&finding["message"], &finding["file"]), (&json!("m"), &json!("a.kif")));
    }
}
