//! Hash indexes over the derived atoms of a predicate, built on first use and extended lazily.
//!
//! An index belongs to one shape, a list of [`KeyPart`]: it has the atoms with the functors of the shape, in buckets of
//! equal key, each by ascending time. Entries are linked in one flat array, so nothing is allocated for each atom.

use super::atom::{AtomId, Atoms};
use super::pattern::{KeyPart, Match, Register, recognise, run};
use super::term::{TermId, Terms};
use crate::propositional::table::{Table, mix};
use crate::rules::PredicateId;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexId(u32);

pub const END: u32 = u32::MAX;

#[derive(Debug)]
struct Index {
    predicate: PredicateId,
    matches: Vec<Match>,
    key: Vec<Register>,
    registers: Vec<TermId>,
    processed: usize,
    table: Table,
    keys: Vec<TermId>,
    ends: Vec<(u32, u32)>,
    entries: Vec<(AtomId, u32)>,
}

impl Index {
    fn hash(key: impl Iterator<Item = TermId>) -> u64 {
        key.fold(3, |hash, term| mix(hash, term.0))
    }

    fn bucket(&self, key: impl Iterator<Item = TermId> + Clone) -> Option<u32> {
        let width = self.key.len();
        self.table.find(Index::hash(key.clone()), |row| {
            self.keys[row as usize * width..][..width].iter().copied().eq(key.clone())
        })
    }

    fn extend(&mut self, atoms: &Atoms, terms: &Terms) {
        let extent = atoms.extent(self.predicate);
        while self.processed < extent.len() {
            let atom = extent[self.processed];
            self.processed += 1;
            if !run(&self.matches, atoms.arguments(atom), &mut self.registers, terms) {
                continue;
            }
            let key = self.key.iter().map(|&register| self.registers[register as usize]);
            let entry = self.entries.len() as u32;
            self.entries.push((atom, END));
            if let Some(bucket) = self.bucket(key.clone()) {
                let last = std::mem::replace(&mut self.ends[bucket as usize].1, entry);
                self.entries[last as usize].1 = entry;
                continue;
            }
            let bucket = self.ends.len() as u32;
            let hash = Index::hash(key.clone());
            self.keys.extend(key);
            self.ends.push((entry, entry));
            self.table.insert(hash, bucket);
        }
    }
}

#[derive(Debug, Default)]
pub struct Indexes {
    indexes: Vec<Index>,
    ids: FxHashMap<(PredicateId, Vec<KeyPart>), IndexId>,
}

impl Indexes {
    pub fn index(&mut self, predicate: PredicateId, shape: &[KeyPart]) -> IndexId {
        if let Some(&id) = self.ids.get(&(predicate, shape.to_vec())) {
            return id;
        }
        let id = IndexId(self.indexes.len() as u32);
        let (matches, key, registers) = recognise(shape);
        let registers = vec![TermId(0); registers];
        self.indexes.push(Index {
            predicate,
            matches,
            key,
            registers,
            processed: 0,
            table: Table::default(),
            keys: Vec::new(),
            ends: Vec::new(),
            entries: Vec::new(),
        });
        self.ids.insert((predicate, shape.to_vec()), id);
        id
    }

    /// The first entry of the bucket of a key, or [`END`].
    #[inline]
    pub fn first(&mut self, id: IndexId, key: &[Register], registers: &[TermId], atoms: &Atoms, terms: &Terms) -> u32 {
        let index = &mut self.indexes[id.0 as usize];
        if index.processed < atoms.extent(index.predicate).len() {
            index.extend(atoms, terms);
        }
        match index.bucket(key.iter().map(|&register| registers[register as usize])) {
            Some(bucket) => index.ends[bucket as usize].0,
            None => END,
        }
    }

    #[inline]
    pub fn entry(&self, id: IndexId, entry: u32) -> (AtomId, u32) {
        self.indexes[id.0 as usize].entries[entry as usize]
    }

    /// The current number of atoms with the shape, and the number of their different keys.
    pub fn size(&mut self, id: IndexId, atoms: &Atoms, terms: &Terms) -> (usize, usize) {
        let index = &mut self.indexes[id.0 as usize];
        index.extend(atoms, terms);
        (index.entries.len(), index.ends.len())
    }

    pub fn bytes(&self) -> usize {
        let each = |index: &Index| {
            index.entries.capacity() * 8 + index.ends.capacity() * 8 + index.keys.capacity() * 4 + index.table.bytes()
        };
        self.indexes.iter().map(each).sum()
    }
}
