//! Retrograde analysis of a range of ranks of a layer, for one of several processes. It needs the program of that
//! range, and the values of those states of the next layer that the range reaches.
//!
//! The result is a bitvector of the range alone. Configurations are shared within a range only, so all ranges together
//! have more configurations than the whole layer.

use super::orders::{Plan, Unfinished};
use super::parts::Part;
use super::program::{Built, Program};
use super::{Cost, Layers, Most, Retrograde, program};
use crate::relation::{RelationId, Relations};
use crate::{Bitvector, Context, Diagram, Preferences};
use base::limits::LimitReached;
use std::ops::Range;
use std::time::Instant;

/// Least number of parts in which a range is examined for the states that it reaches, unless they would have fewer
/// states than the unit of ranges of the next layer.
const PIECES: u64 = 1 << 12;

/// A layer, the next one and the relations between them, to be solved by ranges of ranks.
pub struct Slices<'a> {
    layers: Layers<'a>,
    terminals: Vec<u32>,
}

pub struct Slice {
    program: Program,
    ranks: Range<u64>,
    build: u64,
}

impl Slice {
    pub fn configurations(&self) -> u64 {
        self.program.configurations
    }
}

pub enum Begun {
    Ready(Slice),
    DeadEnd,
    /// The program exceeds its bound, or a number in its code.
    TooLarge,
}

impl<'a> Slices<'a> {
    /// The arguments are those of [`prepare`](super::prepare).
    pub fn new(
        labels: &'a Diagram,
        next: &'a Diagram,
        relations: &'a Relations,
        roots: &[RelationId],
        context: &Context,
    ) -> Result<Slices<'a>, LimitReached> {
        let layers = Layers::new(labels, next, relations, roots, context)?;
        Ok(Slices { layers, terminals: labels.terminals() })
    }

    #[cfg(test)]
    pub fn states(&self) -> u64 {
        self.layers.labels.states(self.layers.labels.root())
    }

    pub fn next_states(&self) -> u64 {
        self.layers.next.states(self.layers.next.root())
    }

    /// Ranges of ranks of the next layer that contain all states to which moves lead from a range of ranks, as
    /// [`Bitvector::sparse`] takes them. They begin and end at multiples of `unit` or at the last state.
    pub fn reached(&self, ranks: &Range<u64>, unit: u64) -> Vec<Range<u64>> {
        let most = (ranks.end - ranks.start).div_ceil(PIECES).max(unit);
        self.layers.reached(&self.layers.between(ranks), most, unit)
    }

    pub fn begin(&self, ranks: Range<u64>, most: Most, context: &Context) -> Result<Begun, LimitReached> {
        let begin = Instant::now();
        let parts: Vec<Part> = self.layers.between(&ranks);
        Ok(match program::build(&self.layers, &parts, most, context)? {
            Built::Program(mut program) => {
                for piece in &mut program.pieces {
                    piece.start -= ranks.start;
                }
                Begun::Ready(Slice { program, ranks, build: begin.elapsed().as_nanos() as u64 })
            }
            Built::DeadEnd => Begun::DeadEnd,
            Built::TooLarge => Begun::TooLarge,
        })
    }

    /// The values that states of the layer may have, in the first mover's order, given those of the next layer. `None`
    /// if no state has a value.
    pub fn values(&self, next: &[u32], preferences: &Preferences) -> Option<Vec<u32>> {
        Plan::new(&self.terminals, next, preferences).map(|plan| plan.values)
    }

    /// The values of a range's states. `after` needs the values of the next layer only where the range
    /// [reaches](Slices::reached) it.
    pub fn finish(
        &self,
        slice: Slice,
        after: &Bitvector,
        preferences: &Preferences,
        context: &Context,
    ) -> Result<Retrograde, LimitReached> {
        assert!(self.next_states() == after.states(), "a value for each state of the next layer");
        let begin = Instant::now();
        let Some(plan) = Plan::new(&self.terminals, after.values(), preferences) else {
            return Ok(Retrograde::DeadEnd);
        };
        let Slice { program, ranks, build } = slice;
        let unfinished = Unfinished::new(&plan, after, ranks.end - ranks.start, context.limits())?;
        unfinished.run(&program, context)?;
        let mut cost = Cost { build, ..Cost::default() };
        cost.add(&program);
        drop(program);
        let values = unfinished.finish(context.limits())?;
        cost.run = begin.elapsed().as_nanos() as u64;
        Ok(Retrograde::Values(values, cost))
    }
}
