//! The report of `check`: every finding on a text, and whether the solver accepts the game.

use super::refusal::{apart, reason_text};
use crate::inspect::Verdict;
use crate::session::CheckReport;
use game::diagnostic::Severity;
use std::fmt;

/// `{:#}` gives the findings colours.
impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(Severity::Error, true), (Severity::Warning, true), (Severity::Note, false)];
        let counts = counts.into_iter().filter_map(|(severity, always)| {
            let count = self.findings.count(severity);
            let plural = if count == 1 { "" } else { "s" };
            (always || count > 0).then(|| format!("{count} {}{plural}", severity.name()))
        });
        let counts: Vec<String> = counts.collect();
        let (advice, findings) = match &self.verdict {
            Verdict::Refused(refusal) => apart(refusal, &self.findings),
            _ => (String::new(), self.findings.clone()),
        };
        findings.fmt(f)?;
        writeln!(f, "{}: {}", self.findings.name, counts.join(", "))?;
        match &self.verdict {
            Verdict::Invalid => Ok(()),
            Verdict::Refused(refusal) => write!(f, "`solve` refuses it: {}{advice}", reason_text(refusal)),
            Verdict::Taken { .. } | Verdict::Unknown(_) => writeln!(f, "{}", self.solvable_reason),
        }
    }
}
