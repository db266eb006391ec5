//! The value of every reachable state, backward over the states in topological order.

use super::explore::explore_while;
use super::layers::{count, for_each_layer};
use super::{ExplicitError, Exploration, LayerCount, StateId};
use game::interpreter::Turn;
use game::propositional::Game;
use game::reward::OpponentModel;
use std::collections::BTreeMap;

/// The strong solution of an acyclic, well-formed game.
#[derive(Debug, Clone)]
pub struct ExplicitSolution {
    pub exploration: Exploration,
    /// By layer: its states, and how many of them have which value.
    pub layers: Vec<(LayerCount, BTreeMap<Vec<u8>, u64>)>,
    /// No state is in two layers.
    pub disjoint_layers: bool,
    /// No role has the choice in two consecutive states.
    pub alternating: bool,
    /// By state and role, in one piece.
    values: Vec<u8>,
    roles: usize,
}

/// Solves a game of at most `limit_states` distinct states.
///
/// Refuses, with the first witness in breadth-first order, a game with an ill-formed reachable state, and games in
/// which play can go on for ever.
pub fn solve(game: &Game, model: OpponentModel, limit_states: usize) -> Result<ExplicitSolution, ExplicitError> {
    let exploration = explore_while(game, limit_states, Result::is_ok)?;
    if let Some(witness) = exploration.first_violation(game) {
        return Err(ExplicitError::IllFormed(Box::new(witness)));
    }
    let order = exploration.topological_order().ok_or(ExplicitError::Cyclic)?;

    let roles = game.roles.len();
    let mut values = vec![0; exploration.len() * roles];
    for &id in order.iter().rev() {
        let value = value_of(&exploration, model, &values, id, roles);
        values[id.index() * roles..(id.index() + 1) * roles].copy_from_slice(&value);
    }

    let mut solution = ExplicitSolution {
        layers: Vec::new(),
        disjoint_layers: true,
        alternating: exploration.alternating(game),
        exploration,
        values,
        roles,
    };
    let mut layers = Vec::new();
    for_each_layer(&solution.exploration, |states| {
        let mut histogram = BTreeMap::new();
        for id in states {
            *histogram.entry(solution.value(*id).to_vec()).or_insert(0) += 1;
        }
        layers.push((count(&solution.exploration, states), histogram));
        true
    });
    solution.layers = layers;
    solution.disjoint_layers = solution.layer_states() == solution.exploration.len() as u64;
    Ok(solution)
}

/// The value of a state from those of its successors.
fn value_of(graph: &Exploration, model: OpponentModel, values: &[u8], id: StateId, roles: usize) -> Vec<u8> {
    let value = |next: &StateId| &values[next.index() * roles..(next.index() + 1) * roles];
    let mut successors = graph.successors(id).iter().map(value);
    let best = match graph.turn(id).as_ref().expect("a game with an ill-formed state was refused") {
        Turn::Terminal => graph.rewards(id),
        Turn::Forced => successors.next(),
        Turn::Mover(mover) => successors.max_by(|left, right| model.compare(mover.index(), left, right)),
    };
    best.expect("a terminal state has rewards, and every other one a successor").to_vec()
}

impl ExplicitSolution {
    /// By role: what a state is worth.
    pub fn value(&self, id: StateId) -> &[u8] {
        &self.values[id.index() * self.roles..(id.index() + 1) * self.roles]
    }

    /// By role: what the game is worth.
    pub fn initial_value(&self) -> &[u8] {
        self.value(StateId(0))
    }

    /// Sum of the layers' states.
    pub fn layer_states(&self) -> u64 {
        self.layers.iter().map(|(count, _)| count.states).sum()
    }

    /// How many of the distinct states have which value.
    pub fn histogram(&self) -> BTreeMap<Vec<u8>, u64> {
        let mut histogram = BTreeMap::new();
        for id in self.exploration.ids() {
            *histogram.entry(self.value(id).to_vec()).or_insert(0) += 1;
        }
        histogram
    }
}
