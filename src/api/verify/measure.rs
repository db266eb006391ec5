//! A measure of progress: a weight for each level, such that in every state the weights of the true variables add up to
//! the number of the layer. If there is such a measure, no state lies in two layers.
//!
//! Linear equations modulo a prime, from random states of all layers, give candidates for the weights. A candidate is
//! proved if, in every diagram, all paths downwards from a node have the same sum. Cost: a pass over each diagram.

use super::diagram::{Set, TERMINALS};
use base::modular::{add, inverse, multiply, negative};
use base::random::Random;

/// Bound on the levels. With more levels, solving the equations takes too long.
pub const MOST_LEVELS: usize = 1024;

#[derive(Debug)]
pub struct Equations {
    /// Rows of the reduced system: the index of the first unknown of the row, which has coefficient 1; and all
    /// coefficients, followed by the right-hand side.
    rows: Vec<(usize, Vec<u64>)>,
    unknowns: usize,
    contradicted: bool,
}

impl Equations {
    pub fn new(levels: usize) -> Self {
        Equations { rows: Vec::new(), unknowns: levels + 1, contradicted: false }
    }

    pub fn contradicted(&self) -> bool {
        self.contradicted
    }

    /// Adds the equation that a state of a layer gives.
    pub fn add(&mut self, assignment: &[bool], layer: u32) {
        let mut row: Vec<u64> = assignment.iter().map(|bit| u64::from(*bit)).chain([1, u64::from(layer)]).collect();
        for (first, known) in &self.rows {
            let factor = negative(row[*first]);
            if factor != 0 {
                row.iter_mut()
                    .zip(known)
                    .skip(*first)
                    .for_each(|(own, known)| *own = add(*own, multiply(factor, *known)));
            }
        }
        match row[..self.unknowns].iter().position(|factor| *factor != 0) {
            None => self.contradicted |= row[self.unknowns] != 0,
            Some(first) => {
                let factor = inverse(row[first]);
                row.iter_mut().for_each(|number| *number = multiply(*number, factor));
                // The rows are sorted by their first unknown, so one pass reduces a new row.
                let place = self.rows.partition_point(|(other, _)| *other < first);
                self.rows.insert(place, (first, row));
            }
        }
    }

    /// The weights by level, then the constant.
    pub fn weights(&self) -> Vec<u64> {
        let mut weights = vec![0; self.unknowns];
        for (first, row) in self.rows.iter().rev() {
            let known = (first + 1..self.unknowns).map(|other| multiply(row[other], weights[other])).fold(0, add);
            weights[*first] = add(row[self.unknowns], negative(known));
        }
        weights
    }
}

/// The sum of the weights of a state of a non-empty set, if it is the same for all states.
pub fn sum(set: &Set, weights: &[u64]) -> Option<u64> {
    let mut sums: Vec<u64> = Vec::with_capacity(set.nodes.len());
    let below = |sums: &[u64], child: u32| match child.checked_sub(TERMINALS) {
        Some(index) => sums[index as usize],
        None => 0,
    };
    for node in &set.nodes {
        let high = add(below(&sums, node.hi), weights[node.level()]);
        if node.lo != 0 && below(&sums, node.lo) != high {
            return None;
        }
        sums.push(high);
    }
    (set.root != 0).then(|| add(below(&sums, set.root), weights[weights.len() - 1]))
}

/// A random state of a non-empty set, as a value per level. States are not equally likely.
pub fn some_state(set: &Set, random: &mut Random) -> Option<Vec<bool>> {
    let (mut assignment, mut id) = (vec![false; set.levels], set.root);
    while id >= TERMINALS {
        let node = set.node(id);
        let high = node.lo == 0 || random.chance(50);
        assignment[node.level()] = high;
        id = if high { node.hi } else { node.lo };
    }
    (id == 1).then_some(assignment)
}
