//! Checks GDL's recursion restriction (Love, Hinrichs and Genesereth 2006, definition 5), which keeps function terms
//! from growing for ever.
//!
//! If the head of a rule and one of its conditions depend on each other, each argument of this condition must be an
//! argument of the head, or have only variables that occur in positive conditions which do not depend on the head. (The
//! definition asks for a whole argument of such a condition; terms that consist of parts of it are as many at most as
//! their combinations.) Public rulesheets violate this and are still finite, so a violation is a warning. Rules whose
//! terms do grow for ever reach the limits of grounding.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::dependencies::Dependencies;
use crate::rules::sentence::{Atom, Rulesheet, Term, Variables};
use std::collections::BTreeSet;

pub fn check(sheet: &Rulesheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    for sentence in &sheet.sentences {
        let head = &sentence.head;
        let (inside, outside): (Vec<&Atom>, Vec<&Atom>) = sentence
            .positive_conditions()
            .into_iter()
            .partition(|atom| dependencies.same_component(head.predicate, atom.predicate));
        if inside.is_empty() {
            continue;
        }
        // The values that the recursion can't make larger: the arguments of its head, and all parts of conditions
        // outside.
        let of_head: BTreeSet<Vec<(Symbol, usize)>> = head.arguments.iter().map(Term::reading).collect();
        let bound: Variables = outside.iter().flat_map(|atom| atom.variables()).collect();
        let is_fixed = |term: &Term| {
            let mut is_outside = true;
            term.each_variable(&mut |variable, _| is_outside &= bound.contains(&variable));
            is_outside || of_head.contains(&term.reading())
        };
        for atom in inside {
            for argument in atom.arguments.iter().filter(|argument| !is_fixed(argument)) {
                let name = quote(atom.predicate.name(&sheet.symbols));
                let message = format!("{name} is recursive and nothing outside the recursion bounds this argument");
                let advice = "it stays finite only if its values can't grow; a condition that lists them makes it safe";
                let finding = Diagnostic::warning("unrestricted-recursion", argument.span(), message);
                diagnostics.push(finding.with_advice(advice));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::findings;

    #[test]
    fn growing_terms_are_found() {
        assert_eq!(findings("(<= (n (s ?x))\n (n ?x))\n(n 0)(<= (base ?x) (n ?x))"), ["2:5 unrestricted-recursion"]);
    }

    #[test]
    fn steps_along_relations_are_allowed() {
        let text = "(<= (reach ?x ?z) (edge ?x ?y) (reach ?y ?z))(<= (reach ?x ?x) (edge ?x ?y))(edge a b)
            (<= (base ?x) (reach a ?x))";
        assert!(findings(text).is_empty());
        let fluents = "(<= (above ?x ?y) (true (on ?x ?y)))(<= (above ?x ?z) (true (on ?x ?y)) (above ?y ?z))
            (init (on a b))(<= (next (on ?x ?y)) (true (on ?x ?y)))(<= terminal (above a b))";
        assert_eq!(findings(fluents), Vec::<String>::new());
    }
}
