//! Formulas of the game's graph as small decision diagrams over the variables. Nodes are evaluated in topological
//! order, without recursion, each at most once. A node whose diagram would be too large gets `None`, and so does every
//! node that depends on it.

use super::variables::{FluentCode, Variables};
use crate::bdd::{Bdd, Manager, Steps, TooLarge};
use crate::propositional::{FluentId, Graph, Node, NodeId};
use base::limits::Limits;
use rustc_hash::FxHashMap;
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

    /// Removes from `f` the assignments in which two values of one group hold, for groups on which `f` depends. The
    /// result is empty if and only if the groups rule out `f` in every state.
    pub fn consistent(&mut self, f: Bdd) -> Result<Bdd, TooLarge> {
        let support: Vec<u32> = self.manager.support(f).into_iter().collect();
        let mut result = f;
        for levels in support.chunk_by(|&one, &next| self.variables.block_of(one).levels().contains(&next)).rev() {
            if levels.len() > 1 {
                let constraint = self.at_most_one(levels)?;
                result = self.manager.and(result, constraint)?;
            }
        }
        Ok(result)
    }

    fn at_most_one(&mut self, levels: &[u32]) -> Result<Bdd, TooLarge> {
        let (mut none, mut at_most_one) = (Bdd::TRUE, Bdd::TRUE);
        for &level in levels.iter().rev() {
            let present = self.manager.literal(level, true)?;
            at_most_one = self.manager.choose(present, none, at_most_one)?;
            none = self.manager.choose(present, Bdd::FALSE, none)?;
        }
        Ok(at_most_one)
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
