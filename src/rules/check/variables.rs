//! Variables that occur once in their rule.
//!
//! Most are meant: they stand for anything, and nearly every public rulesheet has some. One whose name is a slip of
//! another variable of the rule seldom is, and that is worth a warning. The others are notes beside other findings, for
//! whoever looks for a mistake; alone they would only hide that all is well.

use super::spelling::is_slip;
use crate::diagnostic::{Diagnostic, Severity, quote};
use crate::rules::sentence::{Rulesheet, Sentence};
use crate::rules::{Symbol, SymbolTable};
use crate::syntax::Span;
use indexmap::IndexMap;

/// Reports each variable that nothing else in its rule shares. Those of heads and negations are unsafe, which is told
/// elsewhere.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    for sentence in &sheet.sentences {
        let uses = uses(sentence);
        for (&name, &(count, span)) in &uses {
            if count == 1 && is_free(sentence, name) {
                found.extend(finding(name, span, uses.keys().copied(), &sheet.symbols));
            }
        }
    }
    let is_note = |finding: &Diagnostic| finding.severity == Severity::Note;
    if diagnostics.is_empty() && found.iter().all(is_note) {
        return;
    }
    diagnostics.append(&mut found);
}

/// By variable: how often it occurs, and where first.
fn uses(sentence: &Sentence) -> IndexMap<Symbol, (usize, Span)> {
    let mut uses: IndexMap<Symbol, (usize, Span)> = IndexMap::new();
    let mut visit = |name, span| uses.entry(name).or_insert((0, span)).0 += 1;
    sentence.head.each_variable(&mut visit);
    sentence.body.iter().for_each(|part| part.each_variable(&mut visit));
    uses
}

/// Whether a variable stands in a positive condition.
fn is_free(sentence: &Sentence, name: Symbol) -> bool {
    let mut free = false;
    for part in &sentence.body {
        part.each_atom(true, &mut |atom, positive| {
            atom.each_variable(&mut |variable, _| free |= positive && variable == name);
        });
    }
    free
}

/// Nothing for a variable that differs from another one in the case of letters only, which is told elsewhere.
fn finding(name: Symbol, span: Span, all: impl Iterator<Item = Symbol>, symbols: &SymbolTable) -> Option<Diagnostic> {
    let written = symbols.name(name);
    let message = format!("variable {} occurs once in its rule: any value will do", quote(written));
    let meant = all.map(|other| symbols.name(other)).find(|other| is_slip(written, other));
    Some(match meant {
        Some(meant) if meant.eq_ignore_ascii_case(written) => return None,
        Some(meant) => {
            Diagnostic::warning("single-variable", span, message).with_advice(format!("is {} meant?", quote(meant)))
        }
        None => Diagnostic::note("single-variable", span, message)
            .with_advice("if it is to be the same as something else, use one name for both"),
    })
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::{Severity, Source};
    use crate::rules::check::testing::REST;
    use crate::rules::gdl;

    fn severities(text: &str) -> Vec<(Severity, String)> {
        let source = Source::new("test", format!("{text}\n{REST}").as_bytes());
        let (_, diagnostics) = gdl::program(&source);
        diagnostics.iter().map(|finding| (finding.severity, source.slice(finding.span).to_owned())).collect()
    }

    #[test]
    fn slips_are_warnings_and_others_notes() {
        let text = "(p a b c)(<= (goal r 0) (p ?row ?x ?y) (p ?row ?x ?z))";
        assert!(severities(text).is_empty());
        let notes = [(Severity::Note, "?y".to_owned()), (Severity::Note, "?z".to_owned())];
        assert_eq!(severities(&format!("{text}(unused)"))[..2], notes);
        let text = "(p a b c)(<= (goal r 0) (p ?column ?x ?x) (p ?column ?x ?colum))";
        assert_eq!(severities(text), [(Severity::Warning, "?colum".to_owned())]);
    }

    #[test]
    fn a_variable_of_two_members_of_a_disjunction_is_shared() {
        assert!(severities("(p a)(q b)(<= (goal r 0) (or (p ?x) (q ?x)))").is_empty());
    }
}
