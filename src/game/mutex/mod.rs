//! Mutex groups of a propositional game: a partition of its fluents into sets of which at most one, or exactly one,
//! holds in every reachable state.
//!
//! Candidates come from the names of the fluents and from random playouts ([`candidates`]). Each is either proved by
//! simultaneous induction over the rules or dropped ([`induction`]). A partition is chosen from the proved candidates
//! ([`cover`]). All searches are bounded by counts, never by time, so results do not depend on the machine; if a bound
//! is reached, groups are smaller.

mod candidates;
mod cover;
mod exchange;
mod guess;
mod induction;
mod invariant;
mod local;
mod simulate;
mod walk;

pub use guess::Guess;

use crate::interpreter::Interpreter;
use crate::propositional::{Game, Group, Node};
use base::limits::{LimitReached, Limits};
use invariant::Invariant;
use walk::Walk;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Number of steps of each of the 64 random playouts.
    pub steps: usize,
    pub seed: u64,
    /// Approximate number of graph nodes that the playouts may evaluate.
    pub play: usize,
    /// Bound on the conflicts of one SAT search.
    pub conflicts: u64,
    /// Bound on the work of all SAT searches together: literals propagated, and literals of the clauses added.
    pub work: u64,
    /// If the graph has more edges than this, nothing is proved and every fluent is a separate group.
    pub edges: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { steps: 200, seed: 1, play: 100_000_000, conflicts: 2_000, work: 60_000_000, edges: 20_000_000 }
    }
}

#[derive(Debug)]
pub struct Found {
    /// Disjoint groups of all fluents, by their first fluents. A fluent without a proved group is a separate group.
    pub groups: Vec<Group>,
    pub work: u64,
}

pub fn groups(game: &Game, effort: &Effort, limits: &Limits) -> Result<Vec<Group>, LimitReached> {
    Ok(find(game, effort, limits)?.groups)
}

pub fn find(game: &Game, effort: &Effort, limits: &Limits) -> Result<Found, LimitReached> {
    let edges = game.graph.nodes().map(|(_, node)| match node {
        Node::And(children) | Node::Or(children) => children.len(),
        _ => 1,
    });
    let edges: usize = edges.sum();
    if edges > effort.edges {
        return Ok(Found { groups: cover::cover(game, &[]), work: 0 });
    }
    let (invariants, work) = invariants(game, effort, limits)?;
    Ok(Found { groups: cover::cover(game, &invariants), work })
}

fn invariants(game: &Game, effort: &Effort, limits: &Limits) -> Result<(Vec<Invariant>, u64), LimitReached> {
    let interpreter = Interpreter::new(game);
    let samples = simulate::Samples::new(game, &interpreter, (effort.steps, effort.play), effort.seed, limits)?;
    let claims = candidates::claims(game, &samples, limits)?;
    induction::prove(game, Walk::new(&interpreter, effort.seed), claims, effort, limits)
}

#[cfg(test)]
mod tests;
