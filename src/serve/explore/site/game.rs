//! The data of a game for the page: its rules in propositional form, its names, and the boards of its states.

use game::propositional::{Game, Literal, Node, NodeId};
use serde::Serialize;
use serde_json::{Value, json};
use solving::solution::Solution;
use solving::store::Manifest;

/// The kinds of gates, as the page knows them.
const FLUENT: u32 = 0;
const MOVE: u32 = 1;
const NOT: u32 = 2;
const AND: u32 = 3;
const OR: u32 = 4;

/// The gates that compute legal moves, ends of play and the next state. Operands come before the gates that use them.
#[derive(Serialize)]
struct Gates {
    /// For each gate, its kind and the numbers of its operands; for `and` and `or`, their count comes first.
    gates: Vec<u32>,
    terminal: u32,
    /// By move: the gate of its legality.
    legal: Vec<u32>,
    /// By fluent: the gate of its value in the next state.
    next: Vec<u32>,
}

impl Gates {
    fn new(game: &Game) -> Gates {
        let legal = game.moves.iter().map(|action| action.legal);
        let needed = game.graph.needed(game.next.iter().copied().chain(legal).chain([game.terminal]));
        let (mut gates, mut numbers) = (Vec::new(), vec![0, 1]);
        numbers.resize(game.graph.len(), 0);
        let kept = game.graph.nodes().filter(|(id, _)| !id.is_constant() && needed[id.index()]);
        for (number, (id, node)) in (2..).zip(kept) {
            let children = node.children().iter().map(|child| numbers[child.index()]);
            match node {
                Node::False | Node::True => unreachable!("the constants are the first two nodes"),
                Node::Fluent(fluent) => gates.extend([FLUENT, fluent.0]),
                Node::Move(action) => gates.extend([MOVE, action.0]),
                Node::Not(_) => gates.extend([NOT].into_iter().chain(children)),
                Node::And(inner) => gates.extend([AND, inner.len() as u32].into_iter().chain(children)),
                Node::Or(inner) => gates.extend([OR, inner.len() as u32].into_iter().chain(children)),
            }
            numbers[id.index()] = number;
        }
        let number = |node: &NodeId| numbers[node.index()];
        Gates {
            gates,
            terminal: number(&game.terminal),
            legal: game.moves.iter().map(|action| number(&action.legal)).collect(),
            next: game.next.iter().map(number).collect(),
        }
    }
}

pub fn data(solution: &Solution, manifest: &Manifest) -> Value {
    let game = solution.game();
    let mut data = json!(Gates::new(game));
    let place = |name: &String| solution.fluent_names().iter().position(|fluent| fluent == name);
    let defaults: Vec<_> = manifest.defaults.iter().map(|default| (place(&default.fluent), &default.unless)).collect();
    let literal = |&(fluent, value): &Literal| (fluent.0, u8::from(value));
    let turns = solution.turn_literals().iter().map(|literals| literals.iter().map(literal).collect());
    let more = json!({
        "game": game.name,
        "rules_sha256": manifest.rules_sha256,
        "roles": solution.roles(),
        "opponent_model": solution.model(),
        "by_rounds": manifest.is_global(),
        "fluents": solution.fluent_names(),
        "constant": solution.constant(),
        "init": (0..game.init.len()).filter(|&fluent| game.init[fluent]).collect::<Vec<_>>(),
        "moves": game.moves.iter().map(|action| action.term.to_string()).collect::<Vec<_>>(),
        "turns": turns.collect::<Vec<Vec<(u32, u8)>>>(),
        "movers": game.moves.iter().map(|action| action.role.0).collect::<Vec<_>>(),
        "variables": manifest.variables.iter().map(place).collect::<Vec<_>>(),
        "defaults": defaults,
        "board": solution.board(),
        "guarantees": solution.stored_guarantees().map(|(role, _)| solution.role_name(role)).collect::<Vec<_>>(),
    });
    let (Value::Object(data_fields), Value::Object(more)) = (&mut data, more) else { unreachable!("both are objects") };
    data_fields.extend(more);
    data
}
