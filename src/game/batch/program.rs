//! The rules of a game as circuits: the conditions of a state, and the effects of each joint move.
//!
//! The slots are: false, the bits of packed states, then the gates for the fluents, the terminal condition, the legal
//! moves, the rewards, and everything on which effects depend. The *idle* edge of a node is its edge if no move is
//! chosen. A joint move is specialised on first use: its moves become true, and the change is followed upwards, through
//! all nodes whose edges differ from their idle edges. The cost thus depends on the nodes that the moves affect, not on
//! the size of the rules. The result is the bits that the joint move can change. All joint moves use the same slots for
//! their own gates.

use super::circuit::{Builder, Circuit, Edge, Known};
use super::due::Due;
use super::layout::{Demand, FluentBits, Layout, mask};
use crate::interpreter::JointMove;
use crate::propositional::{FluentId, Game, Graph, MoveId, Node, NodeId, RoleId};

use base::lists::Lists;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub role: RoleId,
    pub reward: u8,
    pub edge: Edge,
}

/// The circuits of a game that all joint moves share.
#[derive(Debug, Clone)]
pub(super) struct Program<'g> {
    pub game: &'g Game,
    fluents: Vec<Edge>,
    pub terminal: Edge,
    pub legal: Vec<Edge>,
    /// By role, rewards ascending.
    pub goals: Vec<Goal>,
    /// The gates of `fluents`, `terminal`, `legal`, `goals` and the idle edges.
    pub state: Circuit,
    moving: Arc<Moving>,
}

#[derive(Debug)]
struct Moving {
    /// The idle edge of each node; false for a node that nothing needs.
    idle: Vec<Edge>,
    /// The node of each move; `None` if no effect depends on the move.
    moves: Vec<Option<NodeId>>,
    /// For each node that depends on moves and that a successor needs, its parents of the same kind.
    parents: Lists<NodeId>,
    /// For each conjunction or disjunction that depends on moves, the children whose idle edge influences its own.
    open: Lists<NodeId>,
    /// For each node that depends on moves, the fluents whose value in the successor is this node.
    fluents: Lists<FluentId>,
    /// The fluents whose value in the successor differs from their value in the state if no move is chosen.
    restless: Vec<FluentId>,
    /// For each fluent, the demands of the layout that mention it.
    demands: Lists<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct Effects {
    pub circuit: Circuit,
    /// By word of packed states: the bits that have the same value after every such move.
    pub fixed: Vec<Fixed>,
    /// Other bits of packed states, ascending, each with its value after the move.
    pub changes: Vec<(u32, Edge)>,
    /// The gates that only `unfit` needs; they are evaluated after `circuit`.
    pub check: Circuit,
    pub unfit: Edge,
}

/// Bits of a word of a packed state that a move clears or sets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed {
    pub word: u32,
    /// The bits that are neither cleared nor set.
    pub keeps: u64,
    pub sets: u64,
}

/// Working memory of [`Program::effects`]; an instance serves one program only.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// The edge of each node under the current moves; between two calls, the idle edge.
    edges: Vec<Edge>,
    due: Due,
    /// The changed children of the node that is being computed.
    children: Vec<NodeId>,
    known: Known,
}

impl Scratch {
    pub fn bytes(&self) -> usize {
        self.due.bytes()
            + self.edges.capacity() * size_of::<Edge>()
            + self.known.capacity() * (size_of::<([Edge; 2], Edge)>() + 1)
    }
}

pub(super) fn slot(bit: u32) -> u32 {
    bit + 1
}

impl<'g> Program<'g> {
    pub fn new(game: &'g Game, layout: &Layout) -> Program<'g> {
        let graph = &game.graph;
        let moving = moving(graph, &game.next);
        let goals = || game.role_ids().flat_map(|role| game.goals[role.index()].iter().map(move |goal| (role, goal)));
        let needed = graph.needed(game.conditions());
        let mut known = Known::default();
        let mut builder = Builder::new(layout.bits().len() as u32 + 1, &mut known);
        let fluents: Vec<Edge> = layout.fluent_bits().iter().map(|bits| held(&mut builder, bits)).collect();
        let idle = edges(graph, &needed, &mut builder, &fluents, |id, _| {
            assert!(moving.binary_search(&id).is_ok(), "no condition of a state depends on moves");
            Edge::FALSE
        });
        let edge = |id: NodeId| idle[id.index()];
        Program {
            game,
            terminal: edge(game.terminal),
            legal: game.moves.iter().map(|action| edge(action.legal)).collect(),
            goals: goals().map(|(role, goal)| Goal { role, reward: goal.0, edge: edge(goal.1) }).collect(),
            state: builder.circuit(),
            moving: Arc::new(Moving::new(game, layout, &moving, &fluents, idle)),
            fluents,
        }
    }

    pub fn bytes(&self) -> usize {
        let Program { fluents, legal, goals, state, moving, .. } = self;
        (fluents.len() + legal.len()) * size_of::<Edge>()
            + goals.len() * size_of::<Goal>()
            + state.len() * size_of::<[Edge; 2]>()
            + moving.bytes()
    }

    pub fn effects(&self, layout: &Layout, joint: &JointMove, scratch: &mut Scratch) -> Effects {
        let Scratch { edges, due, children, known } = scratch;
        let moving = &*self.moving;
        if edges.is_empty() {
            edges.clone_from(&moving.idle);
            due.for_nodes(edges.len());
        }
        let mut builder = Builder::new(self.state.end() as u32, known);
        let mut changed: Vec<NodeId> = joint.iter().filter_map(|action| moving.moves[action.index()]).collect();
        for &id in &changed {
            edges[id.index()] = Edge::TRUE;
            moving.parents.of(id.0).iter().for_each(|&parent| due.add(parent, id));
        }
        while let Some(id) = due.next(children) {
            // First come the children that have no influence if no move is chosen, then the other children.
            let mut all = |neutral: Edge, joined: fn(&mut Builder, Operands) -> Edge| {
                let fresh = children.iter().filter(|child| moving.idle[child.index()] == neutral);
                let operands = fresh.chain(moving.open.of(id.0)).map(|child| edges[child.index()]);
                joined(&mut builder, operands.collect())
            };
            let edge = match self.game.graph.node(id) {
                Node::Not(inner) => edges[inner.index()].not(),
                Node::And(_) => all(Edge::TRUE, |builder, operands| builder.all(operands)),
                Node::Or(_) => all(Edge::FALSE, |builder, operands| builder.any(operands)),
                Node::False | Node::True | Node::Fluent(_) | Node::Move(_) => unreachable!("a leaf has no children"),
            };
            if edge != moving.idle[id.index()] {
                edges[id.index()] = edge;
                changed.push(id);
                moving.parents.of(id.0).iter().for_each(|&parent| due.add(parent, id));
            }
        }
        let after = |fluent: FluentId| edges[self.game.next[fluent.index()].index()];
        let concerned = changed.iter().flat_map(|id| moving.fluents.of(id.0)).chain(&moving.restless);
        let concerned = concerned.copied().filter(|fluent| after(*fluent) != self.fluents[fluent.index()]);
        let fluents: Vec<FluentId> = sorted(concerned);
        let demands = sorted(fluents.iter().flat_map(|fluent| moving.demands.of(fluent.0).iter().copied()));
        let demands = demands.iter().map(|&demand| &layout.demands()[demand as usize]);
        let unfit = without_form(&mut builder, demands, after);
        let changing =
            sorted(fluents.iter().flat_map(|fluent| layout.fluent_bits()[fluent.index()].ones.iter().copied()));
        let set = |bit: &u32| layout.bits()[*bit as usize].iter().map(|fluent| after(*fluent));
        let mut bits: Vec<Edge> = changing.iter().map(|bit| builder.any(set(bit))).collect();
        let mut unfit = [unfit];
        let [circuit, check] = builder.circuit().keep(&mut bits, &mut unfit);
        changed.iter().for_each(|id| edges[id.index()] = moving.idle[id.index()]);
        let (fixed, changes) = self.fixed(layout, joint, changing.into_iter().zip(bits));
        Effects { circuit, fixed, changes, check, unfit: unfit[0] }
    }

    /// Divides changes of bits, ascending, into those to a constant and others. A bit that must have a value for the
    /// moves to be legal is a constant.
    fn fixed(
        &self,
        layout: &Layout,
        joint: &JointMove,
        bits: impl Iterator<Item = (u32, Edge)>,
    ) -> (Vec<Fixed>, Vec<(u32, Edge)>) {
        let graph = &self.game.graph;
        let mut known = FxHashMap::default();
        let mut open: Vec<NodeId> = joint.iter().map(|action| self.game.moves[action.index()].legal).collect();
        while let Some(id) = open.pop() {
            match graph.node(id) {
                Node::And(children) => open.extend(children.iter().copied()),
                Node::Fluent(fluent) => {
                    let FluentBits { ones, zeros } = &layout.fluent_bits()[fluent.index()];
                    let values =
                        ones.iter().map(|&bit| (bit, Edge::TRUE)).chain(zeros.iter().map(|&bit| (bit, Edge::FALSE)));
                    known.extend(values.map(|(bit, value)| (Edge::slot(slot(bit)), value)));
                }
                _ => (),
            }
        }
        let (mut fixed, mut changes) = (Vec::<Fixed>::new(), Vec::new());
        for (bit, edge) in bits {
            let value = known.get(&edge).copied().or_else(|| known.get(&edge.not()).map(|value| value.not()));
            let value = value.unwrap_or(edge);
            if value != Edge::TRUE && value != Edge::FALSE {
                changes.push((bit, edge));
                continue;
            }
            let word = bit / 64;
            if fixed.last().is_none_or(|last| last.word != word) {
                fixed.push(Fixed { word, keeps: u64::MAX, sets: 0 });
            }
            let last = fixed.last_mut().expect("there is one for this word");
            last.keeps &= !mask(bit);
            last.sets |= if value == Edge::TRUE { mask(bit) } else { 0 };
        }
        (fixed, changes)
    }
}

impl Moving {
    /// `nodes`: ascending nodes that depend on moves and that the successor needs. `fluents`: the edge of each fluent
    /// in the state.
    fn new<'g>(game: &'g Game, layout: &'g Layout, nodes: &[NodeId], fluents: &[Edge], idle: Vec<Edge>) -> Moving {
        let graph = &game.graph;
        let mut map = FixedBitSet::with_capacity(graph.len());
        nodes.iter().for_each(|id| map.insert(id.index()));
        let is_moving = |id: &NodeId| map.contains(id.index());
        let mut moves = vec![None; game.moves.len()];
        for &id in nodes {
            if let Node::Move(action) = graph.node(id) {
                moves[action.index()] = Some(id);
            }
        }
        let made = || nodes.iter().map(|&id| (id, graph.node(id)));
        let parents = |(id, node): (NodeId, &'g Node)| {
            let children = node.children().iter().filter(|child| is_moving(child));
            children.map(move |child| (child.0, id))
        };
        let open = |(id, node): (NodeId, &'g Node)| {
            let neutral = match node {
                Node::And(_) => Some(Edge::TRUE),
                Node::Or(_) => Some(Edge::FALSE),
                Node::Not(_) | Node::Move(_) | Node::False | Node::True | Node::Fluent(_) => None,
            };
            let idle = &idle;
            let children = neutral
                .into_iter()
                .flat_map(move |neutral| node.children().iter().filter(move |child| idle[child.index()] != neutral));
            children.map(move |child| (id.0, *child))
        };
        let next = || game.fluent_ids().zip(&game.next);
        let of_node = || next().filter(|(_, id)| is_moving(id)).map(|(fluent, id)| (id.0, fluent));
        let demands = |(number, demand): (u32, &'g Demand)| {
            demand.members.iter().chain(&demand.default).map(move |fluent| (fluent.0, number))
        };
        Moving {
            moves,
            parents: Lists::new(graph.len(), || made().flat_map(parents)),
            open: Lists::new(graph.len(), || made().flat_map(open)),
            fluents: Lists::new(graph.len(), of_node),
            restless: next()
                .filter(|(fluent, id)| idle[id.index()] != fluents[fluent.index()])
                .map(|next| next.0)
                .collect(),
            demands: Lists::new(game.fluents.len(), || (0..).zip(layout.demands()).flat_map(demands)),
            idle,
        }
    }

    fn bytes(&self) -> usize {
        let Moving { idle, moves, parents, open, fluents, restless, demands } = self;
        idle.len() * size_of::<Edge>()
            + moves.len() * size_of::<Option<NodeId>>()
            + parents.bytes()
            + open.bytes()
            + fluents.bytes()
            + restless.len() * size_of::<FluentId>()
            + demands.bytes()
    }
}

/// Whether a successor has no packed form because it breaks a demand. `after`: the value of a fluent in the successor.
pub(super) fn without_form<'d>(
    builder: &mut Builder,
    demands: impl Iterator<Item = &'d Demand>,
    after: impl Fn(FluentId) -> Edge,
) -> Edge {
    let mut unfit = Edge::FALSE;
    for demand in demands {
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
    unfit
}

type Operands = SmallVec<[Edge; 16]>;

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

fn moving(graph: &Graph, roots: &[NodeId]) -> Vec<NodeId> {
    let mut depends = vec![false; graph.len()];
    for (id, node) in graph.nodes() {
        let moves = matches!(node, Node::Move(_));
        depends[id.index()] = moves || node.children().iter().any(|child| depends[child.index()]);
    }
    let needed = graph.needed(roots.iter().copied());
    (graph.nodes().map(|(id, _)| id)).filter(|id| depends[id.index()] && needed[id.index()]).collect()
}

/// The edges of the needed nodes; false for the others. `action`: the edge of the node of a move.
pub(super) fn edges(
    graph: &Graph,
    needed: &[bool],
    builder: &mut Builder,
    fluents: &[Edge],
    action: impl Fn(NodeId, MoveId) -> Edge,
) -> Vec<Edge> {
    let mut edges = vec![Edge::FALSE; graph.len()];
    for (id, node) in graph.nodes().filter(|(id, _)| needed[id.index()]) {
        edges[id.index()] = match node {
            Node::False => Edge::FALSE,
            Node::True => Edge::TRUE,
            Node::Move(of) => action(id, *of),
            Node::Fluent(fluent) => fluents[fluent.index()],
            Node::Not(inner) => edges[inner.index()].not(),
            Node::And(inner) => builder.all(inner.iter().map(|child| edges[child.index()])),
            Node::Or(inner) => builder.any(inner.iter().map(|child| edges[child.index()])),
        };
    }
    edges
}

pub(super) fn held(builder: &mut Builder, bits: &FluentBits) -> Edge {
    let ones = bits.ones.iter().map(|&bit| Edge::slot(slot(bit)));
    builder.all(ones.chain(bits.zeros.iter().map(|&bit| Edge::slot(slot(bit)).not())))
}
