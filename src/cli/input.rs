//! Reading the rules, and other texts.

use super::arguments::Game;
use super::failure::Failure;
use super::files::{self, Access};
use crate::diagnostic::{Diagnostic, Source};
use crate::rules::{Language, Program};
use std::io::{BufRead, Read};
use std::path::Path;

/// No rulesheet is as long as this; positions in the text are 32-bit numbers.
const LONGEST: u64 = 1 << 30;

/// No position, move or command is as long as this.
const LONGEST_LINE: u64 = 1 << 20;

/// The rules of a game as text, and the language they are in.
pub struct Rules {
    pub source: Source,
    pub language: Language,
}

impl Rules {
    /// The program of the rules, if no finding is an error, and all findings.
    pub fn program(&self) -> (Option<Program>, Vec<Diagnostic>) {
        self.language.program(&self.source)
    }
}

/// The rules of a game, from files or (`-`) standard input.
pub fn read(game: &Game) -> Result<Rules, Failure> {
    let source = source(&game.game, "the rules")?;
    let language = Language::of(&game.game, source.text());
    let source = match &game.problem {
        None => source,
        Some(_) if language == Language::Gdl => {
            let message = format!("--problem: {} is GDL, which has no problems", source.name());
            return Err(Failure::Usage(message));
        }
        Some(path) if *path == game.game => return Err(Failure::Usage("--problem: the same file twice".to_owned())),
        Some(path) => Source::joined(source, self::source(path, "the problem")?),
    };
    Ok(Rules { source, language })
}

/// The command that tells everything there is to say about a game, as a shell takes it.
pub fn check_command(game: &Game) -> String {
    let quoted = |path: &Path| {
        let text = path.display().to_string();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
        match !text.is_empty() && text.chars().all(is_plain) {
            true => text,
            false => format!("'{}'", text.replace('\'', "'\\''")),
        }
    };
    let problem = game.problem.as_deref().map_or(String::new(), |path| format!(" --problem {}", quoted(path)));
    format!("ggsolve check {}{problem}", quoted(&game.game))
}

fn source(path: &Path, what: &str) -> Result<Source, Failure> {
    let (name, bytes) = bytes(path, what)?;
    Ok(Source::new(name, &bytes))
}

/// The bytes of a file or (`-`) of standard input, and its name. `what` it is.
fn bytes(path: &Path, what: &str) -> Result<(String, Vec<u8>), Failure> {
    let mut bytes = Vec::new();
    let (name, length) = if path == Path::new("-") {
        ("stdin".to_owned(), std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes))
    } else {
        let file = std::fs::File::open(path).map_err(|error| files::failure(path, what, Access::Read, &error))?;
        (path.display().to_string(), file.take(LONGEST + 1).read_to_end(&mut bytes))
    };
    match length {
        Err(error) => Err(files::failure(Path::new(&name), what, Access::Read, &error)),
        Ok(length) if length as u64 > LONGEST => {
            Err(Failure::Invalid { report: format!("error[too-long]: {name} is longer than a gibibyte\n") })
        }
        Ok(_) => Ok((name, bytes)),
    }
}

/// A text that is no rulesheet, from a file or (`-`) standard input. `what` it is.
pub fn read_text(path: &Path, what: &str) -> Result<String, Failure> {
    let (name, bytes) = bytes(path, what)?;
    files::expect_text(&name, what, &bytes)
}

/// The next line of an input without its end; `None` after the last one.
pub fn line(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let length = input.take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
    match length.map_err(|error| files::failure(Path::new("standard input"), "the next line", Access::Read, &error))?
        as u64
    {
        0 => Ok(None),
        length if length > LONGEST_LINE => Err(Failure::Usage("standard input: a line longer than a mebibyte".into())),
        _ => Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())),
    }
}
