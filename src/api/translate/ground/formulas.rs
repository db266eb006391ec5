//! Writes formulas as conditions of GDDL. A formula that occurs several times, or is nested too deeply, becomes a
//! derived predicate.

use crate::translate::description::{atom, name};
use crate::translate::names::{Names, flat};
use game::propositional::{Game, Graph, Node, NodeId};
use game::rules::gddl::ast::{Atom, Condition, Derivation, Signature};
use game::rules::{Symbol, SymbolTable};
use game::syntax::Span;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

const DEEPEST: u32 = 32;

pub struct Formulas<'a> {
    graph: &'a Graph,
    fluents: &'a [Atom],
    /// Derived predicates with their names, children before parents.
    derived: IndexMap<NodeId, Symbol>,
}

impl<'a> Formulas<'a> {
    /// Finds the derived predicates. `roots`: all formulas of the text, each as often as it occurs.
    pub fn new(
        game: &Game,
        graph: &'a Graph,
        fluents: &'a [Atom],
        roots: &[NodeId],
        names: &mut Names,
        symbols: &mut SymbolTable,
    ) -> Self {
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
            graph.node(node).children().iter().for_each(|&child| used(child, &mut open));
        }
        let mut nodes: Vec<(NodeId, u32)> = uses.into_iter().collect();
        nodes.sort_unstable();
        let known: FxHashMap<NodeId, String> =
            game.derived.iter().rev().map(|derived| (derived.node, flat(&derived.term))).collect();
        let mut derived = IndexMap::new();
        let mut height: FxHashMap<NodeId, u32> = FxHashMap::default();
        for (node, uses) in nodes {
            let above = |child: &NodeId| height.get(child).copied().unwrap_or(0) + 1;
            let own = graph.node(node).children().iter().map(above).max().unwrap_or(0);
            let compound = matches!(graph.node(node), Node::And(_) | Node::Or(_));
            if compound && (uses > 1 || own > DEEPEST) {
                let name = known.get(&node).map_or_else(|| format!("condition-{}", derived.len() + 1), Clone::clone);
                derived.insert(node, symbols.intern(&names.choose(&name)));
            } else {
                height.insert(node, own);
            }
        }
        Formulas { graph, fluents, derived }
    }

    pub fn rules(&self) -> impl Iterator<Item = Derivation> + '_ {
        self.derived.iter().map(|(&node, &symbol)| {
            let span = Span::default();
            let head = Signature { name: name(symbol), parameters: Vec::new(), span };
            Derivation { head, body: self.body(node), span }
        })
    }

    pub fn condition(&self, node: NodeId) -> Condition {
        match self.derived.get(&node) {
            Some(&symbol) => Condition::Atom(atom(symbol, Vec::new())),
            None => self.body(node),
        }
    }

    pub fn conjuncts(&self, node: NodeId) -> Vec<Condition> {
        match self.graph.node(node) {
            Node::True => Vec::new(),
            Node::And(parts) if !self.derived.contains_key(&node) => self.conditions(parts),
            _ => vec![self.condition(node)],
        }
    }

    fn conditions(&self, nodes: &[NodeId]) -> Vec<Condition> {
        nodes.iter().map(|&node| self.condition(node)).collect()
    }

    fn body(&self, node: NodeId) -> Condition {
        match self.graph.node(node) {
            Node::False => Condition::FALSE,
            Node::True => Condition::TRUE,
            Node::Fluent(fluent) => Condition::Atom(self.fluents[fluent.index()].clone()),
            Node::Move(_) => unreachable!("each action has its own formulas, in which its move is known"),
            Node::Not(child) => Condition::Not(Box::new(self.condition(*child)), Span::default()),
            Node::And(children) => Condition::And(self.conditions(children)),
            Node::Or(children) => Condition::Or(self.conditions(children), Span::default()),
        }
    }
}
