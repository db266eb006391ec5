//! The union of sets of states, node by node, which counts the distinct states of overlapping layers. Time and memory
//! grow with the pairs of nodes that meet; a pair takes about 100 bytes.

use super::diagram::{Set, TERMINALS};
use base::limits::{Account, LimitReached, Limits};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// Bound on the bytes of a node and a pair.
const NODE: u64 = 128;
const BATCH: usize = 1 << 14;

/// A node: level, `lo` and `hi`.
type Node = (u32, u32, u32);

#[derive(Debug)]
pub struct Union<'l> {
    /// The nodes from id 2 on, children first; ids 0 and 1 are the terminals.
    nodes: Vec<Node>,
    known: FxHashMap<Node, u32>,
    root: u32,
    limits: &'l Limits,
    memory: Account<&'l Limits>,
}

impl<'l> Union<'l> {
    pub fn new(limits: &'l Limits) -> Self {
        Union { nodes: Vec::new(), known: FxHashMap::default(), root: 0, limits, memory: Account::new(&limits) }
    }

    pub fn add(&mut self, set: &Set) -> Result<(), LimitReached> {
        let mut ids: Vec<u32> = Vec::with_capacity(set.nodes.len());
        let id = |ids: &[u32], child: u32| child.checked_sub(TERMINALS).map_or(child, |index| ids[index as usize]);
        for (count, node) in set.nodes.iter().enumerate() {
            if count % BATCH == 0 {
                self.account(ids.len())?;
            }
            let (lo, hi) = (id(&ids, node.lo), id(&ids, node.hi));
            let made = self.node(node.level() as u32, lo, hi);
            ids.push(made);
        }
        self.root = self.join(self.root, id(&ids, set.root))?;
        Ok(())
    }

    pub fn count(&self) -> BigUint {
        let mut counts: Vec<BigUint> = vec![BigUint::ZERO, BigUint::from(1u32)];
        for &(_, lo, hi) in &self.nodes {
            counts.push(&counts[lo as usize] + &counts[hi as usize]);
        }
        counts.swap_remove(self.root as usize)
    }

    fn node(&mut self, level: u32, lo: u32, hi: u32) -> u32 {
        if hi == 0 {
            return lo;
        }
        let nodes = &mut self.nodes;
        *self.known.entry((level, lo, hi)).or_insert_with(|| {
            nodes.push((level, lo, hi));
            nodes.len() as u32 + 1
        })
    }

    fn level(&self, id: u32) -> u32 {
        id.checked_sub(2).map_or(u32::MAX, |index| self.nodes[index as usize].0)
    }

    fn join(&mut self, left: u32, right: u32) -> Result<u32, LimitReached> {
        let mut done: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut open = vec![(left, right)];
        let known = |done: &FxHashMap<(u32, u32), u32>, (left, right): (u32, u32)| match (left, right) {
            (0, other) | (other, 0) => Some(other),
            _ if left == right => Some(left),
            _ => done.get(&(left.min(right), left.max(right))).copied(),
        };
        let mut steps = 0;
        while let Some(&(left, right)) = open.last() {
            steps += 1;
            if steps % BATCH == 0 {
                self.account(done.len() + open.len())?;
            }
            if known(&done, (left, right)).is_some() {
                open.pop();
                continue;
            }
            let level = self.level(left).min(self.level(right));
            let children = |id: u32| match id.checked_sub(2) {
                Some(index) if self.nodes[index as usize].0 == level => {
                    let (_, lo, hi) = self.nodes[index as usize];
                    (lo, hi)
                }
                _ => (id, 0),
            };
            let ((left_lo, left_hi), (right_lo, right_hi)) = (children(left), children(right));
            let pairs = [(left_lo, right_lo), (left_hi, right_hi)];
            match pairs.map(|pair| known(&done, pair)) {
                [Some(lo), Some(hi)] => {
                    let made = self.node(level, lo, hi);
                    done.insert((left.min(right), left.max(right)), made);
                    open.pop();
                }
                found => open.extend(pairs.into_iter().zip(found).filter(|(_, id)| id.is_none()).map(|(pair, _)| pair)),
            }
        }
        let joined = known(&done, (left, right));
        self.account(0)?;
        Ok(joined.expect("the loop ends when it is done"))
    }

    /// Accounts for the nodes, and for `more` additional entries.
    fn account(&mut self, more: usize) -> Result<(), LimitReached> {
        self.limits.check()?;
        self.memory.set((self.nodes.len() + more) as u64 * NODE)
    }

    pub fn set(&self, levels: usize) -> Result<Set<'l>, LimitReached> {
        Set::of_nodes(&self.nodes, self.root, levels, self.limits)
    }
}
