//! Values by rank. Most of this module is retrograde analysis on bitvectors: of one layer, from the values of the next
//! layer (Edelkamp, Kissmann and Rohte, "Symbolic and Explicit Search Hybrid Through Perfect Hash Functions", ICAPS
//! 2014); or of a set whose states lead to each other (`settle`). Values are also converted from and to diagrams
//! (`convert`), and counted (`tally`).
//!
//! A layer is a multi-terminal set: the terminal of a state is its value, or says which role moves (see
//! [`labels()`]). There are two ways to the same bitvector:
//!
//! - [`Way::Walk`]: a depth-first walk through the layer in the order of ranks. For every move that is still possible,
//!   it carries the node in the next layer and the number of states before it (`walk`).
//! - [`Way::Program`]: the same walk, recorded as a program in which equal parts are shared and blocks of at most 64
//!   states are handled by masks (`program`, `execute`). If one program takes too much memory, several programs follow
//!   each other, each for states of consecutive ranks (`parts`); or several processes make programs for their own
//!   ranges of ranks (`slice`).
//!
//! Relations need not be functions. If the value of a level after a move depends on deeper levels, both values are
//! followed, and pairs that lead nowhere are dropped.

mod bits;
mod blocks;
mod code;
mod convert;
mod descent;
mod execute;
mod labels;
mod orders;
mod output;
mod parts;
mod program;
mod settle;
mod side;
mod slice;
mod state_by_state;
mod tally;
#[cfg(test)]
mod tests;
mod walk;
mod widened;

pub use convert::{UNRANKED_BYTES, ranked, ranked_beside, ranked_codes, ranked_within, unranked, unranked_set};
pub use labels::{MOST_MOVERS, MOVES, labels};

use super::context::Kind;
use super::relation::{NONE, RelationId, RelationNode, Relations};
use super::sweep::Hint;
use super::{Bitvector, Context, Diagram, Preferences};
use base::limits::LimitReached;
use blocks::Links;
use orders::{Plan, Unfinished};
use parts::Rest;
pub use program::Most;
use program::Program;
use serde::{Deserialize, Serialize};
pub use settle::{Settling, Wishes};
use side::Side;
pub use slice::Slices;
use std::time::Instant;
pub use tally::RankedTally;
pub use widened::widened;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Walk,
    Program,
}

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Way::Walk => "walk",
            Way::Program => "program",
        }
    }
}

/// Why a layer has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unsolved {
    /// A state is not terminal and has no successor.
    DeadEnd,
    /// A program is larger than its bound, or a number does not fit its code.
    TooLarge,
}

pub type Retrograde = Result<(Bitvector, Cost), Unsolved>;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Number of configurations of all programs: inner ones and blocks.
    pub configurations: u64,
    pub programs: u64,
    pub code: u64,
    /// Nanoseconds of wall-clock time to build the programs.
    pub build: u64,
    /// Nanoseconds of wall-clock time to execute the programs, or to walk.
    pub run: u64,
}

impl Cost {
    fn add(&mut self, program: &Program) {
        self.configurations += program.configurations;
        self.programs += 1;
        self.code += program.bytes;
    }
}

const HALVINGS: u32 = 3;

struct Layers<'a> {
    labels: Side<'a>,
    next: Side<'a>,
    relations: &'a [RelationNode],
    roots: Vec<RelationId>,
    link_slots: usize,
}

impl<'a> Layers<'a> {
    fn new(
        labels: &'a Diagram,
        next: &'a Diagram,
        relations: &'a Relations,
        roots: &[RelationId],
        context: &Context,
    ) -> Result<Layers<'a>, LimitReached> {
        assert!(labels.levels() == next.levels(), "layers over the same levels");
        let roots = roots.iter().copied().filter(|&root| root != NONE && !next.is_empty()).collect();
        let limits = context.limits();
        let (labels, next) = (Side::new(labels, limits)?, Side::new(next, limits)?);
        let link_slots = Links::slots(labels.nodes(), context);
        Ok(Layers { labels, next, relations: relations.nodes(), roots, link_slots })
    }

    fn assert_values_of_next(&self, values: &Bitvector) {
        assert!(self.next.states(self.next.root()) == values.states(), "a value for each state of the next layer");
    }

    #[inline(always)]
    fn relation(&self, id: RelationId) -> &RelationNode {
        &self.relations[id.index()]
    }
}

/// The program of a layer. It does not depend on later values, so several layers can be prepared at once.
pub struct Prepared {
    built: Result<Program, Unsolved>,
    terminals: Vec<u32>,
    next: u64,
    bytes: u64,
    build: u64,
}

impl Prepared {
    /// Bytes of the records of both layers, plus twice the bytes of the code (a bound while the program is built).
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn program(&self) -> Option<(u64, u64)> {
        self.built.as_ref().ok().map(|program| (program.configurations, program.bytes))
    }

    /// Whether the program was given up, so that [`execute()`] returns [`Unsolved::TooLarge`].
    pub fn is_too_large(&self) -> bool {
        matches!(self.built, Err(Unsolved::TooLarge))
    }
}

/// Builds the program of a layer for [`execute()`].
///
/// `labels`: the layer as made by [`labels()`](labels()). `next`: a set that contains all states to which the relations
/// `roots` lead from the layer. `most`: the size beyond which the program is given up.
pub fn prepare(
    labels: &Diagram,
    next: &Diagram,
    relations: &Relations,
    roots: &[RelationId],
    most: Most,
    context: &Context,
) -> Result<Prepared, LimitReached> {
    let begin = Instant::now();
    let layers = Layers::new(labels, next, relations, roots, context)?;
    let terminals = labels.terminals();
    let states = layers.next.states(layers.next.root());
    let built = program::build(&layers, &[layers.whole()], most, context)?;
    // While the code is put together, some of it exists twice.
    let program = built.as_ref().map_or(0, |program| 2 * program.bytes);
    let bytes = program + layers.labels.bytes() + layers.next.bytes();
    Ok(Prepared { built, terminals, next: states, bytes, build: begin.elapsed().as_nanos() as u64 })
}

pub fn execute(
    prepared: Prepared,
    values: &Bitvector,
    preferences: &Preferences,
    context: &Context,
) -> Result<Retrograde, LimitReached> {
    let Prepared { built, terminals, next, build, .. } = prepared;
    assert!(next == values.states(), "a value for each state of the next layer");
    let program = match built {
        Ok(program) => program,
        Err(unsolved) => return Ok(Err(unsolved)),
    };
    valued(program, &terminals, values, build, preferences, context)
}

/// The values of a program's states. `next`: the values of the states of the next layer that it reads.
fn valued(
    program: Program,
    terminals: &[u32],
    next: &Bitvector,
    build: u64,
    preferences: &Preferences,
    context: &Context,
) -> Result<Retrograde, LimitReached> {
    let begin = Instant::now();
    let Some(plan) = Plan::new(terminals, next.values(), preferences) else { return Ok(Err(Unsolved::DeadEnd)) };
    let unfinished = Unfinished::new(&plan, next, program.states(), context.limits())?;
    unfinished.run(&program, context)?;
    let mut cost = Cost { build, ..Cost::default() };
    cost.add(&program);
    drop(program);
    let values = unfinished.finish(context.limits())?;
    cost.run = begin.elapsed().as_nanos() as u64;
    Ok(Ok((values, cost)))
}

/// As [`prepare`] and [`execute()`], with successive programs for parts of the layer. The first has about one
/// `parts`-th of the states; each later one has up to twice as many as the one before, by the size of its program.
/// Parts are halved if a program exceeds `most` or memory, as long as they keep more than an eighth of the first size.
#[allow(clippy::too_many_arguments)]
pub fn in_parts(
    labels: &Diagram,
    next: &Diagram,
    values: &Bitvector,
    relations: &Relations,
    roots: &[RelationId],
    preferences: &Preferences,
    most: Most,
    parts: u64,
    context: &Context,
) -> Result<Retrograde, LimitReached> {
    let begin = Instant::now();
    let layers = Layers::new(labels, next, relations, roots, context)?;
    layers.assert_values_of_next(values);
    let Some(plan) = Plan::new(&labels.terminals(), values.values(), preferences) else {
        return Ok(Err(Unsolved::DeadEnd));
    };
    let states = layers.labels.states(layers.labels.root());
    let unfinished = Unfinished::new(&plan, values, states, context.limits())?;
    let mut cost = Cost::default();
    let mut rest = Rest::new(&layers);
    let mut wanted = states.div_ceil(parts).max(1);
    let least = wanted >> HALVINGS;
    // Parts have their configurations at different levels. So the next part is expected to have, at each level, the
    // most that an earlier part or the layer before had.
    let (before, mut hints) = (context.hints(Kind::Gather), Vec::new());
    loop {
        let taken = rest.take_several(&layers, wanted);
        if taken.is_empty() {
            break;
        }
        let some = taken.iter().map(|part| part.states).sum();
        let program = match program::build(&layers, &taken, most.of(some, states), context) {
            Ok(Ok(program)) => program,
            Ok(Err(Unsolved::TooLarge)) | Err(LimitReached::Memory { .. }) if wanted / 2 > least => {
                wanted /= 2;
                rest.put_back(taken);
                continue;
            }
            Ok(Err(unsolved)) => return Ok(Err(unsolved)),
            Err(limit) => return Err(limit),
        };
        hints = Hint::joined(hints, &context.hints(Kind::Gather));
        context.set_hints(Kind::Gather, Hint::joined(before.clone(), &hints));
        let built = Instant::now();
        unfinished.run(&program, context)?;
        cost.run += built.elapsed().as_nanos() as u64;
        cost.add(&program);
        // The number of states whose program should take three quarters of the bound.
        let fitting = u128::from(wanted) * u128::from(most.bytes / 4 * 3) / u128::from(program.bytes.max(1));
        wanted = fitting.clamp(u128::from(wanted).div_ceil(2), u128::from(wanted) * 2) as u64;
    }
    context.set_hints(Kind::Gather, hints);
    let values = unfinished.finish(context.limits())?;
    cost.build = (begin.elapsed().as_nanos() as u64).saturating_sub(cost.run);
    Ok(Ok((values, cost)))
}

#[allow(clippy::too_many_arguments)]
pub fn state_by_state(
    labels: &Diagram,
    next: &Diagram,
    values: &Bitvector,
    relations: &Relations,
    roots: &[RelationId],
    preferences: &Preferences,
    context: &Context,
) -> Result<Retrograde, LimitReached> {
    let layers = Layers::new(labels, next, relations, roots, context)?;
    layers.assert_values_of_next(values);
    let Some(plan) = Plan::new(&labels.terminals(), values.values(), preferences) else {
        return Ok(Err(Unsolved::DeadEnd));
    };
    state_by_state::run(&layers, values, &plan, context)
}
