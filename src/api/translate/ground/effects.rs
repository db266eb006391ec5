//! Preconditions and effects of an action, from the formulas of the game.

use super::turns::Turns;
use base::limits::LimitReached;
use game::propositional::{FluentId, Game, Graph, MoveId, Node, NodeId, RoleId};

/// Bound on the nodes of the formulas of all actions.
const MOST_NODES: usize = 20_000_000;

#[derive(Debug, Clone)]
pub struct GroundAction {
    pub action: MoveId,
    /// Does not include the condition that the role has control, which the description adds.
    pub precondition: NodeId,
    pub effects: Vec<GroundEffect>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroundEffect {
    pub condition: NodeId,
    pub fluent: FluentId,
    pub value: bool,
}

struct Assignment {
    fluents: Vec<Option<bool>>,
    /// By move: the formula that replaces it.
    moves: Vec<NodeId>,
}

/// Rewrites formulas under an assignment. All actions share its buffers.
pub struct Rewriter<'a> {
    game: &'a Game,
    graph: &'a mut Graph,
    /// The nodes on which the successor formulas and legality depend, ascending.
    cone: Vec<NodeId>,
    image: Vec<NodeId>,
}

impl<'a> Rewriter<'a> {
    /// `graph` must begin with the nodes of the game's own graph.
    pub fn new(game: &'a Game, graph: &'a mut Graph) -> Self {
        let legal = game.moves.iter().map(|action| action.legal);
        let needed = game.graph.needed(game.next.iter().copied().chain(legal));
        let cone = (0..needed.len() as u32).map(NodeId).filter(|node| needed[node.index()]).collect();
        let image = (0..game.graph.len() as u32).map(NodeId).collect();
        Rewriter { game, graph, cone, image }
    }

    /// The action of a move; `None` if the move can never be legal.
    pub fn action(&mut self, id: MoveId, turns: &Turns) -> Result<Option<GroundAction>, LimitReached> {
        let game = self.game;
        let own = game.moves[id.index()].role;
        let mut known = self.in_control(own, turns);
        known.moves[id.index()] = NodeId::TRUE;
        self.rewrite(&known);
        let mut conditions = vec![self.image[game.moves[id.index()].legal.index()]];
        // Every other role has a single legal move, so a condition on its move is a condition on what is legal.
        for role in game.role_ids().filter(|&role| role != own) {
            let possible: Vec<(MoveId, NodeId)> = (game.moves_of(role))
                .map(|other| (other, self.image[game.moves[other.index()].legal.index()]))
                .filter(|(_, legal)| *legal != NodeId::FALSE)
                .collect();
            for (other, legal) in &possible {
                known.moves[other.index()] = if possible.len() == 1 { NodeId::TRUE } else { *legal };
            }
            let some = self.graph.or(possible.iter().map(|(_, legal)| *legal));
            conditions.push(some);
        }
        let precondition = self.graph.and(conditions);
        if precondition == NodeId::FALSE {
            return Ok(None);
        }
        self.assume(precondition, &mut known);
        self.rewrite(&known);
        let next: Vec<NodeId> = game.next.iter().map(|next| self.image[next.index()]).collect();
        let mut effects = Vec::new();
        for (fluent, next) in game.fluent_ids().zip(next) {
            self.effect(fluent, next, known.fluents[fluent.index()], &mut effects);
        }
        if self.graph.len() > MOST_NODES {
            return Err(LimitReached::Size { what: "size of the ground actions".to_owned(), limit: MOST_NODES as u64 });
        }
        Ok(Some(GroundAction { action: id, precondition, effects }))
    }

    /// By move: the condition under which it is legal while `own` has control.
    pub fn legal(&mut self, own: RoleId, turns: &Turns) -> Vec<NodeId> {
        let known = self.in_control(own, turns);
        self.rewrite(&known);
        self.game.moves.iter().map(|action| self.image[action.legal.index()]).collect()
    }

    /// What is known while a role has control, before it chooses a move.
    fn in_control(&self, own: RoleId, turns: &Turns) -> Assignment {
        let mut fluents = vec![None; self.game.fluents.len()];
        if let Turns::Fluents(of_roles) = turns {
            for (role, fluent) in self.game.role_ids().zip(of_roles) {
                fluents[fluent.index()] = Some(role == own);
            }
        }
        Assignment { fluents, moves: vec![NodeId::FALSE; self.game.moves.len()] }
    }

    fn assume(&self, condition: NodeId, known: &mut Assignment) {
        let parts = match self.graph.node(condition) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![condition],
        };
        for part in parts {
            match self.graph.node(part) {
                Node::Fluent(fluent) => known.fluents[fluent.index()] = Some(true),
                Node::Not(inner) => {
                    if let Node::Fluent(fluent) = self.graph.node(*inner) {
                        known.fluents[fluent.index()] = Some(false);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the effects of a move on a fluent. `next`: the formula for whether the fluent holds after the move.
    fn effect(&mut self, fluent: FluentId, next: NodeId, known: Option<bool>, effects: &mut Vec<GroundEffect>) {
        let own = self.graph.fluent(fluent);
        if next == own {
            return;
        }
        let (if_false, if_true) = match known {
            Some(true) => (NodeId::FALSE, next),
            Some(false) => (next, NodeId::TRUE),
            None => (self.cofactor(next, own, false), self.cofactor(next, own, true)),
        };
        let mut push = |condition: NodeId, value: bool| {
            if condition != NodeId::FALSE {
                effects.push(GroundEffect { condition, fluent, value });
            }
        };
        // An effect need not test the fluent: it may assign the value that the fluent already has.
        let add = if if_true == NodeId::TRUE || if_true == if_false || known.is_some() {
            if_false
        } else {
            let not = self.graph.not(own);
            self.graph.and([not, if_false])
        };
        push(add, true);
        let lost = self.graph.not(if_true);
        let delete = if if_false == NodeId::FALSE || if_true == if_false || known.is_some() {
            lost
        } else {
            self.graph.and([own, lost])
        };
        push(delete, false);
    }

    /// The formula with a truth value in place of a leaf. Linear in the size of the formula.
    fn cofactor(&mut self, formula: NodeId, leaf: NodeId, value: bool) -> NodeId {
        let mut images = rustc_hash::FxHashMap::default();
        images.insert(leaf, self.graph.constant(value));
        for node in below(self.graph, formula) {
            if !images.contains_key(&node) {
                let image = |child: &NodeId| images.get(child).copied().unwrap_or(*child);
                let image = match self.graph.node(node).clone() {
                    Node::Not(child) => self.graph.not(image(&child)),
                    Node::And(children) => self.graph.and(children.iter().map(image)),
                    Node::Or(children) => self.graph.or(children.iter().map(image)),
                    _ => node,
                };
                images.insert(node, image);
            }
        }
        images[&formula]
    }

    fn rewrite(&mut self, known: &Assignment) {
        for &node in &self.cone {
            let image = |child: &NodeId| self.image[child.index()];
            self.image[node.index()] = match self.game.graph.node(node) {
                Node::False | Node::True => node,
                Node::Fluent(fluent) => match known.fluents[fluent.index()] {
                    Some(value) => self.graph.constant(value),
                    None => node,
                },
                Node::Move(id) => known.moves[id.index()],
                Node::Not(child) => self.graph.not(image(child)),
                Node::And(children) => self.graph.and(children.iter().map(image)),
                Node::Or(children) => self.graph.or(children.iter().map(image)),
            };
        }
    }
}

pub fn below(graph: &Graph, formula: NodeId) -> Vec<NodeId> {
    let mut found = rustc_hash::FxHashSet::default();
    let mut open = vec![formula];
    while let Some(node) = open.pop() {
        if found.insert(node) {
            open.extend(graph.node(node).children());
        }
    }
    let mut found: Vec<NodeId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
