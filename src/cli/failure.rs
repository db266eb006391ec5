//! Failures of commands, with exit codes and messages.

use super::files;
use anstyle::AnsiColor;
use api::report;
use api::session::{Error, ErrorKind};
use base::digits::counted;
use base::limits::LimitReached;
use game::diagnostic::{Findings, Severity};
use solving::solve::NO_VALUE;
use solving::store::{self, StoreError};
use solving::words::number;
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub enum Failure {
    /// A message of clap, which may also be requested help.
    Arguments(clap::Error),
    /// Arguments that are well formed but make no sense.
    Usage(String),
    InputOutput(String),
    /// The command printed a report, which tells of errors or is incomplete.
    Reported(ErrorKind, String),
    /// A limit ended the run before anything was stored in this folder.
    Unstored(LimitReached, PathBuf),
    Library(Error),
}

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Arguments(error) if !error.use_stderr() => 0,
            Failure::Arguments(_) | Failure::Usage(_) => 2,
            Failure::InputOutput(_) => 1,
            Failure::Reported(kind, _) => exit_code(*kind),
            Failure::Unstored(limit, _) => exit_code(Error::from(limit.clone()).kind()),
            Failure::Library(error) => exit_code(error.kind()),
        }
    }

    /// Lines for standard error, the last one ended. Empty if clap or a report tells everything.
    pub fn text(&self, coloured: bool) -> String {
        let text = match self {
            Failure::Library(error) if coloured => match error {
                Error::Rules(findings) => first_errors(findings, |errors| format!("{errors:#}")),
                Error::Outgrown(finding) => format!("{finding:#}"),
                error => text(error),
            },
            _ => self.plain(),
        };
        match text.strip_prefix("error:") {
            Some(rest) if coloured => {
                let red = AnsiColor::Red.on_default().bold();
                format!("{red}error:{red:#}{rest}")
            }
            _ => text,
        }
    }

    fn plain(&self) -> String {
        match self {
            Failure::Arguments(_) => String::new(),
            Failure::Reported(_, message) if message.is_empty() => String::new(),
            Failure::Usage(message) | Failure::InputOutput(message) | Failure::Reported(_, message) => {
                format!("error: {message}\n")
            }
            Failure::Unstored(LimitReached::Interrupted, folder) => {
                format!("interrupted: this run stored nothing in {}\n", folder.display())
            }
            Failure::Unstored(limit, folder) => {
                format!("{}  this run stored nothing in {}\n", limit_text(limit), folder.display())
            }
            Failure::Library(error) => text(error),
        }
    }
}

fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::InputOutput => 1,
        ErrorKind::Usage => 2,
        ErrorKind::Rules => 3,
        ErrorKind::Limit => 4,
        ErrorKind::Solution => 5,
        ErrorKind::Interrupted => 130,
    }
}

/// Number of errors in rules that are shown: a text that is no rulesheet has one on every line.
const SHOWN: usize = 50;

/// The first errors of a text, and the numbers of further errors and of warnings.
fn first_errors(findings: &Findings, shown: impl Fn(&Findings) -> String) -> String {
    let mut errors = findings.errors();
    let more = errors.diagnostics.len().saturating_sub(SHOWN);
    errors.diagnostics.truncate(SHOWN);
    let mut text = shown(&errors);
    let more = (more > 0).then(|| format!("{} more", counted(more, "error")));
    let warnings = Some(findings.count(Severity::Warning)).filter(|&count| count > 0);
    let rest: Vec<String> = more.into_iter().chain(warnings.map(|count| counted(count, "warning"))).collect();
    if !rest.is_empty() {
        text += &format!("{}: and {}, which `ggsolve check` shows\n", errors.name, rest.join(" and "));
    }
    text
}

/// The message of an error, with advice that names options.
fn text(error: &Error) -> String {
    let with = |step: &str| format!("error: {error}\n  {step}\n");
    match error {
        Error::Rules(findings) => first_errors(findings, Findings::to_string),
        Error::Outgrown(finding) => finding.to_string(),
        Error::TooLong(_) => format!("{error}\n"),
        Error::Refused { game, refusal, findings } => {
            let step = "  --guarantee ROLE (or all) gives what a role can force against all others together\n";
            let step = if refusal.code == NO_VALUE { step } else { "" };
            format!("{}{step}", report::refusal_text(game, refusal, findings))
        }
        Error::Limit(limit) => limit_text(limit),
        Error::Unsolved(_) => with("`ggsolve solve` with the same game and folder goes on"),
        Error::Storage(_) => {
            with("make room where temporary files are written (TMPDIR), or choose another disk for them")
        }
        Error::File { path, what, kind, message } => {
            format!("error: {}\n", files::refused(path, what, files::Access::Read, *kind, message))
        }
        Error::Store(error) => store_text(error),
        Error::Folder(StoreError::Damaged { .. } | StoreError::Foreign { .. }) => {
            with("choose another folder with -o, or replace this solution with --force")
        }
        Error::Folder(StoreError::Occupied { .. }) => with("choose another folder with -o"),
        Error::Folder(error) => store_text(error),
        Error::Unfinished { error, folder } => {
            // At the same bound, another run ends at the same place.
            let limit = if let Error::Limit(limit) = &**error { Some(limit.reason()) } else { None };
            let then = match limit {
                Some(LimitReached::Memory { .. }) => ": with more memory, the same command goes on from there",
                Some(LimitReached::Disk { .. }) => ": with more room, the same command goes on from there",
                Some(LimitReached::Size { .. } | LimitReached::Work { .. }) => "",
                _ => ": the same command goes on from there",
            };
            format!("{}  what was finished is kept in {}{then}\n", text(error), folder.display())
        }
        Error::Options(_) | Error::Position(_) | Error::Damaged(_) | Error::Process(_) => format!("error: {error}\n"),
    }
}

fn store_text(error: &StoreError) -> String {
    match error {
        StoreError::Limit(limit) => limit_text(limit),
        StoreError::Io { file, kind, message } => {
            let step = match kind {
                // It was to be read or to be written.
                io::ErrorKind::PermissionDenied => "change them with `chmod`, or choose another place",
                io::ErrorKind::AlreadyExists if file.is_symlink() && !file.exists() => {
                    "it is a link to something that is not there: remove it, or choose another folder"
                }
                kind => {
                    files::next_step(*kind, files::Access::Write).unwrap_or("choose another folder, or repair this one")
                }
            };
            format!("error: {}: {}\n  {step}\n", file.display(), files::meaning(*kind, message))
        }
        StoreError::Sync { .. } => {
            format!("error: {error}\n  the disk or its file system fails: see the system's log before going on\n")
        }
        StoreError::Locked { .. } => {
            format!("error: {error}\n  wait for it to end, or choose another folder with -o\n")
        }
        StoreError::Damaged { file, .. } if file.file_name().is_some_and(|name| name == store::BOOK) => {
            format!("error: {error}\n  remove the file: `ggsolve book` finds the distances anew\n")
        }
        StoreError::Damaged { .. } => {
            format!("error: {error}\n  solve the game again in another folder, or here after this one is removed\n")
        }
        StoreError::Foreign { .. } | StoreError::Occupied { .. } => format!("error: {error}\n"),
    }
}

fn limit_text(limit: &LimitReached) -> String {
    match limit {
        LimitReached::Interrupted => "interrupted\n".to_owned(),
        LimitReached::Memory { wanted, used, limit } => format!(
            "error: memory limit reached: {} more needed, {} of {} in use\n  give more with --memory\n",
            number::bytes(*wanted),
            number::bytes(*used),
            number::bytes(*limit)
        ),
        LimitReached::Disk { wanted, used, limit, derived } => {
            let [wanted, used, limit] = [wanted, used, limit].map(|bytes| number::bytes(*bytes));
            let (of, step) = match derived {
                true => (" that a run may take of the free space", "make room there, or allow more with --disk"),
                false => ("", "give more with --disk"),
            };
            format!(
                "error: disk limit reached: {wanted} more needed for the solution and temporary files, {used} of {limit}{of} in use\n  {step}\n"
            )
        }
        LimitReached::Time { limit } => {
            let time = number::seconds(limit.as_secs_f64());
            format!("error: time limit reached: {time}\n  give more with --time\n")
        }
        LimitReached::Scratch { .. } => {
            format!("error: {limit}\n  make room there, or name another folder with --scratch\n")
        }
        LimitReached::Size { .. } | LimitReached::Work { .. } | LimitReached::Unreachable { .. } => {
            format!("error: {limit}\n")
        }
        LimitReached::During { what, limit } => {
            let text = limit_text(limit);
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            format!("{first}\n  {what}\n{rest}")
        }
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Library(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::diagnostic::{Diagnostic, Source, Span};
    use solving::solve::Refusal;
    use std::path::Path;

    #[test]
    fn exit_codes_are_those_of_the_contract() {
        let findings = || Findings { name: String::new(), ok: false, diagnostics: Vec::new() };
        let refusal = Box::new(Refusal::of_game("c", String::new()));
        let memory = LimitReached::Memory { wanted: 1, used: 2, limit: 2 };
        let unfinished = |error| Error::Unfinished { error: Box::new(error), folder: "f".into() };
        let codes = [
            Failure::InputOutput(String::new()),
            Failure::Usage(String::new()),
            Error::Refused { game: "g".to_owned(), refusal, findings: findings() }.into(),
            Error::Rules(findings()).into(),
            memory.clone().into(),
            unfinished(memory.into()).into(),
            LimitReached::Interrupted.into(),
            unfinished(LimitReached::Interrupted.into()).into(),
            StoreError::damaged(Path::new("f"), "cut short").into(),
            Error::Folder(StoreError::foreign(Path::new("f"), "another game")).into(),
            StoreError::Locked { folder: "f".into() }.into(),
            Error::Unsolved(String::new()).into(),
        ];
        let codes = codes.map(|failure: Failure| failure.exit_code());
        assert_eq!(codes, [1, 2, 3, 3, 4, 4, 130, 130, 5, 5, 1, 4]);
    }

    #[test]
    fn a_disk_limit_says_where_its_bound_comes_from() {
        let text =
            |derived| limit_text(&LimitReached::Disk { wanted: 3 << 10, used: 1 << 10, limit: 2 << 10, derived });
        assert!(text(false).ends_with("in use\n  give more with --disk\n"), "{}", text(false));
        assert!(text(true).contains("of the free space in use\n  make room there, or "), "{}", text(true));
    }

    #[test]
    fn of_many_errors_the_first_are_shown_and_the_rest_counted() {
        let wrong = |count: u32| {
            let found: Vec<Diagnostic> =
                (0..count).map(|at| Diagnostic::error("wrong", Span { start: at, end: at + 1 }, "no rule")).collect();
            Failure::from(Error::Rules(Findings::new(&Source::new("a.kif", &[b'|'; 2000]), &found)))
        };
        for (count, told) in [(50, None), (51, Some("1 error more")), (1550, Some("1,500 errors more"))] {
            for coloured in [false, true] {
                let text = wrong(count).text(coloured);
                assert_eq!(text.matches("no rule").count(), SHOWN, "{text}");
                let last = told.map(|told| format!("a.kif: and {told}, which `ggsolve check` shows"));
                assert_eq!(text.lines().last() == last.as_deref(), last.is_some(), "{text}");
            }
        }
        let warned = Diagnostic::warning("odd", Span { start: 1, end: 2 }, "a slip");
        let found = [Diagnostic::error("wrong", Span { start: 0, end: 1 }, "no rule"), warned];
        let text = Failure::from(Error::Rules(Findings::new(&Source::new("a.kif", b"||"), &found))).text(false);
        assert!(text.ends_with("\na.kif: and 1 warning, which `ggsolve check` shows\n"), "{text}");
        assert!(!text.contains("a slip"), "{text}");
    }
}
