//! Random playouts, and for each fluent the sampled states in which it held.

use super::walk::Walk;
use crate::interpreter::Interpreter;
use crate::propositional::{FluentId, Game};
use base::limits::{LimitReached, Limits};

/// Least number of steps, even if they exceed `work`.
const LEAST: usize = 16;

/// For every fluent, the set of sampled states in which it held, as a bit set over the samples.
pub(super) struct Samples {
    words: usize,
    columns: Vec<u64>,
}

impl Samples {
    /// Plays at random from the initial state, repeatedly: `steps` joint moves in each of 64 playouts, or fewer if
    /// these would evaluate more than `work` nodes. At a state without a joint move, play begins again.
    pub fn new(
        game: &Game,
        interpreter: &Interpreter,
        (steps, work): (usize, usize),
        seed: u64,
        limits: &Limits,
    ) -> Result<Self, LimitReached> {
        let steps = steps.min((work / (game.graph.len() + 64 * game.fluents.len() + 1)).max(LEAST));
        let mut columns = vec![0; steps * game.fluents.len()];
        let mut walk = Walk::new(interpreter, seed);
        for word in 0..steps {
            limits.check()?;
            for (fluent, &lanes) in walk.columns().iter().enumerate() {
                columns[fluent * steps + word] = lanes;
            }
            walk.step();
        }
        Ok(Samples { words: steps, columns })
    }

    pub fn column(&self, fluent: FluentId) -> &[u64] {
        &self.columns[fluent.index() * self.words..(fluent.index() + 1) * self.words]
    }

    pub fn covered(&self, fluents: &[FluentId]) -> bool {
        (0..self.words).all(|word| {
            fluents.iter().fold(0, |union, fluent| union | self.columns[fluent.index() * self.words + word]) == u64::MAX
        })
    }
}

pub(super) fn disjoint(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left & right == 0)
}

pub(super) fn unite(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::handmade::lines;

    #[test]
    fn the_values_of_a_cell_share_out_the_samples() {
        let game = lines(3, 3, 3);
        let limits = Limits::unlimited();
        let samples = Samples::new(&game, &Interpreter::new(&game), (50, usize::MAX), 1, &limits).unwrap();
        let ids: Vec<FluentId> = game.fluent_ids().collect();
        for group in ids.chunks(3) {
            let mut union = vec![0; 50];
            for &id in group {
                assert!(disjoint(&union, samples.column(id)));
                unite(&mut union, samples.column(id));
            }
            assert!(samples.covered(group));
        }
        assert!(!disjoint(samples.column(ids[0]), samples.column(ids[4])));
        assert!(!samples.covered(&ids[0..2]));
    }
}
