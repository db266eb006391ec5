//! A source text with its name and the places of its lines.

/// A text as it was read from a file or from standard input.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    /// Byte offset of the start of each line.
    lines: Vec<usize>,
}

/// A place for people: both count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Source {
    /// A source of a name (a path, or `-`) and the bytes of its text.
    ///
    /// Bytes that are not UTF-8 are read as Latin-1: public rulesheets carry both. A byte order mark is dropped.
    /// Lines end with `\n`, `\r\n` or `\r`.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
        };
        let mut lines = vec![0];
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                lines.push(at + 1);
            }
        }
        Source { name: name.into(), text, lines }
    }

    /// The name it was made with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without folders and extension: the name of the game.
    pub fn stem(&self) -> &str {
        std::path::Path::new(&self.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(&self.name)
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not one of this source.
    pub fn slice(&self, span: super::Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of a byte offset (of the end, if it is beyond).
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= offset);
        let before = &self.text.as_bytes()[self.lines[line - 1]..offset];
        // A character starts at every byte that does not continue one.
        let column = before.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() + 1;
        Position { line, column }
    }

    /// A line by its number from 1, without its end.
    pub fn line(&self, number: usize) -> &str {
        let Some(&start) = number.checked_sub(1).and_then(|index| self.lines.get(index)) else { return "" };
        let end = self.lines.get(number).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way() {
        let source = Source::new("dir/a.kif", b"ab\r\ncd\ref\n\ng");
        assert_eq!(source.stem(), "a");
        let lines: Vec<&str> = (0..=6).map(|number| source.line(number)).collect();
        assert_eq!(lines, ["", "ab", "cd", "ef", "", "g", ""]);
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 2, column: 2 });
        assert_eq!(source.position(7), Position { line: 3, column: 1 });
        assert_eq!(source.position(1000), Position { line: 5, column: 2 });
    }

    #[test]
    fn latin_1_and_byte_order_marks_are_understood() {
        assert_eq!(Source::new("x", b"\xe9t\xe9").text(), "été");
        let source = Source::new("x", b"\xef\xbb\xbf\xc3\xa9t\xc3\xa9");
        assert_eq!(source.text(), "été");
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
    }
}
