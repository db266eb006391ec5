//! Reading the rules, and other texts.

use super::failure::Failure;
use crate::diagnostic::Source;
use std::io::{BufRead, Read};
use std::path::Path;

/// No rulesheet is as long as this; positions in the text are 32-bit numbers.
const LONGEST: u64 = 1 << 30;

/// No position, move or command is as long as this.
const LONGEST_LINE: u64 = 1 << 20;

/// The bytes of a file or (`-`) of standard input, and its name.
fn bytes(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let mut bytes = Vec::new();
    let (name, length) = if path == Path::new("-") {
        ("stdin".to_owned(), std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes))
    } else {
        let file = std::fs::File::open(path).map_err(|error| Failure::file(path, &error))?;
        (path.display().to_string(), file.take(LONGEST + 1).read_to_end(&mut bytes))
    };
    match length {
        Err(error) => Err(Failure::InputOutput(format!("{name}: {error}"))),
        Ok(length) if length as u64 > LONGEST => {
            Err(Failure::Invalid { report: format!("error[too-long]: {name} is longer than a gibibyte\n") })
        }
        Ok(_) => Ok((name, bytes)),
    }
}

/// A text that is no rulesheet, from a file or (`-`) standard input.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let (name, bytes) = bytes(path)?;
    String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("{name}: not a text in UTF-8")))
}

/// The next line of an input without its end; `None` after the last one.
pub fn line(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let length = input.take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
    match length.map_err(|error| Failure::InputOutput(format!("standard input: {error}")))? as u64 {
        0 => Ok(None),
        length if length > LONGEST_LINE => Err(Failure::Usage("standard input: a line longer than a mebibyte".into())),
        _ => Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())),
    }
}

/// The rules of a game as text, from a file or (`-`) standard input. Only GDL is understood yet.
pub fn read(path: &Path) -> Result<Source, Failure> {
    let (name, bytes) = bytes(path)?;
    let source = Source::new(name, &bytes);
    if is_gddl(path, source.text()) {
        let report =
            format!("error[gddl]: {} is GDDL, which is not supported yet: give the rules in GDL\n", source.name());
        return Err(Failure::Invalid { report });
    }
    Ok(source)
}

/// By the file's extension, else by its content: GDDL starts with `(define`.
fn is_gddl(path: &Path, text: &str) -> bool {
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("gddl" | "pddl") => true,
        Some("gdl" | "kif") => false,
        _ => {
            let code = text.lines().map(|line| line.split(';').next().unwrap_or(""));
            let mut words = code.flat_map(|line| line.split_whitespace());
            let start: String = words.by_ref().take(2).collect();
            start.to_ascii_lowercase().starts_with("(define")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_and_then_the_content() {
        assert!(is_gddl(Path::new("a.gddl"), "(role x)"));
        assert!(!is_gddl(Path::new("a.kif"), "(define"));
        for (text, expected) in
            [("; c\n ( define (domain x))", true), ("(DEFINE(domain", true), ("(role x)", false), ("", false)]
        {
            assert_eq!(is_gddl(Path::new("-"), text), expected, "{text}");
        }
    }
}
