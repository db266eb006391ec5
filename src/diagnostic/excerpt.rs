//! The line of a finding, cut around the place that is marked.

/// A line is shown up to this many characters, starting this far before the place that is marked.
pub(super) const WIDTH: usize = 100;
const LEAD: usize = 40;

/// A line with carets below a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub text: String,
    pub marks: String,
}

impl Excerpt {
    /// The part of a line around a column, and the carets that stand below `length` characters from there.
    pub fn new(line: &str, column: usize, length: usize) -> Excerpt {
        let skipped = if line.len() > WIDTH { (column - 1).saturating_sub(LEAD) } else { 0 };
        let shown: Vec<char> = line.chars().skip(skipped).take(WIDTH).collect();
        let (before, after) =
            (if skipped > 0 { "…" } else { "" }, line.chars().nth(skipped + WIDTH).map_or("", |_| "…"));
        let at = (column - 1 - skipped).min(shown.len());
        // Tabs stay tabs, so that the carets stand below the place however wide a tab is.
        let blank = shown[..at].iter().map(|&c| if c == '\t' { '\t' } else { ' ' });
        let indent: String = before.chars().map(|_| ' ').chain(blank).collect();
        let carets = "^".repeat(length.clamp(1, (shown.len() - at).max(1)));
        let shown: String = shown.iter().map(|&c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
        Excerpt { text: format!("{before}{shown}{after}"), marks: format!("{indent}{carets}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let Excerpt { text, marks } = Excerpt::new(&"x".repeat(1000), 500, 3);
        assert_eq!(text.chars().count(), WIDTH + 2);
        assert_eq!(marks, format!("{}^^^", " ".repeat(LEAD + 1)));
        assert_eq!(Excerpt::new("ab", 3, 10), Excerpt { text: "ab".to_owned(), marks: "  ^".to_owned() });
    }
}
