//! Retrograde analysis of one range of ranks of a layer, for one of several processes, by a program for that range and
//! the values of the states of the next layer that the range reaches.
//!
//! The result is a bitvector of the range alone. Programs of different ranges share no configurations, so all ranges
//! together usually have more configurations than the whole layer.

use super::orders::Plan;
use super::parts::Part;
use super::program::Program;
use super::{Layers, Most, Retrograde, Unsolved, program};
use crate::relation::{RelationId, Relations};
use crate::{Bitvector, Context, Diagram, Preferences};
use base::limits::LimitReached;
use std::ops::Range;
use std::time::Instant;

/// Divisor: the search for the states that a range reaches takes pieces of at most this part of the range's states, or
/// of `unit` states if that is more.
const PIECES: u64 = 1 << 12;

pub struct Slices<'a> {
    layers: Layers<'a>,
    terminals: Vec<u32>,
}

pub struct Slice {
    program: Program,
    build: u64,
}

impl Slice {
    pub fn configurations(&self) -> u64 {
        self.program.configurations
    }
}

impl<'a> Slices<'a> {
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

    /// Ranges of ranks of the next layer, for [`Bitvector::sparse`], that contain all states to which moves lead from
    /// `ranks`. They begin and end at multiples of `unit`, or end at the last state.
    pub fn reached(&self, ranks: &Range<u64>, unit: u64) -> Vec<Range<u64>> {
        let most = (ranks.end - ranks.start).div_ceil(PIECES).max(unit);
        self.layers.reached(&self.layers.between(ranks), most, unit)
    }

    pub fn begin(
        &self,
        ranks: Range<u64>,
        most: Most,
        context: &Context,
    ) -> Result<Result<Slice, Unsolved>, LimitReached> {
        let begin = Instant::now();
        let parts: Vec<Part> = self.layers.between(&ranks);
        let built = program::build(&self.layers, &parts, most, context)?;
        Ok(built.map(|mut program| {
            for piece in &mut program.pieces {
                piece.start -= ranks.start;
            }
            Slice { program, build: begin.elapsed().as_nanos() as u64 }
        }))
    }

    /// The possible values, in the first mover's order; `None` if there are none. `next`: the values of the next layer.
    pub fn values(&self, next: &[u32], preferences: &Preferences) -> Option<Vec<u32>> {
        Plan::new(&self.terminals, next, preferences).map(|plan| plan.values)
    }

    /// The values of a range's states. `after` needs values only where the range [reaches](Slices::reached).
    pub fn finish(
        &self,
        slice: Slice,
        after: &Bitvector,
        preferences: &Preferences,
        context: &Context,
    ) -> Result<Retrograde, LimitReached> {
        assert!(self.next_states() == after.states(), "a value for each state of the next layer");
        let Slice { program, build } = slice;
        super::valued(program, &self.terminals, after, build, preferences, context)
    }
}
