//! The contents of a file that should be a text, recognised by fixed bytes near its start or by characters that no text
//! has. Sources: the magic numbers in the specifications of the formats. Cost: one look at each byte.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Empty,
    /// A text in UTF-16 or UTF-32.
    Wide,
    Pdf,
    /// A compressed file, and the program that unpacks it.
    Packed(&'static str),
    Archive(&'static str),
    Program,
    Picture,
    /// A text with markup, such as a web page, and the name of its format.
    Layout(&'static str),
    Other,
}

const MAGIC: [(&[u8], Content); 23] = [
    (b"\xff\xfe", Content::Wide),
    (b"\xfe\xff", Content::Wide),
    (b"\0\0\xfe\xff", Content::Wide),
    (b"%PDF-", Content::Pdf),
    (b"\x1f\x8b", Content::Packed("gunzip")),
    (b"BZh", Content::Packed("bunzip2")),
    (b"\xfd7zXZ\0", Content::Packed("unxz")),
    (b"\x28\xb5\x2f\xfd", Content::Packed("unzstd")),
    (b"PK\x03\x04", Content::Archive("unzip")),
    (b"PK\x05\x06", Content::Archive("unzip")),
    (b"7z\xbc\xaf\x27\x1c", Content::Archive("7z")),
    (b"Rar!\x1a", Content::Archive("unrar")),
    (b"\x7fELF", Content::Program),
    (b"MZ\x90\0", Content::Program),
    (b"\xcf\xfa\xed\xfe", Content::Program),
    (b"\x89PNG\r\n", Content::Picture),
    (b"\xff\xd8\xff", Content::Picture),
    (b"GIF8", Content::Picture),
    (b"{\\rtf", Content::Layout("RTF")),
    (b"<!DOCTYPE", Content::Layout("HTML")),
    (b"<!doctype", Content::Layout("HTML")),
    (b"<html", Content::Layout("HTML")),
    (b"<?xml", Content::Layout("XML")),
];

/// A file is no text if at least this many characters, and one per [`TEXT_PER_CONTROL`] bytes, are control characters.
const CONTROLS: usize = 4;
const TEXT_PER_CONTROL: usize = 8;

const TAR: std::ops::Range<usize> = 257..262;

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

impl Content {
    /// `None` if the bytes are text.
    pub fn of(bytes: &[u8]) -> Option<Content> {
        if bytes.trim_ascii().is_empty() {
            return Some(Content::Empty);
        }
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Some((_, content)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
            return Some(*content);
        }
        if bytes.get(TAR) == Some(b"ustar") {
            return Some(Content::Archive("tar"));
        }
        let controls = bytes.iter().filter(|byte| byte.is_ascii_control() && !is_space(**byte)).count();
        // A few control characters are slips in a text, which the lexer reports with their place.
        if controls < CONTROLS || controls * TEXT_PER_CONTROL < bytes.len() {
            return None;
        }
        // A text in UTF-16 without a byte order mark has a zero in every second byte.
        let zeros = |first: usize| bytes.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
        let half = bytes.len() / 2;
        let [even, odd] = [zeros(0), zeros(1)].map(|count| 10 * count >= 9 * half);
        let wide = bytes.len() >= 4 && even != odd;
        Some(if wide { Content::Wide } else { Content::Other })
    }

    pub fn advice(self) -> String {
        match self {
            Content::Empty => "name a file with a text in it".to_owned(),
            Content::Wide => "save it as UTF-8, or convert it with `iconv -f UTF-16 -t UTF-8`".to_owned(),
            Content::Pdf => "copy its text to a plain text file".to_owned(),
            Content::Packed(by) => format!("unpack it first, with `{by}`"),
            Content::Archive(by) => format!("unpack it first, with `{by}`, and name a file of it"),
            Content::Layout(_) => "save it as plain text".to_owned(),
            Content::Program | Content::Picture | Content::Other => "name a plain text file".to_owned(),
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Empty => f.write_str("nothing is in it"),
            Content::Wide => f.write_str("it is a text in UTF-16, which is not read"),
            Content::Pdf => f.write_str("it is a PDF document, not a plain text"),
            Content::Packed(_) => f.write_str("it is a compressed file"),
            Content::Archive(_) => f.write_str("it is an archive of files"),
            Content::Program => f.write_str("it is a program, not a text"),
            Content::Picture => f.write_str("it is a picture, not a text"),
            Content::Layout(name) => write!(f, "it is a document in {name}, not a plain text"),
            Content::Other => f.write_str("it is no text: it has bytes that no text has"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_known_by_its_bytes() {
        let wide: Vec<u8> = "(role x)".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xff\xfe".as_slice(), &wide].concat();
        let mut tar = vec![b'a'; 300];
        tar[TAR].copy_from_slice(b"ustar");
        let cases: [(&[u8], Content); 12] = [
            (b"", Content::Empty),
            (b" \r\n", Content::Empty),
            (&wide, Content::Wide),
            (&marked, Content::Wide),
            (b"%PDF-1.4", Content::Pdf),
            (b"\x1f\x8b\x08", Content::Packed("gunzip")),
            (b"PK\x03\x04", Content::Archive("unzip")),
            (&tar, Content::Archive("tar")),
            (b"\x7fELF\x02", Content::Program),
            (b"\x89PNG\r\n\x1a\n", Content::Picture),
            (b"<html><body>", Content::Layout("HTML")),
            (b"\0\x01\x02\x03 and more of it", Content::Other),
        ];
        for (bytes, content) in cases {
            assert_eq!(Content::of(bytes), Some(content), "{bytes:?}");
        }
    }

    #[test]
    fn texts_are_texts() {
        for text in [
            "(role x)",
            "\u{feff}(role x)",
            "; nothing but a comment",
            "(define (domain d))",
            "BZ",
            "(a \u{1})",
            "(role\0 x)",
        ] {
            assert_eq!(Content::of(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Content::of(b"(role \xe9t\xe9)"), None);
    }
}
