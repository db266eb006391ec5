//! Automorphisms and isomorphisms of graphs with coloured vertices and labelled edges.
//!
//! Method: individualisation and refinement. A first path refines the colours, gives one vertex its own cell, refines
//! again, and so on, until each vertex has its own cell. Then, from the last step of the path to the first, a search
//! looks for automorphisms that fix the vertices of the earlier steps and move the vertex of this step: one for each
//! orbit that may belong to the orbit of this vertex (McKay and Piperno, "Practical graph isomorphism, II", 2014;
//! backtracking undoes splits, as in Darga, Liffiton, Sakallah and Markov, "Exploiting structure in symmetry detection
//! for CNF", 2004). The generators are a strong generating set for the path, so the order of the group is the product
//! of the orbit lengths (Sims 1970). An isomorphism is the image of one graph's path in the other graph, found by the
//! same search. Every result is checked against the edges. A bound on the examined edges and vertices limits the work.
//!
//! No library is used: nauty and its bindings need a C compiler, end the process when memory is short, and have no
//! bound on work; libraries in Rust are young parts of larger packages.

mod partition;
mod search;

pub use search::{Found, automorphisms, isomorphism};

use crate::lists::Lists;
use partition::{Partition, Trace};

/// Labels are below this number. An edge that is listed at its end has its label plus this number.
pub const LABELS: u32 = 1 << 16;

/// A graph with labelled edges; the colours of its vertices are arguments of each query.
#[derive(Debug, Clone)]
pub struct Graph {
    /// For each vertex, its edges as (label, other end), ascending. An edge is listed at both ends.
    edges: Lists<(u32, u32)>,
}

impl Graph {
    /// `edges` is called twice and must return the same edges both times, each as (start, label below [`LABELS`], end).
    pub fn new<E: Iterator<Item = (u32, u32, u32)>>(vertices: usize, edges: impl Fn() -> E) -> Graph {
        let both = |(from, label, to)| [(from, (label, to)), (to, (label + LABELS, from))];
        let mut edges = Lists::new(vertices, || edges().flat_map(both));
        edges.sort();
        Graph { edges }
    }

    pub fn vertices(&self) -> usize {
        self.edges.count()
    }

    /// The number of edges, counted in both directions.
    pub fn edges(&self) -> usize {
        self.edges.items().len()
    }

    /// Label and other end of the edges of a vertex, ascending.
    fn of(&self, vertex: u32) -> &[(u32, u32)] {
        self.edges.of(vertex)
    }
}

/// A number that is the same for isomorphic graphs.
pub fn invariant(graph: &Graph, colours: &[u64]) -> u64 {
    let mut trace = Vec::new();
    Partition::new(graph, colours).refine(&mut Trace::Record(&mut trace));
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().chain(trace).fold(1, mix)
}

pub fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}
