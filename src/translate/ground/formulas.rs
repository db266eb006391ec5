//! Formulas as conditions of GDDL. A formula that occurs in several places, or that is nested too deeply, becomes a
//! derived predicate.

use crate::propositional::{Game, Graph, Node, NodeId};
use crate::translate::layout::{Expression, list, word};
use crate::translate::names::{Names, flat};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// A formula that is nested more deeply than this is divided by derived predicates.
const DEEPEST: u32 = 32;

/// The formulas of a text, and the derived predicates that they need.
pub struct Formulas<'a> {
    graph: &'a Graph,
    /// By fluent, its atom.
    fluents: &'a [Expression],
    /// Derived predicates with their names, children before parents.
    derived: IndexMap<NodeId, String>,
}

impl<'a> Formulas<'a> {
    /// `roots`: all formulas of the text, repeated as often as they occur.
    pub fn new(game: &Game, graph: &'a Graph, fluents: &'a [Expression], roots: &[NodeId], names: &mut Names) -> Self {
        let mut uses: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut open = Vec::new();
        let mut used = |node: NodeId, open: &mut Vec<NodeId>| {
            let count = uses.entry(node).or_default();
            *count += 1;
            if *count == 1 {
                open.push(node);
            }
        };
        roots.iter().for_each(|&root| used(root, &mut open));
        while let Some(node) = open.pop() {
            match graph.node(node) {
                Node::Not(child) => used(*child, &mut open),
                Node::And(children) | Node::Or(children) => children.iter().for_each(|&child| used(child, &mut open)),
                _ => {}
            }
        }
        let mut nodes: Vec<(NodeId, u32)> = uses.into_iter().collect();
        nodes.sort_unstable();
        let known: FxHashMap<NodeId, String> =
            game.derived.iter().rev().map(|derived| (derived.node, flat(&derived.term))).collect();
        let mut derived = IndexMap::new();
        let mut height: FxHashMap<NodeId, u32> = FxHashMap::default();
        for (node, uses) in nodes {
            let above = |child: &NodeId| height.get(child).copied().unwrap_or(0) + 1;
            let own = match graph.node(node) {
                Node::Not(child) => above(child),
                Node::And(children) | Node::Or(children) => children.iter().map(above).max().unwrap_or(0),
                _ => 0,
            };
            let compound = matches!(graph.node(node), Node::And(_) | Node::Or(_));
            if compound && (uses > 1 || own > DEEPEST) {
                let name = known.get(&node).map_or_else(|| format!("condition-{}", derived.len() + 1), Clone::clone);
                derived.insert(node, names.choose(&name));
            } else {
                height.insert(node, own);
            }
        }
        Formulas { graph, fluents, derived }
    }

    /// Names of the derived predicates.
    pub fn predicates(&self) -> impl Iterator<Item = &str> {
        self.derived.values().map(String::as_str)
    }

    /// The rules of the derived predicates.
    pub fn rules(&self) -> impl Iterator<Item = Expression> + '_ {
        self.derived.iter().map(|(&node, name)| list(":derived", [list(name, []), self.body(node)]))
    }

    /// A formula as a condition.
    pub fn condition(&self, node: NodeId) -> Expression {
        match self.derived.get(&node) {
            Some(name) => list(name, []),
            None => self.body(node),
        }
    }

    /// The conditions that stand side by side in a formula.
    pub fn conjuncts(&self, node: NodeId) -> Vec<Expression> {
        match self.graph.node(node) {
            Node::True => Vec::new(),
            Node::And(parts) if !self.derived.contains_key(&node) => {
                parts.iter().map(|&part| self.condition(part)).collect()
            }
            _ => vec![self.condition(node)],
        }
    }

    fn body(&self, node: NodeId) -> Expression {
        match self.graph.node(node) {
            Node::False => list("or", []),
            Node::True => list("and", []),
            Node::Fluent(fluent) => self.fluents[fluent.index()].clone(),
            // Conditions never contain moves: each action has its own.
            Node::Move(_) => word("move"),
            Node::Not(child) => list("not", [self.condition(*child)]),
            Node::And(children) => list("and", children.iter().map(|&child| self.condition(child))),
            Node::Or(children) => list("or", children.iter().map(|&child| self.condition(child))),
        }
    }
}
