//! Random play in 64 states at once.

use crate::interpreter::{Interpreter, Lanes, State};
use base::random::Random;

pub(super) struct Walk<'a> {
    pub interpreter: &'a Interpreter,
    random: Random,
    start: State,
    lanes: Lanes,
}

impl<'a> Walk<'a> {
    pub fn new(interpreter: &'a Interpreter, seed: u64) -> Self {
        let start = interpreter.initial();
        let lanes = interpreter.lanes(&start);
        Walk { interpreter, random: Random::new(seed), start, lanes }
    }

    pub fn restart(&mut self, start: State) {
        self.lanes = self.interpreter.lanes(&start);
        self.start = start;
    }

    pub fn columns(&self) -> &[u64] {
        self.lanes.columns()
    }

    /// Makes one step of play in every lane. If play has ended in a lane (a terminal state, or a role without a legal
    /// move), the lane returns to its start instead.
    pub fn step(&mut self) {
        self.interpreter.play(&mut self.lanes, &self.start, &mut self.random);
    }
}
