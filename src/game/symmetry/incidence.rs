//! The rules of a game as a graph with coloured vertices and labelled edges. Its automorphisms are the symmetries of
//! the rules.
//!
//! Vertices: fluents, moves, roles, then the gates that the rules need. Edges: from a gate to its operands, from a
//! fluent to its next value, from a move to its role and to its legality, from a role to the conditions of its rewards.
//! A gate inside a gate of the same kind is merged into it, and equal gates are one vertex.

use super::{Effort, Kept, Permutation};
use crate::propositional::table::{Table, mix};
use crate::propositional::{FluentId, Game, MoveId, Node, NodeId, RoleId};
use base::coloured::{self, Found, Graph};
use base::limits::{LimitReached, Limits};
use rustc_hash::FxHashMap as HashMap;

/// Labels of edges. A reward has the label [`GOAL`] plus its value.
const CHILD: u32 = 0;
const NEXT: u32 = 1;
const LEGAL: u32 = 2;
const ROLE: u32 = 3;
const GOAL: u32 = 4;

const LAST_KIND: u64 = 7;

/// Bytes for each vertex, to build the graph, and again to search it.
const BY_VERTEX: u64 = 96;
/// Bytes for each edge, to build the graph.
const BY_EDGE: u64 = 48;
/// Bound on the edges that merging nested gates may add, relative to the existing edges.
const MOST_COPIES: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct Incidence {
    fluents: usize,
    moves: usize,
    roles: usize,
    /// For each vertex, twice the number of its kind, plus 1 for the terminal condition.
    kinds: Vec<u64>,
    graph: Graph,
}

impl Incidence {
    /// `children`: number of children of all nodes of the game's graph.
    pub fn new(game: &Game, children: usize, limits: &Limits) -> Result<Incidence, LimitReached> {
        let (fluents, moves, roles) = (game.fluents.len(), game.moves.len(), game.roles.len());
        let held =
            |bytes: u64| limits.hold(bytes).map_err(|limit| limit.during(|| "looking for symmetries".to_owned()));
        let _gates = held(game.graph.len() as u64 * BY_VERTEX + (1 + MOST_COPIES) as u64 * children as u64 * BY_EDGE)?;
        let mut kinds: Vec<u64> = [(fluents, 0), (moves, 1), (roles, 2)]
            .into_iter()
            .flat_map(|(number, kind)| std::iter::repeat_n(2 * kind, number))
            .collect();
        // Moves of different costs are different kinds. Moves of the least cost have the kind of moves without costs.
        let mut costs: Vec<u64> = game.moves.iter().map(|action| action.cost).collect();
        costs.sort_unstable();
        costs.dedup();
        for (kind, action) in kinds[fluents..].iter_mut().zip(&game.moves) {
            let rank = costs.partition_point(|&cost| cost < action.cost) as u64;
            *kind += if rank == 0 { 0 } else { 2 * (LAST_KIND + rank) };
        }
        let Merged { vertices, children, begins } = Merged::new(game, &mut kinds);
        let vertex = |node: NodeId| vertices[node.index()];
        kinds[vertex(game.terminal) as usize] += 1;

        // Edges are listed in ascending order as far as possible, because sorted lists are sorted quickly.
        let edges = || {
            let next = (0..).zip(&game.next).map(|(fluent, &node)| (fluent, NEXT, vertex(node)));
            let of_moves = (fluents as u32..).zip(&game.moves).flat_map(|(action, given)| {
                let role = (fluents + moves) as u32 + given.role.0;
                [(action, LEGAL, vertex(given.legal)), (action, ROLE, role)]
            });
            let goals = ((fluents + moves) as u32..).zip(&game.goals).flat_map(|(role, goals)| {
                goals.iter().map(move |&(reward, node)| (role, GOAL + u32::from(reward), vertex(node)))
            });
            let (children, begins) = (&children, &begins);
            let of_gates = (fluents + moves + roles..begins.len() - 1).flat_map(move |gate| {
                children[begins[gate]..begins[gate + 1]].iter().map(move |&child| (gate as u32, CHILD, child))
            });
            next.chain(of_moves).chain(goals).chain(of_gates)
        };
        let number = (children.len() + fluents + 2 * moves + game.goals.iter().flatten().count()) as u64;
        let _edges = held(kinds.len() as u64 * BY_VERTEX + number * BY_EDGE)?;
        let graph = Graph::new(kinds.len(), edges);
        Ok(Incidence { fluents, moves, roles, kinds, graph })
    }

    /// The symmetries that keep `kept`, as permutations of the vertices.
    pub fn automorphisms(&self, kept: Kept, effort: &Effort, limits: &Limits) -> Result<Found, LimitReached> {
        let (vertices, edges) = (self.graph.vertices() as u64, self.graph.edges() as u64);
        let held = limits.hold(vertices * BY_VERTEX);
        let _held = held.map_err(|limit| limit.during(|| "looking for symmetries".to_owned()))?;
        let most = effort.least.max(effort.passes.saturating_mul(edges + vertices)).min(effort.most);
        coloured::automorphisms(&self.graph, &self.colours(kept), most, limits)
    }

    /// A colour for each vertex, which every symmetry that keeps `kept` preserves.
    fn colours(&self, kept: Kept) -> Vec<u64> {
        let mut colours: Vec<u64> = self.kinds.iter().map(|kind| 2 * kind).collect();
        let first_role = self.fluents + self.moves;
        let most = colours.iter().max().map_or(0, |most| most + 2);
        for fluent in kept.state.iter().flat_map(|state| state.fluents()) {
            colours[fluent.index()] += 1;
        }
        if kept.roles {
            colours[first_role..first_role + self.roles].iter_mut().zip(most..).for_each(|(colour, own)| *colour = own);
        }
        colours
    }

    pub fn permutation(&self, images: Vec<u32>) -> Permutation {
        let part = |first: usize, number: usize| images[first..first + number].iter().map(move |&to| to - first as u32);
        Permutation {
            fluents: part(0, self.fluents).map(FluentId).collect(),
            moves: part(self.fluents, self.moves).map(MoveId).collect(),
            roles: part(self.fluents + self.moves, self.roles).map(RoleId).collect(),
        }
    }
}

/// The gates as vertices. First, a gate inside a gate of the same kind is merged into it, as far as the bound on copies
/// allows. Then all gates of the same kind with the same children share one vertex.
struct Merged {
    vertices: Vec<u32>,
    /// The children of all vertices, one vertex after the other.
    children: Vec<u32>,
    /// For each vertex, the start of its children; then the end of the last children.
    begins: Vec<usize>,
}

impl Merged {
    /// Adds the kinds of gates to the kinds of fluents, moves and roles.
    fn new(game: &Game, kinds: &mut Vec<u64>) -> Merged {
        let gates = Gates::new(game);
        let mut vertices = vec![u32::MAX; game.graph.len()];
        let (mut children, mut begins): (Vec<u32>, Vec<usize>) = (Vec::new(), vec![0; kinds.len() + 1]);
        let (mut known, mut own) = (Table::default(), Vec::new());
        for (id, node) in game.graph.nodes().filter(|(id, _)| gates.needed[id.index()]) {
            let kind = match node {
                Node::Fluent(FluentId(fluent)) => {
                    vertices[id.index()] = *fluent;
                    continue;
                }
                Node::Move(MoveId(action)) => {
                    vertices[id.index()] = game.fluents.len() as u32 + action;
                    continue;
                }
                Node::False => 3,
                Node::True => 4,
                Node::Not(_) => 5,
                Node::And(_) => 6,
                Node::Or(_) => 7,
            };
            own.clear();
            own.extend(gates.of(id).iter().map(|child| vertices[child.index()]));
            own.sort_unstable();
            own.dedup();
            let hash = own.iter().fold(kind, |hash, &child| mix(hash, child));
            let is_it = |vertex: u32| {
                let vertex = vertex as usize;
                kinds[vertex] == 2 * kind && children[begins[vertex]..begins[vertex + 1]] == own
            };
            vertices[id.index()] = match known.find(hash, is_it) {
                Some(vertex) => vertex,
                None => {
                    let vertex = kinds.len() as u32;
                    kinds.push(2 * kind);
                    children.extend_from_slice(&own);
                    begins.push(children.len());
                    known.insert(hash, vertex);
                    vertex
                }
            };
        }
        Merged { vertices, children, begins }
    }
}

/// The gates that the rules need. A gate inside a gate of the same kind is merged into it, as far as that does not
/// multiply the edges, because the nesting depends only on the order of the rules.
struct Gates<'a> {
    game: &'a Game,
    flat: HashMap<NodeId, Vec<NodeId>>,
    needed: Vec<bool>,
}

impl<'a> Gates<'a> {
    fn new(game: &'a Game) -> Gates<'a> {
        let mut needed = vec![false; game.graph.len()];
        game.conditions().for_each(|node| needed[node.index()] = true);
        let edges: usize = game.graph.nodes().map(|(_, node)| node.children().len()).sum();
        let mut gates = Gates { game, flat: HashMap::default(), needed };
        let mut room = MOST_COPIES * edges;
        for (id, node) in game.graph.nodes() {
            let same = |child: &NodeId| match node {
                Node::And(_) => matches!(game.graph.node(*child), Node::And(_)),
                Node::Or(_) => matches!(game.graph.node(*child), Node::Or(_)),
                _ => false,
            };
            let inner: usize =
                node.children().iter().filter(|child| same(child)).map(|&child| gates.of(child).len()).sum();
            if inner == 0 || inner > room {
                continue;
            }
            room -= inner;
            let mut flat = Vec::with_capacity(inner + node.children().len());
            for &child in node.children() {
                if same(&child) { flat.extend_from_slice(gates.of(child)) } else { flat.push(child) }
            }
            gates.flat.insert(id, flat);
        }
        for index in (0..game.graph.len() as u32).rev().map(NodeId) {
            if gates.needed[index.index()] {
                let Gates { flat, needed, .. } = &mut gates;
                let children = flat.get(&index).map_or(game.graph.node(index).children(), Vec::as_slice);
                children.iter().for_each(|child| needed[child.index()] = true);
            }
        }
        gates
    }

    fn of(&self, gate: NodeId) -> &[NodeId] {
        self.flat.get(&gate).map_or(self.game.graph.node(gate).children(), Vec::as_slice)
    }
}
