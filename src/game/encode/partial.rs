//! Partial evaluation of formulas for chosen moves.
//!
//! Under a joint move, every formula over moves and fluents becomes a formula over fluents alone. Only nodes that
//! depend on moves are visited. If moves among the children decide a node, its other children are not visited. A
//! conjunction is false if it contains a move that was not chosen or the negation of a chosen move. A disjunction is
//! true if it contains a chosen move or the negation of a move that was not chosen.

use crate::propositional::{Graph, MoveId, Node, NodeId};
use rustc_hash::FxHashMap;

/// An `and` or `or` that depends on moves, with its children by kind.
struct DependentNode {
    or: bool,
    moves: Vec<MoveId>,
    negated: Vec<MoveId>,
    others: Vec<NodeId>,
}

pub struct PartialEvaluation {
    nodes: FxHashMap<NodeId, DependentNode>,
    dependent: Vec<bool>,
}

impl PartialEvaluation {
    pub fn new(graph: &Graph) -> Self {
        let mut dependent = vec![false; graph.len()];
        let mut nodes = FxHashMap::default();
        for (id, node) in graph.nodes() {
            let depends = matches!(node, Node::Move(_)) || node.children().iter().any(|child| dependent[child.index()]);
            dependent[id.index()] = depends;
            let (Node::And(inner) | Node::Or(inner), true) = (node, depends) else { continue };
            let mut node = DependentNode {
                or: matches!(node, Node::Or(_)),
                moves: Vec::new(),
                negated: Vec::new(),
                others: Vec::new(),
            };
            for &child in inner.iter() {
                match graph.node(child) {
                    Node::Move(action) => node.moves.push(*action),
                    Node::Not(under) => match graph.node(*under) {
                        Node::Move(action) => node.negated.push(*action),
                        _ => node.others.push(child),
                    },
                    _ => node.others.push(child),
                }
            }
            node.moves.sort_unstable();
            node.negated.sort_unstable();
            nodes.insert(id, node);
        }
        PartialEvaluation { nodes, dependent }
    }

    /// The value of `root` if exactly the moves `chosen` are made. `memo` may be kept for calls with the same moves
    /// only. New nodes are added to `graph`, which must extend the graph of this evaluation.
    pub fn evaluate(
        &self,
        graph: &mut Graph,
        root: NodeId,
        chosen: &[MoveId],
        memo: &mut FxHashMap<NodeId, NodeId>,
    ) -> NodeId {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if !self.dependent[node.index()] || memo.contains_key(&node) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            let value = match graph.node(node) {
                Node::Move(action) => Some(graph.constant(chosen.contains(action))),
                Node::Not(child) => {
                    let child = *child;
                    self.value(child, memo).map(|value| graph.not(value)).or_else(|| {
                        stack.push(child);
                        None
                    })
                }
                _ => self.connective(graph, &self.nodes[&node], chosen, memo, &mut stack),
            };
            if let Some(value) = value {
                debug_assert_eq!(stack.len(), waiting);
                memo.insert(node, value);
                stack.pop();
            }
        }
        self.value(root, memo).expect("a node leaves the stack once it has a value")
    }

    fn value(&self, node: NodeId, memo: &FxHashMap<NodeId, NodeId>) -> Option<NodeId> {
        if self.dependent[node.index()] { memo.get(&node).copied() } else { Some(node) }
    }

    /// The value of an `and` or `or`; `None` after pushing the children that must be known first.
    fn connective(
        &self,
        graph: &mut Graph,
        node: &DependentNode,
        chosen: &[MoveId],
        memo: &FxHashMap<NodeId, NodeId>,
        stack: &mut Vec<NodeId>,
    ) -> Option<NodeId> {
        let all = |moves: &[MoveId]| moves.iter().all(|action| chosen.contains(action));
        let any = |moves: &[MoveId]| chosen.iter().any(|action| moves.binary_search(action).is_ok());
        let decided =
            if node.or { any(&node.moves) || !all(&node.negated) } else { !all(&node.moves) || any(&node.negated) };
        if decided {
            return Some(graph.constant(node.or));
        }
        let mut values = Vec::with_capacity(node.others.len());
        let waiting = stack.len();
        for &child in &node.others {
            match self.value(child, memo) {
                Some(value) if value == graph.constant(node.or) => {
                    stack.truncate(waiting);
                    return Some(value);
                }
                Some(value) => values.push(value),
                None => stack.push(child),
            }
        }
        if stack.len() > waiting {
            return None;
        }
        Some(if node.or { graph.or(values) } else { graph.and(values) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::FluentId;

    #[test]
    fn frame_and_effect_of_a_marked_cell() {
        let mut graph = Graph::new();
        let (blank, mark) = (graph.fluent(FluentId(0)), graph.fluent(FluentId(1)));
        let (here, there) = (graph.action(MoveId(0)), graph.action(MoveId(1)));
        let frame = graph.and([blank, there]);
        let not_here = graph.not(here);
        let stays_blank = graph.and([blank, not_here]);
        let marked = graph.or([here, mark]);
        let evaluation = PartialEvaluation::new(&graph);
        let mut evaluate =
            |root, chosen: MoveId| evaluation.evaluate(&mut graph, root, &[chosen], &mut FxHashMap::default());
        assert_eq!(evaluate(frame, MoveId(1)), blank);
        assert_eq!(evaluate(frame, MoveId(0)), NodeId::FALSE);
        assert_eq!(evaluate(stays_blank, MoveId(1)), blank);
        assert_eq!(evaluate(stays_blank, MoveId(0)), NodeId::FALSE);
        assert_eq!(evaluate(marked, MoveId(0)), NodeId::TRUE);
        assert_eq!(evaluate(marked, MoveId(1)), mark);
        assert_eq!(evaluate(blank, MoveId(1)), blank);
    }
}
