//! What got its value when: the order in which an algorithm settled the states.

use super::super::SolveError;
use super::super::forward::Pass;
use super::super::progress::{Event, Phase};
use super::super::scratch::{Scratch, Slot};
use crate::kernel::Diagram;
use std::time::Instant;

/// The states by round of settling, in a temporary file where they are wanted afterwards.
pub struct Rounds<'a> {
    pass: &'a Pass<'a>,
    keep: bool,
    kept: Vec<Slot>,
    scratch: Scratch,
    count: u32,
    start: Instant,
}

impl<'a> Rounds<'a> {
    /// `keep`: the states of each round are wanted afterwards.
    pub fn new(pass: &'a Pass<'a>, keep: bool) -> Self {
        Rounds { pass, keep, kept: Vec::new(), scratch: Scratch::default(), count: 0, start: Instant::now() }
    }

    /// Notes the states of the next round.
    pub fn push(&mut self, settled: &Diagram) -> Result<(), SolveError> {
        self.pass.context.limits().check()?;
        self.pass.listener.event(&Event::LayerFinished {
            phase: Phase::Backward,
            layer: self.count,
            total: None,
            states: None,
            nodes: settled.node_count(),
            seconds: self.start.elapsed().as_secs_f64(),
        });
        self.count += 1;
        self.start = Instant::now();
        if self.keep {
            self.kept.push(self.scratch.push(settled, self.pass.context)?);
        }
        Ok(())
    }

    /// Forgets all rounds: the algorithm starts over.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.scratch = Scratch::default();
    }

    /// The states of the last round kept, which is forgotten.
    pub fn pop(&mut self) -> Result<Option<Diagram>, SolveError> {
        let limits = self.pass.context.limits();
        self.kept.pop().map(|slot| self.scratch.read(&slot, limits)).transpose()
    }
}
