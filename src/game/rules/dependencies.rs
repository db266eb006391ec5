//! Dependency graphs, with an arc from the predicate of a head to each predicate of its body, and their strongly
//! connected components. Linear in the size of the rules.

use crate::rules::sentence::{Atom, Rulesheet};
use crate::rules::{Literal, Predicate, Program};
use indexmap::{IndexMap, IndexSet};
use petgraph::Direction::{self, Incoming, Outgoing};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::hash::Hash;

pub struct DependencyGraph<P, A> {
    predicates: IndexSet<P>,
    graph: DiGraph<(), A>,
    component: Vec<usize>,
}

impl<P: Copy + Eq + Hash, A> DependencyGraph<P, A> {
    /// The graph of arcs, each with its head, its condition and its weight.
    pub fn of(arcs: impl IntoIterator<Item = (P, P, A)>) -> Self {
        let mut predicates = IndexSet::new();
        let mut index = |predicate| predicates.insert_full(predicate).0 as u32;
        let graph =
            DiGraph::from_edges(arcs.into_iter().map(|(head, condition, arc)| (index(head), index(condition), arc)));
        DependencyGraph { predicates, component: component_numbers(&graph), graph }
    }

    /// All arcs with their heads, in the order of the text.
    pub fn arcs(&self) -> impl Iterator<Item = (P, &A)> {
        self.graph.raw_edges().iter().map(|edge| (self.predicates[edge.source().index()], &edge.weight))
    }

    /// The arcs inside components, in the order of the text: the number of the component, the head and the arc.
    pub fn inner_arcs(&self) -> impl Iterator<Item = (usize, P, &A)> {
        let component = |vertex: NodeIndex| self.component[vertex.index()];
        let edges = self.graph.raw_edges().iter();
        let inner = edges.filter(move |edge| component(edge.source()) == component(edge.target()));
        inner.map(move |edge| (component(edge.source()), self.predicates[edge.source().index()], &edge.weight))
    }

    fn component_of(&self, predicate: P) -> Option<usize> {
        self.predicates.get_index_of(&predicate).map(|index| self.component[index])
    }

    pub fn same_component(&self, one: P, other: P) -> bool {
        one == other || self.component_of(one).is_some_and(|component| self.component_of(other) == Some(component))
    }

    /// The predicates that depend on one of the `targets`, each with the next predicate on a shortest path to a target.
    /// Targets come first, each with itself.
    pub fn dependents(&self, targets: impl IntoIterator<Item = P>) -> IndexMap<P, P> {
        let mut found: IndexMap<P, P> = targets.into_iter().map(|target| (target, target)).collect();
        let mut next = 0;
        while let Some((&predicate, _)) = found.get_index(next) {
            for neighbour in self.neighbours(predicate, Incoming) {
                found.entry(neighbour).or_insert(predicate);
            }
            next += 1;
        }
        found
    }

    pub fn reachable(&self, from: impl Iterator<Item = P>) -> IndexSet<P> {
        let mut found: IndexSet<P> = from.collect();
        let mut next = 0;
        while next < found.len() {
            found.extend(self.neighbours(found[next], Outgoing));
            next += 1;
        }
        found
    }

    fn neighbours(&self, predicate: P, direction: Direction) -> impl Iterator<Item = P> {
        let vertex = self.predicates.get_index_of(&predicate).map(NodeIndex::new);
        let found = vertex.into_iter().flat_map(move |vertex| self.graph.neighbors_directed(vertex, direction));
        found.map(|neighbour| self.predicates[neighbour.index()])
    }
}

pub fn graph(vertices: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(vertices, 0);
    for _ in 0..vertices {
        graph.add_node(());
    }
    graph.extend_with_edges(edges);
    graph
}

pub fn component_numbers<N, E>(graph: &DiGraph<N, E>) -> Vec<usize> {
    let mut numbers = vec![0; graph.node_count()];
    for (number, members) in kosaraju_scc(graph).into_iter().enumerate() {
        members.into_iter().for_each(|member| numbers[member.index()] = number);
    }
    numbers
}

/// The path from a predicate to a target, both included, by the result of [`DependencyGraph::dependents`].
pub fn way(dependents: &IndexMap<Predicate, Predicate>, from: Predicate) -> impl Iterator<Item = Predicate> {
    std::iter::successors(Some(from), |last| dependents.get(last).copied().filter(|next| next != last))
}

pub struct Arc<'a> {
    pub sentence: usize,
    pub atom: &'a Atom,
    /// Whether the condition is inside an even number of `not`.
    pub positive: bool,
}

pub type Dependencies<'a> = DependencyGraph<Predicate, Arc<'a>>;

/// Predicates that depend on each other.
#[derive(Default)]
pub struct Component<'d, 'a> {
    pub rules: Vec<usize>,
    pub arcs: Vec<&'d Arc<'a>>,
}

impl<'a> Dependencies<'a> {
    pub fn new(sheet: &'a Rulesheet) -> Self {
        let mut arcs = Vec::new();
        for (sentence, rule) in sheet.sentences.iter().enumerate() {
            rule.each_condition(&mut |atom, positive| {
                arcs.push((rule.head.predicate, atom.predicate, Arc { sentence, atom, positive }));
            });
        }
        DependencyGraph::of(arcs)
    }

    /// The components with a negated condition, in the order of their first negation.
    pub fn negative_components(&self, sheet: &Rulesheet) -> Vec<Component<'_, 'a>> {
        let negated = self.inner_arcs().filter(|(_, _, arc)| !arc.positive);
        let mut components: IndexMap<usize, Component<'_, 'a>> =
            negated.map(|(component, ..)| (component, Component::default())).collect();
        if components.is_empty() {
            return Vec::new();
        }
        for (index, sentence) in sheet.sentences.iter().enumerate() {
            let component = self.component_of(sentence.head.predicate);
            if let Some(component) = component.and_then(|component| components.get_mut(&component)) {
                component.rules.push(index);
            }
        }
        for (component, _, arc) in self.inner_arcs() {
            if let Some(component) = components.get_mut(&component) {
                component.arcs.push(arc);
            }
        }
        components.into_values().collect()
    }
}

fn of_program(program: &Program) -> DependencyGraph<Predicate, ()> {
    DependencyGraph::of(program.rules.iter().flat_map(|rule| {
        let head = program.kind(rule.head.predicate);
        rule.body.iter().filter_map(Literal::atom).map(move |atom| (head, program.kind(atom.predicate), ()))
    }))
}

/// The `targets`, and the predicates of a program that depend on them.
pub fn dependents(program: &Program, targets: impl IntoIterator<Item = Predicate>) -> IndexSet<Predicate> {
    of_program(program).dependents(targets).into_keys().collect()
}

pub fn needed(program: &Program, wanted: impl IntoIterator<Item = Predicate>) -> IndexSet<Predicate> {
    of_program(program).reachable(wanted.into_iter())
}
