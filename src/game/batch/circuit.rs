//! Straight-line code with one kind of gate: the conjunction of two inputs, each of which may be inverted, as in
//! and-inverter graphs (Kuehlmann et al., "Robust Boolean Reasoning", IEEE TCAD 2002).
//!
//! Evaluation needs no branches: a gate takes two loads, three operations and a store for each word of a plane.

use super::plane::Plane;
use multiversion::multiversion;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge(u32);

impl Edge {
    /// Slot 0 holds false.
    pub const FALSE: Edge = Edge(0);
    pub const TRUE: Edge = Edge(1);

    pub fn slot(slot: u32) -> Edge {
        Edge(slot << 1)
    }

    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }

    #[inline]
    fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }

    #[inline]
    pub fn plane(self, slots: &[Plane]) -> Plane {
        Plane(slots[self.index()].0.map(|word| word ^ self.mask()))
    }

    #[inline]
    pub fn word(self, slots: &[Plane], index: usize) -> u64 {
        slots[self.index()].0[index] ^ self.mask()
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Circuit {
    first: u32,
    gates: Vec<[Edge; 2]>,
}

impl Circuit {
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn end(&self) -> usize {
        self.first as usize + self.gates.len()
    }

    pub fn run(&self, slots: &mut [Plane]) {
        run(&self.gates, self.first as usize, slots);
    }

    /// Drops unneeded gates and returns two circuits in consecutive slots: the gates on which `roots` depend, then the
    /// gates on which only `more` depends. Updates the edges in `roots` and `more`.
    pub fn keep(self, roots: &mut [Edge], more: &mut [Edge]) -> [Circuit; 2] {
        const NONE: u8 = 2;
        let first = self.first as usize;
        let mut needed = vec![NONE; self.gates.len()];
        let mut need = |edge: &Edge, circuit: u8| {
            if let Some(gate) = edge.index().checked_sub(first) {
                needed[gate] = needed[gate].min(circuit);
            }
        };
        roots.iter().for_each(|root| need(root, 0));
        more.iter().for_each(|root| need(root, 1));
        for (gate, inputs) in self.gates.iter().enumerate().rev() {
            let circuit = needed[gate];
            inputs.iter().filter_map(|input| input.index().checked_sub(first)).for_each(|gate| {
                needed[gate] = needed[gate].min(circuit);
            });
        }
        let mut places = vec![0; self.gates.len()];
        let mut end = self.first;
        [0, 1].map(|circuit| {
            let begin = end;
            let here = || needed.iter().enumerate().filter(|(_, needed)| **needed == circuit).map(|(gate, _)| gate);
            for gate in here() {
                places[gate] = end;
                end += 1;
            }
            let moved = |edge: Edge| match edge.index().checked_sub(first) {
                None => edge,
                Some(gate) => Edge(places[gate] << 1 | edge.0 & 1),
            };
            let roots = if circuit == 0 { &mut *roots } else { &mut *more };
            roots.iter_mut().for_each(|root| *root = moved(*root));
            Circuit { first: begin, gates: here().map(|gate| self.gates[gate].map(moved)).collect() }
        })
    }
}

/// Computes the gates in order, with the widest vectors that the processor has.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn run(gates: &[[Edge; 2]], first: usize, slots: &mut [Plane]) {
    for (&[left, right], target) in gates.iter().zip(first..) {
        let (a, b) = (slots[left.index()].0, slots[right.index()].0);
        let (not_a, not_b) = (left.mask(), right.mask());
        slots[target] = Plane(std::array::from_fn(|k| (a[k] ^ not_a) & (b[k] ^ not_b)));
    }
}

/// Gates by their inputs. Consecutive builders share one table, so that it need not grow again each time.
pub(super) type Known = FxHashMap<[Edge; 2], Edge>;

/// Builds a circuit. Equal gates are shared, and constants are folded.
#[derive(Debug)]
pub(super) struct Builder<'k> {
    first: u32,
    gates: Vec<[Edge; 2]>,
    known: &'k mut Known,
}

impl<'k> Builder<'k> {
    /// The slots of the gates start at `first`. The contents of `known` are discarded.
    pub fn new(first: u32, known: &'k mut Known) -> Builder<'k> {
        known.clear();
        Builder { first, gates: Vec::new(), known }
    }

    pub fn circuit(self) -> Circuit {
        Circuit { first: self.first, gates: self.gates }
    }

    pub fn and(&mut self, left: Edge, right: Edge) -> Edge {
        let (low, high) = (left.min(right), left.max(right));
        if low == Edge::FALSE || low.not() == high {
            return Edge::FALSE;
        }
        if low == Edge::TRUE || low == high {
            return high;
        }
        let next = Edge::slot(self.first + self.gates.len() as u32);
        let gates = &mut self.gates;
        *self.known.entry([low, high]).or_insert_with(|| {
            gates.push([low, high]);
            next
        })
    }

    pub fn or(&mut self, left: Edge, right: Edge) -> Edge {
        self.and(left.not(), right.not()).not()
    }

    pub fn same(&mut self, left: Edge, right: Edge) -> Edge {
        let (both, none) = (self.and(left, right), self.and(left.not(), right.not()));
        self.or(both, none)
    }

    /// Builds the conjunction as a balanced tree, so that consecutive gates do not wait for each other.
    pub fn all(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        let mut edges: SmallVec<[Edge; 16]> = edges.into_iter().filter(|edge| *edge != Edge::TRUE).collect();
        if edges.contains(&Edge::FALSE) {
            return Edge::FALSE;
        }
        while edges.len() > 1 {
            let half = edges.len().div_ceil(2);
            for pair in 0..edges.len() / 2 {
                edges[pair] = self.and(edges[2 * pair], edges[2 * pair + 1]);
            }
            if edges.len() % 2 == 1 {
                edges[half - 1] = edges[edges.len() - 1];
            }
            edges.truncate(half);
        }
        edges.first().copied().unwrap_or(Edge::TRUE)
    }

    pub fn any(&mut self, edges: impl IntoIterator<Item = Edge>) -> Edge {
        self.all(edges.into_iter().map(Edge::not)).not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn conjunctions_and_disjunctions_of_many_are_flat_and_right() {
        let (mut random, mut known) = (Random::new(11), Known::default());
        for count in 0..70u32 {
            let inputs = 64u32;
            let mut builder = Builder::new(inputs + 1, &mut known);
            let edges: Vec<Edge> = (0..count)
                .map(|_| {
                    let edge = Edge::slot(random.below(inputs as usize + 1) as u32);
                    if random.below(2) == 0 { edge } else { edge.not() }
                })
                .collect();
            let roots = [builder.all(edges.iter().copied()), builder.any(edges.iter().copied())];
            let circuit = builder.circuit();
            let mut slots = vec![Plane::NONE; circuit.end().max(inputs as usize + 1)];
            for slot in &mut slots[1..=inputs as usize] {
                slot.0 = std::array::from_fn(|_| (0..5).fold(0, |word, _| word | (random.below(1 << 62) as u64 * 4)));
            }
            circuit.run(&mut slots);
            let planes: Vec<Plane> = edges.iter().map(|edge| edge.plane(&slots)).collect();
            let all = planes.iter().fold(!Plane::NONE, |all, plane| all & *plane);
            let any = planes.iter().fold(Plane::NONE, |any, plane| any | *plane);
            assert_eq!(roots.map(|root| root.plane(&slots)), [all, any]);
            let first = circuit.first as usize;
            let mut depths = vec![0; circuit.end()];
            for (gate, inputs) in circuit.gates.iter().enumerate() {
                depths[first + gate] = 1 + inputs.iter().map(|input| depths[input.index()]).max().unwrap();
            }
            assert!(depths.into_iter().max() <= Some(count.max(1).next_power_of_two().trailing_zeros()));
        }
    }
}
