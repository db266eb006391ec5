//! The plies to the end where states are settled round by round: with the states settled in a round come their distances,
//! from those of the successors that were settled before with the same value.
//!
//! A state of round 0 is terminal. Any other one has the value of some successor of an earlier round, and best play goes on
//! to such a successor only, so that it ends: to the one with the shortest distance where nobody gets more than the mover,
//! else to the one with the longest. Where play could go round, another move may keep the value as well, but lead to a state
//! that was settled no earlier: it is not among those that are compared.
//!
//! For each value a set of all reachable states has the distance of those that are settled with it. Cost: a preimage of the
//! states of a round for each of their values, and one overlay of the set of that value.

use super::super::pass::Pass;
use super::super::{SolveError, options::SolveOptions};
use super::{all_as, only, without};
use crate::kernel::{self, Diagram, Preferences, TERMINALS};
use crate::limits::LimitReached;
use crate::reward::shortens;
use crate::store::manifest::PliesRecord;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Stands for no distance; that of distance d is d + 1. The terminal after it is taken.
const UNKNOWN: u32 = TERMINALS - 2;
/// The longest distance that has a terminal.
const LONGEST: u32 = UNKNOWN - 2;

/// The terminal of a distance.
pub fn terminal_of(plies: u32) -> Result<u32, SolveError> {
    if plies > LONGEST {
        let what = "plies to the end of a state".to_owned();
        return Err(LimitReached::Size { what, limit: LONGEST.into() }.into());
    }
    Ok(plies + 1)
}

/// Distances so far.
pub struct Plies<'a> {
    pass: &'a Pass<'a>,
    reached: &'a Diagram,
    /// By value id that some state has: all states, those settled with this value with the terminal of their distance.
    by_value: BTreeMap<u32, Diagram>,
}

impl<'a> Plies<'a> {
    /// Nothing yet; `None` where distances are not wanted.
    pub fn wanted(pass: &'a Pass<'a>, reached: &'a Diagram, options: &SolveOptions) -> Option<Plies<'a>> {
        options.distances.then(|| Plies { pass, reached, by_value: BTreeMap::new() })
    }

    /// Goes on after rounds that settled states with these values (all states, `open` for others) and distances.
    pub fn resume(&mut self, values: &Diagram, open: u32, plies: &Diagram) -> Result<(), SolveError> {
        for id in values.terminals().into_iter().filter(|&id| id != 0 && id != open) {
            let own = kernel::intersection(plies, &only(id, values, 1, self.pass)?, self.pass.context)?;
            self.add(id, &own)?;
        }
        Ok(())
    }

    /// Notes the states that a round settles, with their value ids.
    pub fn note(&mut self, found: &Diagram, first: bool) -> Result<(), SolveError> {
        let Pass { expansion, context, game, .. } = *self.pass;
        for id in found.terminals().into_iter().filter(|&id| id != 0) {
            let states = only(id, found, 1, self.pass)?;
            if first {
                self.add(id, &all_as(terminal_of(0)?, &states, self.pass)?)?;
                continue;
            }
            let Some(known) = self.by_value.get(&id) else {
                return Err(SolveError::Inconsistent("a state is settled with a value that no other has".to_owned()));
            };
            let rewards = &expansion.rewards()[id as usize - 1];
            let preferences =
                Preferences::new((0..game.roles.len()).map(|mover| ranks(shortens(rewards, mover))).collect());
            let known = kernel::as_values(known, context)?;
            let best = expansion.values(&states, None, (&known).into(), &preferences)?;
            let best = kernel::restrict(&states, &best, context)?;
            // With this move.
            let terminals = best.terminals().into_iter().filter(|&id| id != 0);
            if terminals.clone().any(|terminal| terminal >= UNKNOWN) {
                let text = "a state is settled before all successors with its value";
                return Err(SolveError::Inconsistent(text.to_owned()));
            }
            terminal_of(terminals.max().unwrap_or(0))?;
            let own = kernel::renamed(&best, |terminal| if terminal == 0 { 0 } else { terminal + 1 }, context)?;
            self.add(id, &own)?;
        }
        Ok(())
    }

    fn add(&mut self, id: u32, own: &Diagram) -> Result<(), SolveError> {
        let known = match self.by_value.remove(&id) {
            Some(known) => known,
            None => all_as(UNKNOWN, self.reached, self.pass)?,
        };
        self.by_value.insert(id, kernel::overlay(&known, own, self.pass.context)?);
        Ok(())
    }

    /// All states settled so far, with the terminals of their distances.
    pub fn all(&self) -> Result<Diagram, SolveError> {
        let mut all = Diagram::constant(self.reached.levels(), 0);
        for known in self.by_value.values() {
            all = kernel::overlay(&all, &without(UNKNOWN, known, self.pass)?, self.pass.context)?;
        }
        Ok(all)
    }
}

/// By terminal of a distance: how good it is for a mover.
fn ranks(soon: bool) -> Vec<u32> {
    let rank = |terminal: u32| match (terminal, soon) {
        (0 | UNKNOWN, _) => 0,
        (terminal, true) => UNKNOWN - terminal,
        (terminal, false) => terminal,
    };
    (0..=UNKNOWN).map(rank).collect()
}

/// How many of some states that have a value, and what of all states have it with the terminals of their distances, are how
/// far from the end.
pub fn histogram(states: &Diagram, having: &Diagram, pass: &Pass) -> Result<Vec<PliesRecord>, SolveError> {
    let own = kernel::intersection(having, states, pass.context)?;
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let mut counts: Vec<(u32, BigUint)> =
        kernel::tally(&all_as(1, &own, pass)?, &kernel::as_values(&own, pass.context)?, pass.context)?;
    counts.sort_unstable_by_key(|count| count.0);
    Ok(counts.into_iter().map(|(terminal, states)| PliesRecord { plies: terminal - 1, states }).collect())
}
