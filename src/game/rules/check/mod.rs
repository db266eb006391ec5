//! Checks whether a rulesheet is a valid game. Each check has a file; only `variables` depends on other findings.
//!
//! A finding is an error if the meaning of the rules is unclear or undefined, and a warning if the rules are only
//! unusual. Each check is linear in the size of the rules, up to logarithmic factors, except for comparisons of rules
//! (`stratification`), and paths and suggestions in messages, whose numbers are bounded.

mod arity;
mod case;
mod fluents;
mod forbidden;
pub(crate) mod goals;
mod recursion;
mod required;
mod roles;
pub(super) mod safety;
mod spelled;
pub(crate) mod spelling;
mod stratification;
pub(super) mod usage;
mod variables;

#[cfg(test)]
mod testing;

pub use spelling::is_slip;

use super::Predicate;
use super::dependencies::Dependencies;
use super::sentence::Rulesheet;
use crate::diagnostic::Diagnostic;
use indexmap::IndexSet;

/// `complete`: whether every expression of the text was readable. If not, nothing is reported as missing. Returns the
/// indices of the sentences to leave out, ascending.
pub fn rulesheet(sheet: &Rulesheet, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Vec<usize> {
    let dependencies = Dependencies::new(sheet);
    let defined: IndexSet<Predicate> = sheet.sentences.iter().map(|sentence| sentence.head.predicate).collect();
    let keywords = defined.iter().copied().filter(|predicate| predicate.keyword().is_some());
    let used = if complete { dependencies.reachable(keywords) } else { defined };
    arity::check(sheet, diagnostics);
    let left_out = safety::check(sheet, &used, diagnostics);
    goals::check(sheet, diagnostics);
    case::check(sheet, diagnostics);
    spelled::check(sheet, diagnostics);
    forbidden::check(sheet, &dependencies, diagnostics);
    stratification::check(sheet, &dependencies, diagnostics);
    recursion::check(sheet, &dependencies, diagnostics);
    roles::check(sheet, complete, diagnostics);
    if complete {
        required::check(sheet, diagnostics);
        usage::check(sheet, &dependencies, diagnostics);
        fluents::check(sheet, diagnostics);
        variables::check(sheet, diagnostics);
    }
    left_out
}
