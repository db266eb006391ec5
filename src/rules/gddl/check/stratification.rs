//! Stratification: no derived predicate depends on its own negation (PDDL 2.2: Hoffmann and Edelkamp 2005).

use crate::components;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::gddl::ast::{Description, PredicateName};
use indexmap::IndexSet;

/// Reports every negated condition within a cycle.
pub fn check(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    let derived: IndexSet<PredicateName> = description.derivations.iter().map(|rule| rule.head.predicate()).collect();
    let mut arcs = Vec::new();
    for (rule, head) in description.derivations.iter().map(|rule| (rule, rule.head.predicate())) {
        rule.body.each_atom(true, &mut |atom, _| {
            let body = derived.get_index_of(&atom.name());
            arcs.extend(derived.get_index_of(&head).zip(body).map(|(head, body)| (head as u32, body as u32)));
        });
    }
    let component = components::numbers(derived.len(), &arcs);
    let component = |name: &PredicateName| derived.get_index_of(name).map(|index| component[index]);
    for rule in &description.derivations {
        let head = rule.head.predicate();
        rule.body.each_atom(true, &mut |atom, positive| {
            if !positive && component(&atom.name()) == component(&head) {
                let (atom_name, head) =
                    (description.symbols.name(atom.predicate.symbol), description.symbols.name(head.symbol));
                let message = format!("negation of {}, which depends on {}", quote(atom_name), quote(head));
                let advice = "a predicate can't be defined by what is false of itself: break the cycle";
                diagnostics.push(Diagnostic::error("unstratified", atom.span, message).with_advice(advice));
            }
        });
    }
}
