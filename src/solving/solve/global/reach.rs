//! The reachable states by a fixpoint: each state once, at its distance from the initial state.

use super::super::expansion::Step;
use super::super::explored::Explored;
use super::super::forward::Known;
use super::super::pass::Pass;
use super::super::progress::{Event, Phase};
use super::super::spool::Spool;
use super::super::{SolveError, witness};
use crate::store::{LayerFigures, Totals};
use kernel::{self, Diagram};
use std::time::Instant;

/// Finds the states by distance and adds them to the spool, from the first distance that the spool lacks. States that
/// were `explored` are expanded again only if it is not known whether the choice alternates. An ill-formed state is an
/// error. In the totals, `progress_measure` says that no step met a known state again, so that layers are disjoint.
pub fn reach(pass: &Pass, spool: &mut Spool, mut explored: Option<Explored>) -> Result<(Diagram, Totals), SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let mut front = Diagram::single(expansion.variables().levels(), expansion.initial());
    let mut all = Diagram::constant(front.levels(), 0);
    let before = spool.figures().len();
    for distance in 0..before {
        let layer = spool.layer(distance)?;
        all = kernel::union(&[&all, &layer], context)?;
        if distance + 1 == before && explored.is_none() {
            front = kernel::difference(&expansion.successors(&layer)?, &all, context)?;
        }
    }
    if let Some(explored) = &mut explored {
        front = explored.states(before, context)?;
    }
    let (mut disjoint, mut alternating) = match spool.figures().last() {
        Some(last) => (last.disjoint == Some(true), last.alternating),
        // If several roles may choose at the same time, players do not move in turns.
        None => (true, game.roles.len() > 1 && expansion.exact().is_none()),
    };
    // Explored states are joined with sets of about the same size. Other states are needed as one set in each step.
    let mut apart: Vec<Diagram> = Vec::new();
    let (words, mut expanded) = (context.words(), 0);
    let mut nodes: u64 = spool.figures().iter().map(|layer| layer.nodes).sum();
    while !front.is_empty() {
        nodes += front.node_count();
        pass.check_nodes(nodes)?;
        let (start, distance) = (Instant::now(), spool.figures().len());
        if explored.is_some() {
            let mut joined = kernel::union(&[&front], context)?;
            while let Some(last) = apart.pop_if(|last| last.node_count() < 2 * joined.node_count()) {
                joined = kernel::union(&[&last, &joined], context)?;
            }
            apart.push(joined);
        } else {
            all = kernel::union(&[&all, &front], context)?;
        }
        let states = front.count(context)?;
        let Step { terminal, mut next, alternates } = if let Some(explored) = &mut explored {
            disjoint = disjoint && !explored.overlaps(distance);
            explored.step(distance, (&front, &states), alternating, expansion, context)?
        } else {
            pass.check_states(&mut expanded, &states)?;
            let step = || expansion.step(&front, &states, true, alternating);
            let step = match pass.within(words, step)? {
                Ok(step) => step,
                Err(state) => return Err(witness::refusal(pass, &state)?),
            };
            let next = kernel::difference(&step.next, &all, context)?;
            disjoint = disjoint && next.equals(&step.next, context)?;
            Step { next, ..step }
        };
        alternating = alternating && alternates;
        let figures = LayerFigures {
            states,
            terminal,
            nodes: front.node_count(),
            alternating,
            disjoint: Some(disjoint),
            mixed: expansion.exact().map(|states| states.mixed(&front)).transpose()?,
        };
        listener.event(&Event::layer(Phase::Forward, distance, None, &figures.states, figures.nodes, start));
        std::mem::swap(&mut front, &mut next);
        spool.push(next, figures, None)?;
    }
    while let Some(last) = apart.pop() {
        all = kernel::union(&[&all, &last], context)?;
    }
    let totals = Totals {
        states: spool.figures().iter().map(|front| &front.states).sum(),
        terminal: spool.figures().iter().map(|front| &front.terminal).sum(),
        progress_measure: disjoint,
        alternating,
    };
    if spool.totals().is_none() {
        spool.finish_forward(&totals)?;
    }
    Ok((all, totals))
}
