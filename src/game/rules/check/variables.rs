//! Finds variables that occur once in their rule.
//!
//! Most of them are intended: they stand for anything, and nearly every public rulesheet has some. If a name resembles
//! another variable of the rule, it is probably a misspelling and gets a warning. Any other such variable may be the
//! cause of another finding on the rule; a note lists it only if there is another finding.

use super::spelling::is_slip;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::{Rulesheet, Sentence, Variables};
use crate::rules::{Symbol, SymbolTable};
use crate::syntax::Span;
use indexmap::IndexMap;

/// Bound on the searches for misspellings.
const MOST_SEARCHES: usize = 1000;
/// Bound on the variables of a rule with which a search compares.
const MOST_CANDIDATES: usize = 100;
const MOST_NAMES: usize = 8;

/// Leaves out variables in heads and under negations, which make the rule unsafe: another check reports this.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let mut others: Vec<u32> = diagnostics.iter().map(|finding| finding.span.start).collect();
    others.sort_unstable();
    let mut searches = 0;
    for sentence in &sheet.sentences {
        let uses = uses(sentence);
        let free: Variables = sentence.positive_conditions().iter().flat_map(|atom| atom.variables()).collect();
        let mut alone = Vec::new();
        for (&name, &(count, span)) in &uses {
            if count == 1 && free.contains(&name) {
                searches += 1;
                let candidates = if searches <= MOST_SEARCHES { MOST_CANDIDATES } else { 0 };
                let written = sheet.symbols.name(name);
                let others = uses.keys().take(candidates).filter(|&&other| is_slip(written, sheet.symbols.name(other)));
                let mut others = others.filter(|&&other| !beside(sentence, &uses, name, other));
                match others.next().map(|&other| sheet.symbols.name(other)) {
                    None => alone.push((name, span)),
                    // Another check reports names that differ in the case of letters only.
                    Some(meant) if meant.eq_ignore_ascii_case(written) => {}
                    Some(meant) => {
                        let message = format!("variable {} occurs once in its rule: any value will do", quote(written));
                        let finding = Diagnostic::warning("single-variable", span, message);
                        diagnostics.push(finding.with_advice(format!("is {} meant?", quote(meant))));
                    }
                }
            }
        }
        let next = others.partition_point(|&start| start < sentence.span.start);
        if others.get(next).is_some_and(|&start| start < sentence.span.end) {
            diagnostics.extend(note(&alone, &sheet.symbols));
        }
    }
}

/// For each variable, the number of its occurrences, and the place of the first.
fn uses(sentence: &Sentence) -> IndexMap<Symbol, (usize, Span)> {
    let mut uses: IndexMap<Symbol, (usize, Span)> = IndexMap::new();
    sentence.each_variable(&mut |name, span| uses.entry(name).or_insert((0, span)).0 += 1);
    uses
}

/// Whether two variables occur once each, in the same atom. No name for both could be meant.
fn beside(sentence: &Sentence, uses: &IndexMap<Symbol, (usize, Span)>, one: Symbol, other: Symbol) -> bool {
    let holds = |variables: Variables| variables.contains(&one) && variables.contains(&other);
    uses[&other].0 == 1 && sentence.positive_conditions().iter().any(|atom| holds(atom.variables()))
}

fn note(alone: &[(Symbol, Span)], symbols: &SymbolTable) -> Option<Diagnostic> {
    let names: Vec<String> = alone.iter().take(MOST_NAMES).map(|&(name, _)| quote(symbols.name(name))).collect();
    let (&(_, span), (last, before)) = (alone.first()?, names.split_last()?);
    let message = match before {
        [] => format!("variable {last} occurs once in this rule: any value will do"),
        _ => format!("variables {} and {last} occur once in this rule: any values will do", before.join(", ")),
    };
    let advice = "if one is to be the same as something else, use one name for both";
    Some(Diagnostic::note("single-variable", span, message).with_advice(advice))
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
        let other = "(<= (goal r 0) (missing ?x) (p ?x ?y ?z))";
        let found = severities(&format!("{text}{other}"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.contains(&(Severity::Note, "?y".to_owned())), "{found:?}");
        let text = "(p a b c)(<= (goal r 0) (p ?column ?x ?x) (p ?column ?x ?colum))";
        assert_eq!(severities(text), [(Severity::Warning, "?colum".to_owned())]);
        let text = "(p a b c)(<= (goal r 0) (p a ?column ?colum))";
        assert!(severities(text).is_empty());
    }

    #[test]
    fn a_variable_of_two_members_of_a_disjunction_is_shared() {
        assert!(severities("(p a)(q b)(<= (goal r 0) (or (p ?x) (q ?x)))").is_empty());
    }
}
