//! Counts the states of a layer's diagram, and gives the state of a rank or a random one.
//!
//! The states below each node are counted from the bottom up: a path from the root to terminal 1 is a state, and a
//! skipped level is false. With the counts, states are ranked: those below the first child come first. Takes 8 bytes a
//! node, or more if a layer has more than 2^64 states.

use base::limits::Limits;
use base::limits::Reserved;
use base::random::Random;
use kernel::Node;
use num_bigint::BigUint;
use solving::solution::ReadError;
use solving::store::Mapped;

/// Nodes counted between two looks at the limits.
const BATCH: usize = 1 << 16;

/// A diagram with the number of states below every node.
pub struct Counted<'a> {
    diagram: &'a Mapped,
    counts: Counts,
    _memory: Reserved<'a>,
}

/// By inner node, in the order of the ids.
enum Counts {
    Small(Vec<u64>),
    Large(Vec<BigUint>),
}

impl<'a> Counted<'a> {
    pub fn new(diagram: &'a Mapped, limits: &'a Limits) -> Result<Self, ReadError> {
        Counted::with_terminals(diagram, 1, limits)
    }

    /// As [`Counted::new`], of a set whose elements have terminals from 1 to `most`.
    pub fn with_terminals(diagram: &'a Mapped, most: u32, limits: &'a Limits) -> Result<Self, ReadError> {
        let memory = limits.hold(diagram.node_count().saturating_mul(8))?;
        if let Some(counts) = count(diagram, most, limits, &0u64, &1, |left, right| left.checked_add(*right))? {
            return Ok(Counted { diagram, counts: Counts::Small(counts), _memory: memory });
        }
        drop(memory);
        let bytes = u64::from(diagram.levels() / 8 + 40);
        let memory = limits.hold(diagram.node_count().saturating_mul(bytes))?;
        let (zero, one) = (BigUint::ZERO, BigUint::from(1u32));
        let counts = count(diagram, most, limits, &zero, &one, |left, right| Some(left + right))?.unwrap_or_default();
        Ok(Counted { diagram, counts: Counts::Large(counts), _memory: memory })
    }

    /// Number of states.
    pub fn total(&self) -> BigUint {
        self.below(self.diagram.root())
    }

    fn below(&self, node: Node) -> BigUint {
        match (node.index(), &self.counts) {
            (None, _) => u32::from(node != Node::ZERO).into(),
            (Some(index), Counts::Small(counts)) => counts[index].into(),
            (Some(index), Counts::Large(counts)) => counts[index].clone(),
        }
    }

    /// The state of a rank below the total, by level.
    pub fn state(&self, number: &BigUint) -> Result<Vec<bool>, ReadError> {
        let mut assignment = vec![false; self.diagram.levels() as usize];
        let (mut node, mut number) = (self.diagram.root(), number.clone());
        while !node.is_terminal() {
            let level = self.diagram.level(node).index();
            let [lo, hi] = self.diagram.children(node)?;
            let first = self.below(lo);
            let true_here = number >= first;
            if true_here {
                number -= first;
                assignment[level] = true;
            }
            node = if true_here { hi } else { lo };
        }
        Ok(assignment)
    }

    /// A random state, uniformly distributed; `None` if there is none.
    pub fn random(&self, random: &mut Random) -> Result<Option<Vec<bool>>, ReadError> {
        self.random_number(random).map(|number| self.state(&number)).transpose()
    }

    /// The rank of a random state, uniformly distributed; `None` if there is none.
    pub fn random_number(&self, random: &mut Random) -> Option<BigUint> {
        random.number(&self.total())
    }
}

/// The counts of all nodes; `None` if one is too large for the type.
fn count<N: Clone>(
    diagram: &Mapped,
    most: u32,
    limits: &Limits,
    zero: &N,
    one: &N,
    add: impl Fn(&N, &N) -> Option<N>,
) -> Result<Option<Vec<N>>, ReadError> {
    let mut counts: Vec<N> = Vec::with_capacity(diagram.node_count() as usize);
    for (index, node) in diagram.node_ids().enumerate() {
        if index % BATCH == 0 {
            limits.check()?;
        }
        let children = diagram.children(node)?;
        let mut below = [zero, zero];
        for (below, child) in below.iter_mut().zip(children) {
            let index = || child.index().and_then(|index| counts.get(index));
            *below = match child.as_terminal() {
                None => index().ok_or_else(|| ReadError::Damaged("a node before its child".to_owned()))?,
                Some(0) => zero,
                Some(terminal) if terminal <= most => one,
                Some(other) => return Err(ReadError::Damaged(format!("terminal {other} in a set of states"))),
            };
        }
        match add(below[0], below[1]) {
            Some(count) => counts.push(count),
            None => return Ok(None),
        }
    }
    Ok(Some(counts))
}
