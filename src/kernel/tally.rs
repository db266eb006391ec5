//! Counts the elements of a care set with each value, without building a diagram. Pairs (care node, value node) are
//! visited from the top, each with the number of paths to it. A pair whose value is constant is not expanded: it adds
//! the number of paths times the number of elements below the care node.
//!
//! Cost: a sweep down, without a way up. Memory: 16 bytes for each pair not yet expanded, and 8 for each care node. If
//! numbers exceed 64 bits, `restrict` and a count replace the sweep.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::node::{Node, TERMINALS, unpack};
use super::paired::Paired;
use super::ranking::{count, counts};
use super::restrict::{Restrict, restrict};
use super::sweep::{Operation, Output, Root, Weighted, descend};
use super::threads::Apart;
use base::limits::LimitReached;
use num_bigint::BigUint;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

struct Tally<'a> {
    pairs: Paired<'a, Restrict>,
    below: &'a [u64],
    counts: Apart<Mutex<Vec<u64>>>,
}

/// No sum overflows, because each counts elements of the care set.
fn add(counts: &mut Vec<u64>, value: u32, more: u64) {
    let value = value as usize;
    if counts.len() <= value {
        counts.resize(value + 1, 0);
    }
    counts[value] += more;
}

impl Operation for Tally<'_> {
    type Form = Weighted;
    type Local = Vec<u64>;

    fn nodes(&self, level: Level) -> Range<u32> {
        self.pairs.nodes(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        self.pairs.prefetch(key);
    }

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], local: &mut Vec<u64>, output: &mut Output) {
        let &[pair, paths] = key else { unreachable!("a pair and its weight") };
        for child in self.pairs.children(level, pair) {
            match child {
                Ok(terminal) => add(local, terminal, paths),
                Err((level, pair)) => {
                    let (care, value) = unpack::<Node>(pair);
                    if let Some(value) = value.as_terminal() {
                        add(local, value, paths * count(self.below, care));
                        continue;
                    }
                    let start = output.keys.len();
                    output.keys.extend([pair, paths]);
                    output.request::<Weighted>(0, level, care, start);
                }
            }
        }
    }

    fn finish(&self, local: &mut Vec<u64>) {
        let mut counts = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (value, &more) in local.iter().enumerate() {
            add(&mut counts, value as u32, more);
        }
    }
}

pub fn tally(care: &Diagram, value: &Diagram, context: &Context) -> Result<Vec<(u32, BigUint)>, LimitReached> {
    let pairs = Paired::new([care, value], Restrict);
    let Some(below) = counts(care, context.limits())? else {
        return restrict(care, value, context)?.counts(context.limits());
    };
    let mut operation = Tally { pairs, below: below.as_slice(), counts: Apart::default() };
    let root = match operation.pairs.root() {
        Ok(terminal) => {
            add(&mut operation.counts.0.lock().unwrap_or_else(PoisonError::into_inner), terminal, 1);
            Root::Terminal(terminal)
        }
        Err((level, pair)) => match unpack::<Node>(pair).1.as_terminal() {
            Some(value) => {
                let all = count(operation.below, care.root());
                add(&mut operation.counts.0.lock().unwrap_or_else(PoisonError::into_inner), value, all);
                Root::Terminal(0)
            }
            None => Root::request(level, care.root(), vec![pair, 1]),
        },
    };
    descend(&mut operation, Kind::Tally, care.levels(), vec![root], TERMINALS, context)?;
    let counts = operation.counts.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let counts = counts.into_iter().enumerate().skip(1);
    Ok(counts.filter(|&(_, n)| n > 0).map(|(value, n)| (value as u32, n.into())).collect())
}
