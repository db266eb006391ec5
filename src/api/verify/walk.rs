//! Walks over the states of a set in the order of their ranks, and finds the ranks of states. Neighbouring states in
//! this order share most of their path through a diagram, and so do their successors under the same move.

use super::diagram::{Set, TERMINALS};
use game::batch::holds;

/// Iterates over the states of a set, ascending by rank, as packed bits by level.
pub struct Cursor<'s, 'l> {
    set: &'s Set<'l>,
    /// The inner nodes of the path, each with the chosen child.
    way: Vec<(u32, bool)>,
    state: Vec<u64>,
    left: u64,
}

impl<'s, 'l> Cursor<'s, 'l> {
    /// Iterates over `count` states from rank `first` on, packed in `words` words each. The set must have these states.
    pub fn new(set: &'s Set<'l>, words: usize, first: u64, count: u64) -> Self {
        let mut cursor = Cursor { set, way: Vec::new(), state: vec![0; words], left: count };
        let (mut id, mut rank) = (set.root, first);
        while count > 0 && id >= TERMINALS {
            let node = set.node(id);
            let high = rank >= node.below();
            rank -= if high { node.below() } else { 0 };
            cursor.step(id, high);
            id = if high { node.hi } else { node.lo };
        }
        cursor
    }

    fn step(&mut self, id: u32, high: bool) {
        self.way.push((id, high));
        if high {
            flip(&mut self.state, self.set.node(id).level());
        }
    }

    /// Appends at most `count` states. Returns their number.
    pub fn take(&mut self, count: usize, states: &mut Vec<u64>) -> usize {
        let count = self.left.min(count as u64) as usize;
        for _ in 0..count {
            states.extend_from_slice(&self.state);
            self.left -= 1;
            if self.left > 0 {
                self.advance();
            }
        }
        count
    }

    /// Moves to the next state, which must exist.
    fn advance(&mut self) {
        while let Some((id, high)) = self.way.pop() {
            let node = self.set.node(id);
            if high {
                flip(&mut self.state, node.level());
                continue;
            }
            self.step(id, true);
            let mut child = node.hi;
            while child >= TERMINALS {
                let node = self.set.node(child);
                let high = node.lo == 0;
                self.step(child, high);
                child = if high { node.hi } else { node.lo };
            }
            return;
        }
    }
}

fn flip(state: &mut [u64], level: usize) {
    state[level / 64] ^= 1 << (63 - level % 64);
}

/// The first level in which two packed states differ.
#[inline]
fn difference(left: &[u64], right: &[u64]) -> Option<usize> {
    let (index, bits) = left.iter().zip(right).map(|(a, b)| a ^ b).enumerate().find(|(_, bits)| *bits != 0)?;
    Some(64 * index + bits.leading_zeros() as usize)
}

/// Finds ranks of states in one set. A lookup starts at the node where the path leaves that of the state before it.
#[derive(Debug, Default)]
pub struct Finder {
    state: Vec<u64>,
    way: Vec<Step>,
    found: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub struct Step {
    node: u32,
    level: u32,
    /// Number of states before those below the node.
    rank: u64,
    /// Number of true levels above the node.
    ones: u32,
}

impl Finder {
    /// The rank of a packed state; `None` if the state is not in the set.
    pub fn find(&mut self, set: &Set, state: &[u64]) -> Option<u64> {
        let mut step = match self.way.first() {
            None if set.root < TERMINALS => {
                return (set.root == 1 && state.iter().all(|word| *word == 0)).then_some(0);
            }
            None => {
                let first = Step { node: set.root, level: set.node(set.root).level() as u32, rank: 0, ones: 0 };
                self.way.push(first);
                self.state.extend_from_slice(state);
                first
            }
            Some(&first) => {
                let Some(level) = difference(&self.state, state) else { return self.found };
                self.state.copy_from_slice(state);
                let kept = self.way.iter().rposition(|step| step.level as usize <= level).unwrap_or(0);
                self.way.truncate(kept + 1);
                // The states differ above the first node, in a skipped level that is true in the new state.
                self.way.last().copied().unwrap_or(first)
            }
        };
        loop {
            let node = set.node(step.node);
            let child = if holds(state, step.level as usize) {
                step.rank += node.below();
                step.ones += 1;
                node.hi
            } else {
                node.lo
            };
            if child < TERMINALS {
                // Skipped levels must be false.
                let ones: u32 = state.iter().map(|word| word.count_ones()).sum();
                self.found = (child == 1 && ones == step.ones).then_some(step.rank);
                return self.found;
            }
            (step.node, step.level) = (child, set.node(child).level() as u32);
            self.way.push(step);
        }
    }
}
