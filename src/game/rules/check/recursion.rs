//! Checks GDL's recursion restriction (Love, Hinrichs and Genesereth 2006, definition 5), which keeps function terms
//! from growing for ever.
//!
//! If the head of a rule and one of its conditions depend on each other, each argument of this condition must be
//! ground, or an argument of the head, or an argument of a positive condition that does not depend on the head. Public
//! rulesheets violate this and are still finite, so a violation is a warning. Rules whose terms do grow for ever reach
//! the limits of grounding.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::dependencies::Dependencies;
use crate::rules::sentence::{Atom, Rulesheet, Sentence, Term};
use std::collections::BTreeSet;

pub fn check(sheet: &Rulesheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    for sentence in &sheet.sentences {
        let head = &sentence.head;
        let (inside, outside): (Vec<&Atom>, Vec<&Atom>) = positive_conditions(sentence)
            .into_iter()
            .partition(|atom| dependencies.same_component(head.predicate, atom.predicate));
        if inside.is_empty() {
            continue;
        }
        let fixed = Fixed::new(std::iter::once(head).chain(outside));
        for atom in inside {
            for argument in atom.arguments.iter().filter(|argument| !fixed.contains(argument)) {
                let name = quote(atom.predicate.name(&sheet.symbols));
                let message = format!("{name} is recursive and nothing outside the recursion bounds this argument");
                let advice = "it stays finite only if its values can't grow; a condition that lists them makes it safe";
                let finding = Diagnostic::warning("unrestricted-recursion", argument.span(), message);
                diagnostics.push(finding.with_advice(advice));
            }
        }
    }
}

fn positive_conditions(sentence: &Sentence) -> Vec<&Atom> {
    let mut atoms = Vec::new();
    for part in &sentence.body {
        part.each_atom(true, &mut |atom, positive| {
            if positive {
                atoms.push(atom);
            }
        });
    }
    atoms
}

struct Fixed(BTreeSet<Vec<(Symbol, usize)>>);

impl Fixed {
    fn new<'a>(atoms: impl Iterator<Item = &'a Atom>) -> Self {
        Fixed(atoms.flat_map(|atom| &atom.arguments).map(Term::reading).collect())
    }

    fn contains(&self, term: &Term) -> bool {
        term.is_ground() || self.0.contains(&term.reading())
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
    }
}
