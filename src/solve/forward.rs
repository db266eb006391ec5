//! The forward pass: breadth-first layers of reachable states, duplicates removed within a layer only, each checked
//! for what the rules must guarantee and could not be proved to.

use super::expansion::Expansion;
use super::measure::Measures;
use super::overlap::Visited;
use super::progress::{Event, Listener, Phase};
use super::spool::Spool;
use super::{Refusal, SolveError, witness};
use crate::encode::measure;
use crate::kernel::{self, Context, Diagram};
use crate::propositional::{Game, Group};
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

/// What the pass works on and with.
pub struct Pass<'a> {
    pub game: &'a Game,
    pub groups: &'a [Group],
    pub expansion: &'a dyn Expansion,
    pub context: &'a Context,
    pub listener: &'a dyn Listener,
    /// The layers are wanted afterwards, with at most `share` bytes of them in memory.
    pub keep: bool,
    pub share: u64,
}

/// Runs the pass.
pub fn forward<'a>(pass: &Pass<'a>) -> Result<Forward<'a>, SolveError> {
    let candidates = measure::candidates(pass.game, pass.groups, pass.expansion.variables());
    if let Some(forward) = pass.run(Overlap::Measured(Measures::new(candidates)))? {
        return Ok(forward);
    }
    let again = pass.run(Overlap::Visited { visited: None, acyclic: false })?;
    again.ok_or_else(|| SolveError::Options("the layers were lost".to_owned()))
}

impl<'a> Pass<'a> {
    /// All layers; `None` as soon as no measure is left.
    fn run(&self, mut overlap: Overlap) -> Result<Option<Forward<'a>>, SolveError> {
        let mut layers: Vec<Layer> = Vec::new();
        let mut spool = Spool::new(self.share, self.context);
        let mut alternating = self.game.roles.len() == 2;
        let mut current = Diagram::single(self.expansion.variables().levels(), self.expansion.initial());
        loop {
            let start = Instant::now();
            match &mut overlap {
                Overlap::Measured(measures) => {
                    if !measures.observe(&current, self.context.limits())? {
                        return Ok(None);
                    }
                }
                Overlap::Visited { visited, acyclic } => self.visit(&current, visited, acyclic)?,
            }
            let states = current.count(self.context.limits())?;
            // In the backward pass a dead end shows by itself.
            if let Some(state) = self.expansion.violation(&current, !self.keep)? {
                return Err(witness::refusal(self.game, self.expansion, layers.len(), state)?);
            }
            let (terminal, next) = self.expansion.expand(&current, &states)?;
            alternating = alternating && self.expansion.alternates(&current)?;
            let layer = Layer { states, terminal, nodes: current.node_count() };
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
            if next.is_empty() {
                break;
            }
            current = next;
        }
        let distinct = match &overlap {
            Overlap::Visited { visited: Some(visited), .. } => {
                (visited.states().count(self.context.limits())?, self.expansion.terminal_states(visited.states())?)
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
            if visited.is_cyclic(self.expansion)? {
                return Err(cyclic().into());
            }
            *acyclic = true;
        }
        Ok(())
    }
}

fn cyclic() -> Refusal {
    Refusal {
        code: "cyclic",
        message: "play can go on for ever: states repeat, so the breadth-first layers never end".to_owned(),
        state: Vec::new(),
        path: Vec::new(),
    }
}
