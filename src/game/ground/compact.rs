//! Removes constant fluents, moves and conditions, and orders the nodes of the graph.
//!
//! Constant nodes (see [`super::constant`]) are folded; constant fluents, impossible moves and nodes that no condition
//! of the game needs are removed. The remaining nodes are numbered by height and structure, so that equal games get
//! equal graphs whatever the order of their rules.

use super::constant::{CAN_FALSE, CAN_TRUE, possible_values};
use crate::propositional::{FluentId, Game, Graph, MoveId, Node, NodeId};

/// Simplifies until nothing changes any more. `named`: further nodes whose new numbers the caller wants.
pub fn simplify(mut game: Game, named: &mut [NodeId]) -> Game {
    loop {
        let values = possible_values(&game);
        let folds = game.graph.nodes().any(|(id, _)| !id.is_constant() && values[id.index()] != CAN_FALSE | CAN_TRUE);
        let constant = |f: FluentId| fluent_values(&game, &values, f) != CAN_FALSE | CAN_TRUE;
        let impossible = |m: &crate::propositional::Move| values[m.legal.index()] & CAN_TRUE == 0;
        let drops = game.fluent_ids().any(constant) || game.moves.iter().any(impossible);
        if !folds && !drops {
            return canonical(game, named);
        }
        game = fold(game, &values, named);
    }
}

fn fluent_values(game: &Game, values: &[u8], fluent: FluentId) -> u8 {
    let init = if game.init[fluent.index()] { CAN_TRUE } else { CAN_FALSE };
    init | values[game.next[fluent.index()].index()]
}

/// The conditions of a game.
fn roots(game: &Game) -> impl Iterator<Item = NodeId> {
    let goals = game.goals.iter().flatten().map(|&(_, node)| node);
    game.moves.iter().map(|m| m.legal).chain(game.next.iter().copied()).chain(goals).chain([game.terminal])
}

/// By node: some condition needs it.
fn needed(game: &Game) -> Vec<bool> {
    let mut needed = vec![false; game.graph.len()];
    for root in roots(game) {
        needed[root.index()] = true;
    }
    let nodes: Vec<(NodeId, &Node)> = game.graph.nodes().collect();
    for (id, node) in nodes.into_iter().rev().filter(|(id, _)| id.index() > 1) {
        if needed[id.index()] {
            match node {
                Node::Not(child) => needed[child.index()] = true,
                Node::And(children) | Node::Or(children) => {
                    children.iter().for_each(|child| needed[child.index()] = true);
                }
                _ => {}
            }
        }
    }
    needed
}

/// The node of a child list in another graph.
fn translate(graph: &mut Graph, node: &Node, images: &[NodeId]) -> NodeId {
    match node {
        Node::False => NodeId::FALSE,
        Node::True => NodeId::TRUE,
        Node::Fluent(fluent) => graph.fluent(*fluent),
        Node::Move(action) => graph.action(*action),
        Node::Not(child) => graph.not(images[child.index()]),
        Node::And(children) => graph.and(children.iter().map(|child| images[child.index()])),
        Node::Or(children) => graph.or(children.iter().map(|child| images[child.index()])),
    }
}

/// Replaces constant nodes by their value and drops constant fluents and impossible moves.
fn fold(game: Game, values: &[u8], named: &mut [NodeId]) -> Game {
    let keep: Vec<FluentId> =
        game.fluent_ids().filter(|&fluent| fluent_values(&game, values, fluent) == CAN_FALSE | CAN_TRUE).collect();
    let mut fluent_image = vec![None; game.fluents.len()];
    keep.iter().enumerate().for_each(|(new, old)| fluent_image[old.index()] = Some(FluentId(new as u32)));
    let possible = |m: MoveId| values[game.moves[m.index()].legal.index()] & CAN_TRUE != 0;
    let keep_moves: Vec<MoveId> = (0..game.moves.len() as u32).map(MoveId).filter(|&m| possible(m)).collect();
    let mut move_image = vec![None; game.moves.len()];
    keep_moves.iter().enumerate().for_each(|(new, old)| move_image[old.index()] = Some(MoveId(new as u32)));

    let needed = needed(&game);
    let mut graph = Graph::new();
    let mut images = vec![NodeId::FALSE; game.graph.len()];
    for (id, node) in game.graph.nodes() {
        images[id.index()] = match (values[id.index()], node) {
            (CAN_TRUE, _) => NodeId::TRUE,
            (CAN_FALSE | 0, _) => NodeId::FALSE,
            _ if !needed[id.index()] => NodeId::FALSE,
            (_, Node::Fluent(fluent)) => fluent_image[fluent.index()].map_or(NodeId::FALSE, |f| graph.fluent(f)),
            (_, Node::Move(action)) => move_image[action.index()].map_or(NodeId::FALSE, |m| graph.action(m)),
            _ => translate(&mut graph, node, &images),
        };
    }
    let image = |node: NodeId| images[node.index()];
    named.iter_mut().for_each(|node| *node = image(*node));
    let goals = game.goals.iter().map(|goals| goals.iter().map(|&(value, node)| (value, image(node))).collect());
    let mut moves = game.moves.clone();
    moves.iter_mut().for_each(|m| m.legal = image(m.legal));
    Game {
        fluents: keep.iter().map(|&f| game.fluents[f.index()].clone()).collect(),
        init: keep.iter().map(|&f| game.init[f.index()]).collect(),
        next: keep.iter().map(|&f| image(game.next[f.index()])).collect(),
        moves: keep_moves.iter().map(|&m| moves[m.index()].clone()).collect(),
        terminal: image(game.terminal),
        goals: goals.collect(),
        name: game.name,
        roles: game.roles,
        has_chance: game.has_chance,
        graph,
        derived: Vec::new(),
    }
}

/// Only the nodes needed, numbered by height, kind and children.
fn canonical(mut game: Game, named: &mut [NodeId]) -> Game {
    let needed = needed(&game);
    let mut heights = vec![0usize; game.graph.len()];
    let mut levels: Vec<Vec<NodeId>> = Vec::new();
    for (id, node) in game.graph.nodes() {
        let over = |children: &[NodeId]| children.iter().map(|child| heights[child.index()]).max().unwrap_or(0) + 1;
        let height = match node {
            Node::False | Node::True | Node::Fluent(_) | Node::Move(_) => 0,
            Node::Not(child) => over(std::slice::from_ref(child)),
            Node::And(children) | Node::Or(children) => over(children),
        };
        heights[id.index()] = height;
        if needed[id.index()] {
            levels.resize(levels.len().max(height + 1), Vec::new());
            levels[height].push(id);
        }
    }
    let mut graph = Graph::new();
    let mut images = vec![NodeId::FALSE; game.graph.len()];
    images[NodeId::TRUE.index()] = NodeId::TRUE;
    for level in levels {
        let key = |id: NodeId| {
            let sorted = |children: &[NodeId]| {
                let mut children: Vec<NodeId> = children.iter().map(|child| images[child.index()]).collect();
                children.sort_unstable();
                children
            };
            match game.graph.node(id) {
                Node::False | Node::True => (0, Vec::new()),
                Node::Fluent(fluent) => (1, vec![NodeId(fluent.0)]),
                Node::Move(action) => (2, vec![NodeId(action.0)]),
                Node::Not(child) => (3, sorted(std::slice::from_ref(child))),
                Node::And(children) => (4, sorted(children)),
                Node::Or(children) => (5, sorted(children)),
            }
        };
        let mut order: Vec<((u8, Vec<NodeId>), NodeId)> = level.into_iter().map(|id| (key(id), id)).collect();
        order.sort_unstable();
        for (_, id) in order {
            images[id.index()] = translate(&mut graph, game.graph.node(id), &images);
        }
    }
    let image = |node: &mut NodeId| *node = images[node.index()];
    named.iter_mut().for_each(image);
    game.next.iter_mut().for_each(image);
    game.moves.iter_mut().for_each(|m| image(&mut m.legal));
    game.goals.iter_mut().flatten().for_each(|(_, node)| image(node));
    image(&mut game.terminal);
    game.goals.iter_mut().for_each(|goals| goals.retain(|&(_, node)| node != NodeId::FALSE));
    game.graph = graph;
    game
}
