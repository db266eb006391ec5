//! Findings as text for people and as data for scripts (the `check` object of the command contract).

use super::{Diagnostic, Position, Severity, Source, has_errors};
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

/// Findings listed in a summary.
const LISTED: usize = 3;

/// The warnings in short: how many, the first ones each on a line with its place, and the command that shows all.
/// Empty where there are none.
pub fn render_summary(source: &Source, diagnostics: &[Diagnostic], command: &str) -> String {
    let warnings: Vec<&Diagnostic> =
        diagnostics.iter().filter(|finding| finding.severity == Severity::Warning).collect();
    let mut text = String::new();
    let plural = match warnings.len() {
        0 => return text,
        1 => "",
        _ => "s",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}: {} warning{plural}, `{command}` shows more", source.name(), warnings.len());
    for warning in warnings.iter().take(LISTED) {
        let Position { line, column } = source.position(warning.span.start);
        let advice = warning.advice.as_ref().map_or(String::new(), |advice| format!("; {advice}"));
        let _ = writeln!(text, "  {}:{line}:{column}: {}{advice}", source.name_at(warning.span.start), warning.message);
    }
    if warnings.len() > LISTED {
        let _ = writeln!(text, "  and {} more", warnings.len() - LISTED);
    }
    text
}

/// Findings as the array under `diagnostics` in every report.
pub fn render_findings(source: &Source, diagnostics: &[Diagnostic]) -> Value {
    let finding = |diagnostic: &Diagnostic| {
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
    };
    diagnostics.iter().map(finding).collect()
}

/// Findings as the object that `check --format json` prints.
pub fn render_json(source: &Source, diagnostics: &[Diagnostic]) -> Value {
    json!({"ok": !has_errors(diagnostics), "diagnostics": render_findings(source, diagnostics)})
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
    fn summaries_count_and_show_the_first() {
        let source = Source::new("a.kif", b"(role x)\n(foo ?y)\n");
        let warning = |start| Diagnostic::warning("w", Span { start, end: start + 1 }, format!("at {start}"));
        let mut list = vec![warning(0).with_advice("do this"), Diagnostic::note("n", Span::default(), "n")];
        let text = render_summary(&source, &list, "see");
        assert_eq!(text, "a.kif: 1 warning, `see` shows more\n  a.kif:1:1: at 0; do this\n");
        list.extend([9, 10, 11, 12].map(warning));
        let text = render_summary(&source, &list, "see");
        assert!(text.starts_with("a.kif: 5 warnings") && text.ends_with("2:2: at 10\n  and 2 more\n"), "{text}");
        assert_eq!(render_summary(&source, &list[1..2], "see"), "");
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
