//! Prepares the words of a command line for clap: the command comes first, `solve` if none is named. Options may
//! precede the command. The definition of the arguments tells which of them take a value, so that no value is mistaken
//! for the command or the game.

use super::arguments::Cli;
use super::failure::Failure;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

/// Number of letters of a word for each accepted misspelling.
const LETTERS_PER_SLIP: usize = 3;

struct Options {
    known: BTreeSet<String>,
    /// The names of options that take a value.
    valued: BTreeSet<String>,
    /// The names of options that may occur without a command.
    global: BTreeSet<String>,
    commands: Vec<String>,
}

impl Options {
    fn new() -> Self {
        let mut root = Cli::command();
        root.build();
        let names = |argument: &clap::Arg| {
            let long = argument.get_long().map(|name| format!("--{name}"));
            long.into_iter().chain(argument.get_short().map(|name| format!("-{name}"))).collect::<Vec<_>>()
        };
        let takes_value = |argument: &&clap::Arg| {
            !argument.is_positional() && argument.get_num_args().is_some_and(|number| number.takes_values())
        };
        let commands = || root.get_subcommands().filter(|command| command.get_name() != "help");
        let arguments = || root.get_arguments().chain(commands().flat_map(clap::Command::get_arguments));
        Options {
            known: arguments().flat_map(names).collect(),
            valued: arguments().filter(takes_value).flat_map(names).collect(),
            global: root.get_arguments().flat_map(names).collect(),
            commands: commands().map(|command| command.get_name().to_owned()).collect(),
        }
    }

    fn wants_value(&self, option: &str) -> bool {
        match option.strip_prefix("--") {
            Some(_) => self.valued.contains(option),
            // Only the last letter of a word may take the next word as its value: `-vo DIR`, but `-oDIR`.
            None => {
                let mut letters = option.chars().skip(1).skip_while(|c| !self.valued.contains(&format!("-{c}")));
                letters.next().is_some() && letters.next().is_none()
            }
        }
    }

    fn is_global(&self, option: &str) -> bool {
        let name = option.split('=').next().unwrap_or(option);
        match name.starts_with("--") {
            true => self.global.contains(name),
            false => name.chars().skip(1).all(|c| self.global.contains(&format!("-{c}"))),
        }
    }

    /// Whether a word is a long option that no command has, so that it is unknown whether it takes a value.
    fn is_unknown(&self, word: &str) -> bool {
        word.strip_prefix("--").is_some_and(|name| !name.is_empty() && !name.contains('='))
            && !self.known.contains(word)
    }

    /// The indices of the words that are neither options nor their values.
    fn words(&self, arguments: &[OsString]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut index = 1;
        while index < arguments.len() {
            let argument = arguments[index].to_string_lossy();
            match argument.as_ref() {
                "--" => {
                    found.extend(index + 1..arguments.len());
                    break;
                }
                option if option.starts_with('-') && option != "-" => index += usize::from(self.wants_value(option)),
                _ => found.push(index),
            }
            index += 1;
        }
        found
    }
}

/// Puts the command first, or adds `solve` if there is none: `ggsolve GAME`. Fails if the first word is neither a
/// command nor a file, and is like a command or followed by others.
pub fn with_command(mut arguments: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let options = Options::new();
    let words = options.words(&arguments);
    let Some(&first) = words.first() else {
        let foreign = |option: &OsString| !options.is_global(&option.to_string_lossy());
        if arguments.iter().skip(1).any(|argument| argument.to_string_lossy().starts_with('-') && foreign(argument)) {
            arguments.insert(1, "solve".into());
        }
        return Ok(arguments);
    };
    let word = arguments[first].to_string_lossy().into_owned();
    if options.commands.contains(&word) {
        let command = arguments.remove(first);
        arguments.insert(1, command);
    } else if word != "help" {
        let is_value = options.is_unknown(&arguments[first - 1].to_string_lossy());
        if let Some(message) = unknown(&word, words.len() > 1, &options.commands).filter(|_| !is_value) {
            return Err(Failure::Usage(message));
        }
        arguments.insert(1, "solve".into());
    }
    Ok(arguments)
}

/// The message for a word that is no command, if it cannot be the file of a game either.
fn unknown(word: &str, followed: bool, commands: &[String]) -> Option<String> {
    if word == "-" || word.contains(['/', '\\', '.']) || Path::new(word).exists() {
        return None;
    }
    let near = commands.iter().min_by_key(|name| slips(word, name)).filter(|name| is_near(word, name));
    match (near, followed) {
        (Some(name), _) => Some(format!("there is no command and no file `{word}`; did you mean `{name}`?")),
        (None, true) => {
            let names = commands.join(", ");
            Some(format!(
                "there is no command and no file `{word}`\n  commands: {names}\n  `ggsolve --help` explains them"
            ))
        }
        (None, false) => None,
    }
}

/// Number of letters that were added, left out, changed or interchanged.
fn slips(word: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(&word.to_lowercase(), name)
}

fn is_near(word: &str, name: &str) -> bool {
    slips(word, name) <= (word.chars().count() / LETTERS_PER_SLIP).max(1)
}

/// The failure of clap. The suggestion of an option stays only if this option was mistyped or is incomplete.
pub fn refused(mut error: clap::Error, definition: &mut clap::Command, arguments: &[OsString]) -> Failure {
    if let (Some(ContextValue::String(word)), Some(ContextValue::String(name))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::SuggestedArg))
    {
        let [word, name] = [word, name].map(|option| option.trim_start_matches('-'));
        if !is_near(word, name) && !name.starts_with(word) {
            error.remove(ContextKind::SuggestedArg);
            // The usage also names the suggested option.
            let named = arguments.get(1).filter(|name| definition.find_subcommand(name).is_some());
            let command = match named {
                Some(name) => definition.find_subcommand_mut(name).expect("it was found just before"),
                None => definition,
            };
            let usage = command.render_usage();
            error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
        }
    }
    Failure::Arguments(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::Command;
    use clap::Parser;

    fn parse(text: &str) -> Result<Cli, clap::Error> {
        let arguments = text.split_whitespace().map(OsString::from).collect();
        Cli::try_parse_from(with_command(arguments).unwrap())
    }

    #[test]
    fn solve_is_the_default_command() {
        for text in
            ["ggsolve a.gdl", "ggsolve --opponent-model max-diff a.gdl", "ggsolve -v --threads 2 -", "ggsolve solve a"]
        {
            assert!(matches!(parse(text).unwrap().command, Command::Solve(_)), "{text}");
        }
        assert!(matches!(parse("ggsolve -v count a.gdl").unwrap().command, Command::Count(_)));
    }

    #[test]
    fn a_value_is_never_the_command_or_the_game() {
        // Every option with a value, before the command and with the name of a command as its value.
        let options = Options::new();
        assert!(options.valued.len() > 10, "{:?}", options.valued);
        for option in &options.valued {
            let arguments = |text: &str| -> Vec<OsString> { text.split_whitespace().map(OsString::from).collect() };
            let moved = with_command(arguments(&format!("ggsolve {option} check count a.gdl"))).unwrap();
            assert_eq!(moved, arguments(&format!("ggsolve count {option} check a.gdl")), "{option}");
            let named = with_command(arguments(&format!("ggsolve {option} check a.gdl"))).unwrap();
            assert_eq!(named, arguments(&format!("ggsolve solve {option} check a.gdl")), "{option}");
            let joined = with_command(arguments(&format!("ggsolve {option}=check a.gdl"))).unwrap();
            assert_eq!(joined, arguments(&format!("ggsolve solve {option}=check a.gdl")), "{option}");
        }
        for text in ["ggsolve --log out.log check a.gdl", "ggsolve --log=out.log -v check a.gdl", "ggsolve -vv check a"]
        {
            assert!(matches!(parse(text).unwrap().command, Command::Check(_)), "{text}");
        }
        for text in
            ["ggsolve --out check a.gdl", "ggsolve -o check a.gdl", "ggsolve -vo check a.gdl", "ggsolve -ocheck a.gdl"]
        {
            let Command::Solve(solve) = parse(text).unwrap().command else { panic!("{text}") };
            assert_eq!(
                (solve.out.as_deref(), solve.game.game.as_path()),
                (Some(Path::new("check")), Path::new("a.gdl"))
            );
        }
        assert!(matches!(parse("ggsolve --memory 2G count a.gdl").unwrap().command, Command::Count(_)));
        assert!(matches!(parse("ggsolve -- -a.gdl").unwrap().command, Command::Solve(_)));
    }

    #[test]
    fn no_option_takes_a_value_in_one_command_only() {
        let mut root = Cli::command();
        root.build();
        let options = Options::new();
        for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
            for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let takes = argument.get_num_args().is_some_and(|number| number.takes_values());
                let long = argument.get_long().map(|name| format!("--{name}"));
                let short = argument.get_short().map(|name| format!("-{name}"));
                for name in long.into_iter().chain(short) {
                    assert_eq!(options.valued.contains(&name), takes, "{} {name}", command.get_name());
                }
            }
        }
    }

    #[test]
    fn help_and_version_need_no_command() {
        for text in ["ggsolve --help", "ggsolve --version", "ggsolve help solve", "ggsolve"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("ggsolve --version").unwrap_err().exit_code(), 0);
        assert_eq!(parse("ggsolve").unwrap_err().exit_code(), 2);
        assert!(parse("ggsolve --out check").unwrap_err().to_string().contains("<GAME>"));
    }

    #[test]
    fn only_an_option_that_may_be_meant_is_suggested() {
        let told = |text: &str| {
            let words = with_command(text.split_whitespace().map(OsString::from).collect()).unwrap();
            let mut definition = crate::cli::arguments::definition();
            let error = definition.try_get_matches_from_mut(words.clone()).unwrap_err();
            match refused(error, &mut definition, &words) {
                Failure::Arguments(error) => error.to_string(),
                other => panic!("{other:?}"),
            }
        };
        for text in ["ggsolve --frob", "ggsolve a.gdl --frob", "ggsolve solve a.gdl --frob", "ggsolve query --xyz a"] {
            let message = told(text);
            assert!(message.contains("unexpected argument") && !message.contains("similar"), "{text}: {message}");
            assert!(message.contains("[OPTIONS]") && !message.contains("--problem"), "{text}: {message}");
        }
        for (text, meant) in [
            ("ggsolve a.gdl --memry 3G", "--memory"),
            ("ggsolve a.gdl --mem 3G", "--memory"),
            ("ggsolve a.gdl --opponent-modle max-diff", "--opponent-model"),
            ("ggsolve --opponent-modle max-diff a.gdl", "--opponent-model"),
            ("ggsolve -v --memry 3G a.gdl --threads 2", "--memory"),
            ("ggsolve query a --move x", "--moves"),
        ] {
            let message = told(text);
            assert!(message.contains(&format!("a similar argument exists: '{meant}'")), "{text}: {message}");
        }
    }

    #[test]
    fn a_command_that_is_mistyped_is_known() {
        let message = |text: &str| match with_command(text.split_whitespace().map(OsString::from).collect()) {
            Err(Failure::Usage(message)) => message,
            other => panic!("{other:?}"),
        };
        for text in ["ggsolve chek", "ggsolve chek a.gdl", "ggsolve -v Check a.gdl", "ggsolve --log x chck a.gdl"] {
            assert!(message(text).ends_with("did you mean `check`?"), "{}", message(text));
        }
        assert!(message("ggsolve frobnicate a.gdl").contains("commands: solve, classify"));
        assert!(with_command(vec!["ggsolve".into(), "frobnicate".into()]).is_ok());
    }
}
