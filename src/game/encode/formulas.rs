//! Formulas of the game's graph as small decision diagrams over the variables. Nodes are evaluated in topological
//! order, without recursion, each at most once. A node whose diagram would be too large gets `None`, and so does every
//! node that depends on it.

use super::variables::{FluentCode, Variables};
use crate::bdd::{Bdd, Manager, Steps, TooLarge};
use crate::propositional::{FluentId, Graph, Node, NodeId};
use base::limits::Limits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub struct Formulas<'a> {
    pub graph: &'a Graph,
    pub variables: &'a Variables,
    pub manager: Manager,
    /// Bound on the new nodes for the diagram of one node of the graph.
    pub room: usize,
    memo: FxHashMap<NodeId, Option<Bdd>>,
    replaced: FxHashMap<NodeId, Bdd>,
}

impl<'a> Formulas<'a> {
    pub fn new(
        graph: &'a Graph,
        variables: &'a Variables,
        (nodes, steps): (usize, &Steps),
        room: usize,
        limits: &Arc<Limits>,
    ) -> Self {
        Formulas {
            graph,
            variables,
            manager: Manager::new(nodes, limits).with_steps(steps),
            room,
            memo: FxHashMap::default(),
            replaced: FxHashMap::default(),
        }
    }

    /// Makes `meaning` the diagram of `node`. [`Formulas::forget`] must follow if a node above it was evaluated before.
    pub fn replace(&mut self, node: NodeId, meaning: Bdd) {
        self.replaced.insert(node, meaning);
        self.memo.insert(node, Some(meaning));
    }

    /// Discards the diagrams of all nodes, so that replacements take effect everywhere.
    pub fn forget(&mut self) {
        self.memo = self.replaced.iter().map(|(&node, &meaning)| (node, Some(meaning))).collect();
    }

    /// The diagram of a fluent: its variable; for a default, the condition that no variable of its group holds.
    pub fn fluent(&mut self, fluent: FluentId) -> Result<Bdd, TooLarge> {
        match self.variables.code(fluent) {
            FluentCode::Level(level) => self.manager.literal(level, true),
            FluentCode::Default(block) => {
                let mut none = Bdd::TRUE;
                for level in self.variables.blocks()[block].levels().rev() {
                    let absent = self.manager.literal(level, false)?;
                    none = self.manager.and(absent, none)?;
                }
                Ok(none)
            }
        }
    }

    /// The diagram of a node that does not depend on moves; `None` if it would be too large.
    pub fn small(&mut self, root: NodeId) -> Result<Option<Bdd>, TooLarge> {
        self.manager.forget_results();
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.memo.contains_key(&node) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            stack.extend(self.graph.node(node).children().iter().filter(|child| !self.memo.contains_key(child)));
            if stack.len() == waiting {
                let value = self.evaluate(node)?;
                self.memo.insert(node, value);
                stack.pop();
            }
        }
        Ok(self.memo[&root])
    }

    fn evaluate(&mut self, node: NodeId) -> Result<Option<Bdd>, TooLarge> {
        let (inner, or) = match self.graph.node(node) {
            Node::Move(action) => panic!("move {} in a formula that no move influences", action.0),
            Node::False => return Ok(Some(Bdd::FALSE)),
            Node::True => return Ok(Some(Bdd::TRUE)),
            Node::Fluent(fluent) => return self.fluent(*fluent).map(Some),
            Node::Not(child) => {
                let Some(inner) = self.memo[child] else { return Ok(None) };
                return self.manager.within(self.room, |manager| manager.not(inner));
            }
            Node::And(inner) => (inner, false),
            Node::Or(inner) => (inner, true),
        };
        let Some(mut parts) = inner.iter().map(|child| self.memo[child]).collect::<Option<Vec<Bdd>>>() else {
            return Ok(None);
        };
        // The diagram whose root is at the deepest level comes first, so that each step adds nodes above existing
        // nodes.
        parts.sort_by_key(|&part| std::cmp::Reverse(self.manager.level(part)));
        self.manager.within(self.room, |manager| {
            parts.iter().try_fold(if or { Bdd::FALSE } else { Bdd::TRUE }, |all, &part| {
                if or { manager.or(part, all) } else { manager.and(part, all) }
            })
        })
    }

    /// Whether `f` holds for some assignment in which no two values of a group hold; all states have such assignments.
    /// Takes time in proportion to the nodes of `f` and makes none, as the levels of a group are neighbours.
    pub fn possible(&self, f: Bdd) -> bool {
        let mut seen = FxHashSet::default();
        // Nodes with the end of the group of which a value holds already, 0 if there is none.
        let mut stack = vec![(f, 0)];
        while let Some((g, taken)) = stack.pop() {
            if g.is_constant() {
                if g == Bdd::TRUE {
                    return true;
                }
                continue;
            }
            let level = self.manager.level(g);
            let taken = if level < taken { taken } else { 0 };
            if seen.insert((g, taken)) {
                let [lo, hi] = self.manager.children(g);
                stack.push((lo, taken));
                if taken == 0 {
                    stack.push((hi, self.variables.block_of(level).levels().end));
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::MoveId;

    #[test]
    #[should_panic(expected = "that no move influences")]
    fn a_move_is_not_taken_for_false() {
        let mut graph = Graph::new();
        let (action, fluent) = (graph.action(MoveId(0)), graph.fluent(FluentId(0)));
        let root = graph.or([action, fluent]);
        let variables = Variables::new(1, &[], &[], &[]);
        let limits = Arc::new(Limits::unlimited());
        let _ = Formulas::new(&graph, &variables, (100, &Steps::UNLIMITED), 100, &limits).small(root);
    }
}
