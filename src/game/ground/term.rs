//! Hash-consed ground terms in flat arrays: equal terms have one id, and two look-ups find the arguments.

use super::order::Ranks;
use crate::propositional::table::{Table, mix};
use crate::propositional::{GroundTerm, id};
use crate::rules::{Symbol, SymbolTable};
use std::cmp::Ordering;

id! { TermId }

/// Deeper terms are a sign of endless recursion.
pub const MAX_DEPTH: u32 = 500;

#[derive(Debug, Clone, Default)]
pub struct Terms {
    functors: Vec<Symbol>,
    /// The end of each term's arguments, which start at the end of the previous term's arguments.
    ends: Vec<u32>,
    arguments: Vec<TermId>,
    depths: Vec<u32>,
    table: Table,
    deepest: u32,
}

impl Terms {
    #[inline]
    pub fn functor(&self, term: TermId) -> Symbol {
        self.functors[term.index()]
    }

    #[inline]
    fn start(&self, term: TermId) -> usize {
        if term.0 == 0 { 0 } else { self.ends[term.index() - 1] as usize }
    }

    #[inline]
    pub fn arguments(&self, term: TermId) -> &[TermId] {
        &self.arguments[self.start(term)..self.ends[term.index()] as usize]
    }

    /// One argument of a term, which must have at least `position + 1` arguments.
    #[inline]
    pub fn argument(&self, term: TermId, position: u32) -> TermId {
        self.arguments[self.start(term) + position as usize]
    }

    #[inline]
    pub fn is(&self, term: TermId, functor: Symbol, arity: u32) -> bool {
        self.functors[term.index()] == functor && self.ends[term.index()] as usize - self.start(term) == arity as usize
    }

    pub fn too_deep(&self) -> bool {
        self.deepest > MAX_DEPTH
    }

    fn hash(functor: Symbol, arguments: &[TermId]) -> u64 {
        arguments.iter().fold(mix(1, functor.0), |hash, argument| mix(hash, argument.0))
    }

    #[inline]
    pub fn find(&self, functor: Symbol, arguments: &[TermId]) -> Option<TermId> {
        let is_it = |row| self.functor(TermId(row)) == functor && self.arguments(TermId(row)) == arguments;
        self.table.find(Terms::hash(functor, arguments), is_it).map(TermId)
    }

    pub fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        if let Some(term) = self.find(functor, arguments) {
            return term;
        }
        let term = TermId(self.functors.len() as u32);
        let depth = arguments.iter().map(|argument| self.depths[argument.index()] + 1).max().unwrap_or(0);
        self.functors.push(functor);
        self.arguments.extend_from_slice(arguments);
        self.ends.push(self.arguments.len() as u32);
        self.depths.push(depth);
        self.deepest = self.deepest.max(depth);
        self.table.insert(Terms::hash(functor, arguments), term.0);
        term
    }

    pub fn constant(&mut self, symbol: Symbol) -> TermId {
        self.intern(symbol, &[])
    }

    /// The term with its names, for display. Terms are at most [`MAX_DEPTH`] deep.
    pub fn display(&self, term: TermId, symbols: &SymbolTable) -> GroundTerm {
        GroundTerm {
            name: symbols.name(self.functor(term)).to_owned(),
            arguments: self.arguments(term).iter().map(|&argument| self.display(argument, symbols)).collect(),
        }
    }

    pub fn lookup(&self, term: &GroundTerm, symbols: &SymbolTable) -> Option<TermId> {
        let arguments: Option<Vec<TermId>> = term.arguments.iter().map(|term| self.lookup(term, symbols)).collect();
        self.find(symbols.find(&term.name)?, &arguments?)
    }

    /// Compares terms by functor, then number of arguments, then arguments; numbers by their value come before names.
    pub fn compare(&self, left: TermId, right: TermId, ranks: &Ranks) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let (a, b) = (self.arguments(left), self.arguments(right));
        let (f, g) = (ranks.of(self.functor(left)), ranks.of(self.functor(right)));
        f.cmp(&g).then(a.len().cmp(&b.len())).then_with(|| self.compare_rows(a, b, ranks))
    }

    pub fn compare_rows(&self, left: &[TermId], right: &[TermId], ranks: &Ranks) -> Ordering {
        let columns = left.iter().zip(right).map(|(&x, &y)| self.compare(x, y, ranks));
        columns.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
    }

    pub fn bytes(&self) -> usize {
        self.functors.capacity() * 12 + self.arguments.capacity() * 4 + self.table.bytes()
    }
}
