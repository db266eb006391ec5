//! Symmetries of a game: permutations of its roles, fluents and moves that leave its rules as they are.
//!
//! A symmetry maps the moves of a role to those of its image and the conditions of the rules to each other: `legal` of a
//! move to `legal` of its image, `next` of a fluent to `next` of its image, `terminal` to itself, and the condition of a
//! reward to that of the same reward of the role's image. So it maps each step of play to a step of play, and a position
//! to one in which the images of the roles get the same rewards, whether or not both can be reached from the initial state.
//! [`Kept`] says what else it has to leave in place:
//!
//! - A state: the symmetries that keep the initial state map the reachable states of a layer to one another; those that
//!   keep some other state map its moves to moves that are worth the same.
//! - Each role: movers of two roles rank rewards alike, but with more of them ties go by whose turn is next
//!   ([`crate::reward::OpponentModel`]), so that values are mapped to values where roles stay in place (or there are at
//!   most two of them).
//!
//! What is found are automorphisms of the graph of the formulas. Equal formulas are one node there, so that a node is
//! mapped as its children are, and a symmetry of the graph is one of the rules; rules that mean the same without looking
//! alike may have more. Rules under other names are compared before they are grounded, by their sentences
//! (`rules::isomorphism`), as most rules are not worth grounding for that.
//!
//! The search for them is that of [`base::coloured`]; work is bounded by [`Effort`], and what was found by then is a group.

mod incidence;
mod permutation;

pub use permutation::Permutation;

use crate::interpreter::State;
use crate::propositional::Game;
use base::limits::{LimitReached, Limits};
use incidence::Incidence;
use indexmap::IndexSet;
use num_bigint::BigUint;

/// Bounds of the work, so that a search takes a small part of what grounding took.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Edges looked at, for each edge of the graph;
    pub passes: u64,
    /// at least so many,
    pub least: u64,
    /// and no more than so many.
    pub most: u64,
}

/// The most edges of formulas whose symmetries are looked for: to tell apart what is alike takes several looks at each,
/// seconds for a larger graph.
const EDGES: usize = 12_000_000;

impl Default for Effort {
    /// About a second for a graph of a hundred thousand edges.
    fn default() -> Self {
        Effort { passes: 200, least: 20_000_000, most: 200_000_000 }
    }
}

/// What symmetries have to leave in place.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept<'a> {
    /// The set of fluents that hold in this state.
    pub state: Option<&'a State>,
    /// Each role.
    pub roles: bool,
}

/// A group of symmetries of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetries {
    /// They make the group; none: only the identity. Each keeps what those of the level before it keep, and more.
    pub generators: Vec<Permutation>,
    /// By level of the search, from the last to the first: generators up to it, and how many elements there are for each
    /// element of the level before.
    levels: Vec<(usize, usize)>,
    /// There are no others. Otherwise the effort did not suffice to say so.
    pub complete: bool,
}

impl Symmetries {
    /// The number of symmetries.
    pub fn order(&self) -> BigUint {
        self.levels.iter().map(|&(_, orbit)| BigUint::from(orbit)).product()
    }

    /// The elements of the group, the identity first (none where there is no other); where there are more than `most`, those of a part of it that is a
    /// group.
    pub fn elements(&self, most: usize) -> Vec<Permutation> {
        let (mut generators, mut order) = (0, 1usize);
        for &(end, orbit) in &self.levels {
            match order.checked_mul(orbit).filter(|&order| order <= most) {
                Some(larger) => (generators, order) = (end, larger),
                None => break,
            }
        }
        let Some(first) = self.generators.first() else { return Vec::new() };
        let mut elements = IndexSet::from([first.identity()]);
        let mut next = 0;
        while let Some(element) = elements.get_index(next).cloned() {
            for generator in &self.generators[..generators] {
                elements.insert(element.then(generator));
            }
            next += 1;
        }
        debug_assert_eq!(elements.len(), order);
        elements.into_iter().collect()
    }
}

/// The rules of a game as a graph, for several questions about its symmetries.
#[derive(Debug, Clone)]
pub struct Rules {
    /// None where it would be too large to be looked at.
    incidence: Option<Incidence>,
}

impl Rules {
    /// Linear in the gates that the rules need.
    pub fn new(game: &Game, limits: &Limits) -> Result<Rules, LimitReached> {
        let edges: usize = game.graph.nodes().map(|(_, node)| node.children().len()).sum();
        let incidence = if edges > EDGES { None } else { Some(Incidence::new(game, edges, limits)?) };
        Ok(Rules { incidence })
    }

    /// The symmetries that leave something in place.
    pub fn symmetries(&self, kept: Kept, effort: &Effort, limits: &Limits) -> Result<Symmetries, LimitReached> {
        let Some(incidence) = &self.incidence else {
            return Ok(Symmetries { generators: Vec::new(), levels: Vec::new(), complete: false });
        };
        let found = incidence.automorphisms(kept, effort, limits)?;
        let generators = found.generators.into_iter().map(|images| incidence.permutation(images)).collect();
        Ok(Symmetries { generators, levels: found.levels, complete: found.complete })
    }
}

#[cfg(test)]
mod tests;
