//! Divides a layer into parts: states of consecutive ranks, each with the moves that are possible there.

use super::Layers;
use super::descent::Entry;
use super::side::Record;
use crate::Node;
use std::ops::Range;

/// The states below a node, and the moves that are possible there, with the ranks in the next layer to which they lead.
#[derive(Debug, Clone)]
pub struct Part {
    pub node: Node,
    /// The moves, sorted; empty if no role moves below the node.
    pub entries: Vec<Entry>,
    pub start: u64,
    pub states: u64,
}

impl Layers<'_> {
    pub fn whole(&self) -> Part {
        let mut entries = Vec::new();
        self.start(&mut entries);
        self.part(self.labels.root(), entries, 0)
    }

    fn part(&self, node: Node, mut entries: Vec<Entry>, start: u64) -> Part {
        let node = self.settle_sorted(node, &mut entries, &mut Vec::new());
        Part { node, entries, start, states: self.labels.states(node) }
    }

    fn halves(&self, part: &Part) -> Option<[Part; 2]> {
        if part.node.is_terminal() {
            return None;
        }
        let &Record { level, lo, hi, first, .. } = self.labels.record(part.node);
        let half = |bit, node, start| {
            let mut entries = Vec::new();
            self.step(level, bit, part.entries.iter().copied(), &mut entries);
            self.part(node, entries, start)
        };
        Some([half(0, lo, part.start), half(1, hi, part.start + first)])
    }

    /// Whether some state of the part must be a dead end: a role moves there, but no move is possible.
    pub fn is_stuck(&self, part: &Part) -> bool {
        part.entries.is_empty() && self.labels.moves_below(part.node)
    }

    pub fn cut(&self, most: u64) -> Vec<Part> {
        let mut rest = Rest::new(self);
        std::iter::from_fn(|| rest.take(self, most)).collect()
    }

    /// The fewest parts that cover a range of ranks exactly.
    pub fn between(&self, ranks: &Range<u64>) -> Vec<Part> {
        let (mut waiting, mut inside) = (vec![self.whole()], Vec::new());
        while let Some(part) = waiting.pop() {
            let end = part.start + part.states;
            if part.start == end || end <= ranks.start || ranks.end <= part.start {
                continue;
            }
            if ranks.start <= part.start && end <= ranks.end {
                inside.push(part);
                continue;
            }
            let [first, second] = self.halves(&part).expect("a part of one state is inside or outside");
            waiting.push(second);
            waiting.push(first);
        }
        inside
    }

    /// Ranges of ranks of the next layer, ascending and disjoint, that contain all states to which moves lead from
    /// `parts`. The search takes pieces of at most `most` states. The ranges begin and end at multiples of `unit`, or
    /// end at the last state.
    pub fn reached(&self, parts: &[Part], most: u64, unit: u64) -> Vec<Range<u64>> {
        let mut rest = Rest { waiting: parts.iter().rev().cloned().collect() };
        let mut found: Vec<Range<u64>> = Vec::new();
        while let Some(part) = rest.take(self, most) {
            for entry in &part.entries {
                let states = self.next.states(entry.node);
                let (start, end) = (entry.offset / unit * unit, (entry.offset + states).next_multiple_of(unit));
                if start < end {
                    found.push(start..end.min(self.next.states(self.next.root())));
                }
            }
            if found.len() > MOST_RANGES {
                found = united(found);
            }
        }
        united(found)
    }
}

/// Ranges that meet are united if there are more than this number.
const MOST_RANGES: usize = 1 << 16;

fn united(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|later, earlier| {
        let meets = later.start <= earlier.end;
        if meets {
            earlier.end = earlier.end.max(later.end);
        }
        meets
    });
    ranges
}

pub struct Rest {
    waiting: Vec<Part>,
}

impl Rest {
    pub fn new(layers: &Layers) -> Rest {
        let whole = layers.whole();
        Rest { waiting: if whole.states > 0 { vec![whole] } else { vec![] } }
    }

    pub fn take(&mut self, layers: &Layers, most: u64) -> Option<Part> {
        let mut part = self.waiting.pop()?;
        while part.states > most {
            let Some([first, second]) = layers.halves(&part) else { break };
            self.waiting.push(second);
            part = first;
        }
        Some(part)
    }

    /// The next parts, with about `states` states in all; empty only at the end.
    pub fn take_several(&mut self, layers: &Layers, states: u64) -> Vec<Part> {
        assert!(states > 0, "parts of some states");
        let (mut taken, mut sum) = (Vec::new(), 0);
        while sum < states
            && let Some(part) = self.take(layers, (states / GRAINS).max(1))
        {
            sum += part.states;
            taken.push(part);
        }
        taken
    }

    pub fn put_back(&mut self, parts: Vec<Part>) {
        self.waiting.extend(parts.into_iter().rev());
    }
}

const GRAINS: u64 = 8;
