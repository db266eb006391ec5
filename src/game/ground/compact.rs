//! Removes constant fluents, moves and conditions, and orders the nodes of the graph.
//!
//! Constant nodes (see [`super::constant`]) are folded; constant fluents, impossible moves and nodes that no condition
//! needs are removed. The remaining nodes are numbered by height and structure, so that equal games get equal graphs
//! whatever the order of their rules.

use super::constant::{CAN_FALSE, CAN_TRUE, Possible, initially};
use crate::propositional::{FluentId, Game, Graph, MoveId, Node, NodeId};
use base::lists::Lists;
use std::ops::Range;

/// Simplifies until nothing changes. `named` nodes get their new numbers, or become false if no condition needs them.
/// `behind`: fluents that only come after the end of play stay.
pub fn simplify(mut game: Game, named: &mut [NodeId], behind: bool) -> Game {
    loop {
        let possible = Possible::new(&game, behind);
        let values = &possible.values;
        let folds = game.graph.nodes().any(|(id, _)| !id.is_constant() && values[id.index()] != CAN_FALSE | CAN_TRUE);
        let constant = |f: FluentId| fluent_values(&game, &possible, f) != CAN_FALSE | CAN_TRUE;
        let impossible = |m: &crate::propositional::Move| values[m.legal.index()] & CAN_TRUE == 0;
        let drops = game.fluent_ids().any(constant) || game.moves.iter().any(impossible);
        if !folds && !drops {
            return canonical(game, named);
        }
        game = fold(game, &possible, named);
    }
}

fn fluent_values(game: &Game, possible: &Possible, fluent: FluentId) -> u8 {
    initially(game.init[fluent.index()]) | possible.next[fluent.index()]
}

/// The copy of a node in another graph; `images` has the copies of its children.
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

fn fold(game: Game, possible: &Possible, named: &mut [NodeId]) -> Game {
    let values = &possible.values;
    let keep: Vec<FluentId> =
        game.fluent_ids().filter(|&fluent| fluent_values(&game, possible, fluent) == CAN_FALSE | CAN_TRUE).collect();
    let mut fluent_image = vec![None; game.fluents.len()];
    keep.iter().enumerate().for_each(|(new, old)| fluent_image[old.index()] = Some(FluentId(new as u32)));
    let possible = |m: MoveId| values[game.moves[m.index()].legal.index()] & CAN_TRUE != 0;
    let keep_moves: Vec<MoveId> = (0..game.moves.len() as u32).map(MoveId).filter(|&m| possible(m)).collect();
    let mut move_image = vec![None; game.moves.len()];
    keep_moves.iter().enumerate().for_each(|(new, old)| move_image[old.index()] = Some(MoveId(new as u32)));

    let needed = game.graph.needed(game.conditions());
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

fn levels(game: &Game) -> (Lists<u32>, u32) {
    let needed = game.graph.needed(game.conditions());
    let mut heights = vec![0u32; game.graph.len()];
    for (id, node) in game.graph.nodes() {
        let above = node.children().iter().map(|child| heights[child.index()] + 1).max();
        heights[id.index()] = above.unwrap_or(0);
    }
    let number = heights.iter().max().map_or(0, |most| most + 1);
    let needed = || (0..game.graph.len() as u32).filter(|&id| needed[id as usize]);
    (Lists::new(number as usize, || needed().map(|id| (heights[id as usize], id))), number)
}

/// A node without a new number: its kind and first child, the range of its children, and its old number.
type Numbered = ((u8, u32), Range<usize>, NodeId);

/// The game with only the needed nodes, numbered by height, kind and children.
fn canonical(mut game: Game, named: &mut [NodeId]) -> Game {
    let (levels, number) = levels(&game);
    let mut graph = Graph::new();
    let mut images = vec![NodeId::FALSE; game.graph.len()];
    images[NodeId::TRUE.index()] = NodeId::TRUE;
    let (mut children, mut order): (Vec<u32>, Vec<Numbered>) = (Vec::new(), Vec::new());
    for height in 0..number {
        children.clear();
        order.clear();
        for id in levels.of(height).iter().copied().map(NodeId) {
            let begin = children.len();
            let kind = match game.graph.node(id) {
                Node::False | Node::True => continue,
                Node::Fluent(fluent) => {
                    children.push(fluent.0);
                    1
                }
                Node::Move(action) => {
                    children.push(action.0);
                    2
                }
                Node::Not(_) => 3,
                Node::And(_) => 4,
                Node::Or(_) => 5,
            };
            children.extend(game.graph.node(id).children().iter().map(|child| images[child.index()].0));
            children[begin..].sort_unstable();
            order.push(((kind, children[begin]), begin..children.len(), id));
        }
        let of = |range: &Range<usize>| &children[range.clone()];
        order.sort_unstable_by(|(one, a, _), (other, b, _)| one.cmp(other).then_with(|| of(a).cmp(of(b))));
        for (_, range, id) in order.drain(..) {
            // Simplified nodes stay simplified under other numbers.
            images[id.index()] = match game.graph.node(id) {
                Node::And(_) => graph.connected(children[range].iter().copied().map(NodeId), false),
                Node::Or(_) => graph.connected(children[range].iter().copied().map(NodeId), true),
                node => translate(&mut graph, node, &images),
            };
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
