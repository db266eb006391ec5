//! The end of a report: the runs that computed the solution, its folder, and further commands.

use crate::session::{Command, RunReport, Times};
use solving::solve::Stage;
use solving::store::RunRecord;
use solving::store::runs::{Seconds, TOTAL};
use solving::words::number::{bytes, seconds};
use std::fmt::Write;
use std::path::Path;

impl RunReport {
    /// Times and memory of all runs together, and a line for each of several runs, or if the solution was only read.
    pub(super) fn effort(&self) -> String {
        let mut text = String::new();
        if let Some(times) = times_text(&self.time_s) {
            let _ = writeln!(text, "  time      {times}");
        }
        if let Some(peak) = self.peak_memory_bytes {
            let _ = writeln!(text, "  memory    {} at the peak", bytes(peak));
        }
        match self.runs.as_slice() {
            [] => text.push_str("  runs      not recorded: the solution is in an older format\n"),
            [_] if !self.from_disk => {}
            runs => {
                for (number, run) in runs.iter().enumerate() {
                    let head = if number == 0 { "runs" } else { "" };
                    let _ = writeln!(text, "  {head:<9} {}", described(run));
                }
            }
        }
        text
    }

    pub(super) fn next(&self) -> String {
        let folder = match (&self.stored, &self.unstored) {
            (Some(folder), _) => quoted(folder),
            (None, Some(reason)) => return format!("\n  Nothing is stored: {reason}.\n"),
            (None, None) => return String::new(),
        };
        let read = if self.from_disk { ", read from there: nothing was computed" } else { "" };
        if self.command == Command::Count && !self.has_values {
            return format!(
                "\n  The states are in {folder}{read}.\n  `ggsolve solve` with the same game and -o {folder} goes on to their values.\n"
            );
        }
        let mut text = format!("\n  The solution is in {folder}{read}.\n");
        let commands = [
            ("query", "the value of the first position and of its moves; --moves or --state for others"),
            ("play", "play against it"),
            ("verify", "check it against the rules"),
        ];
        for (command, does) in commands {
            let _ = writeln!(text, "    ggsolve {command} {folder}   # {does}");
        }
        text
    }
}

/// The times of the stages that ran, if they are known.
pub(super) fn times_text(times: &Times) -> Option<String> {
    let sums = times.0.as_ref()?;
    let listed = Stage::ALL.map(Stage::name).into_iter().chain([TOTAL]);
    let listed = listed.filter_map(|stage| Some(format!("{stage} {}", duration(*sums.get(stage)?))));
    Some(listed.collect::<Vec<_>>().join(", "))
}

pub(super) fn described(run: &RunRecord) -> String {
    // Options with default values are left out.
    let told = |(name, value): &(&String, &String)| {
        ["distances", "ties"].contains(&name.as_str()) || !matches!(value.as_str(), "auto" | "search" | "yes")
    };
    let options = run.options.iter().filter(told);
    let option = |(name, value): (&String, &String)| match name.as_str() {
        "values" => " (states only)".to_owned(),
        "distances" => " --distances".to_owned(),
        "ties" => " --ties".to_owned(),
        name => format!(" --{} {value}", name.replace('_', "-")),
    };
    let options: String = options.map(option).collect();
    let total = run.time_s.get(TOTAL).map_or("time unknown".to_owned(), |total| duration(*total));
    let limit = match run.memory_limit_bytes {
        u64::MAX => "no bound of memory".to_owned(),
        limit => format!("at most {}", bytes(limit)),
    };
    format!(
        "{total}{}: ggsolve {}{}; engine {}, threads {}, {limit}; {}",
        if run.finished { "" } else { " until it was stopped" },
        run.version,
        options,
        run.engine.as_deref().unwrap_or("not known yet"),
        run.threads,
        run.machine,
    )
}

fn duration(time: Seconds) -> String {
    seconds(time.as_f64())
}

/// The path as one word of a shell command, in quotes if necessary.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // A path that starts with `-` would be read as an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        let cases = [
            ("a/b-1.ggs", "a/b-1.ggs"),
            ("my game.ggs", "'my game.ggs'"),
            ("it's", r"'it'\''s'"),
            ("-x", "./-x"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
            ("größe.ggs", "größe.ggs"),
        ];
        for (path, expected) in cases {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
