//! Values by brute force, for tests.

use crate::explicit::{self, ExplicitSolution, StateId};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::State;
use game::propositional::Game;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solution::{Among, ReadError, Solution, Values, Worth};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An explicit solution with the states of its layers.
pub struct BruteForce {
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

    fn among(&self, layer: u32, among: Among) -> Vec<StateId> {
        let meant = |id: &StateId| match among {
            Among::All => true,
            Among::Value(value) => value == Some(self.solution.value(*id)),
            Among::Plies(..) => unreachable!("distances are not known"),
        };
        self.layers[layer as usize].iter().copied().filter(meant).collect()
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

    fn states_among(&self, layer: u32, among: Among) -> Result<BigUint, ReadError> {
        Ok(self.among(layer, among).len().into())
    }

    fn draw(&self, layer: u32, among: Among, random: &mut Random, _: &Arc<Limits>) -> Result<State, ReadError> {
        let states = self.among(layer, among);
        let drawn = random.choose(&states).ok_or_else(|| ReadError::Damaged("no such state".to_owned()))?;
        Ok(self.solution.exploration.state(*drawn).clone())
    }

    fn each(
        &self,
        layer: u32,
        _: &Arc<Limits>,
        visit: &mut dyn FnMut(State) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        // Whoever breaks off wants no more.
        let states = self.layers[layer as usize].iter().map(|&id| self.solution.exploration.state(id).clone());
        let _broken_off = { states }.try_for_each(visit);
        Ok(())
    }

    fn last_layer(&self, value: &[u8]) -> Option<u32> {
        let has = |layer: &BTreeSet<StateId>| layer.iter().any(|&id| self.solution.value(id) == value);
        self.layers.iter().rposition(has).map(|layer| layer as u32)
    }

    fn worth(&self, layer: u32, state: &State) -> Result<Option<Worth<'_>>, ReadError> {
        let found = self.contains(layer, state)?;
        let id = self.solution.exploration.find(state).filter(|_| found);
        Ok(id.map(|id| Worth { value: Some(self.solution.value(id)), round: None, plies: None }))
    }
}
