//! Finds the fluents, moves and conditions that never change, by ternary simulation.
//!
//! For every node, the values that it may take in some reachable state are collected: a fluent starts with its initial
//! value and gains the values of its `next` condition; a move may be chosen as soon as it may be legal. A node gains at
//! most two values, so the cost is linear in the size of the graph. A node that ends with a single value is constant in
//! all reachable states (Seger and Bryant's ternary simulation, run to its fixpoint).
//!
//! Only states that are not terminal have successors, so that in a first simulation the parts of the end of play that
//! end it by themselves never hold, such as the last number of a counter: no number after it is reached. If that makes a
//! difference, a second simulation adds the terminal states.

use crate::propositional::{Game, Node, NodeId};
use base::lists::Lists;

/// Values that a node may take, as a bit set.
pub const CAN_FALSE: u8 = 1;
pub const CAN_TRUE: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A fluent, a move or a constant; its values do not follow from children.
    Given,
    Not,
    And,
    Or,
}

/// What nodes and fluents may be in reachable states.
pub struct Possible {
    /// By node.
    pub values: Vec<u8>,
    /// By fluent, after a move.
    pub next: Vec<u8>,
}

impl Possible {
    /// `behind`: as if terminal states had successors.
    pub fn new(game: &Game, behind: bool) -> Possible {
        let simulation = Simulation::new(game);
        let both = vec![CAN_FALSE | CAN_TRUE; game.graph.len()];
        let mut allowed = both.clone();
        if !behind {
            while_played(game, &mut allowed);
        }
        let (values, blocked) = simulation.run(&allowed);
        let next: Vec<u8> = game.next.iter().map(|next| values[next.index()]).collect();
        if !blocked {
            return Possible { values, next };
        }
        let mut allowed = both;
        for (fluent, &node) in simulation.fluents.iter().enumerate() {
            if let Some(node) = node {
                allowed[node.index()] = initially(game.init[fluent]) | next[fluent];
            }
        }
        Possible { values: simulation.run(&allowed).0, next }
    }
}

pub fn initially(init: bool) -> u8 {
    if init { CAN_TRUE } else { CAN_FALSE }
}

/// Leaves to the parts of the end of play only the value that they have in states that are not terminal.
fn while_played(game: &Game, allowed: &mut [u8]) {
    let mut open = vec![(game.terminal, CAN_FALSE)];
    while let Some((node, value)) = open.pop() {
        if allowed[node.index()] & !value == 0 {
            continue;
        }
        allowed[node.index()] &= value;
        match (game.graph.node(node), value) {
            (Node::Not(child), _) => open.push((*child, value ^ (CAN_FALSE | CAN_TRUE))),
            (Node::Or(children), CAN_FALSE) | (Node::And(children), CAN_TRUE) => {
                open.extend(children.iter().map(|&child| (child, value)));
            }
            _ => {}
        }
    }
}

struct Simulation<'a> {
    game: &'a Game,
    fluents: Vec<Option<NodeId>>,
    moves: Vec<Option<NodeId>>,
    kinds: Vec<Kind>,
    /// Arcs from a node to the nodes whose values follow from it; the vertices after the nodes are the moves.
    followers: Lists<u32>,
}

impl<'a> Simulation<'a> {
    fn new(game: &'a Game) -> Simulation<'a> {
        let graph = &game.graph;
        let (mut fluents, mut moves) = (vec![None; game.fluents.len()], vec![None; game.moves.len()]);
        for (id, node) in graph.nodes() {
            match node {
                Node::Fluent(fluent) => fluents[fluent.index()] = Some(id),
                Node::Move(action) => moves[action.index()] = Some(id),
                _ => {}
            }
        }
        // Kinds are stored apart from the nodes, which do not fit into caches.
        let kind = |(_, node): (NodeId, &Node)| match node {
            Node::False | Node::True | Node::Fluent(_) | Node::Move(_) => Kind::Given,
            Node::Not(_) => Kind::Not,
            Node::And(_) => Kind::And,
            Node::Or(_) => Kind::Or,
        };
        let kinds: Vec<Kind> = graph.nodes().map(kind).collect();
        let followers = Lists::new(graph.len() + moves.len(), || {
            let children =
                graph.nodes().flat_map(|(id, node)| node.children().iter().map(move |child| (child.0, id.0)));
            let nexts = game.next.iter().zip(&fluents).filter_map(|(next, fluent)| Some((next.0, (*fluent)?.0)));
            let legals = game.moves.iter().zip(graph.len() as u32..).map(|(m, vertex)| (m.legal.0, vertex));
            children.chain(nexts).chain(legals)
        });
        Simulation { game, fluents, moves, kinds, followers }
    }

    /// The values of nodes, of those that are allowed, and whether one was not.
    fn run(&self, allowed: &[u8]) -> (Vec<u8>, bool) {
        let Simulation { game, fluents, moves, kinds, followers } = self;
        let graph = &game.graph;
        // Number of children of an `and` that cannot yet be true, or of an `or` that cannot yet be false.
        let mut missing: Vec<u32> = graph.nodes().map(|(_, node)| node.children().len() as u32).collect();
        let mut blocked = false;
        let mut values = vec![0u8; graph.len()];
        let mut gains: Vec<(NodeId, u8)> = vec![(NodeId::FALSE, CAN_FALSE), (NodeId::TRUE, CAN_TRUE)];
        for (fluent, &init) in game.init.iter().enumerate() {
            gains.extend(fluents[fluent].map(|node| (node, initially(init))));
        }
        // A role with one possible move always makes it; with several possible moves, each of them may also not be chosen.
        let mut possible: Vec<Vec<usize>> = vec![Vec::new(); game.roles.len()];
        while let Some((node, value)) = gains.pop() {
            if values[node.index()] & value != 0 {
                continue;
            }
            if allowed[node.index()] & value == 0 {
                blocked = true;
                continue;
            }
            values[node.index()] |= value;
            for &follower in followers.of(node.0) {
                let Some(index) = (follower as usize).checked_sub(graph.len()) else {
                    let (follower, at) = (NodeId(follower), follower as usize);
                    match (kinds[at], value) {
                        (Kind::Not, _) => gains.push((follower, value ^ (CAN_FALSE | CAN_TRUE))),
                        (Kind::Given, _) | (Kind::And, CAN_FALSE) | (Kind::Or, CAN_TRUE) => {
                            // Without this test, most entries of the list would be values that the node already has.
                            if values[at] & value == 0 {
                                gains.push((follower, value));
                            }
                        }
                        _ => {
                            missing[at] -= 1;
                            if missing[at] == 0 {
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
        (values, blocked)
    }
}
