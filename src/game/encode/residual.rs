//! Conditions as residual formulas: monotone combinations of small diagrams, which are read level by level.
//!
//! The diagram of a large condition ("somebody has a line", "no move is legal") may be too large to build. Such a
//! condition stays a list of small parts under `and`, `or` and "at least two of". After reading some variables, the
//! remaining condition is again such a formula, and formulas are hash-consed. Reading level after level is thus a
//! deterministic automaton that makes its states on demand.

use super::words::Words;
use crate::bdd::{Bdd, CONSTANT_LEVEL, Manager};
use base::machine::deep;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residual(pub u32);

impl Residual {
    pub const FALSE: Residual = Residual(0);
    pub const TRUE: Residual = Residual(1);

    pub fn constant(value: bool) -> Residual {
        if value { Residual::TRUE } else { Residual::FALSE }
    }
}

/// Kinds of formulas: the last number of a formula's list, after the diagram of a leaf or the parts in ascending order.
const LEAF: u32 = 0;
const AND: u32 = 1;
const OR: u32 = 2;
/// At least two of the parts hold. A part that is listed twice counts twice.
const TWO: u32 = 3;

#[derive(Debug, Clone)]
pub struct Residuals {
    formulas: Words,
    levels: Vec<u32>,
    derived: Derivatives,
}

impl Default for Residuals {
    fn default() -> Self {
        let mut store = Residuals { formulas: Words::default(), levels: Vec::new(), derived: Derivatives::default() };
        store.intern(&[Bdd::FALSE.number(), LEAF], CONSTANT_LEVEL);
        store.intern(&[Bdd::TRUE.number(), LEAF], CONSTANT_LEVEL);
        store
    }
}

impl Residuals {
    pub fn bytes(&self) -> u64 {
        let levels = self.levels.capacity() * size_of::<u32>();
        (self.formulas.bytes() + levels + self.derived.bytes()) as u64
    }

    /// The number of parts of all formulas.
    pub fn size(&self) -> u64 {
        self.formulas.size()
    }

    pub fn is_full(&self) -> bool {
        self.formulas.is_full()
    }

    /// Returns a new store with `formulas` and their parts only, and the ids of `formulas` in it.
    pub fn of(&self, formulas: &[Residual]) -> (Residuals, Vec<Residual>) {
        let mut wanted = vec![false; self.formulas.len()];
        formulas.iter().for_each(|formula| wanted[formula.0 as usize] = true);
        // Formulas have larger ids than their parts.
        for id in (0..wanted.len()).rev() {
            if wanted[id]
                && let (parts, AND | OR | TWO) = self.shape(Residual(id as u32))
            {
                parts.iter().for_each(|&part| wanted[part as usize] = true);
            }
        }
        let (mut store, mut numbers) = (Residuals::default(), vec![Residual::FALSE; wanted.len()]);
        for id in (0..wanted.len()).filter(|&id| wanted[id]) {
            let (parts, kind) = self.shape(Residual(id as u32));
            let own = |&part: &u32| if kind == LEAF { part } else { numbers[part as usize].0 };
            let words: Vec<u32> = parts.iter().map(own).chain([kind]).collect();
            numbers[id] = store.intern(&words, self.levels[id]);
        }
        (store, formulas.iter().map(|formula| numbers[formula.0 as usize]).collect())
    }

    pub fn shrink(&mut self) {
        self.formulas.shrink();
        self.levels.shrink_to_fit();
        self.derived = Derivatives::default();
    }

    /// The first level that a formula reads; [`CONSTANT_LEVEL`] if it is decided.
    pub fn level(&self, formula: Residual) -> u32 {
        self.levels[formula.0 as usize]
    }

    pub fn leaf(&mut self, f: Bdd, manager: &Manager) -> Residual {
        self.intern(&[f.number(), LEAF], manager.level(f))
    }

    pub fn and(&mut self, parts: impl IntoIterator<Item = Residual>) -> Residual {
        self.connect(parts, AND)
    }

    pub fn or(&mut self, parts: impl IntoIterator<Item = Residual>) -> Residual {
        self.connect(parts, OR)
    }

    pub fn conjuncts(&self, formula: Residual) -> Vec<Residual> {
        match self.shape(formula) {
            (parts, AND) => parts.iter().map(|&part| Residual(part)).collect(),
            _ => vec![formula],
        }
    }

    pub fn as_leaf(&self, formula: Residual) -> Option<Bdd> {
        match self.shape(formula) {
            (&[f], LEAF) => Some(Bdd::of_number(f)),
            _ => None,
        }
    }

    pub fn at_least_two(&mut self, parts: impl IntoIterator<Item = Residual>) -> Residual {
        let mut open: Vec<u32> = Vec::new();
        let mut holding = 0;
        for part in parts {
            match part {
                Residual::TRUE => holding += 1,
                Residual::FALSE => {}
                Residual(part) => open.push(part),
            }
        }
        match holding {
            0 if open.len() < 2 => Residual::FALSE,
            0 => {
                open.sort_unstable();
                self.compose(open, TWO)
            }
            1 => self.or(open.into_iter().map(Residual)),
            _ => Residual::TRUE,
        }
    }

    /// What remains of `formula` after reading `level` as `bit`. The formula must not depend on a level above `level`.
    pub fn derive(&mut self, formula: Residual, level: u32, bit: bool, manager: &Manager) -> Residual {
        if self.level(formula) != level {
            return formula;
        }
        if let Some(known) = self.derived.get(formula, bit) {
            return known;
        }
        let (parts, kind) = self.shape(formula);
        let result = if kind == LEAF {
            let rest = manager.cofactor(Bdd::of_number(parts[0]), level, bit);
            self.leaf(rest, manager)
        } else {
            let mut parts: Vec<Residual> = parts.iter().map(|&part| Residual(part)).collect();
            parts.iter_mut().for_each(|part| *part = deep(|| self.derive(*part, level, bit, manager)));
            if kind == TWO { self.at_least_two(parts) } else { self.connect(parts, kind) }
        };
        self.derived.put(formula, bit, result);
        result
    }

    fn connect(&mut self, parts: impl IntoIterator<Item = Residual>, kind: u32) -> Residual {
        let absorbing = Residual::constant(kind == OR);
        let mut flat: Vec<u32> = Vec::new();
        for part in parts {
            if part == absorbing {
                return absorbing;
            }
            match self.shape(part) {
                _ if part == Residual::constant(kind == AND) => {}
                (inner, of) if of == kind => flat.extend_from_slice(inner),
                _ => flat.push(part.0),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => Residual::constant(kind == AND),
            [part] => Residual(part),
            _ => self.compose(flat, kind),
        }
    }

    fn shape(&self, formula: Residual) -> (&[u32], u32) {
        let (&kind, parts) = self.formulas.get(formula.0).split_last().expect("a formula says what it is");
        (parts, kind)
    }

    /// The parts must be ascending.
    fn compose(&mut self, mut parts: Vec<u32>, kind: u32) -> Residual {
        let levels = parts.iter().map(|&part| self.level(Residual(part)));
        let level = levels.min().expect("a formula of parts has two at least");
        parts.push(kind);
        self.intern(&parts, level)
    }

    fn intern(&mut self, words: &[u32], level: u32) -> Residual {
        let (id, new) = self.formulas.insert(words);
        if new {
            if self.levels.len() == self.levels.capacity() {
                self.levels.reserve_exact(self.levels.len() / 4 + 16);
            }
            self.levels.push(level);
        }
        Residual(id)
    }
}

/// The derivatives so far. All are kept: formulas share their parts, so that the parts of a formula with repetitions can
/// be exponentially many, and each must be derived once.
#[derive(Debug, Clone, Default)]
struct Derivatives {
    /// By formula, then by bit; [`VACANT`] for one that is not known.
    entries: Vec<[Residual; 2]>,
}

/// No formula has this number.
const VACANT: Residual = Residual(u32::MAX);

impl Derivatives {
    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<[Residual; 2]>()
    }

    fn get(&self, formula: Residual, bit: bool) -> Option<Residual> {
        let known = self.entries.get(formula.0 as usize)?[usize::from(bit)];
        (known != VACANT).then_some(known)
    }

    fn put(&mut self, formula: Residual, bit: bool, result: Residual) {
        let place = formula.0 as usize;
        if place >= self.entries.len() {
            if place >= self.entries.capacity() {
                self.entries.reserve_exact(place + place / 4 + 16 - self.entries.len());
            }
            self.entries.resize(place + 1, [VACANT; 2]);
        }
        self.entries[place][usize::from(bit)] = result;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::limits::Limits;
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

    /// Each of a thousand formulas of a step has two of the step before, so that there are 2^60 paths to the first step.
    #[test]
    fn parts_that_formulas_share_are_derived_once() {
        const STEPS: usize = 60;
        const WIDTH: usize = 1000;
        let mut manager = Manager::new(10_000, &Arc::new(Limits::unlimited()));
        let mut store = Residuals::default();
        let mut leaf = |level: usize| {
            let literal = manager.literal(level as u32, true).unwrap();
            store.leaf(literal, &manager)
        };
        let (first, others): (_, Vec<Residual>) = (leaf(0), (1..=WIDTH + 2 * STEPS).map(&mut leaf).collect());
        let (own, pairs) = others.split_at(WIDTH);
        let mut formulas: Vec<Residual> = own.iter().map(|&leaf| store.and([first, leaf])).collect();
        for pair in pairs.chunks_exact(2) {
            let both = |place: usize| [1, 3 + 6 * place].map(|steps| formulas[(place + steps) % WIDTH]);
            let parts = |place: usize| both(place).into_iter().zip(pair).map(|(formula, &leaf)| [formula, leaf]);
            let parts: Vec<Vec<[Residual; 2]>> = (0..WIDTH).map(|place| parts(place).collect()).collect();
            formulas = parts
                .into_iter()
                .map(|parts| {
                    let parts: Vec<Residual> = parts.into_iter().map(|part| store.and(part)).collect();
                    store.or(parts)
                })
                .collect();
        }
        let [low, high] = [false, true].map(|bit| store.derive(formulas[0], 0, bit, &manager));
        assert_eq!(low, Residual::FALSE);
        assert!(high != Residual::TRUE && store.level(high) > 0);
    }

    /// A copy of some random formulas must decide like the formulas.
    #[test]
    fn a_store_of_some_formulas_decides_like_the_whole() {
        const LEVELS: u32 = 8;
        let mut manager = Manager::new(10_000, &Arc::new(Limits::unlimited()));
        let mut store = Residuals::default();
        let literals = (0..LEVELS).flat_map(|level| [(level, true), (level, false)]);
        let literals: Vec<Bdd> = literals.map(|(level, positive)| manager.literal(level, positive).unwrap()).collect();
        let mut formulas: Vec<Residual> = literals.into_iter().map(|f| store.leaf(f, &manager)).collect();
        let mut seed = 1_u64;
        let mut draw = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for _ in 0..300 {
            let from = formulas.len().saturating_sub(40);
            let parts: Vec<Residual> = (0..2 + draw(4)).map(|_| formulas[from + draw(formulas.len() - from)]).collect();
            formulas.push(match draw(3) {
                0 => store.and(parts),
                1 => store.or(parts),
                _ => store.at_least_two(parts),
            });
        }
        let roots = &formulas[formulas.len() - 20..];
        let (mut some, own) = store.of(roots);
        assert!(some.formulas.len() < store.formulas.len());
        let end = |store: &mut Residuals, start: Residual, bits: u32| {
            (0..LEVELS).fold(start, |formula, level| store.derive(formula, level, bits >> level & 1 == 1, &manager))
        };
        let mut seen = [0, 0];
        for bits in 0..1 << LEVELS {
            for (&root, &copy) in roots.iter().zip(&own) {
                let value = end(&mut store, root, bits);
                assert!(value == Residual::TRUE || value == Residual::FALSE);
                assert_eq!(end(&mut some, copy, bits), value);
                seen[value.0 as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
