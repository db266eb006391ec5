//! Descends a layer and the next layer at the same time, with the moves that are still possible. Each move has its node
//! in the next layer, and the number of states before that node.

use super::Layers;
use crate::relation::{NONE, RelationId};
use crate::{Level, Node};

/// A node of the next layer to which moves have come, and the relation that remains below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Entry {
    pub node: Node,
    pub relation: RelationId,
    /// The index of the entry of the parent configuration from which this entry comes.
    pub source: u32,
    /// Number of states of the next layer before `node`; in the children of a configuration, minus the offset of the
    /// entry `source`.
    pub offset: u64,
}

impl Layers<'_> {
    pub fn start(&self, entries: &mut Vec<Entry>) {
        let node = self.next.root();
        entries.clear();
        entries.extend(self.roots.iter().map(|&relation| Entry { node, relation, source: 0, offset: 0 }));
    }

    #[inline(always)]
    fn next_at(&self, node: Node, level: Level) -> (Node, Node, u64) {
        if node.is_terminal() {
            return (node, Node::ZERO, 0);
        }
        let record = self.next.record(node);
        if record.level == level { (record.lo, record.hi, record.first) } else { (node, Node::ZERO, 0) }
    }

    /// Follows a move at `level`, where a state has the value `bit` before the move. For the values false and true
    /// after the move, returns the remaining relation, the node of the next layer, and the number of its states that
    /// are skipped. Neither `node` nor `relation` may be above `level`.
    #[inline(always)]
    pub fn choices(&self, node: Node, relation: RelationId, level: Level, bit: usize) -> [(RelationId, Node, u64); 2] {
        let (lo, hi, first) = self.next_at(node, level);
        let test = self.relation(relation);
        let [to_lo, to_hi] = if test.level == level {
            [test.t[2 * bit], test.t[2 * bit + 1]]
        } else if bit == 0 {
            [relation, NONE]
        } else {
            [NONE, relation]
        };
        [(to_lo, lo, 0), (to_hi, hi, first)]
    }

    /// Writes to `output` the `entries` after a step from a node at `level` to its child `bit`. No entry may be above
    /// `level`.
    #[inline(always)]
    pub fn step(&self, level: Level, bit: usize, entries: impl Iterator<Item = Entry>, output: &mut Vec<Entry>) {
        output.clear();
        for entry in entries {
            for (relation, node, passed) in self.choices(entry.node, entry.relation, level, bit) {
                if relation != NONE && node != Node::ZERO {
                    output.push(Entry { node, relation, source: entry.source, offset: entry.offset + passed });
                }
            }
        }
    }

    /// Brings entries down to `level`. The layer skips the levels in between: they are false before the move.
    #[inline(always)]
    pub fn descend(&self, level: Level, entries: &mut Vec<Entry>) {
        let mut i = 0;
        'entries: while i < entries.len() {
            let mut entry = entries[i];
            loop {
                let test = self.relation(entry.relation);
                let top = test.level.min(self.next.level(entry.node));
                if top >= level {
                    break;
                }
                let (lo, hi, first) = self.next_at(entry.node, top);
                if test.level == top {
                    if test.t[1] != NONE && hi != Node::ZERO {
                        entries.push(Entry { node: hi, relation: test.t[1], offset: entry.offset + first, ..entry });
                    }
                    entry.relation = test.t[0];
                }
                entry.node = lo;
                if lo == Node::ZERO || entry.relation == NONE {
                    entries.swap_remove(i);
                    continue 'entries;
                }
            }
            entries[i] = entry;
            i += 1;
        }
    }

    pub fn settle_sorted(&self, node: Node, entries: &mut Vec<Entry>, spare: &mut Vec<Entry>) -> Node {
        let node = self.settle(node, entries, spare);
        if entries.len() > 1 {
            entries.sort_unstable();
            entries.dedup();
        }
        node
    }

    /// Follows a node of the layer down to the first node with two children that have states, or to a terminal, and
    /// brings the entries to its level. If no role moves below a node, stops there and leaves no entries.
    pub fn settle(&self, mut node: Node, entries: &mut Vec<Entry>, spare: &mut Vec<Entry>) -> Node {
        loop {
            if !self.labels.moves_below(node) {
                entries.clear();
                return node;
            }
            if node.is_terminal() {
                self.descend(Level::end(self.labels.levels()), entries);
                return node;
            }
            let record = self.labels.record(node);
            self.descend(record.level, entries);
            if record.lo != Node::ZERO {
                return node;
            }
            self.step(record.level, 1, entries.iter().copied(), spare);
            std::mem::swap(entries, spare);
            node = record.hi;
        }
    }
}
