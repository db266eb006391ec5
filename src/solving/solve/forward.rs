//! The forward pass finds the layers of reachable states; duplicates are removed within a layer only. Each layer is
//! checked for the properties of well-formed rules that are not proved.

use super::expansion::{Expansion, Step};
use super::explored::Explored;
use super::measure::Measures;
use super::overlap::Visited;
use super::pass::Pass;
use super::progress::{Event, Phase};
use super::spool::Spool;
use super::unrolled::Unrolled;
use super::{SolveError, endless, witness};
use crate::store::manifest::MixedRecord;
use crate::store::{LayerFigures, Totals};
use base::digits::grouped;
use game::encode::measure;
use kernel::{self, Context, Diagram};
use num_bigint::BigUint;
use std::time::Instant;

const NEVER_END: &str = "play can go on for ever: states repeat, so the breadth-first layers never end";

/// How the pass finds out whether layers are disjoint.
enum Overlap {
    /// The layers are disjoint, or the number of all states is known.
    Known,
    /// Weights show that the layers so far are disjoint.
    Measured(Measures),
    /// The set of all states so far; `None` before the first layer.
    Visited(Option<Visited>),
}

/// The layers, known before the pass, one after the other.
pub trait Known {
    /// The states of a layer, none after the last layer. Earlier layers may be freed.
    fn states(&mut self, index: usize, context: &Context) -> Result<Diagram, SolveError>;

    /// As [`Expansion::step`], for the states of a layer, which are also given as a diagram.
    fn step(
        &mut self,
        index: usize,
        layer: (&Diagram, &BigUint),
        alternating: bool,
        expansion: &dyn Expansion,
        context: &Context,
    ) -> Result<Step, SolveError>;

    /// Number of states of the current layer in which chance or several players choose, if it is known.
    fn mixed(&self) -> Option<MixedRecord> {
        None
    }

    /// Number of all states and of terminal states, if layers share states.
    fn all(&self) -> Option<(BigUint, BigUint)> {
        None
    }
}

/// Runs the pass from the last layer in the spool on; afterwards the spool has all layers. Layers are taken from
/// `explored` if no state lies in two layers, or if all moves are known. If a state is known to repeat, the game is
/// refused at once.
pub fn forward(pass: &Pass, spool: &mut Spool, explored: &mut Option<Explored>) -> Result<Totals, SolveError> {
    if let Some(totals) = spool.totals() {
        for index in 0..spool.figures().len() {
            pass.check_dead_ends(spool, index)?;
        }
        return Ok(totals);
    }
    if let Some(state) = pass.repeating {
        let only = || Ok(Diagram::single(pass.expansion.variables().levels(), state));
        return Err(endless::refusal(pass, only, NEVER_END)?.into());
    }
    let limits = pass.context.limits();
    let mut disjoint = explored.take_if(|explored| explored.is_disjoint());
    let unrolled = || explored.as_ref().and_then(Explored::whole);
    let unrolled = unrolled().map(|(whole, form)| Unrolled::new(whole, form, pass.expansion.exact(), limits));
    let mut unrolled = unrolled.transpose()?;
    let mut known: Option<&mut dyn Known> = match &mut disjoint {
        Some(disjoint) => Some(disjoint),
        None => unrolled.as_mut().map(|unrolled| unrolled as &mut dyn Known),
    };
    let mut overlap = match known {
        Some(_) => Overlap::Known,
        None => {
            Overlap::Measured(Measures::new(measure::candidates(pass.game, pass.groups, pass.expansion.variables())))
        }
    };
    if !pass.run(&mut overlap, spool, &mut known)? {
        spool.keep_or_forget();
        overlap = Overlap::Visited(None);
        pass.run(&mut overlap, spool, &mut None)?;
    }
    let totals = pass.totals(&overlap, known.and_then(|known| known.all()), spool.figures())?;
    spool.finish_forward(&totals)?;
    Ok(totals)
}

impl Pass<'_> {
    /// Checks the layers of the spool. Returns the layer after them; `None` as soon as no weights prove disjoint
    /// layers.
    fn begun(
        &self,
        overlap: &mut Overlap,
        spool: &mut Spool,
        known: &mut Option<&mut dyn Known>,
    ) -> Result<Option<Diagram>, SolveError> {
        let before = spool.figures().len();
        let mut current = match known {
            Some(known) => known.states(before, self.context)?,
            None => Diagram::single(self.expansion.variables().levels(), self.expansion.initial()),
        };
        for index in 0..before {
            self.check_dead_ends(spool, index)?;
            if known.is_some() {
                continue;
            }
            let shrinks = shrinks(spool.figures()[..index].last(), &spool.figures()[index].states);
            let layer = spool.layer(index)?;
            if !self.observe(overlap, &layer, shrinks)? {
                return Ok(None);
            }
            if index + 1 == before {
                current = self.expansion.successors(&layer)?;
            }
        }
        // The earlier run has done these steps, too.
        if let Some(work) = spool.work() {
            self.expansion.set_work(work);
        }
        Ok(Some(current))
    }

    /// Finds all layers; false as soon as no weights prove that they are disjoint.
    fn run(
        &self,
        overlap: &mut Overlap,
        spool: &mut Spool,
        known: &mut Option<&mut dyn Known>,
    ) -> Result<bool, SolveError> {
        let Some(mut current) = self.begun(overlap, spool, known)? else { return Ok(false) };
        // If several roles may choose at the same time, players do not move in turns.
        let mut alternating = self.game.roles.len() > 1 && self.expansion.exact().is_none();
        let (words, mut expanded) = (self.context.words(), 0);
        let mut nodes: u64 = spool.figures().iter().map(|layer| layer.nodes).sum();
        while !current.is_empty() {
            self.check_pace(spool.figures())?;
            nodes += current.node_count();
            self.check_nodes(nodes)?;
            let (start, index) = (Instant::now(), spool.figures().len());
            alternating = alternating && spool.figures().last().is_none_or(|layer| layer.alternating);
            let states = current.count(self.context)?;
            if !self.observe(overlap, &current, shrinks(spool.figures().last(), &states))? {
                return Ok(false);
            }
            let doing = |error: SolveError| {
                error.during(|| {
                    let sweep = self.context.stopped().map_or(String::new(), |sweep| format!(": {sweep}"));
                    format!("successors of layer {index} ({} nodes){sweep}", grouped(current.node_count()))
                })
            };
            if known.is_none() {
                self.check_states(&mut expanded, &states)?;
            }
            let mixed = match known {
                Some(known) => known.mixed(),
                None => None,
            };
            let mut step = || match known {
                Some(known) => {
                    known.step(index, (&current, &states), alternating, self.expansion, self.context).map(Ok)
                }
                None => self.expansion.step(&current, &states, !self.solving, alternating),
            };
            let step = self.within(words, || step().map_err(doing))?;
            let Step { terminal, next, alternates } = match step {
                Ok(step) => step,
                Err(state) => return Err(witness::refusal(self, &state)?),
            };
            alternating = alternating && alternates;
            let mixed = match mixed {
                None => self.expansion.exact().map(|states| states.mixed(&current)).transpose()?,
                mixed => mixed,
            };
            let nodes = current.node_count();
            let layer = LayerFigures { states, terminal, nodes, alternating, disjoint: None, mixed };
            spool.push(current, layer.clone(), self.expansion.work())?;
            self.listener.event(&Event::layer(Phase::Forward, index, None, &layer.states, layer.nodes, start));
            current = next;
        }
        Ok(true)
    }

    /// Checks a stored layer for dead ends. If values are computed, the backward pass does so.
    fn check_dead_ends(&self, spool: &mut Spool, index: usize) -> Result<(), SolveError> {
        if self.solving {
            return Ok(());
        }
        match self.expansion.violation(&*spool.layer(index)?, true)? {
            Some(state) => Err(witness::refusal(self, &state)?),
            None => Ok(()),
        }
    }

    /// Adds the next layer; `shrinks`: it has fewer states than the one before. False as soon as no weights prove
    /// disjoint layers.
    fn observe(&self, overlap: &mut Overlap, layer: &Diagram, shrinks: bool) -> Result<bool, SolveError> {
        match overlap {
            Overlap::Known => Ok(true),
            Overlap::Measured(measures) => Ok(measures.observe(layer, self.context)?),
            Overlap::Visited(None) => {
                *overlap = Overlap::Visited(Some(Visited::new(kernel::union(&[layer], self.context)?, self.ends)));
                Ok(true)
            }
            Overlap::Visited(Some(visited)) => match visited.add(layer, shrinks, self.expansion, self.context)? {
                None => Ok(true),
                Some(left) => Err(endless::refusal(self, || Ok(left), NEVER_END)?.into()),
            },
        }
    }

    /// `known`: the number of all states and of terminal states, if it is known.
    fn totals(
        &self,
        overlap: &Overlap,
        known: Option<(BigUint, BigUint)>,
        layers: &[LayerFigures],
    ) -> Result<Totals, SolveError> {
        let (states, terminal) = match (overlap, known) {
            (_, Some(known)) => known,
            (Overlap::Visited(Some(visited)), None) => {
                let terminals = self.expansion.terminals(visited.states())?;
                (visited.states().count(self.context)?, terminals.count(self.context)?)
            }
            _ => (layers.iter().map(|layer| &layer.states).sum(), layers.iter().map(|layer| &layer.terminal).sum()),
        };
        let progress_measure = states == layers.iter().map(|layer| &layer.states).sum();
        let alternating = layers.last().is_some_and(|layer| layer.alternating);
        Ok(Totals { states, terminal, progress_measure, alternating })
    }
}

fn shrinks(before: Option<&LayerFigures>, states: &BigUint) -> bool {
    before.is_some_and(|before| *states < before.states)
}
