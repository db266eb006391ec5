//! Conditions as residual formulas: monotone combinations of small diagrams, read level by level.
//!
//! The diagram of a large condition ("somebody has a line", "no move is legal") may be too large to build. Such a
//! condition stays a list of small parts under `and`, `or` and "at least two of". After some variables were read, what
//! remains of it is such a formula again, and formulas are hash-consed. So reading the levels one after the other is a
//! deterministic automaton whose states are created on demand.

use crate::bdd::{Bdd, CONSTANT_LEVEL, Manager};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A residual formula of a [`Residuals`] store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residual(pub u32);

impl Residual {
    pub const FALSE: Residual = Residual(0);
    pub const TRUE: Residual = Residual(1);

    pub fn constant(value: bool) -> Residual {
        if value { Residual::TRUE } else { Residual::FALSE }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum ResidualFormula {
    Leaf(Bdd),
    And(Box<[Residual]>),
    Or(Box<[Residual]>),
    /// At least two of the members hold; a member that is listed twice counts twice.
    Two(Box<[Residual]>),
}

/// All residual formulas of one condition or more.
#[derive(Debug, Clone)]
pub struct Residuals {
    formulas: IndexSet<ResidualFormula, FxBuildHasher>,
    /// By formula: the first level it reads.
    levels: Vec<u32>,
    derived: FxHashMap<(Residual, bool), Residual>,
    /// Parts of all formulas.
    parts: usize,
}

/// Bytes of a formula without its parts, and of an entry of the table of derivatives, with the unused space of the
/// tables.
const FORMULA_BYTES: usize = 112;
const DERIVATION_BYTES: usize = 32;

impl Default for Residuals {
    fn default() -> Self {
        let mut store =
            Residuals { formulas: IndexSet::default(), levels: Vec::new(), derived: FxHashMap::default(), parts: 0 };
        store.intern(ResidualFormula::Leaf(Bdd::FALSE), CONSTANT_LEVEL);
        store.intern(ResidualFormula::Leaf(Bdd::TRUE), CONSTANT_LEVEL);
        store
    }
}

impl Residuals {
    /// Approximate number of bytes of all formulas and derivatives.
    pub fn bytes(&self) -> u64 {
        let formulas = self.formulas.len() * FORMULA_BYTES + self.parts * size_of::<Residual>();
        (formulas + self.derived.len() * DERIVATION_BYTES) as u64
    }

    /// The first level that a formula reads; [`CONSTANT_LEVEL`] if it is decided.
    pub fn level(&self, formula: Residual) -> u32 {
        self.levels[formula.0 as usize]
    }

    pub fn leaf(&mut self, f: Bdd, manager: &Manager) -> Residual {
        self.intern(ResidualFormula::Leaf(f), manager.level(f))
    }

    pub fn and(&mut self, parts: impl IntoIterator<Item = Residual>) -> Residual {
        self.connect(parts, false)
    }

    pub fn or(&mut self, parts: impl IntoIterator<Item = Residual>) -> Residual {
        self.connect(parts, true)
    }

    /// The diagram of a formula that is a single leaf.
    pub fn as_leaf(&self, formula: Residual) -> Option<Bdd> {
        match self.formulas[formula.0 as usize] {
            ResidualFormula::Leaf(f) => Some(f),
            _ => None,
        }
    }

    /// At least two of the parts hold.
    pub fn at_least_two(&mut self, parts: impl IntoIterator<Item = Residual>) -> Residual {
        let mut open: Vec<Residual> = Vec::new();
        let mut holding = 0;
        for part in parts {
            match part {
                Residual::TRUE => holding += 1,
                Residual::FALSE => {}
                _ => open.push(part),
            }
        }
        match holding {
            0 if open.len() < 2 => Residual::FALSE,
            0 => {
                open.sort_unstable();
                let level = self.top(&open);
                self.intern(ResidualFormula::Two(open.into_boxed_slice()), level)
            }
            1 => self.or(open),
            _ => Residual::TRUE,
        }
    }

    /// The formula that remains of `formula` after `level` is read as `bit`. `level` is at or above the first level of
    /// the formula.
    pub fn derive(&mut self, formula: Residual, level: u32, bit: bool, manager: &Manager) -> Residual {
        if self.level(formula) != level {
            return formula;
        }
        if let Some(&known) = self.derived.get(&(formula, bit)) {
            return known;
        }
        let result = match self.formulas[formula.0 as usize].clone() {
            ResidualFormula::Leaf(f) => self.leaf(manager.cofactor(f, level, bit), manager),
            ResidualFormula::And(parts) => {
                let parts = self.derive_all(&parts, level, bit, manager);
                self.and(parts)
            }
            ResidualFormula::Or(parts) => {
                let parts = self.derive_all(&parts, level, bit, manager);
                self.or(parts)
            }
            ResidualFormula::Two(parts) => {
                let parts = self.derive_all(&parts, level, bit, manager);
                self.at_least_two(parts)
            }
        };
        self.derived.insert((formula, bit), result);
        result
    }

    fn derive_all(&mut self, parts: &[Residual], level: u32, bit: bool, manager: &Manager) -> Vec<Residual> {
        parts.iter().map(|&part| self.derive(part, level, bit, manager)).collect()
    }

    fn connect(&mut self, parts: impl IntoIterator<Item = Residual>, or: bool) -> Residual {
        let absorbing = Residual::constant(or);
        let mut flat: Vec<Residual> = Vec::new();
        for part in parts {
            if part == absorbing {
                return absorbing;
            }
            match (&self.formulas[part.0 as usize], or) {
                _ if part == Residual::constant(!or) => {}
                (ResidualFormula::Or(inner), true) | (ResidualFormula::And(inner), false) => {
                    flat.extend_from_slice(inner)
                }
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.len() {
            0 => Residual::constant(!or),
            1 => flat[0],
            _ => {
                let level = self.top(&flat);
                let formula = if or { ResidualFormula::Or } else { ResidualFormula::And };
                self.intern(formula(flat.into_boxed_slice()), level)
            }
        }
    }

    fn top(&self, parts: &[Residual]) -> u32 {
        parts.iter().map(|&part| self.level(part)).min().expect("a formula of parts has two at least")
    }

    fn intern(&mut self, formula: ResidualFormula, level: u32) -> Residual {
        let parts = match &formula {
            ResidualFormula::Leaf(_) => 0,
            ResidualFormula::And(parts) | ResidualFormula::Or(parts) | ResidualFormula::Two(parts) => parts.len(),
        };
        let (index, new) = self.formulas.insert_full(formula);
        if new {
            self.levels.push(level);
            self.parts += parts;
        }
        Residual(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use std::sync::Arc;

    #[test]
    fn derivatives_decide_like_the_formula() {
        let mut manager = Manager::new(1000, &Arc::new(Limits::unlimited()));
        let literals: Vec<Bdd> = (0..4).map(|level| manager.literal(level, true).unwrap()).collect();
        let mut store = Residuals::default();
        let leaves: Vec<Residual> = literals.iter().map(|&f| store.leaf(f, &manager)).collect();
        let two = store.at_least_two(leaves.iter().copied());
        let both = store.and([leaves[0], leaves[3]]);
        let either = store.or([leaves[1], leaves[2]]);
        let mixed = store.or([both, either]);
        for bits in 0..16u32 {
            let value = |level: u32| bits >> level & 1 == 1;
            let read = |store: &mut Residuals, start: Residual| {
                (0..4).fold(start, |formula, level| store.derive(formula, level, value(level), &manager))
            };
            assert_eq!(read(&mut store, two), Residual::constant(bits.count_ones() >= 2));
            assert_eq!(read(&mut store, mixed), Residual::constant(value(0) && value(3) || value(1) || value(2)));
        }
    }

    #[test]
    fn a_part_that_is_listed_twice_counts_twice_in_at_least_two() {
        let mut manager = Manager::new(1000, &Arc::new(Limits::unlimited()));
        let f = manager.literal(0, true).unwrap();
        let mut store = Residuals::default();
        let leaf = store.leaf(f, &manager);
        let two = store.at_least_two([leaf, leaf]);
        assert_eq!(store.derive(two, 0, true, &manager), Residual::TRUE);
        assert_eq!(store.derive(two, 0, false, &manager), Residual::FALSE);
    }
}
