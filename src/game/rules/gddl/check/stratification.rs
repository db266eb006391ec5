//! Checks stratification: no derived predicate may depend on its own negation (PDDL 2.2: Hoffmann and Edelkamp 2005).

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::dependencies::DependencyGraph;
use crate::rules::gddl::ast::{Atom, Description, PredicateName};

/// The predicates on which the derived predicates depend, with the `label` of the atom and whether it is inside an even
/// number of negations.
fn graph<'d, A>(
    description: &'d Description,
    label: impl Fn(&'d Atom, bool) -> A,
) -> DependencyGraph<PredicateName, A> {
    let mut arcs = Vec::new();
    for rule in &description.derivations {
        let head = rule.head.predicate();
        rule.body.each_atom(true, &mut |atom, positive| arcs.push((head, atom.name(), label(atom, positive))));
    }
    DependencyGraph::of(arcs)
}

pub fn dependencies(description: &Description) -> DependencyGraph<PredicateName, ()> {
    graph(description, |_, _| ())
}

pub fn check(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    let graph = graph(description, |atom, positive| (atom, positive));
    for (_, head, (atom, _)) in graph.inner_arcs().filter(|(_, _, (_, positive))| !positive) {
        let name = |symbol| quote(description.symbols.name(symbol));
        let message = format!("negation of {}, which depends on {}", name(atom.predicate.symbol), name(head.symbol));
        let advice = "a predicate can't be defined by what is false of itself: break the cycle";
        diagnostics.push(Diagnostic::error("unstratified", atom.span, message).with_advice(advice));
    }
}
