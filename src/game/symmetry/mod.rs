//! Symmetries of a game: permutations of its roles, fluents and moves that leave its rules as they are.
//!
//! A symmetry maps the moves of a role to the moves of the role's image, and each condition of the rules to another:
//! `legal` of a move to `legal` of its image, `next` of a fluent to `next` of its image, `terminal` to itself, and the
//! condition of a reward to that of the same reward for the role's image. It thus maps each step of play to a step of
//! play, and a position to one in which the images of the roles get the same rewards, whether or not the positions are
//! reachable. [`Kept`] says what else a symmetry must leave in place:
//!
//! - A state: the symmetries that keep the initial state map the reachable states of each layer to one another; those
//!   that keep some other state map its moves to moves of the same value.
//! - Each role: a symmetry maps values to values only if it keeps the roles or there are at most two of them. With more
//!   roles, ties are broken by whose turn is next ([`crate::reward::OpponentModel`]).
//!
//! The search finds automorphisms of the graph of the formulas. Equal formulas are one node there, and a node is mapped
//! like its children, so a symmetry of the graph is one of the rules. Rules that mean the same but look different may
//! have more symmetries. Rules under other names are compared by their sentences (`rules::isomorphism`), because
//! grounding for a comparison is rarely worth it. The search is that of [`base::coloured`]. [`Effort`] bounds its work;
//! if the bound is reached, the symmetries found so far generate a subgroup of all symmetries.

mod incidence;
mod permutation;

pub use permutation::Permutation;

use crate::interpreter::State;
use crate::propositional::Game;
use base::limits::{LimitReached, Limits};
use incidence::Incidence;
use indexmap::IndexSet;
use num_bigint::BigUint;

/// Bounds on the work of a search, so that it takes a small part of the time of grounding.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of edges to visit for each edge of the graph.
    pub passes: u64,
    /// Number of edges to visit in any case.
    pub least: u64,
    pub most: u64,
}

/// Bound on the edges of the graph: a search visits each edge several times, which takes seconds in a larger graph.
const EDGES: usize = 12_000_000;

impl Default for Effort {
    /// The bounds permit about a second for a graph of a hundred thousand edges.
    fn default() -> Self {
        Effort { passes: 200, least: 20_000_000, most: 200_000_000 }
    }
}

/// The parts of a game that symmetries must leave in place.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept<'a> {
    /// A state: the set of its fluents must stay the same.
    pub state: Option<&'a State>,
    pub roles: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetries {
    /// Generators of the group; none for the identity alone. They are in the order of `levels`; those of the first one
    /// keep the most.
    pub generators: Vec<Permutation>,
    /// Levels of the search, from the last to the first. For each: the number of generators up to it, and the ratio of
    /// the number of elements to that of the level before.
    levels: Vec<(usize, usize)>,
    /// Whether these are all symmetries. Otherwise the effort did not suffice to find out.
    pub complete: bool,
}

impl Symmetries {
    pub fn order(&self) -> BigUint {
        self.levels.iter().map(|&(_, orbit)| BigUint::from(orbit)).product()
    }

    /// The elements of the group, the identity first; none if there is no other element. If there are more than `most`,
    /// the elements of a subgroup.
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

#[derive(Debug, Clone)]
pub struct Rules {
    /// `None` if the graph would be too large to search.
    incidence: Option<Incidence>,
}

impl Rules {
    /// Linear in the size of the game's graph, apart from sorting.
    pub fn new(game: &Game, limits: &Limits) -> Result<Rules, LimitReached> {
        let edges: usize = game.graph.nodes().map(|(_, node)| node.children().len()).sum();
        let incidence = if edges > EDGES { None } else { Some(Incidence::new(game, edges, limits)?) };
        Ok(Rules { incidence })
    }

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
