//! The displayed lines of a finding: the first and the last, each cut around the marked place.

use super::{Source, Span};
use unicode_width::UnicodeWidthChar;

/// Largest number of displayed characters of a line.
pub(super) const WIDTH: usize = 100;
/// Largest number of displayed characters before the marked place, in a line longer than [`WIDTH`].
const LEAD: usize = 40;

/// A line with carets below a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub line: usize,
    pub text: String,
    pub marks: String,
}

impl Excerpt {
    pub fn of(source: &Source, span: Span) -> Vec<Excerpt> {
        let marked = source.slice(span).trim_end();
        let count = |text: &str| text.chars().take(WIDTH).count();
        let (before, rest) = source.line_around(span.start);
        let first = Excerpt::new(source.position(span.start).line, before, rest, count(marked));
        let end = span.start + marked.len() as u32;
        let last = source.position(end).line;
        if last <= first.line {
            return vec![first];
        }
        let (before, _) = source.line_around(end);
        let (blank, line) = (before.len() - before.trim_start().len(), source.line_at(end));
        vec![first, Excerpt::new(last, &line[..blank], &line[blank..], count(&before[blank..]))]
    }

    /// The part of a line around a place, with carets below `length` characters from the place on. The time depends on
    /// the displayed part only. `before`, `rest`: the line up to the place and from the place on.
    fn new(line: usize, before: &str, rest: &str, length: usize) -> Excerpt {
        let is_long = before.len() + rest.len() > WIDTH;
        let start = before.char_indices().rev().nth(LEAD - 1).filter(|_| is_long).map_or(0, |(start, _)| start);
        let lead: Vec<char> = before[start..].chars().collect();
        let mut chars = lead.iter().copied().chain(rest.chars());
        let shown: Vec<char> = chars.by_ref().take(WIDTH).collect();
        let (cut, after) = (if start > 0 { "…" } else { "" }, if chars.next().is_some() { "…" } else { "" });
        let at = lead.len().min(shown.len());
        let marked = shown.len().min(at + length);
        let shown: Vec<char> =
            shown.iter().map(|&c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
        // Tabs stay tabs, so that the carets stand below the place, whatever the width of a tab.
        let blank = |c: char| if c == '\t' { "\t".to_owned() } else { " ".repeat(width(c)) };
        let indent: String = cut.chars().chain(shown[..at].iter().copied()).map(blank).collect();
        let carets = "^".repeat(shown[at..marked].iter().map(|&c| width(c)).sum::<usize>().max(1));
        let shown: String = shown.into_iter().collect();
        Excerpt { line, text: format!("{cut}{shown}{after}"), marks: format!("{indent}{carets}") }
    }
}

/// Number of columns of a character in a terminal; a tab counts as one.
fn width(c: char) -> usize {
    if c == '\t' { 1 } else { c.width().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let Excerpt { text, marks, .. } = Excerpt::new(1, &"x".repeat(499), &"x".repeat(501), 3);
        assert_eq!(text.chars().count(), WIDTH + 2);
        assert_eq!(marks, format!("{}^^^", " ".repeat(LEAD + 1)));
        assert_eq!(Excerpt::new(1, "ab", "", 10), Excerpt { line: 1, text: "ab".to_owned(), marks: "  ^".to_owned() });
    }

    #[test]
    fn carets_stand_below_wide_characters() {
        let Excerpt { text, marks, .. } = Excerpt::new(1, "日本e\u{301} ", "漢字 x", 2);
        assert_eq!((text.as_str(), marks.as_str()), ("日本e\u{301} 漢字 x", "      ^^^^"));
    }
}
