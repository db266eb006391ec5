//! The Game Description Language in KIF syntax. A text becomes a checked and normalised program.

mod keyword;
mod read;

use super::sentence::Rulesheet;
use super::{Program, check, lower};
use crate::diagnostic::{Diagnostic, Source, finish, has_errors};
use crate::syntax::{Tree, lexer};

/// The program of a GDL text, and all findings in the order of the text. There is a program if and only if no finding
/// is an error. Time and memory are linear in the length of the text, except for steps that are quadratic in a single
/// rule or whose number is bounded.
pub fn program(source: &Source) -> (Option<Program>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut sheet = rulesheet(source, &mut diagnostics);
    let complete = !has_errors(&diagnostics);
    let left_out = check::rulesheet(&sheet, complete, &mut diagnostics);
    let mut indices = 0..;
    sheet.sentences.retain(|_| indices.next().is_some_and(|index| left_out.binary_search(&index).is_err()));
    let mut program = None;
    if !has_errors(&diagnostics) {
        match lower::program(source.stem(), sheet) {
            Ok(lowered) => program = Some(lowered),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    (program, finish(diagnostics))
}

/// The sentences of a text, as far as they are understood.
pub fn rulesheet(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Rulesheet {
    let tokens = lexer::tokens(source, diagnostics);
    let tree = Tree::new(source, &tokens, Some("<="), diagnostics);
    read::rulesheet(source, &tree, diagnostics)
}
