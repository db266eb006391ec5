//! The reachable states by a fixpoint, duplicates removed: each state once, at its distance from the initial state.

use super::super::expansion::Step;
use super::super::pass::Pass;
use super::super::progress::{Event, Phase};
use super::super::spool::{Layer, Spool};
use super::super::{SolveError, witness};
use crate::kernel::{self, Diagram};
use crate::store::Totals;
use num_bigint::BigUint;
use std::time::Instant;

/// All reachable states.
pub struct Reached {
    pub all: Diagram,
    pub states: BigUint,
    /// No successor was known before: the breadth-first layers are disjoint.
    pub disjoint: bool,
}

/// Finds them by distance, from the last distance that the spool has, and refuses the first one that the rules must
/// not allow; all are in the spool then.
pub fn reach(pass: &Pass, spool: &mut Spool) -> Result<Reached, SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let mut front = Diagram::single(expansion.variables().levels(), expansion.initial());
    let mut all = Diagram::constant(front.levels(), 0);
    let before = spool.figures().len();
    for distance in 0..before {
        let layer = spool.layer(distance)?;
        all = kernel::union(&[&all, &layer], context)?;
        if distance + 1 == before {
            front = kernel::difference(&expansion.successors(&layer)?, &all, context)?;
        }
    }
    let (mut disjoint, mut alternating) = match spool.figures().last() {
        Some(last) => (last.disjoint == Some(true), last.alternating),
        None => (true, game.roles.len() == 2),
    };
    while !front.is_empty() {
        let (start, distance) = (Instant::now(), spool.figures().len());
        all = kernel::union(&[&all, &front], context)?;
        let states = front.count(context.limits())?;
        let Step { terminal, next: successors, alternates } =
            match expansion.step(&front, &states, true, alternating)? {
                Ok(step) => step,
                Err(state) => return Err(witness::refusal(game, expansion, distance, state)?),
            };
        alternating = alternating && alternates;
        let next = kernel::difference(&successors, &all, context)?;
        disjoint = disjoint && next.equals(&successors, context)?;
        drop(successors);
        let figures = Layer { states, terminal, nodes: front.node_count(), alternating, disjoint: Some(disjoint) };
        listener.event(&Event::LayerFinished {
            phase: Phase::Forward,
            layer: distance as u32,
            total: None,
            states: Some(figures.states.clone()),
            nodes: figures.nodes,
            seconds: start.elapsed().as_secs_f64(),
        });
        spool.push(std::mem::replace(&mut front, next), figures)?;
    }
    let states: BigUint = spool.figures().iter().map(|front| &front.states).sum();
    if spool.totals().is_none() {
        let terminal = spool.figures().iter().map(|front| &front.terminal).sum();
        spool.finish_forward(&Totals { states: states.clone(), terminal, progress_measure: disjoint, alternating })?;
    }
    Ok(Reached { all, states, disjoint })
}
