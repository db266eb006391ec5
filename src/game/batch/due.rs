//! A queue of nodes to be computed again, in ascending order, each with its changed children. With a heap of pairs
//! instead, the queue took half of the time of specialising joint moves.

use crate::propositional::NodeId;

const NONE: u32 = u32::MAX;

/// Until the queue is empty, callers may add only nodes with larger ids than the last node taken; nothing checks this.
#[derive(Debug, Clone, Default)]
pub(super) struct Due {
    waiting: Vec<u64>,
    /// For each node, the indices in `links` of its first and its last child.
    ends: Vec<[u32; 2]>,
    /// Children, each with the index of the next child of the same node.
    links: Vec<(NodeId, u32)>,
    /// Waiting nodes are at least `from` and below `to`.
    from: usize,
    to: usize,
}

impl Due {
    pub fn for_nodes(&mut self, nodes: usize) {
        self.waiting.resize(nodes.div_ceil(64), 0);
        self.ends.resize(nodes, [NONE; 2]);
        self.from = nodes;
    }

    /// Adds a node to be computed again, because this child of it changed.
    pub fn add(&mut self, node: NodeId, child: NodeId) {
        let (index, place) =
            (node.index(), u32::try_from(self.links.len()).expect("fewer links than edges of the graph"));
        self.links.push((child, NONE));
        match &mut self.ends[index] {
            ends @ [NONE, _] => *ends = [place; 2],
            [_, last] => {
                self.links[*last as usize].1 = place;
                *last = place;
            }
        }
        self.waiting[index / 64] |= 1 << (index % 64);
        (self.from, self.to) = (self.from.min(index), self.to.max(index + 1));
    }

    /// Takes the lowest node, and replaces the contents of `children` by its changed children.
    pub fn next(&mut self, children: &mut Vec<NodeId>) -> Option<NodeId> {
        children.clear();
        let Some(index) = self.lowest() else {
            self.links.clear();
            (self.from, self.to) = (self.ends.len(), 0);
            return None;
        };
        self.waiting[index / 64] &= !(1 << (index % 64));
        self.from = index + 1;
        let mut place = std::mem::replace(&mut self.ends[index], [NONE; 2])[0];
        while place != NONE {
            let (child, next) = self.links[place as usize];
            children.push(child);
            place = next;
        }
        Some(NodeId(index as u32))
    }

    fn lowest(&self) -> Option<usize> {
        let first = self.from / 64;
        let words = self.waiting.get(first..self.to.div_ceil(64))?;
        let (word, bits) = words.iter().enumerate().find(|(_, bits)| **bits != 0)?;
        Some(64 * (first + word) + bits.trailing_zeros() as usize)
    }

    pub fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<u64>()
            + self.ends.capacity() * size_of::<[u32; 2]>()
            + self.links.capacity() * size_of::<(NodeId, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_in_ascending_order_with_all_their_children_and_again_after_the_end() {
        let mut due = Due::default();
        due.for_nodes(300);
        let mut children = Vec::new();
        for _ in 0..2 {
            assert_eq!(due.next(&mut children), None);
            [(130, 3), (70, 5), (130, 1)].into_iter().for_each(|(node, child)| due.add(NodeId(node), NodeId(child)));
            assert_eq!((due.next(&mut children), &children[..]), (Some(NodeId(70)), &[NodeId(5)][..]));
            [(299, 70), (130, 70), (71, 70)].into_iter().for_each(|(node, child)| due.add(NodeId(node), NodeId(child)));
            assert_eq!((due.next(&mut children), &children[..]), (Some(NodeId(71)), &[NodeId(70)][..]));
            let all = [3, 1, 70].map(NodeId);
            assert_eq!((due.next(&mut children), &children[..]), (Some(NodeId(130)), &all[..]));
            assert_eq!((due.next(&mut children), &children[..]), (Some(NodeId(299)), &[NodeId(70)][..]));
            assert_eq!((due.next(&mut children), children.len()), (None, 0));
        }
    }
}
