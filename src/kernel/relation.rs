//! Moves as identity-reduced relations: a node tests the value of one level before and after the move; a skipped level
//! keeps its value. Nodes are hash-consed, so equal relations have equal ids.
//!
//! A relation of guards and assignments is a small diagram: it needs no frame axioms (the identity of untouched levels)
//! and no variables for the state after the move. Conditional effects need no other form, only more nodes.

use super::ids::id;
use super::level::Level;
use rustc_hash::{FxHashMap, FxHashSet};

id! {
    /// A relation: [`NONE`], [`IDENTITY`], or a result of [`Relations::make`]. Children have smaller ids than parents.
    pub struct RelationId
}

pub const NONE: RelationId = RelationId::from_bits(0);
/// The relation that leaves all remaining levels unchanged.
pub const IDENTITY: RelationId = RelationId::from_bits(1);

impl RelationId {
    #[inline(always)]
    pub fn index(self) -> usize {
        self.bits() as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RelationNode {
    /// The level that the node tests; [`Level::NONE`] in the two constants.
    pub level: Level,
    /// `t[2 * x + y]` is the relation for value `x` before and value `y` after the move.
    pub t: [RelationId; 4],
}

struct OpenUnion {
    pair: (RelationId, RelationId),
    level: Level,
    of: ([RelationId; 4], [RelationId; 4]),
    t: [RelationId; 4],
    done: usize,
}

#[derive(Debug, Clone)]
pub struct Relations {
    nodes: Vec<RelationNode>,
    unique: FxHashMap<RelationNode, RelationId>,
    unions: FxHashMap<(RelationId, RelationId), RelationId>,
}

impl Default for Relations {
    fn default() -> Self {
        Relations::new()
    }
}

impl Relations {
    pub fn new() -> Relations {
        let constant = |id| RelationNode { level: Level::NONE, t: [id; 4] };
        let nodes = vec![constant(NONE), constant(IDENTITY)];
        Relations { nodes, unique: FxHashMap::default(), unions: FxHashMap::default() }
    }

    /// The relation that tests `level` and continues with `t`. The relations in `t` must test deeper levels only.
    pub fn make(&mut self, level: Level, t: [RelationId; 4]) -> RelationId {
        debug_assert!(t.iter().all(|&id| self.nodes[id.index()].level > level));
        if t[1] == NONE && t[2] == NONE && t[0] == t[3] {
            return t[0];
        }
        let node = RelationNode { level, t };
        let next = RelationId::from_bits(self.nodes.len() as u32);
        let id = *self.unique.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    #[inline(always)]
    pub fn node(&self, id: RelationId) -> &RelationNode {
        &self.nodes[id.index()]
    }

    /// The store as words for another process: the number of roots, the roots, and for each node but the constants its
    /// level and its four relations.
    pub fn to_words(&self, roots: &[RelationId]) -> Vec<u32> {
        let words = |node: &RelationNode| {
            [node.level.bits(), node.t[0].bits(), node.t[1].bits(), node.t[2].bits(), node.t[3].bits()]
        };
        let roots = roots.iter().map(|root| root.bits());
        std::iter::once(roots.len() as u32).chain(roots).chain(self.nodes.iter().skip(2).flat_map(words)).collect()
    }

    /// The inverse of [`Relations::to_words`]: store and roots; `None` if the words are ill-formed.
    pub fn from_words(words: &[u32]) -> Option<(Relations, Vec<RelationId>)> {
        let mut made = Relations::new();
        let (&count, words) = words.split_first()?;
        let (roots, words) = words.split_at_checked(count as usize)?;
        for node in words.chunks(5) {
            let &[level, a, b, c, d] = node else { return None };
            let next = made.nodes.len() as u32;
            let deeper = |id: u32| id < next && made.nodes[id as usize].level > Level::new(level);
            if ![a, b, c, d].into_iter().all(deeper) {
                return None;
            }
            let id = made.make(Level::new(level), [a, b, c, d].map(RelationId::from_bits));
            if id.bits() != next {
                return None;
            }
        }
        let roots = roots.iter().map(|&root| RelationId::from_bits(root)).collect::<Vec<_>>();
        roots.iter().all(|root| root.index() < made.nodes.len()).then_some((made, roots))
    }

    pub fn nodes(&self) -> &[RelationNode] {
        &self.nodes
    }

    fn at(&self, id: RelationId, level: Level) -> [RelationId; 4] {
        let node = self.node(id);
        if node.level == level { node.t } else { [id, NONE, NONE, id] }
    }

    pub fn union(&mut self, a: RelationId, b: RelationId) -> RelationId {
        self.union_within(a, b, usize::MAX).expect("a union without a bound on new nodes")
    }

    /// As [`Relations::union`]; `None` as soon as it has made more than `most` new nodes.
    pub fn union_within(&mut self, a: RelationId, b: RelationId, most: usize) -> Option<RelationId> {
        let before = self.nodes.len();
        let (mut open, mut pair): (Vec<OpenUnion>, _) = (vec![], (a, b));
        loop {
            let Some(mut value) = self.known_union(pair) else {
                let level = self.node(pair.0).level.min(self.node(pair.1).level);
                let of = (self.at(pair.0, level), self.at(pair.1, level));
                open.push(OpenUnion { pair, level, of, t: [NONE; 4], done: 0 });
                pair = (of.0[0], of.1[0]);
                continue;
            };
            loop {
                let Some(last) = open.last_mut() else { return Some(value) };
                last.t[last.done] = value;
                last.done += 1;
                if last.done < 4 {
                    pair = (last.of.0[last.done], last.of.1[last.done]);
                    break;
                }
                let (pair, level, t) = (last.pair, last.level, last.t);
                open.pop();
                value = self.make(level, t);
                if self.nodes.len() - before > most {
                    return None;
                }
                self.unions.insert((pair.0.min(pair.1), pair.0.max(pair.1)), value);
            }
        }
    }

    fn known_union(&self, (a, b): (RelationId, RelationId)) -> Option<RelationId> {
        match (a, b) {
            (NONE, other) | (other, NONE) => Some(other),
            _ if a == b => Some(a),
            _ => self.unions.get(&(a.min(b), a.max(b))).copied(),
        }
    }

    /// The constants, and the ids reachable from `roots`, children before parents.
    fn reachable(&self, roots: &[RelationId]) -> Vec<RelationId> {
        // There may be far more nodes in all, so that a mark for each of them would take longer than the walk.
        let mut seen = FxHashSet::from_iter([NONE, IDENTITY]);
        let mut stack: Vec<RelationId> = roots.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.node(id).t);
            }
        }
        let mut ids: Vec<RelationId> = seen.into_iter().collect();
        ids.sort_unstable();
        ids
    }

    pub fn size(&self, roots: &[RelationId]) -> usize {
        self.reachable(roots).len() - 2
    }

    /// A new store with only the nodes reachable from `roots`, and the ids of `roots` in it.
    pub fn compact(&self, roots: &[RelationId]) -> (Relations, Vec<RelationId>) {
        let mut small = Relations::new();
        let mut renamed = vec![NONE; self.nodes.len()];
        renamed[IDENTITY.index()] = IDENTITY;
        for id in self.reachable(roots).into_iter().skip(2) {
            let node = self.node(id);
            renamed[id.index()] = small.make(node.level, node.t.map(|child| renamed[child.index()]));
        }
        let roots = roots.iter().map(|&root| renamed[root.index()]).collect();
        (small, roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_levels_vanish_and_equal_relations_are_one() {
        let mut store = Relations::new();
        assert_eq!(store.make(Level::new(3), [IDENTITY, NONE, NONE, IDENTITY]), IDENTITY);
        let set = store.make(Level::new(2), [NONE, IDENTITY, NONE, NONE]);
        assert_eq!(store.make(Level::new(2), [NONE, IDENTITY, NONE, NONE]), set);
        let clear = store.make(Level::new(2), [NONE, NONE, IDENTITY, NONE]);
        let both = store.union(set, clear);
        assert_eq!(store.node(both).t, [NONE, IDENTITY, IDENTITY, NONE]);
        assert_eq!(store.union(both, set), both);
        assert_eq!(store.size(&[both]), 1);
        let words = store.to_words(&[both, set]);
        let (read, roots) = Relations::from_words(&words).unwrap();
        assert_eq!((read.nodes(), &roots[..]), (store.nodes(), &[both, set][..]));
        let wrong = |words: &[u32]| Relations::from_words(words).is_none();
        assert!(
            wrong(&words[1..]) && wrong(&words[..words.len() - 1]) && wrong(&words[..words.len() - 5]) && wrong(&[])
        );
        let (small, roots) = store.compact(&[both, NONE]);
        assert_eq!((small.nodes().len(), small.node(roots[0]).t, roots[1]), (3, store.node(both).t, NONE));
    }
}
