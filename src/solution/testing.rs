//! Values by brute force, for tests.

use super::{ReadError, Solution, Values, Worth};
use crate::explicit::{self, ExplicitSolution, StateId};
use crate::interpreter::State;
use crate::propositional::Game;
use crate::reward::OpponentModel;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An explicit solution with the states of its layers.
pub(crate) struct BruteForce {
    pub solution: ExplicitSolution,
    pub layers: Vec<BTreeSet<StateId>>,
}

impl BruteForce {
    pub fn new(game: &Game, model: OpponentModel) -> Self {
        let solution = explicit::solve(game, model, 1_000_000).unwrap();
        let mut layers = vec![BTreeSet::from([StateId(0)])];
        while let Some(layer) = layers.last().filter(|layer| !layer.is_empty()) {
            let next = layer.iter().flat_map(|&id| solution.exploration.successors(id)).copied().collect();
            layers.push(next);
        }
        layers.pop();
        BruteForce { solution, layers }
    }

    /// A game with its values.
    pub fn solution(game: Game, model: OpponentModel) -> Solution {
        let values = BruteForce::new(&game, model);
        Solution::new(Arc::new(game), model, Arc::new(values))
    }
}

impl Values for BruteForce {
    fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    fn contains(&self, layer: u32, state: &State) -> Result<bool, ReadError> {
        let id = self.solution.exploration.find(state);
        Ok(id.is_some_and(|id| self.layers.get(layer as usize).is_some_and(|states| states.contains(&id))))
    }

    fn last_layer(&self, value: &[u8]) -> Option<u32> {
        let has = |layer: &BTreeSet<StateId>| layer.iter().any(|&id| self.solution.value(id) == value);
        self.layers.iter().rposition(has).map(|layer| layer as u32)
    }

    fn worth(&self, layer: u32, state: &State) -> Result<Option<Worth<'_>>, ReadError> {
        let found = self.contains(layer, state)?;
        let id = self.solution.exploration.find(state).filter(|_| found);
        Ok(id.map(|id| Worth { value: Some(self.solution.value(id)), round: None }))
    }
}
