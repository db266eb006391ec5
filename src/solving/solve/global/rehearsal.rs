//! The start of the backward pass, which a plan runs to measure its costs.

use super::super::SolveError;
use super::super::expansion::States;
use super::super::options::SolveOptions;
use super::super::pass::Pass;
use super::counting::{self, Counting};
use super::orders::Orders;
use super::{are_few, may_list, one_by_one, passes};
use base::machine::processor_seconds;
use kernel::{self, Diagram};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SettledBy {
    States,
    Ranks,
    #[default]
    Diagrams,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rehearsal {
    pub means: SettledBy,
    /// Bytes of the moves; 0 for diagrams.
    pub moves: u64,
    /// Largest number of bytes of memory in use.
    pub peak: u64,
    pub rounds: u32,
    /// The states that these rounds settled.
    pub settled: u64,
    /// Whether no state is left to settle.
    pub ended: bool,
    /// Nodes of the diagram of the values after these rounds.
    pub nodes: u64,
    /// Processor seconds of the preparation.
    pub preparing: f64,
    /// Processor seconds of the rounds.
    pub settling: f64,
    /// Processor seconds of making a diagram of the values.
    pub writing: f64,
}

/// Prepares the backward pass of all states. If it is by rank, also runs rounds for about `seconds` processor seconds.
pub fn rehearse(pass: &Pass, all: &Diagram, options: &SolveOptions, seconds: f64) -> Result<Rehearsal, SolveError> {
    let Pass { context, .. } = *pass;
    let orders = Orders::new(options.ranking(), pass.game.roles.len(), pass.expansion.rewards());
    let count = u64::try_from(all.count(context)?).unwrap_or(u64::MAX);
    let few = are_few(pass, options, all, count);
    context.limits().restart_peak();
    let begin = processor_seconds();
    let mut seen = Rehearsal::default();
    let ranked = if few { None } else { passes::prepare(pass, all, count, &orders, (options, true))? };
    if let Some(ranked) = ranked {
        (seen.means, seen.moves) = (SettledBy::Ranks, ranked.bytes());
        seen.preparing = processor_seconds() - begin;
        passes::rehearse(pass, all, ranked, &orders, seconds, &mut seen)?;
    } else if may_list(options) && (few || one_by_one(pass, all, count)) {
        let states = States::new(pass.game, pass.expansion.variables().clone(), context);
        if let Some(moves) = counting::prepare(&states, all, None)? {
            (seen.means, seen.moves) = (SettledBy::States, Counting::bytes(&moves, options.distances));
            let _memory = context.limits().hold(seen.moves)?;
            seen.preparing = processor_seconds() - begin;
        }
    }
    seen.peak = context.limits().peak();
    Ok(seen)
}
