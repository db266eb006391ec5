//! Stratification: no derived predicate depends on its own negation (PDDL 2.2: Hoffmann and Edelkamp 2005).

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::gddl::ast::{Description, PredicateName};
use indexmap::IndexMap;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Reports every negated condition within a cycle.
pub fn check(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let mut nodes: IndexMap<PredicateName, NodeIndex> = IndexMap::new();
    for rule in &description.derivations {
        nodes.entry(rule.head.predicate()).or_insert_with(|| graph.add_node(()));
    }
    for rule in &description.derivations {
        rule.body.each_atom(true, &mut |atom, _| {
            if let Some(&body) = nodes.get(&atom.name()) {
                graph.add_edge(nodes[&rule.head.predicate()], body, ());
            }
        });
    }
    let mut component = vec![0; graph.node_count()];
    for (index, members) in kosaraju_scc(&graph).into_iter().enumerate() {
        members.into_iter().for_each(|member| component[member.index()] = index);
    }
    let component = |name: &PredicateName| nodes.get(name).map(|node| component[node.index()]);
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
