//! Findings on rules before they are solved: of the text, of grounding, and of random play.

use super::{Error, Rules, Session};
use crate::inspect::{self, Inspection, Needs, Verdict};
use base::limits::LimitReached;
use game::diagnostic::{Diagnostic, Findings, Severity};
use serde::Serialize;
use solving::solve::{CYCLIC, Refusal};

/// The findings of [`Session::check`], and whether the game can be solved. Its JSON is the `check` object of the
/// command contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// All findings on the rules.
    #[serde(flatten)]
    pub findings: Findings,
    /// Whether the solver accepts the game; `None` if this is unknown.
    pub solvable: Option<bool>,
    /// The answer to `solvable` in words.
    pub solvable_reason: String,
    /// The needs of the game, unless it is in turns without chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// The reason for a refusal of the game, with a state that shows it.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// The answer to `solvable` as a value.
    #[serde(skip)]
    pub verdict: Verdict,
}

impl Session {
    /// Checks rules: reads them, grounds them within bounds, and plays at random, in about a second at most. Errors in
    /// the rules and refusals by the solver are part of the report. Only an interruption is an error.
    pub fn check(&self, rules: &Rules) -> Result<CheckReport, Error> {
        let (inspection, grounding) = match &rules.program {
            Some(program) => inspect::program(program, &self.limits)?,
            None => (Inspection { joint: None, diagnostics: Vec::new(), verdict: Verdict::Invalid }, None),
        };
        let Inspection { mut diagnostics, joint, verdict } = inspection;
        if let (Verdict::Refused(refusal), Some(grounding)) = (&verdict, &grounding) {
            diagnostics.extend(rules.explained(grounding, refusal, &self.limits)?);
        }
        let is_wrong = match &verdict {
            Verdict::Taken { .. } => false,
            Verdict::Refused(refusal) => refusal.code != CYCLIC,
            Verdict::Invalid | Verdict::Unknown(_) => true,
        };
        if let (false, Some(joint), Some(grounding)) = (is_wrong, &joint, &grounding) {
            // The choices at the same time may be intended, or one of the roles lacks a move for waiting.
            let explained = rules.explained(grounding, joint, &self.limits)?;
            diagnostics.extend(explained.into_iter().map(|found| Diagnostic { severity: Severity::Note, ..found }));
        }
        Ok(CheckReport::new(rules, diagnostics, verdict))
    }

    /// The findings on rules, also reported to the listener. For work without grounding, which would report them.
    pub(super) fn inspected(&self, rules: &Rules) -> Result<Findings, LimitReached> {
        let more = match &rules.program {
            Some(program) => inspect::program(program, &self.limits)?.0.diagnostics,
            None => Vec::new(),
        };
        let findings = rules.all_findings(more).without_notes();
        self.tell(&findings);
        Ok(findings)
    }
}

impl CheckReport {
    fn new(rules: &Rules, more: Vec<Diagnostic>, verdict: Verdict) -> CheckReport {
        CheckReport {
            findings: rules.all_findings(more),
            solvable: match verdict {
                // There may be no single value.
                Verdict::Taken { needs, roles, .. } if needs.unsure(roles) || needs.may_go_on(roles) => None,
                Verdict::Taken { .. } => Some(true),
                Verdict::Refused(_) | Verdict::Invalid => Some(false),
                Verdict::Unknown(_) => None,
            },
            solvable_reason: verdict.to_string(),
            needs: match verdict {
                Verdict::Taken { needs, .. } if needs.exact() => Some(needs),
                _ => None,
            },
            refusal: if let Verdict::Refused(refusal) = &verdict { Some(refusal.clone()) } else { None },
            verdict,
        }
    }
}
