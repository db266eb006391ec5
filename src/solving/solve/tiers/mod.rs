//! Tiers: a division of the states such that play goes from each tier to later ones only.
//!
//! A *measure* is a weight for each level whose sum no move lowers; [`mod@search`] finds it. States of a tier have the
//! same sum, so every cycle lies in one tier. *Parts* are further weights whose sums change only by moves that raise
//! the measure. States with the same measure and different parts do not lead to each other, so they are in different
//! tiers. *Conserved* sums are changed by no move; they bound the number of states ([`mod@bound`]). All of this is
//! proved in whole numbers for all pairs of states that the relations of the moves contain, reachable or not.

pub mod bound;
mod packed;
mod search;
mod span;
mod split;
mod terms;

pub use split::split;
pub use terms::Term;

use super::progress::{Event, Listener};
use base::limits::{LimitReached, Limits};
use game::encode::Variables;
use game::encode::measure::{self, Weights};
use game::propositional::{Game, Group};
use kernel::{RelationId, Relations};
use search::{Found, Search};
use span::Span;

/// Largest weight of a part, and largest numbers of parts and of conserved sums.
const MOST_PART: i64 = 1 << 12;
const PARTS: usize = 16;
const CONSERVED: usize = 16;

/// All weights are by level; see the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tiers {
    /// `None`: no measure was found that some move raises.
    pub measure: Option<Weights>,
    /// No part depends linearly on the measure, the conserved sums and the earlier parts.
    pub parts: Vec<Weights>,
    pub conserved: Vec<Weights>,
}

#[derive(Clone, Copy)]
pub struct Moves<'a> {
    pub variables: &'a Variables,
    pub relations: &'a Relations,
    pub roots: &'a [RelationId],
}

impl Moves<'_> {
    pub fn never_lower(&self, weights: &[i64]) -> bool {
        search::least(self.relations, self.roots, weights) >= 0
    }

    fn leave(&self, weights: &[i64]) -> bool {
        self.never_lower(weights) && self.never_lower(&negative(weights))
    }
}

fn negative(weights: &[i64]) -> Weights {
    weights.iter().map(|weight| -weight).collect()
}

/// Finds tiers with bounded effort. `None`: the relations of the moves are too large; the listener is told.
pub fn find(
    game: &Game,
    groups: &[Group],
    moves: Moves,
    limits: &Limits,
    listener: &dyn Listener,
) -> Result<Option<Tiers>, LimitReached> {
    let mut search = match Search::new(moves, limits)? {
        Ok(search) => search,
        Err(why) => {
            listener.event(&Event::Message(format!("no tiers are looked for: {why}")));
            return Ok(None);
        }
    };
    let measure = match search.run()? {
        Found::Weights(weights) => Some(weights),
        Found::None => None,
        Found::GivenUp(why) => {
            listener.event(&Event::Message(format!("the search for tiers was given up: {why}")));
            None
        }
    };
    let conserved = search.conserved(CONSERVED)?;
    let mut span = Span::default();
    for weights in conserved.iter().chain(&measure) {
        span.add(weights.iter().copied());
    }
    let mut tiers = Tiers { measure, parts: Vec::new(), conserved };
    let Some(measure) = &tiers.measure else { return Ok(Some(tiers)) };
    for part in measure::candidates(game, groups, moves.variables) {
        limits.check()?;
        if tiers.parts.len() == PARTS || part.iter().any(|weight| weight.abs() > MOST_PART) {
            continue;
        }
        // The factor exceeds every change of the part, so only moves that raise the measure may change the part.
        let most = part.iter().map(|weight| weight.abs()).sum::<i64>() + 1;
        let beside = |sign: i64| measure.iter().zip(&part).map(move |(weight, part)| most * weight + sign * part);
        if moves.never_lower(&beside(1).collect::<Weights>())
            && moves.never_lower(&beside(-1).collect::<Weights>())
            && span.add(part.iter().copied())
        {
            tiers.parts.push(part);
        }
    }
    let (parts, conserved) = (tiers.parts.len(), tiers.conserved.len());
    let terms = terms::of(game, moves.variables, measure).len();
    listener.event(&Event::Message(format!(
        "tiers: a measure of {terms} terms, {parts} parts, {conserved} conserved sums"
    )));
    Ok(Some(tiers))
}

impl Tiers {
    /// The terms of the measure, in the words of the rules; empty if there is no measure.
    pub fn terms(&self, game: &Game, variables: &Variables) -> Vec<Term> {
        self.measure.as_ref().map_or_else(Vec::new, |measure| terms::of(game, variables, measure))
    }

    pub fn part_terms(&self, game: &Game, variables: &Variables) -> Vec<Vec<Term>> {
        self.parts.iter().map(|part| terms::of(game, variables, part)).collect()
    }
}

#[cfg(test)]
mod tests;
