//! The dependency graph: an arc from the predicate of a head to each predicate of its body, with strongly connected
//! components. Linear in the size of the rules.

use crate::components;
use crate::rules::Predicate;
use crate::rules::sentence::{Atom, Rulesheet};
use indexmap::{IndexMap, IndexSet};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::VecDeque;

/// A condition of a rule.
pub struct Arc<'a> {
    /// Index of the rule in the rulesheet.
    pub sentence: usize,
    pub atom: &'a Atom,
    /// Whether an even number of `not` stands around it.
    pub positive: bool,
}

/// Predicates that depend on each other.
#[derive(Default)]
pub struct Component<'d, 'a> {
    /// Indices of the rules whose heads are in it.
    pub rules: Vec<usize>,
    /// The conditions of these rules that are in it too.
    pub arcs: Vec<&'d Arc<'a>>,
}

/// The dependency graph of a rulesheet.
pub struct Dependencies<'a> {
    predicates: IndexSet<Predicate>,
    graph: DiGraph<(), Arc<'a>>,
    /// Strongly connected component by predicate.
    component: Vec<usize>,
}

impl<'a> Dependencies<'a> {
    /// The graph of all rules.
    pub fn new(sheet: &'a Rulesheet) -> Self {
        let mut predicates = IndexSet::new();
        let mut graph = DiGraph::new();
        for (sentence, rule) in sheet.sentences.iter().enumerate() {
            let head = node(rule.head.predicate, &mut predicates, &mut graph);
            for part in &rule.body {
                part.each_atom(true, &mut |atom, positive| {
                    let body = node(atom.predicate, &mut predicates, &mut graph);
                    graph.add_edge(head, body, Arc { sentence, atom, positive });
                });
            }
        }
        let arcs = graph.raw_edges().iter();
        let arcs: Vec<(u32, u32)> =
            arcs.map(|arc| (arc.source().index() as u32, arc.target().index() as u32)).collect();
        let component = components::numbers(graph.node_count(), &arcs);
        Dependencies { predicates, graph, component }
    }

    /// The components in which some condition is negated, in the order of their first rule.
    pub fn negative_components(&self, sheet: &Rulesheet) -> Vec<Component<'_, 'a>> {
        let mut components: IndexMap<usize, Component<'_, 'a>> = IndexMap::new();
        let inner = |edge: &petgraph::graph::EdgeReference<'_, Arc<'a>>| {
            let component = self.component[edge.source().index()];
            (component == self.component[edge.target().index()]).then_some(component)
        };
        for edge in self.graph.edge_references().filter(|edge| !edge.weight().positive) {
            if let Some(component) = inner(&edge) {
                components.entry(component).or_default();
            }
        }
        if components.is_empty() {
            return Vec::new();
        }
        for (index, sentence) in sheet.sentences.iter().enumerate() {
            let node = self.predicates.get_index_of(&sentence.head.predicate).expect("every head has a node");
            if let Some(component) = components.get_mut(&self.component[node]) {
                component.rules.push(index);
            }
        }
        for edge in self.graph.edge_references() {
            if let Some(component) = inner(&edge).and_then(|component| components.get_mut(&component)) {
                component.arcs.push(edge.weight());
            }
        }
        components.into_values().collect()
    }

    /// Every arc with the predicate that it starts from, in the order of the text.
    pub fn arcs(&self) -> impl Iterator<Item = (Predicate, &Arc<'a>)> {
        self.graph.edge_references().map(|edge| (self.predicates[edge.source().index()], edge.weight()))
    }

    /// Whether two predicates depend on each other (or are the same).
    pub fn same_component(&self, one: Predicate, other: Predicate) -> bool {
        match (self.predicates.get_index_of(&one), self.predicates.get_index_of(&other)) {
            (Some(one), Some(other)) => self.component[one] == self.component[other],
            _ => false,
        }
    }

    /// The predicates that depend on `target`, each with the next one on a shortest way there; `target` itself comes
    /// first and leads to itself.
    pub fn dependents(&self, target: Predicate) -> IndexMap<Predicate, Predicate> {
        let mut found = IndexMap::from([(target, target)]);
        let mut queue = VecDeque::from([target]);
        while let Some(predicate) = queue.pop_front() {
            let Some(index) = self.predicates.get_index_of(&predicate) else { continue };
            for neighbour in self.graph.neighbors_directed(NodeIndex::new(index), Direction::Incoming) {
                let neighbour = self.predicates[neighbour.index()];
                if !found.contains_key(&neighbour) {
                    found.insert(neighbour, predicate);
                    queue.push_back(neighbour);
                }
            }
        }
        found
    }

    /// The predicates that some predicates depend on, those themselves included.
    pub fn reachable(&self, from: impl Iterator<Item = Predicate>) -> IndexSet<Predicate> {
        let mut found: IndexSet<Predicate> = from.collect();
        let mut next = 0;
        while next < found.len() {
            if let Some(index) = self.predicates.get_index_of(&found[next]) {
                let targets = self.graph.neighbors(NodeIndex::new(index));
                found.extend(targets.map(|target| self.predicates[target.index()]));
            }
            next += 1;
        }
        found
    }
}

fn node(predicate: Predicate, predicates: &mut IndexSet<Predicate>, graph: &mut DiGraph<(), Arc>) -> NodeIndex {
    let (index, new) = predicates.insert_full(predicate);
    if new { graph.add_node(()) } else { NodeIndex::new(index) }
}

/// The way from one predicate to the target of a [`Dependencies::dependents`] search, both included.
pub fn way(dependents: &IndexMap<Predicate, Predicate>, from: Predicate) -> impl Iterator<Item = Predicate> {
    std::iter::successors(Some(from), |last| dependents.get(last).copied().filter(|next| next != last))
}
