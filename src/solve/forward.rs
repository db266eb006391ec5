//! The forward pass: breadth-first layers of reachable states, duplicates removed within a layer only, each checked
//! for what the rules must guarantee and could not be proved to.

use super::measure::Measures;
use super::overlap::Visited;
use super::progress::{Event, Listener, Phase};
use super::spool::Spool;
use super::{Refusal, SolveError, witness};
use crate::encode::{Analysis, CheckKind, Condition, SymbolicGame, measure};
use crate::kernel::{self, Context, Diagram};
use crate::limits::LimitReached;
use num_bigint::BigUint;
use std::time::Instant;

/// Figures of one layer.
pub struct Layer {
    pub states: BigUint,
    pub terminal: BigUint,
    pub nodes: u64,
}

/// What the forward pass found.
pub struct Forward<'a> {
    pub layers: Vec<Layer>,
    /// The layers' states, for the backward pass; empty where only counts were asked for.
    pub spool: Spool<'a>,
    /// Distinct states and distinct terminal states.
    pub distinct: (BigUint, BigUint),
    pub disjoint: bool,
    pub alternating: bool,
}

/// How states that lie in several layers are told.
enum Overlap {
    /// Weights show that there are none.
    Measured(Measures),
    /// All states so far; `acyclic` once it is known that play ends.
    Visited { visited: Option<Visited>, acyclic: bool },
}

/// Runs the pass. `keep`: the layers are wanted afterwards, with at most `share` bytes of them in memory.
pub fn forward<'a>(
    analysis: &Analysis,
    game: &SymbolicGame,
    keep: bool,
    share: u64,
    context: &'a Context,
    listener: &dyn Listener,
) -> Result<Forward<'a>, SolveError> {
    let candidates = measure::candidates(analysis.game, analysis.groups, &game.variables);
    let pass = Pass { analysis, game, context, listener, keep, share };
    if let Some(forward) = pass.run(Overlap::Measured(Measures::new(candidates)))? {
        return Ok(forward);
    }
    let again = pass.run(Overlap::Visited { visited: None, acyclic: false })?;
    again.ok_or_else(|| SolveError::Options("the layers were lost".to_owned()))
}

struct Pass<'p, 'a> {
    analysis: &'p Analysis<'p>,
    game: &'p SymbolicGame,
    context: &'a Context,
    listener: &'p dyn Listener,
    keep: bool,
    share: u64,
}

impl<'a> Pass<'_, 'a> {
    /// All layers; `None` as soon as no measure is left.
    fn run(&self, mut overlap: Overlap) -> Result<Option<Forward<'a>>, SolveError> {
        let mut layers: Vec<Layer> = Vec::new();
        let mut spool = Spool::new(self.share, self.context);
        let mut alternating = self.analysis.game.roles.len() == 2;
        let mut current = Diagram::single(self.game.variables.levels(), &self.game.initial);
        loop {
            let start = Instant::now();
            match &mut overlap {
                Overlap::Measured(measures) => {
                    if !measures.observe(&current) {
                        return Ok(None);
                    }
                }
                Overlap::Visited { visited, acyclic } => self.visit(&current, visited, acyclic)?,
            }
            self.check(&current, layers.len())?;
            let (open, terminal) = self.split(&current)?;
            let from = open.as_ref().unwrap_or(&current);
            let next = kernel::image(from, &self.game.relations, &self.game.roots, self.context)?;
            alternating = alternating && (self.analysis.alternates || self.alternates(&current)?);
            let layer = Layer { states: current.count(), terminal, nodes: current.node_count() };
            self.listener.event(&Event::LayerFinished {
                phase: Phase::Forward,
                layer: layers.len() as u32,
                total: None,
                states: Some(layer.states.clone()),
                nodes: layer.nodes,
                seconds: start.elapsed().as_secs_f64(),
            });
            layers.push(layer);
            if self.keep {
                spool.push(current)?;
            }
            if self.game.automaton_is_full() {
                return Err(automaton_full().into());
            }
            if next.is_empty() {
                break;
            }
            current = next;
        }
        let distinct = match &overlap {
            Overlap::Visited { visited: Some(visited), .. } => {
                let terminal = &self.game.terminal;
                let ends = kernel::select(visited.states(), terminal, terminal.start(), self.context)?;
                (visited.states().count(), ends.count())
            }
            _ => (layers.iter().map(|layer| &layer.states).sum(), layers.iter().map(|layer| &layer.terminal).sum()),
        };
        let disjoint = distinct.0 == layers.iter().map(|layer| &layer.states).sum();
        Ok(Some(Forward { layers, spool, distinct, disjoint, alternating }))
    }

    /// Adds a layer to the visited states; once there are no new ones, makes sure that play ends.
    fn visit(&self, layer: &Diagram, visited: &mut Option<Visited>, acyclic: &mut bool) -> Result<(), SolveError> {
        let Some(visited) = visited else {
            *visited = Some(Visited::new(kernel::union(&[layer], self.context)?));
            return Ok(());
        };
        if *acyclic {
            return Ok(());
        }
        visited.add(layer, self.context)?;
        if !visited.growing {
            if visited.is_cyclic(self.game, self.context)? {
                return Err(cyclic().into());
            }
            *acyclic = true;
        }
        Ok(())
    }

    /// Refuses the game if a state of the layer breaks a condition that was not proved.
    fn check(&self, layer: &Diagram, index: usize) -> Result<(), SolveError> {
        for check in &self.game.checks {
            // In the backward pass a dead end shows by itself.
            if check.kind == CheckKind::DeadEnd && self.keep {
                continue;
            }
            let wrong = kernel::select(layer, &check.condition, check.condition.start(), self.context)?;
            if let Some(state) = wrong.pick(1) {
                return Err(witness::refusal(self.analysis, self.game, index, state, self.context)?);
            }
        }
        Ok(())
    }

    /// The states to expand (`None`: those of the layer as it is), and the number of terminal ones.
    fn split(&self, layer: &Diagram) -> Result<(Option<Diagram>, BigUint), SolveError> {
        let select = |condition: &Condition| kernel::select(layer, condition, condition.start(), self.context);
        if self.game.stuck_terminal {
            return Ok((None, select(&self.game.terminal)?.count()));
        }
        let open = select(&self.game.open)?;
        let terminal = layer.count() - open.count();
        Ok((Some(open), terminal))
    }

    /// Whether no role that has a choice in a state of the layer has one again in a successor.
    fn alternates(&self, layer: &Diagram) -> Result<bool, SolveError> {
        for choosing in &self.game.choosing {
            let chooses = kernel::select(layer, choosing, choosing.start(), self.context)?;
            let after = kernel::image(&chooses, &self.game.relations, &self.game.roots, self.context)?;
            if !kernel::select(&after, choosing, choosing.start(), self.context)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn automaton_full() -> LimitReached {
    LimitReached::Size { what: "the number of states of a condition's automaton".to_owned(), limit: 1 << 25 }
}

fn cyclic() -> Refusal {
    Refusal {
        code: "cyclic",
        message: "play can go on for ever: states repeat, so the breadth-first layers never end".to_owned(),
        state: Vec::new(),
        path: Vec::new(),
    }
}
