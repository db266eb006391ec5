//! Checks safety: every variable of a head, a `not` or a `distinct` also occurs in a positive condition, so that a rule
//! has finitely many instances (Love, Hinrichs and Genesereth 2006, definition of safe rules). For `or` this means: a
//! disjunction binds the variables that all its members bind, and each member may use variables that are bound outside.
//!
//! An unsafe rule of a relation on which the game does not depend is left out with a warning.

use crate::diagnostic::{Diagnostic, Severity, quote};
use crate::rules::lower::{Part, bound_by};
use crate::rules::program::Symbol;
use crate::rules::sentence::{Formula, Rulesheet, Sentence, Variables};
use crate::rules::{Predicate, SymbolTable};
use crate::syntax::Span;
use indexmap::IndexSet;

/// The indices of the sentences to leave out, ascending. `used`: the relations on which the game depends.
pub fn check(sheet: &Rulesheet, used: &IndexSet<Predicate>, diagnostics: &mut Vec<Diagnostic>) -> Vec<usize> {
    let mut left_out = Vec::new();
    for (index, sentence) in sheet.sentences.iter().enumerate() {
        let before = diagnostics.len();
        Checker { symbols: &sheet.symbols, reported: Variables::new(), diagnostics }.sentence(sentence);
        if diagnostics.len() > before && !used.contains(&sentence.head.predicate) {
            let name = quote(sentence.head.predicate.name(&sheet.symbols));
            for finding in diagnostics.drain(before..).collect::<Vec<_>>() {
                let message = without_influence(&finding.message, &name);
                diagnostics.push(Diagnostic { severity: Severity::Warning, message, ..finding });
            }
            left_out.push(index);
        }
    }
    left_out
}

/// The message of a finding that is no error, as no play depends on the relation `name`.
pub fn without_influence(message: &str, name: &str) -> String {
    format!("{message}; the rule is left out, as {name} has no influence on the game")
}

struct Checker<'a> {
    symbols: &'a SymbolTable,
    reported: Variables,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn sentence(&mut self, sentence: &Sentence) {
        let mut own = Variables::new();
        for part in &sentence.body {
            let Some(more) = binds(part) else { return };
            own.extend(more);
        }
        let bound = Scope { own, outer: None };
        let place = if sentence.body.is_empty() { "a fact" } else { "the head" };
        sentence.head.each_variable(&mut |name, span| self.require(name, span, &bound, place));
        sentence.body.iter().for_each(|part| self.inside(part, &bound));
    }

    fn inside(&mut self, formula: &Formula, bound: &Scope) {
        match formula {
            Formula::Atom(_) => {}
            Formula::Distinct(..) => {
                formula.each_variable(&mut |name, span| self.require(name, span, bound, "`distinct`"));
            }
            Formula::Not(inner, _) => {
                inner.each_variable(&mut |name, span| self.require(name, span, bound, "`not`"));
            }
            Formula::And(parts, _) => parts.iter().for_each(|part| self.inside(part, bound)),
            Formula::Or(parts, _) => {
                for part in parts {
                    // A member that can never hold does not restrict which variables the disjunction binds.
                    if let Some(own) = binds(part) {
                        self.inside(part, &Scope { own, outer: Some(bound) });
                    }
                }
            }
        }
    }

    fn require(&mut self, name: Symbol, span: Span, bound: &Scope, place: &str) {
        if bound.contains(&name) || !self.reported.insert(name) {
            return;
        }
        let message = format!("variable {} in {place} has no value", quote(self.symbols.name(name)));
        let advice = match place {
            "a fact" => "variables start with `?`: is this a rule that lacks its `<=` and conditions?",
            "`not`" => {
                "use it in a condition that is not negated, in every member of an `or`; or negate a relation without it, \
                 which a rule of its own defines"
            }
            _ => "use it in a condition that is not negated, in every member of an `or`",
        };
        self.diagnostics.push(Diagnostic::error("unsafe-variable", span, message).with_advice(advice));
    }
}

/// The variables that are bound in a member of a disjunction, and outside of it.
struct Scope<'a> {
    own: Variables,
    outer: Option<&'a Scope<'a>>,
}

impl Scope<'_> {
    fn contains(&self, name: &Symbol) -> bool {
        std::iter::successors(Some(self), |scope| scope.outer).any(|scope| scope.own.contains(name))
    }
}

/// The variables that a condition binds; `None` if it can never hold.
fn binds(formula: &Formula) -> Option<Variables> {
    bound_by(Part::new(formula))
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Diagnostic;
    use crate::rules::check::testing::{REST, findings};

    #[test]
    fn what_is_negated_twice_gives_values() {
        assert!(findings("(q 1)\n(<= (p ?x) (not (not (q ?x))))\n(<= (legal r x) (p 1))").is_empty());
        let found = findings("(q 1)\n(<= (p ?x) (not (or (not (q ?x)) (q ?y))))\n(<= (legal r x) (p 1))");
        assert_eq!(found, ["2:37 unsafe-variable"]);
    }

    #[test]
    fn unsafe_rules_without_influence_are_left_out() {
        let program = |text: &str| {
            let source = crate::diagnostic::Source::new("test", format!("{text}\n{REST}").as_bytes());
            crate::rules::gdl::program(&source)
        };
        let (found, diagnostics) = program("(<= (same ?x ?x) (p 1)) (p 1) (<= (other ?x) (p ?x))");
        let without = program("(p 1) (<= (other ?x) (p ?x))").0.unwrap();
        assert_eq!(found.expect("warnings alone").rules.len(), without.rules.len());
        let is_told = |part: &str| diagnostics.iter().any(|finding| finding.message.contains(part));
        assert!(is_told("left out, as `same` has no influence"), "{diagnostics:?}");
        assert!(program("(<= (same ?x ?x) (p 1)) (p 1) (<= (legal r x) (same 1 1))").0.is_none());
        let (found, diagnostics) = program("(<= (any ?r ?x) (?r ?x)) (p 1) (<= (other ?x) (p ?x) (any p ?x))");
        assert!(found.is_some(), "{diagnostics:?}");
        let codes: Vec<_> = diagnostics.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&"misplaced-variable"), "{codes:?}");
        assert!(program("(<= (any ?r ?x) (?r ?x)) (p 1) (<= (legal r x) (any p 1))").0.is_none());
        for text in ["(<= (draw (?x ?y img)) (p ?x) (p ?y)) (p 1)", "(draw (?x 1)) (p 1)"] {
            let (found, diagnostics) = program(text);
            let is_told = |finding: &Diagnostic| finding.message.contains("left out, as `draw` has no influence");
            assert!(found.is_some() && diagnostics.iter().any(is_told), "{diagnostics:?}");
        }
        assert!(program("(<= (draw (?x 1)) (p ?x)) (p 1) (<= (legal r x) (draw 1))").0.is_none());
        assert!(program("(<= (next (?x 1)) (p ?x)) (p 1)").0.is_none(), "a word of GDL");
        for text in ["(input mark)", "(base)", "(input r x y)"] {
            let (found, diagnostics) = program(text);
            let codes: Vec<_> = diagnostics.iter().map(|finding| finding.code).collect();
            assert!(found.is_some() && codes.contains(&"keyword-arity"), "{text}: {codes:?}");
        }
    }
}
