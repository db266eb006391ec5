//! Mutex groups of a propositional game: a partition of its fluents into sets of which at most one, or exactly one,
//! holds in every reachable state.
//!
//! Candidates come from the names of the fluents and from random playouts ([`candidates`]); each is proved by
//! simultaneous induction over the rules or dropped ([`induction`]); the proved ones are cut down to a partition
//! ([`cover`]). All searches are bounded by counts, never by time, and degrade to smaller groups.

mod candidates;
mod cover;
mod guess;
mod induction;
mod local;
mod simulate;
mod walk;

pub use guess::{guess, refuted};

use crate::limits::{LimitReached, Limits};
use crate::propositional::{Game, Group, Node};
use induction::{Bound, Invariant};

/// How much to spend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Steps of each of the 64 random playouts.
    pub steps: usize,
    pub seed: u64,
    /// Graph nodes that the playouts evaluate, about.
    pub play: usize,
    /// Conflicts of one proof.
    pub conflicts: u64,
    /// Literals propagated by all proofs together.
    pub work: u64,
    /// Edges of the graph beyond which nothing is proved, so that every fluent is a group by itself.
    pub edges: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { steps: 200, seed: 1, play: 100_000_000, conflicts: 2_000, work: 60_000_000, edges: 20_000_000 }
    }
}

/// Disjoint groups that cover all fluents, ascending by their first fluents; a fluent that no larger group was proved
/// for is a group of its own. Deterministic.
pub fn groups(game: &Game, effort: &Effort, limits: &Limits) -> Result<Vec<Group>, LimitReached> {
    let edges = game.graph.nodes().map(|(_, node)| match node {
        Node::And(children) | Node::Or(children) => children.len(),
        _ => 1,
    });
    let edges: usize = edges.sum();
    if edges > effort.edges {
        return Ok(cover::cover(game, &[]));
    }
    // A clause takes about 40 bytes, an edge about two clauses.
    let _clauses = limits.hold(80 * edges as u64)?;
    Ok(cover::cover(game, &invariants(game, effort, limits)?))
}

fn invariants(game: &Game, effort: &Effort, limits: &Limits) -> Result<Vec<Invariant>, LimitReached> {
    let samples = simulate::Samples::new(game, effort.steps, effort.seed, effort.play);
    let mut claims = Vec::new();
    for members in candidates::candidates(game, &samples) {
        if samples.covered(&members) {
            claims.push(Invariant { members: members.clone(), bound: Bound::AtLeastOne });
        }
        claims.push(Invariant { members, bound: Bound::AtMostOne });
    }
    induction::prove(game, claims, effort, limits)
}

#[cfg(test)]
mod tests;
