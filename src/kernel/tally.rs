//! How many elements of a care set have each value, without building a diagram: (care node, value node) pairs from
//! the top, each with the number of paths that lead to it. A pair whose value is constant is not expanded: it adds
//! paths times elements below the care node.
//!
//! Cost: 16 bytes a pair and 8 a care node. Numbers that do not fit 64 bits are counted by way of `restrict`.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::down::{Expanded, Operation, Output, Root, expand_all};
use super::memory::Buffer;
use super::restrict::{Restrict, restrict};
use super::slot::{Place, Reference, RequestId};
use super::{Node, TERMINALS};
use crate::limits::LimitReached;
use num_bigint::BigUint;

/// In the lower half of a slot: a pair with constant value, which is the rest of the half; the care node is the
/// upper half. Other slots refer to requests, whose numbers are smaller.
const CONSTANT: u32 = 1 << 31;

struct Tally<'a>(Restrict<'a>);

impl Operation for Tally<'_> {
    const FIXED: bool = true;
    type Local = ();

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        self.0.prefetch(key);
    }

    #[inline(always)]
    fn expand(&self, level: u32, key: &[u64], local: &mut (), output: &mut Output) {
        let value = key[0] as u32;
        if value < TERMINALS {
            output.hold_words(Place((key[0] >> 32) as u32), value | CONSTANT);
        } else {
            self.0.expand(level, key, local, output);
        }
    }
}

/// How many elements of `care` have each value other than 0, by ascending value.
pub fn tally(care: &Diagram, value: &Diagram, context: &Context) -> Result<Vec<(u32, BigUint)>, LimitReached> {
    assert!(care.levels() == value.levels(), "diagrams over the same levels");
    let mut below: Buffer<u64> = Buffer::zeroed(care.node_count() as usize, context.limits())?;
    if !count_below(care, below.as_mut_slice()) {
        drop(below);
        return restrict(care, value, context)?.counts(context.limits());
    }
    let operation = Tally(Restrict { care, value });
    let root = match operation.0.normalise(care.root(), value.root()) {
        Ok(terminal) => Root::Terminal(terminal),
        Err((level, key)) => Root::Request(level, vec![key]),
    };
    let most = u64::from(CONSTANT);
    let expanded = expand_all(&operation, Kind::Tally, care.levels(), vec![root], 0, most, context)?;
    let counts = follow(&expanded, below.as_slice(), context)?.into_iter().enumerate().skip(1);
    Ok(counts.filter(|&(_, n)| n > 0).map(|(value, n)| (value as u32, n.into())).collect())
}

/// The number of elements below each node; false if one does not fit.
fn count_below(set: &Diagram, counts: &mut [u64]) -> bool {
    for (k, &[lo, hi]) in set.nodes().iter().enumerate() {
        let of = |node: Node| node.checked_sub(TERMINALS).map_or(u64::from(node != 0), |k| counts[k as usize]);
        let Some(sum) = of(lo).checked_add(of(hi)) else { return false };
        counts[k] = sum;
    }
    true
}

/// Follows all paths from the root. No sum overflows: each counts elements of the care set.
fn follow(expanded: &Expanded, below: &[u64], context: &Context) -> Result<Vec<u64>, LimitReached> {
    let mut by_value = vec![0_u64; TERMINALS as usize];
    let mut paths: Buffer<u64> = Buffer::zeroed(expanded.requests.slots_used(), context.limits())?;
    let paths = paths.as_mut_slice();
    let add = |paths: &mut [u64], by_value: &mut [u64], reference: Reference, more: u64| match reference {
        Reference(terminal) if terminal < TERMINALS => by_value[terminal as usize] += more,
        Reference(request) => paths[expanded.requests.position(RequestId::new(request))] += more,
    };
    add(paths, &mut by_value, expanded.roots[0], 1);
    for level in &expanded.levels {
        context.check()?;
        for request in level.ranges.iter().cloned().flatten().map(RequestId::new) {
            let slot = expanded.requests.slot(request);
            let here = paths[expanded.requests.position(request)];
            // SAFETY: an expanded request, which holds a care node and a value, or its children's references.
            let (Place(care), value) = unsafe { slot.words() };
            if value & CONSTANT != 0 {
                by_value[(value & !CONSTANT) as usize] += here * below[(care - TERMINALS) as usize];
            } else {
                // SAFETY: as above.
                for reference in unsafe { slot.references() } {
                    add(paths, &mut by_value, reference, here);
                }
            }
        }
    }
    Ok(by_value)
}
