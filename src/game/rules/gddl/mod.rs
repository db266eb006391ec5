//! GDDL, the game dialect of PDDL (Edelkamp and Kissmann, "Symbolic Exploration for General Game Playing in PDDL",
//! 2007). A text becomes a program in the same form as a GDL text.
//!
//! [`blanks`] separates words that are written without spaces, [`read`] turns the text into a [`ast::Description`],
//! [`check`] validates it, and [`lower`] expresses it in rules. `grammar/gddl.md` defines what the paper leaves open,
//! and the additional forms of published files.

pub mod ast;
mod blanks;
pub mod check;
mod lower;
mod read;
#[cfg(test)]
mod tests;

use super::Program;
use super::lower as normalise;
use super::sentence::Rulesheet;
use crate::diagnostic::{Diagnostic, Source, finish, has_errors};
use crate::syntax::{Tree, lexer};

/// The program of a GDDL text, with domain and problem, and all findings in the order of the text. There is a program
/// if and only if no finding is an error. Time and memory are linear in the length of the text, apart from the number
/// of types and the nesting of quantifiers, which are bounded.
pub fn program(source: &Source) -> (Option<Program>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut program = None;
    if let Some((name, sheet)) = lowered(source, &mut diagnostics) {
        match normalise::program(&name, sheet) {
            Ok(lowered) => program = Some(lowered),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    (program, finish(diagnostics))
}

/// Whether a text defines a domain, and whether it defines a problem, by its parentheses and words alone.
pub fn definitions(text: &str) -> (bool, bool) {
    let code = text.split(['\n', '\r']).map(|line| line.split(';').next().unwrap_or(""));
    let code = code.collect::<Vec<_>>().join(" ").to_ascii_lowercase().replace('(', " ( ");
    let words: Vec<&str> = code.split_whitespace().collect();
    let defines = |what: &str| words.windows(4).any(|window| window == ["(", "define", "(", what]);
    (defines("domain"), defines("problem"))
}

pub fn rulesheet(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Option<Rulesheet> {
    lowered(source, diagnostics).map(|(_, sheet)| sheet)
}

fn lowered(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Option<(String, Rulesheet)> {
    let tokens = blanks::separate(source, lexer::tokens(source, diagnostics), diagnostics);
    let tree = Tree::new(source, &tokens, Some("define"), diagnostics);
    let description = read::description(source, &tree, diagnostics);
    let complete = !has_errors(diagnostics);
    let vocabulary = check::description(&description, complete, diagnostics);
    if has_errors(diagnostics) {
        return None;
    }
    let problem = description.problems.first().expect("a text without a problem has an error");
    let name = description.symbols.name(problem.symbol).to_owned();
    Some((name, lower::rulesheet(description, &vocabulary)))
}
