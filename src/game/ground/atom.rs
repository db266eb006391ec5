//! Hash-consed ground atoms, and the order in which they were derived.
//!
//! An atom is a predicate and a row of terms. An atom that occurs only in negated conditions exists without being
//! derived. A derived atom has a time, its position among all derived atoms; each predicate lists its derived atoms by
//! ascending time.

use super::term::TermId;
use crate::propositional::id;
use crate::propositional::table::{Table, mix};
use crate::rules::PredicateId;

id! { AtomId }

pub const NEVER: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Header {
    predicate: PredicateId,
    start: u32,
    end: u32,
    time: u32,
}

#[derive(Debug, Clone, Default)]
pub struct Atoms {
    headers: Vec<Header>,
    columns: Vec<TermId>,
    table: Table,
    derived: Vec<AtomId>,
    extents: Vec<Vec<AtomId>>,
}

impl Atoms {
    pub fn new(predicates: usize) -> Self {
        Atoms { extents: vec![Vec::new(); predicates], ..Atoms::default() }
    }

    pub fn len(&self) -> usize {
        self.headers.len()
    }

    #[inline]
    pub fn predicate(&self, atom: AtomId) -> PredicateId {
        self.headers[atom.index()].predicate
    }

    #[inline]
    pub fn arguments(&self, atom: AtomId) -> &[TermId] {
        let header = &self.headers[atom.index()];
        &self.columns[header.start as usize..header.end as usize]
    }

    /// Whether `atom` has this predicate and these arguments; false if there is no such atom.
    #[inline]
    pub fn is(&self, atom: AtomId, predicate: PredicateId, arguments: &[TermId]) -> bool {
        let header = self.headers.get(atom.index()).filter(|header| header.predicate == predicate);
        header.is_some_and(|header| &self.columns[header.start as usize..header.end as usize] == arguments)
    }

    /// The time of the atom's derivation, or [`NEVER`].
    #[inline]
    pub fn time(&self, atom: AtomId) -> u32 {
        self.headers[atom.index()].time
    }

    #[inline]
    pub fn is_derived(&self, atom: AtomId) -> bool {
        self.time(atom) != NEVER
    }

    pub fn derived(&self) -> &[AtomId] {
        &self.derived
    }

    #[inline]
    pub fn extent(&self, predicate: PredicateId) -> &[AtomId] {
        &self.extents[predicate.0 as usize]
    }

    fn hash(predicate: PredicateId, arguments: &[TermId]) -> u64 {
        arguments.iter().fold(mix(2, predicate.0), |hash, argument| mix(hash, argument.0))
    }

    #[inline]
    pub fn find(&self, predicate: PredicateId, arguments: &[TermId]) -> Option<AtomId> {
        let is_it = |row| self.is(AtomId(row), predicate, arguments);
        self.table.find(Atoms::hash(predicate, arguments), is_it).map(AtomId)
    }

    /// The number of the atom. A missing atom is created and not yet derived.
    pub fn intern(&mut self, predicate: PredicateId, arguments: &[TermId]) -> AtomId {
        if let Some(atom) = self.find(predicate, arguments) {
            return atom;
        }
        let atom = AtomId(self.headers.len() as u32);
        let start = self.columns.len() as u32;
        self.columns.extend_from_slice(arguments);
        self.headers.push(Header { predicate, start, end: self.columns.len() as u32, time: NEVER });
        self.table.insert(Atoms::hash(predicate, arguments), atom.0);
        atom
    }

    /// Marks an atom as derived now; returns false if it was derived before.
    pub fn derive(&mut self, atom: AtomId) -> bool {
        let header = &mut self.headers[atom.index()];
        if header.time != NEVER {
            return false;
        }
        header.time = self.derived.len() as u32;
        self.extents[header.predicate.0 as usize].push(atom);
        self.derived.push(atom);
        true
    }

    pub fn bytes(&self) -> usize {
        self.headers.capacity() * size_of::<Header>()
            + self.columns.capacity() * 4
            + self.derived.capacity() * 8
            + self.table.bytes()
    }
}
