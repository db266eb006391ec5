//! A depth-first walk through a layer in the order of ranks, with the moves that are still possible.

use super::descent::Entry;
use super::orders::Run;
use super::output::Writer;
use super::parts::Part;
use super::side::Record;
use super::{Layers, MOVES};
use crate::Node;
use base::limits::LimitReached;

struct Stack {
    waiting: Vec<(Node, usize, usize)>,
    arena: Vec<Entry>,
    entries: Vec<Entry>,
    spare: Vec<Entry>,
}

impl Stack {
    fn new(part: &Part) -> Stack {
        let waiting = vec![(part.node, 0, part.entries.len())];
        Stack { waiting, arena: part.entries.clone(), entries: Vec::new(), spare: Vec::new() }
    }

    fn next(&mut self, layers: &Layers) -> Option<(Node, usize)> {
        let (node, start, count) = self.waiting.pop()?;
        self.entries.clear();
        self.entries.extend_from_slice(&self.arena[start..start + count]);
        Some((layers.settle(node, &mut self.entries, &mut self.spare), start))
    }

    fn part(&mut self, layers: &Layers, node: Node, start: usize) {
        let &Record { level, lo, hi, .. } = layers.labels.record(node);
        self.arena.truncate(start);
        for (bit, child) in [(1, hi), (0, lo)] {
            let from = self.arena.len();
            layers.step(level, bit, self.entries.iter().copied(), &mut self.spare);
            self.arena.extend_from_slice(&self.spare);
            self.waiting.push((child, from, self.spare.len()));
        }
    }
}

/// Writes the values of a part's states; returns false at a dead end.
pub fn run(layers: &Layers, part: &Part, run: &Run, output: &mut Writer) -> Result<bool, LimitReached> {
    let mut stack = Stack::new(part);
    let mut steps = 0_u32;
    while let Some((node, from)) = stack.next(layers) {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(1 << 16) {
            run.check()?;
        }
        if let Some(value) = layers.labels.one_value(node) {
            run.fill(output, layers.labels.states(node), run.index_of(value));
        } else if let Some(label) = node.as_terminal() {
            debug_assert!(label >= MOVES);
            let best = stack.entries.iter().map(|entry| run.preference(label, entry.offset)).max();
            let Some(best) = best else { return Ok(false) };
            run.fill(output, 1, run.index_of_preference(label, best));
        } else {
            stack.part(layers, node, from);
        }
    }
    Ok(true)
}
