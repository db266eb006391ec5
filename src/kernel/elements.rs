//! Converts a set between a diagram and the list of its elements, for sets that are small enough for lists.
//!
//! An element is the ascending list of its true levels. Elements are in lexicographic order of their assignments (false
//! before true). The builder keeps the path of the last element open, and closes a node once no later element can pass
//! it (Daciuk et al. 2000, incremental construction from sorted data). Cost: one step per true level of each element.

use super::Diagram;
use super::diagram::{MAX_LEVELS, Nodes};
use super::level::Level;
use super::memory::Region;
use super::node::{Node, TERMINALS};
use base::limits::{LimitReached, Limits};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

const NODE_BYTES: usize = size_of::<[Reference; 2]>();
/// Bytes of an entry in a level's hash table, with its share of the empty slots.
const ENTRY_BYTES: usize = (size_of::<u32>() + 1) * 8 / 7 + 1;
/// Bound on the bytes per node while a table grows, if most nodes are on one level: old and new table exist together.
pub(super) const GROWING_BYTES: u64 = 3 * (NODE_BYTES + ENTRY_BYTES) as u64;
const FEW: usize = 16;
const LARGE: u64 = 1 << 12;
const NODES_AT_ONCE: u64 = 1 << 12;

pub struct Elements<'a> {
    set: &'a Diagram,
    /// Nodes whose `hi` child has not been visited, each with the length of `path` above it.
    waiting: Vec<(Node, usize)>,
    path: Vec<Level>,
    node: Option<Node>,
}

impl Diagram {
    pub fn elements(&self) -> Elements<'_> {
        Elements { set: self, waiting: Vec::new(), path: Vec::new(), node: Some(self.root()) }
    }
}

impl Elements<'_> {
    pub fn next_element(&mut self) -> Option<(&[Level], u32)> {
        loop {
            let mut node = match self.node.take() {
                Some(node) => node,
                None => {
                    let (above, length) = self.waiting.pop()?;
                    self.path.truncate(length);
                    self.path.push(self.set.level(above));
                    self.set.children(above)[1]
                }
            };
            while !node.is_terminal() {
                self.waiting.push((node, self.path.len()));
                node = self.set.children(node)[0];
            }
            if node != Node::ZERO {
                return Some((&self.path, node.known_terminal()));
            }
        }
    }
}

pub struct SetBuilder {
    table: Table,
    open: Vec<(Level, Reference)>,
    last: u32,
}

impl SetBuilder {
    pub fn new(levels: u32, limits: &Arc<Limits>) -> SetBuilder {
        SetBuilder { table: Table::new(levels, limits), open: Vec::new(), last: 0 }
    }

    /// # Panics
    /// If the element is not larger than the one before.
    pub fn push(&mut self, element: &[Level], terminal: u32) -> Result<(), LimitReached> {
        let empty = self.last == 0;
        let common = self.open.iter().zip(element).take_while(|(node, level)| node.0 == **level).count();
        let below = if empty { Reference::terminal(0) } else { self.close(common)? };
        assert!(
            empty || element.len() > common && below.level > element[common],
            "elements must ascend: {element:?} after a larger one"
        );
        let mut lo = below;
        for &level in &element[common..] {
            self.open.push((level, lo));
            lo = Reference::terminal(0);
        }
        self.last = terminal;
        Ok(())
    }

    /// Closes all open nodes but the first `keep`, and returns the node that stands for them.
    fn close(&mut self, keep: usize) -> Result<Reference, LimitReached> {
        let mut below = Reference::terminal(self.last);
        while self.open.len() > keep
            && let Some((level, lo)) = self.open.pop()
        {
            below = self.table.make(level, lo, below)?;
        }
        Ok(below)
    }

    pub fn finish(mut self) -> Result<Diagram, LimitReached> {
        let root = self.close(0)?;
        self.table.finish(root)
    }
}

/// A node under construction: its level ([`Level::NONE`] for terminals) and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Reference {
    level: Level,
    number: u32,
}

impl Reference {
    pub(super) fn terminal(terminal: u32) -> Reference {
        Reference { level: Level::NONE, number: terminal }
    }
}

/// The unique tables of all levels. All nodes must be reachable from the root that [`Table::finish`] gets.
pub(super) struct Table {
    nodes: Vec<Vec<[Reference; 2]>>,
    /// For each level, the numbers of its nodes by their children. Entries are short, so that many fit the cache.
    unique: Vec<HashTable<u32>>,
    count: u64,
    reserved: u64,
    limits: Arc<Limits>,
}

impl Table {
    pub(super) fn new(levels: u32, limits: &Arc<Limits>) -> Table {
        assert!(levels <= MAX_LEVELS, "{levels} levels");
        let nodes = vec![Vec::new(); levels as usize];
        let unique = (0..levels).map(|_| HashTable::new()).collect();
        Table { nodes, unique, count: 0, reserved: 0, limits: limits.clone() }
    }

    pub(super) fn len(&self) -> u64 {
        self.count
    }

    pub(super) fn make(&mut self, level: Level, lo: Reference, hi: Reference) -> Result<Reference, LimitReached> {
        let hash = FxBuildHasher.hash_one([lo, hi]);
        let nodes = &self.nodes[level.index()];
        if let Some(&number) = self.unique[level.index()].find(hash, |&number| nodes[number as usize] == [lo, hi]) {
            return Ok(Reference { level, number });
        }
        if self.count.is_multiple_of(NODES_AT_ONCE) {
            self.limits.check()?;
        }
        self.make_room(level)?;
        if self.count >= u64::from(u32::MAX - TERMINALS) {
            return Err(LimitReached::Size { what: "the number of nodes of a diagram".to_owned(), limit: self.count });
        }
        self.count += 1;
        let nodes = &mut self.nodes[level.index()];
        let number = nodes.len() as u32;
        nodes.push([lo, hi]);
        let again = |&number: &u32| FxBuildHasher.hash_one(nodes[number as usize]);
        self.unique[level.index()].insert_unique(hash, number, again);
        Ok(Reference { level, number })
    }

    /// Reserves memory for one more node. While a table grows, the old and the new one exist together.
    fn make_room(&mut self, level: Level) -> Result<(), LimitReached> {
        let nodes = &mut self.nodes[level.index()];
        if nodes.len() == nodes.capacity() {
            let (old, more) = (nodes.capacity(), nodes.capacity().max(FEW));
            self.limits.reserve(((old + more) * NODE_BYTES) as u64)?;
            nodes.reserve_exact(more);
            self.limits.release((old * NODE_BYTES) as u64);
            self.reserved += (more * NODE_BYTES) as u64;
        }
        let unique = &mut self.unique[level.index()];
        if unique.len() == unique.capacity() {
            let (old, more) = (unique.capacity(), unique.capacity().max(FEW));
            self.limits.reserve(((old + more) * ENTRY_BYTES) as u64)?;
            unique.reserve(1, |&number| FxBuildHasher.hash_one(nodes[number as usize]));
            self.limits.release((old * ENTRY_BYTES) as u64);
            self.reserved += (more * ENTRY_BYTES) as u64;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, root: Reference) -> Result<Diagram, LimitReached> {
        self.unique = Vec::new();
        let nodes = self.nodes.iter().map(|nodes| (nodes.capacity() * NODE_BYTES) as u64).sum();
        self.limits.release(self.reserved - nodes);
        self.reserved = nodes;
        let mut ends = vec![TERMINALS; self.nodes.len() + 1];
        for level in (0..self.nodes.len()).rev() {
            ends[level] = ends[level + 1] + self.nodes[level].len() as u32;
        }
        let id = |reference: Reference| match reference.level {
            Level::NONE => Node::terminal(reference.number),
            level => Node::from_bits(ends[level.index() + 1] + reference.number),
        };
        let flat = self.nodes.iter().rev().flatten().map(|children| children.map(id));
        let nodes = if self.count < LARGE {
            Nodes::Vector(flat.collect())
        } else {
            let mut region = Region::reserve(8 * self.count as usize, &self.limits)?;
            region.ensure(8 * self.count as usize)?;
            for (place, node) in flat.enumerate() {
                // SAFETY: the region has room for all nodes, a node being two words without padding.
                unsafe { *region.base().cast::<[Node; 2]>().add(place) = node };
            }
            Nodes::Region(region)
        };
        let root = id(root);
        // SAFETY: the nodes are in order level by level from the bottom, with the `ends` of the levels. `make` was only
        // given terminals, or children made before on deeper levels.
        Ok(unsafe { Diagram::from_parts(nodes, ends, root) })
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.limits.release(self.reserved);
    }
}

/// The true levels of an assignment that is given as bits: the highest bit is that of the first level.
pub fn true_levels(levels: u32, bits: u32) -> Vec<Level> {
    Level::all(levels).filter(|level| bits >> (levels as usize - 1 - level.index()) & 1 == 1).collect()
}

#[cfg(test)]
pub(super) fn set_of_table(levels: u32, terminals: &[u32], limits: &Arc<Limits>) -> Diagram {
    let mut builder = SetBuilder::new(levels, limits);
    for (bits, &terminal) in terminals.iter().enumerate().filter(|entry| *entry.1 != 0) {
        builder.push(&true_levels(levels, bits as u32), terminal).unwrap();
    }
    builder.finish().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, as_values, union};
    use base::random::Random;

    fn assignment(levels: u32, element: &[Level]) -> Vec<bool> {
        Level::all(levels).map(|level| element.contains(&level)).collect()
    }

    #[test]
    fn elements_and_builder_are_inverse_and_values_agree_on_the_elements() {
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits.clone(), 1);
        let mut random = Random::new(7);
        for round in 0..200 {
            let levels = 1 + round % 9;
            let mut members: Vec<(Vec<bool>, u32)> = Vec::new();
            for bits in 0..1u32 << levels {
                if random.below(3) == 0 {
                    let element = (0..levels).map(|level| bits >> (levels - 1 - level) & 1 == 1).collect();
                    members.push((element, 1 + random.below(3) as u32));
                }
            }
            members.sort();
            let mut builder = SetBuilder::new(levels, &limits);
            for (element, terminal) in &members {
                let path: Vec<Level> = Level::all(levels).filter(|level| element[level.index()]).collect();
                builder.push(&path, *terminal).unwrap();
            }
            let set = builder.finish().unwrap();
            let mut found = Vec::new();
            let mut elements = set.elements();
            while let Some((path, terminal)) = elements.next_element() {
                found.push((assignment(levels, path), terminal));
            }
            assert_eq!(found, members);
            let values = as_values(&set, &context).unwrap();
            assert!(members.iter().all(|(element, terminal)| values.value_at(element) == *terminal));

            let mut ones: Vec<Diagram> = members.iter().map(|(element, _)| Diagram::single(levels, element)).collect();
            ones.push(Diagram::constant(levels, 0));
            let mut plain = SetBuilder::new(levels, &limits);
            let mut elements = set.elements();
            while let Some((path, _)) = elements.next_element() {
                plain.push(path, 1).unwrap();
            }
            let united = union(&ones.iter().collect::<Vec<_>>(), &context).unwrap();
            assert_eq!(plain.finish().unwrap(), united);
        }
    }

    #[test]
    fn a_builder_keeps_the_limit() {
        let limits = Arc::new(Limits::new(300));
        let mut builder = SetBuilder::new(4, &limits);
        builder.push(&[Level::new(1)], 1).unwrap();
        assert!(builder.push(&[Level::new(0)], 1).is_err());
        drop(builder);
        assert_eq!(limits.used(), 0);
    }
}
