//! Which fluents, moves and conditions never change, by ternary simulation.
//!
//! For every node, the values are collected that it may take in some reachable state: a fluent starts with its initial
//! value and gains those of its `next` condition; a move may be chosen as soon as it may be legal. A node gains at most
//! two values, so the cost is linear in the size of the graph. A node that ends with a single value is constant in all
//! reachable states (Seger and Bryant's ternary simulation, run to its fixpoint).

use crate::components::Edges;
use crate::propositional::{Game, Node, NodeId};

/// Values that a node may take: bit 0 false, bit 1 true.
pub const CAN_FALSE: u8 = 1;
pub const CAN_TRUE: u8 = 2;

/// By node: the values that it may take in a reachable state.
pub fn possible_values(game: &Game) -> Vec<u8> {
    let graph = &game.graph;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let (mut fluents, mut moves) = (vec![None; game.fluents.len()], vec![None; game.moves.len()]);
    // Children of an `and` that cannot be true yet, of an `or` that cannot be false yet.
    let mut missing = vec![0u32; graph.len()];
    for (id, node) in graph.nodes() {
        match node {
            Node::False | Node::True => {}
            Node::Fluent(fluent) => fluents[fluent.index()] = Some(id),
            Node::Move(action) => moves[action.index()] = Some(id),
            Node::Not(child) => pairs.push((child.0, id.0)),
            Node::And(children) | Node::Or(children) => {
                missing[id.index()] = children.len() as u32;
                pairs.extend(children.iter().map(|child| (child.0, id.0)));
            }
        }
    }
    let parents = Edges::new(graph.len(), &pairs);
    // What a node's gain means outside the graph.
    let nexts: Vec<(u32, u32)> = game.next.iter().enumerate().map(|(fluent, node)| (node.0, fluent as u32)).collect();
    let nexts = Edges::new(graph.len(), &nexts);
    let legals: Vec<(u32, u32)> = game.moves.iter().enumerate().map(|(index, m)| (m.legal.0, index as u32)).collect();
    let legals = Edges::new(graph.len(), &legals);

    let mut values = vec![0u8; graph.len()];
    let mut gains: Vec<(NodeId, u8)> = vec![(NodeId::FALSE, CAN_FALSE), (NodeId::TRUE, CAN_TRUE)];
    for (fluent, &init) in game.init.iter().enumerate() {
        gains.extend(fluents[fluent].map(|node| (node, if init { CAN_TRUE } else { CAN_FALSE })));
    }
    // A role's only possible move is always chosen; once there is another, each may also not be chosen.
    let mut possible: Vec<Vec<usize>> = vec![Vec::new(); game.roles.len()];
    while let Some((node, value)) = gains.pop() {
        if values[node.index()] & value != 0 {
            continue;
        }
        values[node.index()] |= value;
        for &parent in parents.of(node.0) {
            let parent = NodeId(parent);
            match (graph.node(parent), value) {
                (Node::Not(_), _) => gains.push((parent, value ^ (CAN_FALSE | CAN_TRUE))),
                (Node::And(_), CAN_FALSE) | (Node::Or(_), CAN_TRUE) => gains.push((parent, value)),
                _ => {
                    missing[parent.index()] -= 1;
                    if missing[parent.index()] == 0 {
                        gains.push((parent, value));
                    }
                }
            }
        }
        for &fluent in nexts.of(node.0) {
            gains.extend(fluents[fluent as usize].map(|node| (node, value)));
        }
        if value == CAN_TRUE {
            for &index in legals.of(node.0) {
                let index = index as usize;
                let role = game.moves[index].role;
                let possible = &mut possible[role.index()];
                possible.push(index);
                let dispensable: Vec<usize> = match possible[..] {
                    [only] => game.moves_of(role).map(|m| m.index()).filter(|&m| m != only).collect(),
                    [first, _] => vec![first],
                    _ => Vec::new(),
                };
                gains.extend(dispensable.into_iter().filter_map(|m| Some((moves[m]?, CAN_FALSE))));
                gains.extend(moves[index].map(|node| (node, CAN_TRUE)));
            }
        }
    }
    values
}
