//! Chooses how a layer is solved: by one sweep on diagrams, or by retrograde analysis on bitvectors (by one program, by
//! programs of parts, or state by state).
//!
//! The choice between diagrams and bitvectors depends on the nodes of the layer, and on the number of states and the
//! value nodes of the layer solved last. A stored solution has these figures as well, so an interrupted run makes the
//! same choices. A sweep takes about four requests of 100 to 150 ns per node; a bitvector takes 5 to 20 ns per state with
//! a program, and 200 to 600 ns without one. The choice among the ways on bitvectors depends on the number of
//! configurations and does not change the values. Time is never measured, so that runs are repeatable.
//!
//! Under a memory bound, bitvectors replace a sweep if its input, or the diagram that it would make of values by rank,
//! does not fit. Another way replaces a program that does not fit even in parts. Both decisions depend on counts, not
//! on threads. A refused allocation may lead to more parts but never to another way; otherwise it ends the run with the
//! limit.

use super::super::SolveError;
use super::super::expansion::by_rank::{Ahead, prepare_all};
use super::super::options::{EngineChoice, SolveOptions};
use super::super::pass::Pass;
use super::super::spool::Spool;
use super::super::team::Leader;
use super::super::values::LayerValues;
use super::choice::{Choice, DENSE, FEW, Sizes, by_density, density};
use super::doing::{ByDoing, Solved};
use crate::store::LayerFigures;
use game::ending::Endings;
use kernel::{self, Bitvector, Diagram, Preferences, Prepared, Way};
use num_bigint::BigUint;

/// Largest number of layers prepared at once per thread.
const AHEAD: usize = 2;

pub fn ranked_states(states: &BigUint) -> Option<u64> {
    u64::try_from(states).ok().filter(|&states| states < kernel::MOST_RANKED)
}

pub struct Engine<'a> {
    pass: &'a Pass<'a>,
    /// The preferences, with the terminal values of the layer that was solved last.
    preferences: Preferences,
    endings: &'a Endings,
    choice: Choice,
    /// Bytes that the last large preparation took per node of its layer and the next one.
    node_bytes: Option<u64>,
    leader: Option<Leader>,
}

impl<'a> Engine<'a> {
    /// `figures`: states and nodes of all layers.
    pub fn new(
        pass: &'a Pass<'a>,
        preferences: Preferences,
        endings: &'a Endings,
        options: &SolveOptions,
        figures: &[LayerFigures],
    ) -> Self {
        let limits = pass.context.limits();
        let nodes = figures.iter().map(|layer| layer.nodes).sum();
        let retrograde = pass.expansion.by_rank().is_some();
        let choice =
            Choice::new(options.engine, options.way, retrograde, limits.memory(), (Spool::share(limits), nodes));
        Engine { pass, preferences, endings, choice, node_bytes: None, leader: Leader::of(&options.team) }
    }

    fn possible(&self, layer: usize) -> usize {
        self.endings.possible(layer as u32)
    }

    /// Continues after a layer that an earlier run solved. `values`: `None` if only the store has them, by rank.
    pub fn go_on(&mut self, values: Option<&LayerValues>, states: &BigUint) {
        self.choice.after = match values {
            Some(LayerValues::Diagram(values)) => Some(values.node_count()),
            _ => None,
        };
        self.choice.hybrid = match (values, u64::try_from(states)) {
            (None | Some(LayerValues::Ranked(_)), _) => Ok(()),
            (Some(LayerValues::Diagram(values)), Ok(states)) => {
                by_density(values.node_count(), LayerValues::occurring(values, &self.preferences).len(), states)
            }
            _ => Err(DENSE),
        };
    }

    /// Whether a layer may be solved by rank, which needs the states of the next layer.
    pub fn needs_next(&self) -> bool {
        self.choice.engine != EngineChoice::Symbolic && self.pass.expansion.by_rank().is_some()
    }

    /// Whether the states of a solved layer are kept for the layer before it.
    pub fn keeps_next(&self) -> bool {
        self.needs_next() || self.pass.expansion.needs_next()
    }

    /// Number of layers to prepare at once, from the last of `figures` on, each by one thread: layers that will be
    /// tried by program and are expected to fit into memory, at most [`AHEAD`] per thread; 0 if there is only one such
    /// layer.
    pub fn ahead(&self, figures: &[LayerFigures]) -> usize {
        let context = self.pass.context;
        let by_rank = figures.last().is_some_and(|layer| self.choice.is_by_rank(layer.nodes));
        let (Some(node_bytes), true, true) = (self.node_bytes, by_rank, self.needs_next()) else {
            return 0;
        };
        if self.leader.is_some() || self.choice.way.is_some_and(|way| way != Way::Program) {
            return 0;
        }
        let free = context.limits().memory().saturating_sub(context.limits().used());
        let (mut count, mut bytes, mut after) = (0, 0, 0);
        for (index, layer) in
            figures.iter().enumerate().rev().take(if context.threads() > 1 { AHEAD * context.threads() } else { 1 })
        {
            let states = ranked_states(&layer.states);
            let states = states.filter(|&states| !self.choice.is_hopeless(density(layer.nodes, states)));
            let Some(states) = states.filter(|&states| self.choice.engine == EngineChoice::Hybrid || states >= FEW)
            else {
                break;
            };
            // A margin of a quarter.
            bytes += (layer.nodes + after) * node_bytes / 4 * 5;
            after = layer.nodes;
            if bytes + 2 * Bitvector::bytes(states, self.possible(index) + 1) > free {
                break;
            }
            count += 1;
        }
        if count > 1 { count } else { 0 }
    }

    /// Prepares layers, the last one first. `next`: the layer after the first of `layers`. `None`: the layer must wait.
    pub fn prepare(
        &self,
        layers: &[Diagram],
        figures: &[LayerFigures],
        next: &Diagram,
    ) -> Result<Vec<Option<Prepared>>, SolveError> {
        let nexts = std::iter::once(next).chain(layers);
        let indices = (0..figures.len()).rev();
        let terminals: Vec<Vec<u32>> =
            indices.clone().take(layers.len()).map(|index| self.endings.of_terminals(index as u32)).collect();
        let ahead: Vec<Ahead> = (layers.iter().zip(nexts).zip(indices.zip(&terminals)))
            .map(|((layer, next), (index, terminals))| {
                let states = ranked_states(&figures[index].states);
                let states = states.expect("only layers that can be ranked are prepared");
                Ahead { layer, next, terminals, most: self.choice.most(&self.sizes(index, states, layer, next)) }
            })
            .collect();
        let prepared = prepare_all(self.pass.ranked_game(), &ahead, self.pass.context).into_iter();
        let mut prepared = prepared
            .map(|prepared| match prepared {
                // These layers are prepared one by one later, when the others no longer take memory.
                Err(limit) if limit.is_want_of_room() => Ok(None),
                other => other.map(Some),
            })
            .collect::<Result<Vec<_>, _>>()?;
        if prepared.first().is_some_and(Option::is_none) {
            // This layer is solved first, and may need the memory of the others.
            prepared.fill_with(|| None);
        }
        Ok(prepared)
    }

    fn sizes(&self, index: usize, states: u64, layer: &Diagram, next: &Diagram) -> Sizes {
        Sizes { states, nodes: layer.node_count(), next: next.node_count(), possible: self.possible(index) }
    }

    /// Solves the layer `index`. `states`: their number, if it is small enough for ranks; `after`: values of the layer
    /// `next`, `None` if only the store has them. If a state has no move, the sweep solves the layer, because dead ends
    /// have a value ([`DEAD_END`](kernel::DEAD_END)) in diagrams only.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        index: usize,
        layer: &Diagram,
        states: Option<u64>,
        next: &Diagram,
        after: Option<LayerValues>,
        stored: &Spool,
        prepared: Option<Prepared>,
    ) -> Result<Solved, SolveError> {
        self.preferences.terminals = self.endings.of_terminals(index as u32);
        let sizes = states.map(|states| self.sizes(index, states, layer, next));
        let processes = self.leader.as_ref().map_or(1, Leader::processes);
        let mut attempts = ByDoing {
            pass: self.pass,
            preferences: &self.preferences,
            index,
            layer,
            states: states.unwrap_or(0),
            next,
            after,
            stored,
            prepared,
            leader: self.leader.as_mut(),
            node_bytes: &mut self.node_bytes,
        };
        self.choice.solve(sizes.as_ref(), processes, &mut attempts)
    }
}
