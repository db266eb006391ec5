//! The breadth-first layers of a game whose layers share states, although play ends: from the listed states and the
//! moves between them, so that the rules are evaluated once for a state, not once for each layer that has it.
//!
//! Cost: a bit for each state in a layer, and a few nanoseconds for each move from a state of the layer.

use super::SolveError;
use super::expansion::{Expansion, Form, OneByOne, Step};
use super::forward::Known;
use crate::listing::{Graph, List, Moves};
use crate::store::manifest::MixedRecord;
use base::limits::{LimitReached, Limits, Reserved};
use fixedbitset::FixedBitSet;
use kernel::{Context, Diagram};
use num_bigint::BigUint;
use std::sync::Arc;

/// Bytes of a state: the place of its moves, and a bit in up to six sets.
const STATE_BYTES: u64 = 9;

/// All states of a game in which play ends, and the moves between them.
#[derive(Debug)]
pub struct Whole {
    pub states: List,
    pub graph: Graph,
    /// The rank of the initial state.
    pub initial: usize,
}

/// The states of the breadth-first layers, one layer after the other.
pub struct Unrolled<'w> {
    whole: &'w Whole,
    form: &'w Form,
    moves: Moves<'w>,
    /// The number of the current layer, and its states.
    index: usize,
    layer: FixedBitSet,
    terminal: FixedBitSet,
    /// States with a successor in which the same role has a choice again.
    again: FixedBitSet,
    /// States in which chance has a choice, and those in which several players have one, if there may be such states.
    mixed: Option<[FixedBitSet; 2]>,
    _memory: Reserved<'w>,
}

impl Whole {
    pub fn bytes(&self) -> u64 {
        self.states.bytes() + self.graph.bytes()
    }

    /// Whether all breadth-first layers together have more than `most` states.
    pub fn has_more(&self, most: u64, limits: &Arc<Limits>) -> Result<bool, LimitReached> {
        let _memory = limits.hold(STATE_BYTES * self.states.len() as u64)?;
        let moves = Moves::of(&self.graph);
        let (mut layer, mut states) = (self.first(), 0);
        while !layer.is_clear() {
            limits.check()?;
            states += layer.count_ones(..) as u64;
            if states > most {
                return Ok(true);
            }
            layer = after(&layer, &moves);
        }
        Ok(false)
    }

    /// The states, and the moves of the longest play from each.
    pub fn by_height(self, limits: &Arc<Limits>) -> Result<(List, Vec<u32>), LimitReached> {
        let heights = self.graph.heights(limits)?;
        Ok((self.states, heights.expect("play ends")))
    }

    fn first(&self) -> FixedBitSet {
        let mut first = FixedBitSet::with_capacity(self.states.len());
        first.insert(self.initial);
        first
    }
}

/// The successors of the states of a set.
fn after(states: &FixedBitSet, moves: &Moves) -> FixedBitSet {
    let mut next = FixedBitSet::with_capacity(states.len());
    states.ones().flat_map(|state| moves.after(state)).for_each(|state| next.insert(state));
    next
}

impl<'w> Unrolled<'w> {
    /// `exact`: the states one by one, if several roles may choose at the same time.
    pub fn new(
        whole: &'w Whole,
        form: &'w Form,
        exact: Option<&dyn OneByOne>,
        limits: &'w Limits,
    ) -> Result<Unrolled<'w>, SolveError> {
        let memory = limits.hold(STATE_BYTES * whole.states.len() as u64)?;
        let (graph, moves) = (&whole.graph, Moves::of(&whole.graph));
        let states = || 0..whole.states.len();
        let role = |state: usize| Some(graph.choosers[state]).filter(|&role| role != Graph::NOBODY);
        let chooses_again =
            |state: &usize| role(*state).is_some_and(|_| moves.after(*state).any(|next| role(next) == role(*state)));
        let set = |states: Vec<bool>| FixedBitSet::from_iter((0..states.len()).filter(|&state| states[state]));
        let again = match exact {
            Some(_) => FixedBitSet::new(),
            None => states().filter(chooses_again).collect(),
        };
        let mixed = exact.map(|exact| exact.mixed_among(&whole.states)).transpose()?.map(|sets| sets.map(set));
        let terminal = states().filter(|&state| graph.values[state] != 0).collect();
        let layer = whole.first();
        Ok(Unrolled { whole, form, moves, index: 0, layer, terminal, again, mixed, _memory: memory })
    }

    fn advance(&mut self) {
        self.layer = after(&self.layer, &self.moves);
        self.index += 1;
    }

    fn number(&self, among: &FixedBitSet) -> BigUint {
        self.layer.intersection_count(among).into()
    }
}

impl Known for Unrolled<'_> {
    fn states(&mut self, index: usize, context: &Context) -> Result<Diagram, SolveError> {
        assert!(self.index <= index, "layers are wanted from the first to the last");
        while self.index < index {
            context.limits().check()?;
            self.advance();
        }
        let states = self.layer.ones().map(|state| (state, 1));
        Ok(self.form.set_of(&self.whole.states, states, context.limits())?)
    }

    fn step(
        &mut self,
        index: usize,
        _layer: (&Diagram, &BigUint),
        _alternating: bool,
        _expansion: &dyn Expansion,
        context: &Context,
    ) -> Result<Step, SolveError> {
        let (terminal, alternates) = (self.number(&self.terminal), self.layer.is_disjoint(&self.again));
        Ok(Step { terminal, next: self.states(index + 1, context)?, alternates })
    }

    fn mixed(&self) -> Option<MixedRecord> {
        let [chance, joint] = self.mixed.as_ref()?.each_ref().map(|states| self.number(states));
        Some(MixedRecord { chance, joint })
    }

    fn all(&self) -> Option<(BigUint, BigUint)> {
        Some((self.whole.states.len().into(), self.terminal.count_ones(..).into()))
    }
}
