//! The rules of a game as circuits: the conditions of a state, and the effects of each joint move.
//!
//! The slots are: false, the bits of packed states, then the gates for the fluents, the terminal condition, the legal
//! moves, the rewards, and whatever effects depend on besides the move. A joint move is specialised when it is first
//! needed: its moves are set to true and all others to false, constants are folded, and what remains are the bits that
//! it can change. All joint moves use the same slots for their own gates.

use super::circuit::{Builder, Circuit, Edge, Known};
use super::layout::{FluentBits, Layout};
use crate::interpreter::JointMove;
use crate::propositional::{FluentId, Game, Graph, Node, NodeId, RoleId};

/// A possible reward of a role with its condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub role: RoleId,
    pub reward: u8,
    pub edge: Edge,
}

/// The circuits of a game that hold for all joint moves.
#[derive(Debug, Clone)]
pub(super) struct Program<'g> {
    graph: &'g Graph,
    /// By fluent.
    fluents: Vec<Edge>,
    pub terminal: Edge,
    /// By move.
    pub legal: Vec<Edge>,
    /// By role, rewards ascending.
    pub goals: Vec<Goal>,
    /// The gates that compute all these, and what effects need.
    pub state: Circuit,
    /// By node: its edge, if it does not depend on moves and is needed.
    edges: Vec<Option<Edge>>,
    /// The nodes that depend on moves and that `next` needs, children first.
    moving: Vec<NodeId>,
    /// By fluent: the node of its value in the successor.
    next: &'g [NodeId],
}

/// What a joint move changes.
#[derive(Debug, Clone)]
pub(super) struct Effects {
    pub circuit: Circuit,
    /// Bits of packed states, ascending, with what they have after the move.
    pub changes: Vec<(u32, Edge)>,
    /// The successor has no packed form.
    pub unfit: Edge,
}

/// Working memory of [`Program::effects`], to be used again.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// By node: the edge of one that depends on moves.
    edges: Vec<Edge>,
    known: Known,
}

impl Scratch {
    /// Approximate number of bytes.
    pub fn bytes(&self) -> usize {
        self.edges.capacity() * size_of::<Edge>() + self.known.capacity() * (size_of::<([Edge; 2], Edge)>() + 1)
    }
}

/// The slot of a bit.
pub(super) fn slot(bit: u32) -> u32 {
    bit + 1
}

impl<'g> Program<'g> {
    pub fn new(game: &'g Game, layout: &Layout) -> Program<'g> {
        let graph = &game.graph;
        let moving = moving(graph, &game.next);
        let mut edges: Vec<Option<Edge>> = vec![None; graph.len()];
        let moves = game.moves.iter().map(|action| action.legal);
        let goals = || game.role_ids().flat_map(|role| game.goals[role.index()].iter().map(move |goal| (role, goal)));
        let is_moving = |id: &NodeId| moving.binary_search(id).is_ok();
        let inputs = moving.iter().flat_map(|&id| graph.node(id).children()).chain(&game.next).copied();
        let roots = std::iter::once(game.terminal).chain(moves.clone()).chain(goals().map(|(_, goal)| goal.1));
        let needed = needed(graph, roots.chain(inputs.filter(|id| !is_moving(id))));
        let mut known = Known::default();
        let mut builder = Builder::new(layout.bits().len() as u32 + 1, &mut known);
        let fluents: Vec<Edge> = layout.fluent_bits().iter().map(|bits| held(&mut builder, bits)).collect();
        for (id, node) in graph.nodes().filter(|(id, _)| needed[id.index()]) {
            let child = |child: &NodeId| edges[child.index()].expect("children come first");
            edges[id.index()] = Some(inner(&mut builder, node, &fluents, child));
        }
        let edge = |id: NodeId| edges[id.index()].expect("roots are needed");
        Program {
            graph,
            fluents,
            terminal: edge(game.terminal),
            legal: moves.map(edge).collect(),
            goals: goals().map(|(role, goal)| Goal { role, reward: goal.0, edge: edge(goal.1) }).collect(),
            state: builder.circuit(),
            moving,
            next: &game.next,
            edges,
        }
    }

    /// The effects of a joint move on packed states.
    pub fn effects(&self, layout: &Layout, joint: &JointMove, scratch: &mut Scratch) -> Effects {
        let Scratch { edges: scratch, known } = scratch;
        scratch.resize(self.graph.len(), Edge::FALSE);
        let mut builder = Builder::new(self.state.end() as u32, known);
        for &id in &self.moving {
            let child = |child: &NodeId| self.edges[child.index()].unwrap_or(scratch[child.index()]);
            let edge = match self.graph.node(id) {
                Node::Move(action) => {
                    if joint.contains(action) {
                        Edge::TRUE
                    } else {
                        Edge::FALSE
                    }
                }
                node => inner(&mut builder, node, &self.fluents, child),
            };
            scratch[id.index()] = edge;
        }
        let after = |fluent: FluentId| {
            let id = self.next[fluent.index()];
            self.edges[id.index()].unwrap_or(scratch[id.index()])
        };
        let changed = |fluent: &FluentId| after(*fluent) != self.fluents[fluent.index()];
        let mut unfit = Edge::FALSE;
        for demand in layout.demands() {
            if !demand.members.iter().chain(&demand.default).any(changed) {
                continue;
            }
            let (mut one, mut two) = (Edge::FALSE, Edge::FALSE);
            for member in demand.members.iter().map(|member| after(*member)) {
                if demand.exclusive {
                    let both = builder.and(one, member);
                    two = builder.or(two, both);
                }
                one = builder.or(one, member);
            }
            unfit = builder.or(unfit, two);
            if let Some(default) = demand.default {
                let clash = builder.same(after(default), one);
                unfit = builder.or(unfit, clash);
            }
        }
        let changing = (0u32..).zip(layout.bits()).filter(|(_, fluents)| fluents.iter().any(changed));
        let changes: Vec<(u32, Edge)> =
            changing.map(|(bit, fluents)| (bit, builder.any(fluents.iter().map(|fluent| after(*fluent))))).collect();
        let mut roots: Vec<Edge> = changes.iter().map(|(_, edge)| *edge).chain([unfit]).collect();
        let circuit = builder.circuit().keep(&mut roots);
        let unfit = roots.pop().expect("it was put there");
        let changes = changes.iter().zip(roots).map(|((bit, _), edge)| (*bit, edge)).collect();
        Effects { circuit, changes, unfit }
    }
}

/// The nodes below the roots that depend on moves, ascending.
fn moving(graph: &Graph, roots: &[NodeId]) -> Vec<NodeId> {
    let mut depends = vec![false; graph.len()];
    for (id, node) in graph.nodes() {
        let moves = matches!(node, Node::Move(_));
        depends[id.index()] = moves || node.children().iter().any(|child| depends[child.index()]);
    }
    let needed = needed(graph, roots.iter().copied());
    (graph.nodes().map(|(id, _)| id)).filter(|id| depends[id.index()] && needed[id.index()]).collect()
}

/// By node: the roots need it.
fn needed(graph: &Graph, roots: impl Iterator<Item = NodeId>) -> Vec<bool> {
    let mut needed = vec![false; graph.len()];
    roots.for_each(|root| needed[root.index()] = true);
    for index in (0..graph.len()).rev() {
        let id = NodeId(index as u32);
        if needed[index] {
            graph.node(id).children().iter().for_each(|child| needed[child.index()] = true);
        }
    }
    needed
}

/// Whether a fluent holds.
fn held(builder: &mut Builder, bits: &FluentBits) -> Edge {
    let ones = bits.ones.iter().map(|&bit| Edge::slot(slot(bit)));
    builder.all(ones.chain(bits.zeros.iter().map(|&bit| Edge::slot(slot(bit)).not())))
}

/// The edge of a node without moves.
fn inner(builder: &mut Builder, node: &Node, fluents: &[Edge], child: impl Fn(&NodeId) -> Edge) -> Edge {
    match node {
        Node::False => Edge::FALSE,
        Node::True => Edge::TRUE,
        Node::Fluent(fluent) => fluents[fluent.index()],
        Node::Move(_) => unreachable!("no condition of a state depends on moves"),
        Node::Not(inner) => child(inner).not(),
        Node::And(inner) => builder.all(inner.iter().map(child)),
        Node::Or(inner) => builder.any(inner.iter().map(child)),
    }
}
