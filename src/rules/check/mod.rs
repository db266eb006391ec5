//! What makes a rulesheet a game: one check a file, each independent of the others.
//!
//! Errors stand where the meaning of the rules is unclear or undefined, warnings where they are only unusual. Each
//! check is linear in the size of the rules, up to logarithms, but for paths and suggestions in messages, whose number
//! is bounded.

mod arity;
mod case;
mod fluents;
mod forbidden;
pub(crate) mod goals;
mod recursion;
mod required;
mod roles;
mod safety;
pub(crate) mod spelling;
mod stratification;
pub(super) mod usage;
mod variables;

#[cfg(test)]
mod testing;

use super::dependencies::Dependencies;
use super::sentence::Rulesheet;
use crate::diagnostic::Diagnostic;

/// Runs all checks. `complete` tells that every expression of the text could be read: only then is it worth saying
/// that something is missing.
pub fn rulesheet(sheet: &Rulesheet, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    let dependencies = Dependencies::new(sheet);
    arity::check(sheet, diagnostics);
    safety::check(sheet, diagnostics);
    goals::check(sheet, diagnostics);
    case::check(sheet, diagnostics);
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
}
