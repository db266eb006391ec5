//! Straight-line code for a set of graph nodes, run on 64 cases at once. Every needed node has one word, whose bit `k`
//! is its value in case `k`. A run costs one word operation for each edge of the needed part of the graph.

use crate::propositional::{Graph, Node, NodeId};

pub(super) const LANES: usize = 64;

enum Operation {
    Not(u32),
    /// The conjunction of the slots `arguments[start..end]`.
    And(u32, u32),
    /// The disjunction of these slots.
    Or(u32, u32),
}

/// Computes `roots` from the leaves. Slots 0 and 1 are the constants; then come leaves, then operations in order.
pub(super) struct Code {
    /// The index of each fluent and its slot.
    pub fluents: Vec<(u32, u32)>,
    /// The index of each move and its slot.
    pub moves: Vec<(u32, u32)>,
    /// The slots of the roots, in the order of the request.
    pub roots: Vec<u32>,
    operations: Vec<Operation>,
    arguments: Vec<u32>,
    leaves: usize,
}

impl Code {
    pub fn new(graph: &Graph, roots: &[NodeId]) -> Self {
        let needed = graph.needed(roots.iter().copied());
        let mut slots = vec![0u32; graph.len()];
        slots[NodeId::TRUE.index()] = 1;
        let (mut fluents, mut moves, mut next) = (Vec::new(), Vec::new(), 2);
        for (id, node) in graph.nodes().filter(|(id, _)| needed[id.index()]) {
            match node {
                Node::Fluent(fluent) => fluents.push((fluent.0, next)),
                Node::Move(action) => moves.push((action.0, next)),
                Node::False | Node::True | Node::Not(_) | Node::And(_) | Node::Or(_) => continue,
            }
            slots[id.index()] = next;
            next += 1;
        }
        let leaves = next as usize;

        let (mut operations, mut arguments) = (Vec::new(), Vec::new());
        for (id, node) in graph.nodes().filter(|(id, _)| needed[id.index()]) {
            let start = arguments.len() as u32;
            let operation = match node {
                Node::Not(child) => Operation::Not(slots[child.index()]),
                Node::And(inner) | Node::Or(inner) => {
                    arguments.extend(inner.iter().map(|child| slots[child.index()]));
                    let end = arguments.len() as u32;
                    if matches!(node, Node::And(_)) { Operation::And(start, end) } else { Operation::Or(start, end) }
                }
                Node::False | Node::True | Node::Fluent(_) | Node::Move(_) => continue,
            };
            operations.push(operation);
            slots[id.index()] = next;
            next += 1;
        }
        let roots = roots.iter().map(|root| slots[root.index()]).collect();
        Code { fluents, moves, roots, operations, arguments, leaves }
    }

    pub fn slots(&self) -> usize {
        self.leaves + self.operations.len()
    }

    /// Prepares `values` for a new run: the constants are set, and all leaves are false.
    pub fn clear(&self, values: &mut Vec<u64>) {
        values.clear();
        values.resize(self.leaves, 0);
        values[1] = u64::MAX;
    }

    pub fn run(&self, values: &mut Vec<u64>) {
        for operation in &self.operations {
            let slots = |start: u32, end: u32| self.arguments[start as usize..end as usize].iter();
            let value = match *operation {
                Operation::Not(slot) => !values[slot as usize],
                Operation::And(start, end) => {
                    slots(start, end).fold(u64::MAX, |word, &slot| word & values[slot as usize])
                }
                Operation::Or(start, end) => slots(start, end).fold(0, |word, &slot| word | values[slot as usize]),
            };
            values.push(value);
        }
    }
}
