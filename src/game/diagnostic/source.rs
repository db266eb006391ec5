//! A source text with its name and the places of its lines.

use super::{Content, Span};

/// Distance in bytes between the places at which the number of preceding characters is stored.
const STRIDE: usize = 1 << 10;

#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    lines: Vec<usize>,
    /// Number of characters that start before each multiple of [`STRIDE`] bytes.
    characters: Vec<usize>,
    second: Option<(usize, String)>,
    /// The start and contents of a file that is not text and is read as empty.
    foreign: Option<(usize, Content)>,
}

/// A place for people: line and column count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Source {
    /// `name` is a path or `-`. Bytes that are not UTF-8 are read as Latin-1, because public rulesheets have both. A
    /// byte order mark is dropped. A file that is no text ([`Source::foreign`]) is read as an empty text. Lines end
    /// with `\n`, `\r\n` or `\r`.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Self {
        let foreign = Content::of(bytes).map(|content| (0, content));
        let bytes = if foreign.is_some() { &[] } else { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
        };
        Source::of(name.into(), text, None, foreign)
    }

    /// Two files as one text, each with its own line numbers. Neither source may already be two files (not checked).
    pub fn joined(first: Source, second: Source) -> Self {
        // The line end separates the last word of the first file from the first word of the second file.
        let text = format!("{}\n{}", first.text, second.text);
        let start = first.text.len() + 1;
        let foreign = first.foreign.or(second.foreign.map(|(_, content)| (start, content)));
        Source::of(first.name, text, Some((start, second.name)), foreign)
    }

    fn of(name: String, text: String, second: Option<(usize, String)>, foreign: Option<(usize, Content)>) -> Self {
        let strides = text.as_bytes().chunks(STRIDE).scan(0, |sum, stride| {
            let before = *sum;
            *sum += characters(stride);
            Some(before)
        });
        Source { lines: line_starts(&text), characters: strides.collect(), name, text, second, foreign }
    }

    /// The place and contents of a file that is not text.
    pub fn foreign(&self) -> Option<(Span, Content)> {
        self.foreign.map(|(start, content)| (Span { start: start as u32, end: start as u32 }, content))
    }

    /// The name of the file; of two files, the name of the first.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of all files.
    pub fn names(&self) -> String {
        match &self.second {
            Some((_, second)) => format!("{} and {second}", self.name),
            None => self.name.clone(),
        }
    }

    pub fn name_at(&self, offset: u32) -> &str {
        match &self.second {
            Some((start, name)) if *start <= offset as usize => name,
            _ => &self.name,
        }
    }

    /// The name without folders and extension, for games whose rules give no name.
    pub fn stem(&self) -> &str {
        std::path::Path::new(&self.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(&self.name)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not one of this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn lines(&self) -> impl Iterator<Item = (Span, &str)> {
        self.lines.iter().map(|&start| {
            let line = self.line_at(start as u32);
            (Span { start: start as u32, end: (start + line.len()) as u32 }, line)
        })
    }

    /// Line and column of a byte offset in its file; an offset beyond the end counts as the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_number(offset);
        let column = self.characters_before(offset) - self.characters_before(self.lines[line - 1]) + 1;
        let before = match &self.second {
            Some((start, _)) if *start <= offset => self.line_number(*start) - 1,
            _ => 0,
        };
        Position { line: line - before, column }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        // Only the end of a text of whole strides lies after the last stride.
        let (known, from) = match self.characters.get(stride) {
            Some(&known) => (known, stride * STRIDE),
            None => (self.characters.last().copied().unwrap_or(0), stride.saturating_sub(1) * STRIDE),
        };
        known + characters(&self.text.as_bytes()[from..offset])
    }

    /// The line of a byte offset, without its line end, in two parts: before the offset, and from the offset on.
    pub fn line_around(&self, offset: u32) -> (&str, &str) {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_at(offset as u32);
        let before = offset - self.lines[self.line_number(offset) - 1];
        line.split_at(line.floor_char_boundary(before))
    }

    pub fn line_at(&self, offset: u32) -> &str {
        let line = self.line_number((offset as usize).min(self.text.len()));
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        self.text[self.lines[line - 1]..end].trim_end_matches(['\n', '\r'])
    }

    /// The number of a line in the whole text, from 1.
    fn line_number(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset)
    }
}

/// Number of characters that start in `bytes`: one at each byte that does not continue a character.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

fn line_starts(text: &str) -> Vec<usize> {
    let mut lines = vec![0];
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
            lines.push(at + 1);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way() {
        let source = Source::new("dir/a.kif", b"ab\r\ncd\ref\n\ng");
        assert_eq!(source.stem(), "a");
        let lines: Vec<&str> = [0, 3, 4, 5, 7, 10, 11, 99].map(|offset| source.line_at(offset)).into();
        assert_eq!(lines, ["ab", "ab", "cd", "cd", "ef", "", "g", "g"]);
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 2, column: 2 });
        assert_eq!(source.position(7), Position { line: 3, column: 1 });
        assert_eq!(source.position(1000), Position { line: 5, column: 2 });
        let lines: Vec<&str> = source.lines().map(|(place, _)| source.slice(place)).collect();
        assert_eq!(lines, ["ab", "cd", "ef", "", "g"]);
    }

    #[test]
    fn two_files_have_lines_of_their_own() {
        let source = Source::joined(Source::new("dir/a.pddl", b"ab\ncd"), Source::new("b.pddl", b"ef\ngh"));
        assert_eq!(source.text(), "ab\ncd\nef\ngh");
        assert_eq!(source.names(), "dir/a.pddl and b.pddl");
        let place = |offset| (source.name_at(offset), source.position(offset).line, source.line_at(offset));
        assert_eq!(place(4), ("dir/a.pddl", 2, "cd"));
        assert_eq!(place(6), ("b.pddl", 1, "ef"));
        assert_eq!(place(99), ("b.pddl", 2, "gh"));
    }

    #[test]
    fn latin_1_and_byte_order_marks_are_understood() {
        assert_eq!(Source::new("x", b"\xe9t\xe9").text(), "été");
        let source = Source::new("x", b"\xef\xbb\xbf\xc3\xa9t\xc3\xa9");
        assert_eq!(source.text(), "été");
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
    }

    #[test]
    fn columns_of_long_lines_are_counted_from_anywhere() {
        for text in ["é".repeat(STRIDE), format!("a\n{}", "éxy".repeat(STRIDE)), "x".repeat(2 * STRIDE)] {
            let source = Source::new("x", text.as_bytes());
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let line = text[..offset].rsplit('\n').next().unwrap();
                assert_eq!(source.position(offset as u32).column, line.chars().count() + 1, "{offset}");
                assert_eq!(source.line_around(offset as u32).0, line);
            }
        }
    }
}
