//! A hash-consed, acyclic graph of `and`, `or` and `not` over fluents and moves.
//!
//! Children have smaller ids than their parents, so ascending ids are a topological order. Construction folds
//! constants, flattens nested `and`/`or`, sorts and removes duplicate children, cancels complements and absorbs; equal
//! formulas built twice get one node.

use super::table::{Table, mix};
use super::{FluentId, Literal, MoveId, id};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes before each allocation, and those by which allocations grow.
const HEADER: usize = 8;
const STEP: usize = 16;
/// Nested nodes with more children than this stay nested, so that long chains are not copied into each prefix.
const FLATTEN: usize = 64;

id! { NodeId }

impl NodeId {
    pub const FALSE: NodeId = NodeId(0);
    pub const TRUE: NodeId = NodeId(1);

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    False,
    True,
    Fluent(FluentId),
    Move(MoveId),
    Not(NodeId),
    /// At least two children, ascending.
    And(Box<[NodeId]>),
    /// At least two children, ascending.
    Or(Box<[NodeId]>),
}

impl Node {
    pub fn children(&self) -> &[NodeId] {
        match self {
            Node::Not(child) => std::slice::from_ref(child),
            Node::And(inner) | Node::Or(inner) => inner,
            Node::False | Node::True | Node::Fluent(_) | Node::Move(_) => &[],
        }
    }
}

/// Bound on the nesting of conditions that are searched for a literal that they need.
const DEEPEST: usize = 4;

#[derive(Debug, Clone)]
pub struct Graph {
    nodes: Vec<Node>,
    ids: Table,
    /// Bytes of the lists of children, as the system's allocator takes them.
    lists: usize,
    /// Buffer for the children of a node, so that only new nodes take memory.
    flat: Vec<NodeId>,
}

impl Default for Graph {
    fn default() -> Self {
        Graph::new()
    }
}

impl Graph {
    pub fn new() -> Self {
        let mut graph = Graph { nodes: Vec::new(), ids: Table::default(), lists: 0, flat: Vec::new() };
        graph.intern(0, Node::False);
        graph.intern(1, Node::True);
        graph
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 2
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.lists + self.ids.bytes()
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// In topological order: children before parents.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// By node: whether one of `roots` depends on it, or is it.
    pub fn needed(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        roots.into_iter().for_each(|root| needed[root.index()] = true);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if needed[index] {
                node.children().iter().for_each(|child| needed[child.index()] = true);
            }
        }
        needed
    }

    /// The fluent or negated fluent that the node is.
    fn literal(&self, node: NodeId) -> Option<Literal> {
        match self.node(node) {
            Node::Fluent(fluent) => Some((*fluent, true)),
            Node::Not(inner) => match self.node(*inner) {
                Node::Fluent(fluent) => Some((*fluent, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Literals without which the formula can be seen not to hold, and possibly others; from conditions up to `depth`
    /// levels inside. What [`Graph::implies`] confirms is among them. `seen`: nodes that were looked at, with
    /// their depths.
    fn suspects(&self, formula: NodeId, depth: usize, seen: &mut FxHashSet<(NodeId, usize)>, found: &mut Vec<Literal>) {
        if !seen.insert((formula, depth)) {
            return;
        }
        found.extend(self.literal(formula));
        match self.node(formula) {
            Node::And(parts) if depth > 0 => parts.iter().for_each(|&part| self.suspects(part, depth - 1, seen, found)),
            Node::Or(parts) if depth > 0 => self.suspects(parts[0], depth - 1, seen, found),
            _ => {}
        }
    }

    /// Whether the formula can be seen to hold only where the literal does, by conditions up to `depth` levels inside.
    /// `known`: what was found of nodes at their depths.
    fn implies(
        &self,
        formula: NodeId,
        literal: Literal,
        depth: usize,
        known: &mut FxHashMap<(NodeId, usize), bool>,
    ) -> bool {
        let parts = match self.node(formula) {
            Node::And(parts) | Node::Or(parts) if depth > 0 => parts,
            _ => return self.literal(formula) == Some(literal),
        };
        if let Some(&known) = known.get(&(formula, depth)) {
            return known;
        }
        let mut inside = |&part: &NodeId| self.implies(part, literal, depth - 1, known);
        let implied = match self.node(formula) {
            Node::And(_) => parts.iter().any(&mut inside),
            _ => parts.iter().all(&mut inside),
        };
        known.insert((formula, depth), implied);
        implied
    }

    /// The literals without which at most one of the formulas can be seen to hold, ascending; none if there is at most
    /// one formula. No more than `most` literals are tried, each in time linear in the conditions.
    pub fn enabling(&self, formulas: &[NodeId], most: usize) -> Vec<Literal> {
        let mut found = Vec::new();
        if let [first, second, ..] = *formulas {
            for formula in [first, second] {
                self.suspects(formula, DEEPEST, &mut FxHashSet::default(), &mut found);
            }
            found.sort_unstable();
            found.dedup();
            found.truncate(most);
            found.retain(|&literal| {
                let mut known = FxHashMap::default();
                let mut others =
                    formulas.iter().filter(|&&formula| !self.implies(formula, literal, DEEPEST, &mut known));
                others.nth(1).is_none()
            });
        }
        found
    }

    pub fn constant(&self, value: bool) -> NodeId {
        if value { NodeId::TRUE } else { NodeId::FALSE }
    }

    pub fn fluent(&mut self, fluent: FluentId) -> NodeId {
        self.intern(mix(mix(0, 2), fluent.0), Node::Fluent(fluent))
    }

    pub fn action(&mut self, id: MoveId) -> NodeId {
        self.intern(mix(mix(0, 3), id.0), Node::Move(id))
    }

    pub fn not(&mut self, child: NodeId) -> NodeId {
        match self.node(child) {
            Node::False => NodeId::TRUE,
            Node::True => NodeId::FALSE,
            Node::Not(inner) => *inner,
            _ => self.intern(over(NOT, &[child]), Node::Not(child)),
        }
    }

    pub fn and(&mut self, children: impl IntoIterator<Item = NodeId>) -> NodeId {
        self.connect(children, false)
    }

    pub fn or(&mut self, children: impl IntoIterator<Item = NodeId>) -> NodeId {
        self.connect(children, true)
    }

    /// Copies an `and` or `or` from another graph, given its `children` as ascending ids of this graph. Nothing is
    /// simplified, which is right if different nodes of the other graph are different here.
    pub fn connected(&mut self, children: impl IntoIterator<Item = NodeId>, or: bool) -> NodeId {
        let mut flat = std::mem::take(&mut self.flat);
        flat.clear();
        flat.extend(children);
        let node = self.intern_connected(&flat, or);
        self.flat = flat;
        node
    }

    fn connect(&mut self, children: impl IntoIterator<Item = NodeId>, or: bool) -> NodeId {
        let mut flat = std::mem::take(&mut self.flat);
        flat.clear();
        let known = self.simplify(children, or, &mut flat);
        let node = known.unwrap_or_else(|| self.intern_connected(&flat, or));
        self.flat = flat;
        node
    }

    /// Fills `flat` with the children of an `and` or `or` of at least two children, or returns the node that it equals.
    fn simplify(&self, children: impl IntoIterator<Item = NodeId>, or: bool, flat: &mut Vec<NodeId>) -> Option<NodeId> {
        let (neutral, absorbing) = if or { (NodeId::FALSE, NodeId::TRUE) } else { (NodeId::TRUE, NodeId::FALSE) };
        // Whether some child is a negation, or is a node of the other kind (`and` in `or`, `or` in `and`).
        let (mut negations, mut others) = (false, false);
        for child in children {
            if child == absorbing {
                return Some(absorbing);
            }
            match (self.node(child), or) {
                _ if child == neutral => {}
                (Node::Or(inner), true) | (Node::And(inner), false) if inner.len() <= FLATTEN => {
                    (negations, others) = (true, true);
                    flat.extend_from_slice(inner);
                }
                (node, _) => {
                    negations |= matches!(node, Node::Not(_));
                    others |= matches!((node, or), (Node::And(_), true) | (Node::Or(_), false));
                    flat.push(child);
                }
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let complementary = |&child: &NodeId| match self.node(child) {
            Node::Not(inner) => flat.binary_search(inner).is_ok(),
            _ => false,
        };
        if negations && flat.iter().any(complementary) {
            return Some(absorbing);
        }
        // x ∨ (x ∧ y) is x, and x ∧ (x ∨ y) is x.
        let least = flat.first().copied().unwrap_or_default();
        let absorbed = |child: &NodeId| match (self.node(*child), or) {
            (Node::And(inner), true) | (Node::Or(inner), false) => {
                inner.iter().rev().take_while(|&&c| c >= least).any(|c| flat.binary_search(c).is_ok())
            }
            _ => false,
        };
        if others && flat.iter().any(absorbed) {
            let left: Vec<NodeId> = flat.iter().copied().filter(|child| !absorbed(child)).collect();
            *flat = left;
        }
        match flat[..] {
            [] => Some(neutral),
            [only] => Some(only),
            _ => None,
        }
    }

    fn intern_connected(&mut self, children: &[NodeId], or: bool) -> NodeId {
        let hash = over(if or { OR } else { AND }, children);
        let is_it = |node: &Node| match node {
            Node::And(inner) => !or && **inner == *children,
            Node::Or(inner) => or && **inner == *children,
            _ => false,
        };
        if let Some(id) = self.ids.find(hash, |id| is_it(&self.nodes[id as usize])) {
            return NodeId(id);
        }
        self.lists += (size_of_val(children) + HEADER).next_multiple_of(STEP).max(2 * STEP);
        let children = children.into();
        self.add(hash, if or { Node::Or(children) } else { Node::And(children) })
    }

    fn intern(&mut self, hash: u64, node: Node) -> NodeId {
        match self.ids.find(hash, |id| self.nodes[id as usize] == node) {
            Some(id) => NodeId(id),
            None => self.add(hash, node),
        }
    }

    fn add(&mut self, hash: u64, node: Node) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert(hash, id.0);
        id
    }
}

const NOT: u32 = 4;
const AND: u32 = 5;
const OR: u32 = 6;

fn over(kind: u32, children: &[NodeId]) -> u64 {
    children.iter().fold(mix(0, kind), |hash, child| mix(hash, child.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn construction_folds_flattens_and_shares() {
        let mut graph = Graph::new();
        let (a, b) = (graph.fluent(FluentId(0)), graph.fluent(FluentId(1)));
        let ab = graph.and([a, b]);
        assert_eq!(graph.and([b, NodeId::TRUE, a, a]), ab);
        assert_eq!(graph.and([ab, b]), ab);
        assert_eq!(graph.and([a, NodeId::FALSE]), NodeId::FALSE);
        let not_a = graph.not(a);
        assert_eq!(graph.not(not_a), a);
        assert_eq!(graph.or([a, b, not_a]), NodeId::TRUE);
        assert_eq!(graph.and([a, not_a]), NodeId::FALSE);
        assert_eq!(graph.or([ab, a]), a);
        let either = graph.or([a, b]);
        assert_eq!(graph.and([either, b]), b);
        assert_eq!(graph.or([a]), a);
        assert_eq!(graph.or([]), NodeId::FALSE);
        assert_eq!(graph.and([]), NodeId::TRUE);
    }
}
