//! Reads the rules and other texts.

use super::expect;
use super::failure::Failure;
use super::files::Access;
use super::shared::Game;
use api::report::quoted;
use api::session::read_bounded;
use game::diagnostic::Source;
use game::rules::{Language, gddl};
use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;

/// Largest number of bytes of a line with a position, move or command.
const LONGEST_LINE: u64 = 1 << 20;

/// The rules, from files or (`-`) standard input: one text, or a domain and a problem in any order.
pub fn source(game: &Game) -> Result<Source, Failure> {
    let (option, second) = match (&game.problem, &game.second) {
        (Some(path), _) => ("--problem: ", path),
        (None, Some(path)) => ("", path),
        (None, None) => return read_source(&game.game, "the rules"),
    };
    let wrong = |message: String| Err(Failure::Usage(format!("{option}{message}")));
    if *second == game.game {
        return wrong(match second == Path::new("-") {
            true => "standard input can be read only once: name a file for the domain or for the problem".to_owned(),
            false => format!("{} is named twice", second.display()),
        });
    }
    let read = |path: &Path, what| {
        let source = read_source(path, what)?;
        if Language::of(path, source.text()) == Language::Gdl {
            let form = "a domain in GDDL or PDDL and its problem are two files";
            let message = format!("{option}{} is a game in GDL, which is one file; {form}", source.name());
            return Err(Failure::Usage(message));
        }
        Ok(source)
    };
    let (first, second) = (read(&game.game, "the rules")?, read(second, "the problem")?);
    let [one, other] = [&first, &second].map(|source| gddl::definitions(source.text()));
    for (what, in_both) in [("domain", one.0 && other.0), ("problem", one.1 && other.1)] {
        if in_both {
            let missing = if what == "domain" { "problem" } else { "domain" };
            let (first, second) = (first.name(), second.name());
            return wrong(format!("{first} and {second} both define a {what}; one of them has to be the {missing}"));
        }
    }
    Ok(if other.0 && !one.0 { Source::joined(second, first) } else { Source::joined(first, second) })
}

/// The command that shows all findings on a game, quoted for a shell.
pub fn check_command(game: &Game) -> String {
    let quoted = |path: &Path| if path == Path::new("-") { "-".to_owned() } else { quoted(path) };
    let second = game.second.as_deref().map(|path| format!(" {}", quoted(path)));
    let problem = game.problem.as_deref().map(|path| format!(" --problem {}", quoted(path)));
    format!("ggsolve check {}{}", quoted(&game.game), second.or(problem).unwrap_or_default())
}

fn read_source(path: &Path, what: &'static str) -> Result<Source, Failure> {
    let (name, bytes) = bytes(path, what)?;
    Ok(Source::new(name, &bytes))
}

/// The name and bytes of a file or (`-`) standard input. `what`: its role.
fn bytes(path: &Path, what: &'static str) -> Result<(String, Vec<u8>), Failure> {
    let (name, input): (_, Box<dyn Read>) = match path == Path::new("-") {
        true => ("stdin".to_owned(), Box::new(std::io::stdin().lock())),
        false => {
            let file = File::open(path).map_err(|error| expect::failure(path, what, Access::Read, &error))?;
            (path.display().to_string(), Box::new(file))
        }
    };
    let bytes = read_bounded(input, Path::new(&name), what)?;
    Ok((name, bytes))
}

/// A text other than rules, from a file or (`-`) standard input. `what`: its role.
pub fn read_text(path: &Path, what: &'static str) -> Result<String, Failure> {
    let (name, bytes) = bytes(path, what)?;
    expect::text(&name, what, &bytes)
}

/// The next line, without its end; `None` after the last line.
pub fn line(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let length = input.take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
    match length.map_err(|error| expect::failure(Path::new("standard input"), "the next line", Access::Read, &error))?
        as u64
    {
        0 => Ok(None),
        length if length > LONGEST_LINE => Err(Failure::Usage("standard input: a line longer than a mebibyte".into())),
        _ => {
            let text = String::from_utf8_lossy(&bytes);
            // A first line may begin with a byte order mark.
            Ok(Some(text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']).to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_rules_are_never_options_of_the_command_that_checks_them() {
        let told = |game: &str| check_command(&Game { game: game.into(), second: None, problem: Some("b c".into()) });
        assert_eq!(told("-"), "ggsolve check - --problem 'b c'");
        assert_eq!(told("-a.gddl"), "ggsolve check ./-a.gddl --problem 'b c'");
    }
}
