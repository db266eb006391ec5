//! A small hash-consed package of binary decision diagrams (Bryant 1986) for guards, effects and parts of conditions.
//!
//! Large sets of states are never built here (see `kernel`), so there is no garbage collection, and operations recurse,
//! at most as deep as there are levels. Every operation that can create nodes respects a bound on the nodes of the
//! manager and the limits of the run, and fails with [`TooLarge`].

mod size;

use base::limits::{Account, LimitReached, Limits, table_bytes};
use base::machine::deep;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function: a node of a [`Manager`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(u32);

impl Bdd {
    pub const FALSE: Bdd = Bdd(0);
    pub const TRUE: Bdd = Bdd(1);

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn of_number(number: u32) -> Bdd {
        Bdd(number)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TooLarge {
    /// The manager would exceed its bound on nodes.
    Nodes,
    /// The operations of all managers took more than their [`Steps`].
    Steps,
    Limit(Box<LimitReached>),
}

impl From<LimitReached> for TooLarge {
    fn from(limit: LimitReached) -> Self {
        TooLarge::Limit(Box::new(limit))
    }
}

/// A bound on the pairs of nodes that operations may combine. Clones share it. The count does not depend on the
/// processor or on threads; with little memory it is larger, as known results are dropped more often.
#[derive(Debug, Clone, Default)]
pub struct Steps(Option<Arc<AtomicU64>>);

impl Steps {
    pub const UNLIMITED: Steps = Steps(None);

    pub fn at_most(steps: u64) -> Steps {
        Steps(Some(Arc::new(AtomicU64::new(steps))))
    }

    fn take(&self, steps: u64) -> Result<(), TooLarge> {
        let Some(left) = &self.0 else { return Ok(()) };
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(steps));
        taken.map(|_| ()).map_err(|_| TooLarge::Steps)
    }
}

/// Steps that a manager counts by itself, before it takes them from its [`Steps`].
const AT_ONCE: u64 = 1 << 10;
/// Bound on the initial size of each table, in bytes.
const LEAST_BYTES: usize = 256;

/// Level of the two constants, below every variable.
pub const CONSTANT_LEVEL: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    level: u32,
    lo: Bdd,
    hi: Bdd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And,
    Xor,
}

/// The nodes of all functions over one variable order; a [`Bdd`] is the index of a node.
#[derive(Debug)]
pub struct Manager {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    cache: FxHashMap<(Operation, Bdd, Bdd), Bdd>,
    bound: usize,
    steps: Steps,
    /// Steps since the last ones were taken from `steps`.
    untaken: u64,
    account: Account,
}

impl Manager {
    /// `bound`: the maximum number of nodes. The memory comes from `limits`.
    pub fn new(bound: usize, limits: &Arc<Limits>) -> Self {
        let constant = |value| Node { level: CONSTANT_LEVEL, lo: value, hi: value };
        Manager {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: FxHashMap::default(),
            cache: FxHashMap::default(),
            bound,
            steps: Steps::UNLIMITED,
            untaken: 0,
            account: Account::new(limits),
        }
    }

    pub fn with_steps(self, steps: &Steps) -> Self {
        Manager { steps: steps.clone(), ..self }
    }

    fn bytes(&self) -> [usize; 3] {
        [
            self.nodes.capacity() * size_of::<Node>(),
            table_bytes(self.unique.capacity(), size_of::<(Node, Bdd)>()),
            table_bytes(self.cache.capacity(), size_of::<((Operation, Bdd, Bdd), Bdd)>()),
        ]
    }

    #[inline]
    fn make_room(&mut self) -> Result<(), TooLarge> {
        if self.nodes.len() < self.nodes.capacity()
            && self.unique.len() < self.unique.capacity()
            && self.cache.len() < self.cache.capacity()
        {
            return Ok(());
        }
        self.grow()
    }

    /// Doubles a full table, which exists beside its old copy for a moment. Also checks the limits of the run.
    #[cold]
    fn grow(&mut self) -> Result<(), TooLarge> {
        self.account.check()?;
        let held = self.bytes();
        let full = [
            self.nodes.len() == self.nodes.capacity(),
            self.unique.len() == self.unique.capacity(),
            self.cache.len() == self.cache.capacity(),
        ];
        let more: usize =
            held.iter().zip(full).filter(|(_, full)| *full).map(|(bytes, _)| 2 * bytes + LEAST_BYTES).sum();
        self.account.set((held.iter().sum::<usize>() + more) as u64)?;
        self.nodes.reserve(1);
        self.unique.reserve(1);
        self.cache.reserve(1);
        self.account.shrink_to(self.bytes().iter().sum::<usize>() as u64);
        Ok(())
    }

    pub fn check(&self) -> Result<(), TooLarge> {
        Ok(self.account.check()?)
    }

    /// Discards the results of operations if they are more than the bound on nodes. It is called between two formulas,
    /// because these have few results in common.
    pub fn forget_results(&mut self) {
        if self.cache.len() > self.bound {
            self.drop_results();
        }
    }

    pub fn drop_results(&mut self) {
        self.cache = FxHashMap::default();
        self.account.shrink_to(self.bytes().iter().sum::<usize>() as u64);
    }

    /// The level that a function tests first; [`CONSTANT_LEVEL`] for a constant.
    pub fn level(&self, f: Bdd) -> u32 {
        self.nodes[f.index()].level
    }

    /// The cofactors by the first level that the function tests.
    pub fn children(&self, f: Bdd) -> [Bdd; 2] {
        let node = self.nodes[f.index()];
        [node.lo, node.hi]
    }

    /// The cofactor by a level at or above the first level of the function.
    pub fn cofactor(&self, f: Bdd, level: u32, bit: bool) -> Bdd {
        if self.level(f) == level { self.children(f)[bit as usize] } else { f }
    }

    /// Whether a function is a conjunction of literals, or constant.
    pub fn is_cube(&self, mut f: Bdd) -> bool {
        while !f.is_constant() {
            f = match self.children(f) {
                [Bdd::FALSE, rest] | [rest, Bdd::FALSE] => rest,
                _ => return false,
            };
        }
        true
    }

    /// The function that holds if and only if the variable at `level` has the value `positive`.
    pub fn literal(&mut self, level: u32, positive: bool) -> Result<Bdd, TooLarge> {
        if positive { self.make(level, Bdd::FALSE, Bdd::TRUE) } else { self.make(level, Bdd::TRUE, Bdd::FALSE) }
    }

    pub fn not(&mut self, f: Bdd) -> Result<Bdd, TooLarge> {
        self.xor(f, Bdd::TRUE)
    }

    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, TooLarge> {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => return Ok(Bdd::FALSE),
            (Bdd::TRUE, h) | (h, Bdd::TRUE) => return Ok(h),
            _ if f == g => return Ok(f),
            _ => {}
        }
        self.apply(Operation::And, f, g)
    }

    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, TooLarge> {
        let (not_f, not_g) = (self.not(f)?, self.not(g)?);
        let neither = self.and(not_f, not_g)?;
        self.not(neither)
    }

    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, TooLarge> {
        match (f, g) {
            (Bdd::FALSE, h) | (h, Bdd::FALSE) => return Ok(h),
            _ if f == g => return Ok(Bdd::FALSE),
            _ => {}
        }
        self.apply(Operation::Xor, f, g)
    }

    /// `f` with the variables of the levels in `substitution` replaced. `memo` may be kept for calls with the same
    /// substitution only.
    pub fn compose(
        &mut self,
        f: Bdd,
        substitution: &FxHashMap<u32, Bdd>,
        memo: &mut FxHashMap<Bdd, Bdd>,
    ) -> Result<Bdd, TooLarge> {
        if f.is_constant() {
            return Ok(f);
        }
        if let Some(&result) = memo.get(&f) {
            return Ok(result);
        }
        let level = self.level(f);
        let [lo, hi] = self.children(f);
        let lo = deep(|| self.compose(lo, substitution, memo))?;
        let hi = deep(|| self.compose(hi, substitution, memo))?;
        let test = match substitution.get(&level) {
            Some(&test) => test,
            None => self.literal(level, true)?,
        };
        let result = self.choose(test, hi, lo)?;
        memo.insert(f, result);
        Ok(result)
    }

    pub fn choose(&mut self, test: Bdd, then: Bdd, otherwise: Bdd) -> Result<Bdd, TooLarge> {
        let not_test = self.not(test)?;
        let (yes, no) = (self.and(test, then)?, self.and(not_test, otherwise)?);
        self.or(yes, no)
    }

    fn apply(&mut self, operation: Operation, f: Bdd, g: Bdd) -> Result<Bdd, TooLarge> {
        let key = (operation, f.min(g), f.max(g));
        if let Some(&result) = self.cache.get(&key) {
            return Ok(result);
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let mut halves = [Bdd::FALSE; 2];
        for bit in [false, true] {
            let (x, y) = (self.cofactor(f, level, bit), self.cofactor(g, level, bit));
            halves[bit as usize] = deep(|| match operation {
                Operation::And => self.and(x, y),
                Operation::Xor => self.xor(x, y),
            })?;
        }
        let result = self.make(level, halves[0], halves[1])?;
        self.make_room()?;
        self.cache.insert(key, result);
        Ok(result)
    }

    /// Counts a pair of nodes that an operation combines. Asks for the limits of the run from time to time.
    pub fn step(&mut self) -> Result<(), TooLarge> {
        self.untaken += 1;
        if self.untaken >= AT_ONCE {
            self.check()?;
            self.steps.take(std::mem::take(&mut self.untaken))?;
        }
        Ok(())
    }

    fn make(&mut self, level: u32, lo: Bdd, hi: Bdd) -> Result<Bdd, TooLarge> {
        if lo == hi {
            return Ok(lo);
        }
        let node = Node { level, lo, hi };
        if let Some(&known) = self.unique.get(&node) {
            return Ok(known);
        }
        if self.nodes.len() >= self.bound {
            return Err(TooLarge::Nodes);
        }
        self.make_room()?;
        let id = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, id);
        Ok(id)
    }

    /// Runs `build`, which may create at most `room` new nodes; `None` if it needs more.
    pub fn within<T>(
        &mut self,
        room: usize,
        build: impl FnOnce(&mut Manager) -> Result<T, TooLarge>,
    ) -> Result<Option<T>, TooLarge> {
        let bound = self.bound;
        self.bound = bound.min(self.nodes.len() + room);
        let result = build(self);
        let full = self.nodes.len() >= bound;
        self.bound = bound;
        match result {
            Ok(value) => Ok(Some(value)),
            Err(TooLarge::Nodes) if !full => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
