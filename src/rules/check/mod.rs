//! What makes a rulesheet a game: one check a file, each independent of the others.

mod safety;

use super::sentence::Rulesheet;
use crate::diagnostic::Diagnostic;

/// Runs all checks.
pub fn rulesheet(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    safety::check(sheet, diagnostics);
}
