//! Chooses how a layer is solved: by one sweep on diagrams, or by retrograde analysis on bitvectors in one of three
//! ways.
//!
//! The choice between diagram and bitvector depends on the number of states of the layer just solved and the nodes of
//! its values. A stored solution has these figures as well, so an interrupted run goes on with the same choices. A
//! sweep takes about four requests of 100 to 150 ns for each node; a bitvector takes 5 to 20 ns for each state with a
//! program, and 200 to 600 ns without one. The choice among the ways on bitvectors depends on the number of
//! configurations and does not change the values. Time is never measured.
//!
//! Under a memory bound, bitvectors replace a sweep if the diagrams that it reads, or the diagram that it would have to
//! make of values by rank, would not fit. Another way replaces a program that would not fit even in parts. Both are
//! decided by counts that do not depend on threads. A refused allocation may lead to more parts but never to another
//! way; otherwise it ends the run with the limit.

use super::super::SolveError;
use super::super::expansion::Ahead;
use super::super::options::EngineChoice;
use super::super::pass::Pass;
use super::super::spool::{Layer, Spool};
use super::super::team::{Leader, Team};
use super::super::values::LayerValues;
use super::choice::{Choice, DENSE, FEW, Sizes, by_density, density};
use super::doing::{ByDoing, Solved};
use base::limits::LimitReached;
use game::ending::Endings;
use kernel::{self, Bitvector, Diagram, Preferences, Prepared, Way};
use num_bigint::BigUint;

/// Bound on the layers prepared at once, for each thread.
const AHEAD: usize = 2;

/// A number of states that can be ranked.
pub fn ranked_states(states: &BigUint) -> Option<u64> {
    u64::try_from(states).ok().filter(|&states| states < kernel::MOST_RANKED)
}

/// Chooses the way for each layer, from the last one on.
pub struct Engine<'a> {
    pass: &'a Pass<'a>,
    /// Those of the layer at hand.
    preferences: Preferences,
    endings: &'a Endings,
    choice: Choice,
    /// Bytes that preparing the last layer took for each node of it and of the next one.
    node_bytes: Option<u64>,
    /// Hands layers by rank to other processes, if there are any.
    leader: Option<Leader>,
}

impl<'a> Engine<'a> {
    /// `figures`: of all layers.
    pub fn new(
        pass: &'a Pass<'a>,
        preferences: Preferences,
        endings: &'a Endings,
        choice: EngineChoice,
        way: Option<Way>,
        team: &Team,
        figures: &[Layer],
    ) -> Self {
        let limits = pass.context.limits();
        let nodes = figures.iter().map(|layer| layer.nodes).sum();
        let retrograde = pass.expansion.has_retrograde();
        let choice = Choice::new(choice, way, retrograde, limits.memory(), (Spool::share(limits), nodes));
        Engine { pass, preferences, endings, choice, node_bytes: None, leader: Leader::of(team) }
    }

    /// The movers' orders, and what terminal states of the layer solved last have.
    pub fn preferences(&self) -> &Preferences {
        &self.preferences
    }

    /// Values that states of a layer may have.
    fn possible(&self, layer: usize) -> usize {
        self.endings.possible(layer as u32)
    }

    /// Goes on after a layer that was solved before; `None`: its values are stored by rank.
    pub fn go_on(&mut self, values: Option<&LayerValues>, states: &BigUint) {
        self.choice.hybrid = match (values, u64::try_from(states)) {
            (None | Some(LayerValues::Ranked(_)), _) => Ok(()),
            (Some(LayerValues::Diagram(values)), Ok(states)) => {
                by_density(values.node_count(), LayerValues::occurring(values, &self.preferences).len(), states)
            }
            _ => Err(DENSE),
        };
    }

    /// Whether the states of the next layer may be needed as well.
    pub fn needs_next(&self) -> bool {
        self.choice.engine != EngineChoice::Symbolic && self.pass.expansion.has_retrograde()
    }

    /// Whether the next layer's states are to be kept.
    pub fn keeps_next(&self) -> bool {
        self.needs_next() || self.pass.expansion.needs_next()
    }

    /// How many layers, from the last of these on, to prepare at once, each by one thread: as many as are certain to be
    /// solved by program and fit into memory, up to a number for each thread; 0 if that would be only one.
    pub fn ahead(&self, figures: &[Layer]) -> usize {
        let context = self.pass.context;
        let (Some(node_bytes), true, true) = (self.node_bytes, self.choice.is_by_rank(), self.needs_next()) else {
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
            // A quarter more than predicted, and two bitvectors.
            bytes += (layer.nodes + after) * node_bytes / 4 * 5;
            after = layer.nodes;
            if bytes + 2 * Bitvector::bytes(states, self.possible(index) + 1) > free {
                break;
            }
            count += 1;
        }
        if count > 1 { count } else { 0 }
    }

    /// Prepares layers, last first; `next`: the successors of the first of these. `None` for a layer that must wait.
    pub fn prepare(
        &self,
        layers: &[Diagram],
        figures: &[Layer],
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
        let prepared = self.pass.expansion.prepare(&ahead).into_iter();
        let mut prepared = prepared
            .map(|prepared| match prepared {
                // They are prepared later one by one, with the memory of the others.
                Err(SolveError::Limit(LimitReached::Memory { .. } | LimitReached::Size { .. })) => Ok(None),
                other => other.map(Some),
            })
            .collect::<Result<Vec<_>, _>>()?;
        if prepared.first().is_some_and(Option::is_none) {
            // It comes next, and may need the memory of the others.
            prepared.fill_with(|| None);
        }
        Ok(prepared)
    }

    /// What decides how a layer is solved.
    fn sizes(&self, index: usize, states: u64, layer: &Diagram, next: &Diagram) -> Sizes {
        Sizes { states, nodes: layer.node_count(), next: next.node_count(), possible: self.possible(index) }
    }

    /// The values of the layer of this number, of so many states (if they fit 63 bits) from those of the `next` one; a dead end has
    /// [`DEAD_END`](kernel::DEAD_END) in a diagram of values, so that is what a layer with one always gets. `after`: `None` if
    /// the values of the next layer are in the store alone.
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
