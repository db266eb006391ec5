//! Which fluents, moves and conditions never change, by ternary simulation.
//!
//! For every node, the values are collected that it may take in some reachable state: a fluent starts with its initial
//! value and gains those of its `next` condition; a move may be chosen as soon as it may be legal. A node gains at most
//! two values, so the cost is linear in the size of the graph. A node that ends with a single value is constant in all
//! reachable states (Seger and Bryant's ternary simulation, run to its fixpoint).

use crate::propositional::{Game, Node, NodeId};
use crate::rules::dependencies;

/// Values that a node may take: bit 0 false, bit 1 true.
pub const CAN_FALSE: u8 = 1;
pub const CAN_TRUE: u8 = 2;

/// By node: the values that it may take in a reachable state.
pub fn possible_values(game: &Game) -> Vec<u8> {
    let graph = &game.graph;
    let (mut fluents, mut moves) = (vec![None; game.fluents.len()], vec![None; game.moves.len()]);
    // Children of an `and` that cannot be true yet, of an `or` that cannot be false yet.
    let mut missing = vec![0u32; graph.len()];
    for (id, node) in graph.nodes() {
        match node {
            Node::False | Node::True | Node::Not(_) => {}
            Node::Fluent(fluent) => fluents[fluent.index()] = Some(id),
            Node::Move(action) => moves[action.index()] = Some(id),
            Node::And(children) | Node::Or(children) => missing[id.index()] = children.len() as u32,
        }
    }
    // From a node to those whose values follow from its own; the vertices after the nodes are the moves.
    let children = graph.nodes().flat_map(|(id, node)| node.children().iter().map(move |child| (child.0, id.0)));
    let nexts = game.next.iter().zip(&fluents).filter_map(|(next, fluent)| Some((next.0, (*fluent)?.0)));
    let legals = game.moves.iter().zip(graph.len() as u32..).map(|(m, vertex)| (m.legal.0, vertex));
    let number = graph.nodes().map(|(_, node)| node.children().len()).sum::<usize>() + fluents.len() + moves.len();
    let edges = children.chain(nexts).chain(legals);
    let followers = dependencies::graph(graph.len() + moves.len(), number, edges);

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
        for follower in followers.neighbors(node.0.into()) {
            let Some(index) = follower.index().checked_sub(graph.len()) else {
                let follower = NodeId(follower.index() as u32);
                match (graph.node(follower), value) {
                    (Node::Not(_), _) => gains.push((follower, value ^ (CAN_FALSE | CAN_TRUE))),
                    (Node::Fluent(_), _) | (Node::And(_), CAN_FALSE) | (Node::Or(_), CAN_TRUE) => {
                        gains.push((follower, value));
                    }
                    _ => {
                        missing[follower.index()] -= 1;
                        if missing[follower.index()] == 0 {
                            gains.push((follower, value));
                        }
                    }
                }
                continue;
            };
            if value == CAN_TRUE {
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
