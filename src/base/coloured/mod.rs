//! Graphs with coloured vertices and labelled edges: their automorphisms, and isomorphisms of two of them.
//!
//! Method: colours are refined and single vertices set apart until all are told apart, along one path; for each vertex set
//! apart on it, from the last to the first, a search looks for automorphisms that keep those before it and move it, one for
//! each orbit that may join its own (McKay and Piperno, "Practical graph isomorphism, II", 2014; backtracking by undoing
//! splits as in Darga, Liffiton, Sakallah and Markov, "Exploiting structure in symmetry detection for CNF", 2004). The
//! generators are strong for that path, so that the order of the group is the product of the orbits (Sims 1970). An
//! isomorphism is found by the same search, as the image of one graph's path in the other graph. Every result is checked
//! against the edges. Work is bounded by a number of edges looked at.
//!
//! Of the libraries, nauty and its bindings need a C compiler, end the process when memory is short and know no bound of
//! work; the ones in Rust are young parts of larger packages.

mod partition;
mod search;

pub use search::{Found, automorphisms, isomorphism};

use partition::{Partition, Trace};

/// Labels are below this number, which is added to that of an edge seen from its end.
pub const LABELS: u32 = 1 << 16;

/// A graph with labelled edges; the colours of its vertices are given with each question.
#[derive(Debug, Clone)]
pub struct Graph {
    /// By vertex: where its edges begin in `edges`; and the end.
    offsets: Vec<u32>,
    /// Label and other end, in both directions; those of a vertex ascending.
    edges: Vec<(u32, u32)>,
}

impl Graph {
    /// Edges as start, label and end, twice the same; labels are below [`LABELS`].
    pub fn new<E: Iterator<Item = (u32, u32, u32)>>(vertices: usize, edges: impl Fn() -> E) -> Graph {
        let mut offsets = vec![0u32; vertices + 1];
        for (from, _, to) in edges() {
            offsets[from as usize + 1] += 1;
            offsets[to as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            offsets[vertex + 1] += offsets[vertex];
        }
        let mut places = offsets.clone();
        let mut both = vec![(0, 0); offsets[vertices] as usize];
        let mut put = |at: u32, edge: (u32, u32)| {
            both[places[at as usize] as usize] = edge;
            places[at as usize] += 1;
        };
        for (from, label, to) in edges() {
            put(from, (label, to));
            put(to, (label + LABELS, from));
        }
        for vertex in 0..vertices {
            both[offsets[vertex] as usize..offsets[vertex + 1] as usize].sort_unstable();
        }
        Graph { offsets, edges: both }
    }

    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Both directions counted.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Label and other end of the edges of a vertex, ascending.
    fn of(&self, vertex: u32) -> &[(u32, u32)] {
        &self.edges[self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize]
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

/// A hash of two words.
pub fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}
