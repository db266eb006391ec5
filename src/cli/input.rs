//! Reading the rules.

use super::failure::Failure;
use crate::diagnostic::Source;
use std::io::Read;
use std::path::Path;

/// No rulesheet is as long as this; positions in the text are 32-bit numbers.
const LONGEST: u64 = 1 << 30;

/// The rules of a game as text, from a file or (`-`) standard input. Only GDL is understood yet.
pub fn read(path: &Path) -> Result<Source, Failure> {
    let mut bytes = Vec::new();
    let (name, length) = if path == Path::new("-") {
        ("stdin".to_owned(), std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes))
    } else {
        let file = std::fs::File::open(path).map_err(|error| Failure::file(path, &error))?;
        (path.display().to_string(), file.take(LONGEST + 1).read_to_end(&mut bytes))
    };
    match length {
        Err(error) => return Err(Failure::InputOutput(format!("{name}: {error}"))),
        Ok(length) if length as u64 > LONGEST => {
            return Err(Failure::Invalid { report: format!("error[too-long]: {name} is longer than a gibibyte\n") });
        }
        Ok(_) => {}
    }
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
