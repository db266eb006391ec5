//! Relations that nothing defines and relations that nothing uses.

use super::spelling::{name, nearest};
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Predicate;
use crate::rules::dependencies::Dependencies;
use crate::rules::sentence::Rulesheet;
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

/// Similar names are searched for at most so often.
const MOST_SEARCHES: usize = 100;

/// Warns of each at its first place.
pub fn check(sheet: &Rulesheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    let mut defined: IndexMap<Predicate, Span> = IndexMap::new();
    for sentence in &sheet.sentences {
        defined.entry(sentence.head.predicate).or_insert(sentence.head.span);
    }
    unknown(sheet, dependencies, &defined, diagnostics);
    unused(sheet, dependencies, &defined, diagnostics);
}

fn unknown(
    sheet: &Rulesheet,
    dependencies: &Dependencies,
    defined: &IndexMap<Predicate, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let names: IndexSet<&str> = defined.keys().map(|&predicate| name(predicate, &sheet.symbols)).collect();
    let mut reported = IndexSet::new();
    for (_, arc) in dependencies.arcs() {
        let predicate = arc.atom.predicate;
        let unknown = match predicate {
            // A name that is known with another number of arguments is an error of its own.
            Predicate::Relation(..) => !names.contains(name(predicate, &sheet.symbols)),
            Predicate::Base | Predicate::Input => !defined.contains_key(&predicate),
            _ => false,
        };
        if !unknown || !reported.insert(predicate) {
            continue;
        }
        let name = name(predicate, &sheet.symbols);
        let value = if arc.positive { "false" } else { "false, its negation always true" };
        let message = format!("nothing defines {}: it is always {value}", quote(name));
        let mut finding = Diagnostic::warning("unknown-relation", arc.atom.span, message);
        if reported.len() <= MOST_SEARCHES
            && let Some(meant) = nearest(name, names.iter().copied())
        {
            finding = finding.with_advice(format!("is {} meant?", quote(meant)));
        }
        diagnostics.push(finding);
    }
}

fn unused(
    sheet: &Rulesheet,
    dependencies: &Dependencies,
    defined: &IndexMap<Predicate, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let keywords = defined.keys().copied().filter(|predicate| predicate.keyword().is_some());
    let used = dependencies.reachable(keywords);
    let used_names: IndexSet<&str> = used.iter().map(|&predicate| name(predicate, &sheet.symbols)).collect();
    for (&predicate, &span) in defined {
        // A name that is used with another number of arguments is an error of its own.
        if used_names.contains(name(predicate, &sheet.symbols)) {
            continue;
        }
        let message = format!("{} has no influence on the game", quote(name(predicate, &sheet.symbols)));
        let finding = Diagnostic::warning("unused-relation", span, message);
        diagnostics.push(finding.with_advice("no rule for a move, the next state, a result or the end leads to it"));
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn unknown_relations_are_reported_once() {
        let text = "(adjacent a b)\n(<= (legal r (go ?x)) (adjacnet a ?x) (adjacent a ?x))(<= (goal r 0) (not (adjacnet b b)))";
        assert_eq!(findings(text), ["2:23 unknown-relation"]);
        assert_eq!(messages(text), ["nothing defines `adjacnet`: it is always false"]);
    }

    #[test]
    fn unused_relations_are_reported_with_what_only_they_use() {
        let text = "(<= p q)\n(q)\n(s)\n(<= (legal r x) s)\n(<= t t)";
        assert_eq!(findings(text), ["1:5 unused-relation", "2:1 unused-relation", "5:5 unused-relation"]);
    }
}
