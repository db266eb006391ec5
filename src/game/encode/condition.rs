//! Translates nodes of the graph to residual formulas. A node with a small diagram becomes one leaf. Any other node is
//! split at its `and` or `or`, with negations pushed down. Neighbouring parts are joined into one leaf while their
//! joint diagram stays small, so that formulas have few operands. Each node is visited at most once for each polarity,
//! without recursion.

use super::formulas::Formulas;
use super::residual::{Residual, Residuals};
use crate::bdd::{Bdd, TooLarge};
use crate::propositional::{Node, NodeId};
use rustc_hash::FxHashMap;

const LEAF: usize = 400;
const JOINED: usize = 40;

#[derive(Default)]
pub struct Conditions {
    pub residuals: Residuals,
    memo: FxHashMap<(NodeId, bool), Residual>,
}

impl Conditions {
    /// The residual formula of a node, or of its negation if not `positive`. Panics if the node depends on a move.
    pub fn residual(&mut self, formulas: &mut Formulas, node: NodeId, positive: bool) -> Result<Residual, TooLarge> {
        let mut stack = vec![(node, positive)];
        while let Some(&(node, positive)) = stack.last() {
            if self.memo.contains_key(&(node, positive)) {
                stack.pop();
                continue;
            }
            let value = match self.leaf(formulas, node, positive)? {
                Some(leaf) => leaf,
                None => {
                    let shape = formulas.graph.node(node);
                    let polarity = if matches!(shape, Node::Not(_)) { !positive } else { positive };
                    let parts: Vec<(NodeId, bool)> = shape.children().iter().map(|&child| (child, polarity)).collect();
                    let waiting = stack.len();
                    stack.extend(parts.iter().filter(|part| !self.memo.contains_key(part)));
                    if stack.len() > waiting {
                        continue;
                    }
                    let or = matches!(shape, Node::Or(_)) == positive;
                    self.connect(formulas, &parts, or)?
                }
            };
            self.memo.insert((node, positive), value);
            stack.pop();
        }
        Ok(self.memo[&(node, positive)])
    }

    fn leaf(&mut self, formulas: &mut Formulas, node: NodeId, positive: bool) -> Result<Option<Residual>, TooLarge> {
        let splits = !formulas.graph.node(node).children().is_empty();
        let Some(bdd) = formulas.small(node)? else { return Ok(None) };
        if splits && formulas.manager.size(bdd) > LEAF {
            return Ok(None);
        }
        let bdd = if positive { bdd } else { formulas.manager.not(bdd)? };
        Ok(Some(self.residuals.leaf(bdd, &formulas.manager)))
    }

    /// Joins the parts of an `and` or `or`: neighbours with small diagrams become one leaf.
    fn connect(&mut self, formulas: &mut Formulas, parts: &[(NodeId, bool)], or: bool) -> Result<Residual, TooLarge> {
        let mut leaves = Vec::new();
        let mut done = Vec::new();
        for part in parts {
            match self.residuals.as_leaf(self.memo[part]) {
                Some(bdd) => leaves.push(bdd),
                None => done.push(self.memo[part]),
            }
        }
        leaves.sort_by_key(|&bdd| (formulas.manager.level(bdd), bdd));
        let mut current: Option<Bdd> = None;
        for bdd in leaves {
            let joined = match current {
                None => Some(bdd),
                Some(other) => formulas
                    .manager
                    .within(4 * JOINED, |manager| if or { manager.or(other, bdd) } else { manager.and(other, bdd) })?
                    .filter(|&joined| formulas.manager.size(joined) <= JOINED),
            };
            if joined.is_none() {
                done.extend(current.map(|f| self.residuals.leaf(f, &formulas.manager)));
            }
            current = joined.or(Some(bdd));
        }
        done.extend(current.map(|f| self.residuals.leaf(f, &formulas.manager)));
        Ok(if or { self.residuals.or(done) } else { self.residuals.and(done) })
    }
}
