//! Random play in 64 lanes at once; states are stored by fluent, one bit for each lane.

use crate::interpreter::{Interpreter, JointMove, State};
use crate::propositional::Game;
use base::random::Random;

/// Number of lanes: the bits of a word.
pub(super) const LANES: usize = 64;

/// Plays at random from given states.
pub(super) struct Walk {
    interpreter: Interpreter,
    random: Random,
    /// By lane: the state from which it starts again when play has ended.
    starts: Vec<State>,
    states: Vec<State>,
    fluents: usize,
}

impl Walk {
    /// All lanes start from the initial state.
    pub fn new(game: &Game, seed: u64) -> Self {
        let interpreter = Interpreter::new(game);
        let states = vec![interpreter.initial(); LANES];
        Walk { interpreter, random: Random::new(seed), starts: states.clone(), states, fluents: game.fluents.len() }
    }

    /// Lets the lanes start, in turn, from the given states.
    pub fn restart(&mut self, starts: &[State]) {
        self.starts = starts.iter().cycle().take(LANES).cloned().collect();
        self.states = self.starts.clone();
    }

    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// By fluent: the lanes whose state has it.
    pub fn columns(&self) -> Vec<u64> {
        let mut columns = vec![0; self.fluents];
        for (lane, state) in self.states.iter().enumerate() {
            for fluent in state.fluents() {
                columns[fluent.index()] |= 1 << lane;
            }
        }
        columns
    }

    /// Makes one step of play in every lane. A lane in which play has ended (a terminal state, or a role without a
    /// legal move) goes back to its start instead.
    pub fn step(&mut self) {
        let mut situations = Vec::with_capacity(LANES);
        self.interpreter.situations(&self.states.iter().collect::<Vec<_>>(), &mut situations);
        let moves: Vec<Option<JointMove>> =
            situations.iter().map(|situation| situation.random_joint_move(&mut self.random)).collect();
        let pairs: Vec<_> =
            self.states.iter().zip(&moves).filter_map(|(state, joint)| Some((state, joint.as_deref()?))).collect();
        let mut successors = Vec::with_capacity(LANES);
        self.interpreter.successors(&pairs, &mut successors);
        let mut successors = successors.into_iter();
        for (lane, joint) in moves.iter().enumerate() {
            self.states[lane] = match joint {
                Some(_) => successors.next().expect("each joint move has a successor"),
                None => self.starts[lane].clone(),
            };
        }
    }
}
