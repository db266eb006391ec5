//! The report of `check`: every finding on a text, and whether the solver will take the game.

use super::refusal::{reason_json, reason_text};
use crate::diagnostic::{Diagnostic, Severity, Source, render_json, render_text};
use crate::inspect::Verdict;
use serde_json::{Value, json};

/// What there is to say about a game before it is solved.
#[derive(Debug, Clone)]
pub struct CheckReport<'a> {
    pub source: &'a Source,
    pub diagnostics: &'a [Diagnostic],
    pub verdict: &'a Verdict,
}

impl CheckReport<'_> {
    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let counts = [(Severity::Error, true), (Severity::Warning, true), (Severity::Note, false)];
        let counts = counts.into_iter().filter_map(|(severity, always)| {
            let count = self.diagnostics.iter().filter(|finding| finding.severity == severity).count();
            let plural = if count == 1 { "" } else { "s" };
            (always || count > 0).then(|| format!("{count} {}{plural}", severity.name()))
        });
        let counts: Vec<String> = counts.collect();
        let mut text = render_text(self.source, self.diagnostics);
        text.push_str(&format!("{}: {}\n", self.source.name(), counts.join(", ")));
        match self.verdict {
            Verdict::Invalid => {}
            Verdict::Refused(refusal) => {
                text.push_str(&format!("`solve` will not take it: {}", reason_text(refusal)));
            }
            Verdict::Taken { .. } | Verdict::Unknown(_) => text.push_str(&format!("{}\n", self.reason())),
        }
        text
    }

    /// The object of the command contract, with whether the game can be solved: null where that is not known.
    pub fn json(&self) -> Value {
        let mut report = render_json(self.source, self.diagnostics);
        report["solvable"] = match self.verdict {
            Verdict::Taken { .. } => json!(true),
            Verdict::Refused(_) | Verdict::Invalid => json!(false),
            Verdict::Unknown(_) => Value::Null,
        };
        report["solvable_reason"] = json!(self.reason());
        if let Verdict::Refused(refusal) = self.verdict {
            report["error"] = reason_json(refusal);
        }
        report
    }

    fn reason(&self) -> String {
        match self.verdict {
            Verdict::Taken { roles, positions } => {
                let roles = if *roles == 1 { "one role".to_owned() } else { format!("{roles} roles in turns") };
                format!("`solve` will take it: {roles}, no chance, as far as {positions} positions of random play show")
            }
            Verdict::Refused(refusal) => refusal.message.clone(),
            Verdict::Invalid => "the rules have errors".to_owned(),
            Verdict::Unknown(reason) => format!("whether `solve` will take it is not known: {reason}"),
        }
    }
}
