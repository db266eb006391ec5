//! Findings with their place in the text, as plain data for people and scripts. A [`Diagnostic`] is understood only
//! with its [`Source`]; a [`Finding`] stands by itself.

use super::excerpt::Excerpt;
use super::{Diagnostic, Position, Severity, Source, has_errors};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt;

/// The JSON of a finding is an element of `diagnostics` in the output of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// A stable name in kebab case; scripts may rely on it.
    pub code: &'static str,
    pub message: String,
    /// The name of the file, as it was given.
    pub file: String,
    /// Lines and columns count from 1, columns in characters.
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The first and the last line of the place, with carets below it; empty if the file is no text.
    #[serde(skip)]
    excerpts: Vec<Excerpt>,
}

impl Finding {
    pub fn new(source: &Source, diagnostic: &Diagnostic) -> Finding {
        let Diagnostic { severity, code, ref message, span, ref advice } = *diagnostic;
        let (start, end) = (source.position(span.start), source.position(span.end));
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
            excerpts: if source.foreign().is_none() { Excerpt::of(source, span) } else { Vec::new() },
        }
    }

    /// Whether the place is the text as a whole, as no part of it is to blame.
    pub fn is_of_the_whole(&self) -> bool {
        [self.line, self.column, self.end_line, self.end_column] == [1; 4]
    }

    pub fn position(&self) -> Position {
        Position { line: self.line, column: self.column }
    }
}

/// Place, message, the first and the last line with carets below the place, and advice; every line ends with a line
/// break. `{:#}` adds colours, as escape sequences of ANSI terminals.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { severity, code, message, file, line, column, advice, excerpts, .. } = self;
        let style = |colour: AnsiColor| if f.alternate() { colour.on_default().bold() } else { Style::new() };
        let (margin, kind) = (style(AnsiColor::Blue), style(severity.colour()));
        let strong = if f.alternate() { Style::new().bold() } else { Style::new() };
        let name = severity.name();
        write!(
            f,
            "{strong}{file}:{line}:{column}: {strong:#}{kind}{name}[{code}]{kind:#}{strong}: {message}{strong:#}"
        )?;
        let width = excerpts.last().map_or(*line, |last| last.line).to_string().len();
        let mut before = *line;
        for Excerpt { line, text, marks } in excerpts {
            let gap = if *line > before + 1 { "\n..." } else { "" };
            write!(f, "{margin}{gap}\n{line:>width$} |{margin:#} {text}\n{margin}{:width$} |{margin:#} ", "")?;
            write!(f, "{kind}{marks}{kind:#}")?;
            before = *line;
        }
        match advice {
            Some(advice) => writeln!(f, "\n{margin}{:width$} ={margin:#} {advice}", ""),
            None => writeln!(f),
        }
    }
}

/// All findings on a text, in its order. The JSON is the object that commands print in place of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Findings {
    #[serde(skip)]
    pub name: String,
    pub ok: bool,
    pub diagnostics: Vec<Finding>,
}

impl Findings {
    pub fn new(source: &Source, diagnostics: &[Diagnostic]) -> Findings {
        let located = diagnostics.iter().map(|diagnostic| Finding::new(source, diagnostic));
        Findings { name: source.names(), ok: !has_errors(diagnostics), diagnostics: located.collect() }
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|finding| finding.severity == severity).count()
    }

    pub fn and(mut self, source: &Source, diagnostics: &[Diagnostic]) -> Findings {
        let further = Findings::new(source, diagnostics);
        self.ok &= further.ok;
        self.diagnostics.extend(further.diagnostics);
        self
    }

    pub fn of(&self, code: &str) -> Findings {
        let found = self.diagnostics.iter().filter(|finding| finding.code == code);
        Findings { name: self.name.clone(), ok: self.ok, diagnostics: found.cloned().collect() }
    }

    /// Without notes, which only `check` tells.
    pub fn without_notes(mut self) -> Findings {
        self.diagnostics.retain(|finding| finding.severity != Severity::Note);
        self
    }

    pub fn errors(&self) -> Findings {
        let errors = self.diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
        Findings { name: self.name.clone(), ok: self.ok, diagnostics: errors.cloned().collect() }
    }

    /// The number of warnings, the first of them with their places, and the command that shows all. Empty without
    /// warnings.
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

const LISTED: usize = 3;

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.iter().try_for_each(|finding| finding.fmt(f))
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
    fn places_of_several_lines_have_their_first_and_last_line_shown() {
        let lines: String = (1..=12).map(|line| format!("(<= p{line}\r\n    漢字 (q ?x))\n")).collect();
        let source = Source::new("a.kif", lines.as_bytes());
        let shown = |start: &str, end: &str| {
            let [start, end] = [start, end].map(|text| lines.find(text).unwrap() as u32);
            let diagnostic = Diagnostic::warning("code", Span { start, end: end - 1 }, "text").with_advice("advice");
            Findings::new(&source, &[diagnostic]).to_string()
        };
        let expected = "a.kif:1:5: warning[code]: text\n1 | (<= p1\n  |     ^^\n2 |     漢字 (q ?x))\n  \
                        |     ^^^^^^^^^^^^\n  = advice\n";
        assert_eq!(shown("p1", "(<= p2"), expected);
        // A line end belongs to the line that it ends.
        assert_eq!(shown("p1", "   漢字").lines().nth(2), Some("  |     ^^"));
        let expected = "a.kif:1:5: warning[code]: text\n 1 | (<= p1\n   |     ^^\n...\n24 |     漢字 (q ?x))\n   \
                        |     ^^^^\n   = advice\n";
        let end = lines.rfind(" (q ?x)").unwrap() as u32;
        let diagnostic = Diagnostic::warning("code", Span { start: 4, end }, "text").with_advice("advice");
        assert_eq!(Finding::new(&source, &diagnostic).to_string(), expected);
    }

    #[test]
    fn colours_change_nothing_else() {
        let source = Source::new("a.kif", b"(role x)\n(foo\n ?y)\n");
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let diagnostic = Diagnostic { severity, ..Diagnostic::error("code", Span { start: 9, end: 17 }, "text") };
            let findings = Findings::new(&source, &[diagnostic.with_advice("advice")]);
            let coloured = format!("{findings:#}");
            let plain: String = (coloured.split('\u{1b}').enumerate())
                .map(|(index, part)| if index == 0 { part } else { part.split_once('m').unwrap().1 })
                .collect();
            assert_eq!(plain, findings.to_string());
            let name = severity.name();
            let colour = match severity {
                Severity::Error => 31,
                Severity::Warning => 33,
                Severity::Note => 36,
            };
            assert!(coloured.contains(&format!("\u{1b}[{colour}m{name}[code]")), "{coloured:?}");
            assert!(coloured.ends_with(" advice\n") && coloured.contains("^\u{1b}[0m"), "{coloured:?}");
        }
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
