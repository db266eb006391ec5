//! Exact numbers of elements, in one pass with 64 bits; after an overflow, in another pass with larger numbers.

use super::context::BATCH;
use super::{Context, Diagram, Node};
use base::limits::{LimitReached, Limits};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) trait Number: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    fn plus(&self, other: &Self) -> Option<Self>;
    fn is_zero(&self) -> bool;
    fn into_big(self) -> BigUint;
    /// Bound on the bytes of a count of elements, for sets with this number of levels.
    fn bytes(levels: u32) -> u64;
}

macro_rules! fixed_width {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn zero() -> Self {
                0
            }
            fn one() -> Self {
                1
            }
            fn plus(&self, other: &Self) -> Option<Self> {
                self.checked_add(*other)
            }
            fn is_zero(&self) -> bool {
                *self == 0
            }
            fn into_big(self) -> BigUint {
                self.into()
            }
            fn bytes(_: u32) -> u64 {
                std::mem::size_of::<$type>() as u64
            }
        }
    )*};
}
fixed_width!(u64, u128);

impl Number for BigUint {
    fn zero() -> Self {
        BigUint::ZERO
    }
    fn one() -> Self {
        1u32.into()
    }
    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }
    fn is_zero(&self) -> bool {
        *self == BigUint::ZERO
    }
    fn into_big(self) -> BigUint {
        self
    }
    fn bytes(levels: u32) -> u64 {
        std::mem::size_of::<BigUint>() as u64 + 16 + u64::from(levels / 8)
    }
}

/// The number of elements below each inner node; `None` if a number overflows.
pub(super) fn below<N: Number>(set: &Diagram, limits: &Limits) -> Result<Option<Vec<N>>, LimitReached> {
    let mut counts: Vec<N> = Vec::with_capacity(set.node_count() as usize);
    for (number, &[lo, hi]) in set.nodes().iter().enumerate() {
        if number % BATCH == 0 {
            limits.check()?;
        }
        let Some(sum) = of(&counts, lo).plus(&of(&counts, hi)) else { return Ok(None) };
        counts.push(sum);
    }
    Ok(Some(counts))
}

/// The number of elements below any node; `counts` are those of the inner nodes.
pub(super) fn of<N: Number>(counts: &[N], node: Node) -> N {
    match node.index() {
        Some(index) => counts[index].clone(),
        None if node == Node::ZERO => N::zero(),
        None => N::one(),
    }
}

/// The number of paths from the root to each terminal but 0; `None` if a number overflows.
fn above<N: Number>(diagram: &Diagram, limits: &Limits) -> Result<Option<BTreeMap<u32, N>>, LimitReached> {
    let mut paths = vec![N::zero(); diagram.node_count() as usize];
    let mut ends: Vec<N> = Vec::new();
    let mut add = |paths: &mut [N], node: Node, more: &N| -> Option<()> {
        let place = match node.index() {
            Some(index) => &mut paths[index],
            None => {
                let terminal = node.known_terminal() as usize;
                if ends.len() <= terminal {
                    ends.resize(terminal + 1, N::zero());
                }
                &mut ends[terminal]
            }
        };
        *place = place.plus(more)?;
        Some(())
    };
    // A number of one cannot overflow.
    add(&mut paths, diagram.root(), &N::one());
    for (k, &[lo, hi]) in diagram.nodes().iter().enumerate().rev() {
        if k % BATCH == 0 {
            limits.check()?;
        }
        let here = paths[k].clone();
        if [lo, hi].into_iter().any(|child| add(&mut paths, child, &here).is_none()) {
            return Ok(None);
        }
    }
    let ends = ends.into_iter().enumerate().filter(|(t, n)| *t > 0 && !n.is_zero()).map(|(t, n)| (t as u32, n));
    Ok(Some(ends.collect()))
}

impl Diagram {
    /// The number of elements of a set, with any terminals. Takes 8 bytes a node, or 16 or more after an overflow.
    pub fn count(&self, context: &Context) -> Result<BigUint, LimitReached> {
        let (limits, overflows) = (context.limits(), AtomicBool::new(false));
        let sum = |_, [lo, hi]: [u64; 2]| {
            lo.checked_add(hi).unwrap_or_else(|| {
                overflows.store(true, Ordering::Relaxed);
                u64::MAX
            })
        };
        let small = self.fold(|terminal| u64::from(terminal != 0), sum, context)?;
        if !overflows.into_inner() {
            return Ok(small.into());
        }
        if let Some(wide) = self.with_room::<u128, _>(limits, || below::<u128>(self, limits))?? {
            return Ok(of(&wide, self.root()).into_big());
        }
        let sums = self.with_room::<BigUint, _>(limits, || below::<BigUint>(self, limits))??;
        Ok(of(&sums.expect("sums of any size"), self.root()))
    }

    /// The number of elements with each terminal but 0, by ascending terminal. Takes memory as [`Diagram::count`].
    pub fn counts(&self, limits: &Limits) -> Result<Vec<(u32, BigUint)>, LimitReached> {
        fn big<N: Number>(counts: BTreeMap<u32, N>) -> Vec<(u32, BigUint)> {
            counts.into_iter().map(|(terminal, n)| (terminal, n.into_big())).collect()
        }
        if let Some(small) = self.with_room::<u64, _>(limits, || above::<u64>(self, limits))?? {
            return Ok(big(small));
        }
        if let Some(wide) = self.with_room::<u128, _>(limits, || above::<u128>(self, limits))?? {
            return Ok(big(wide));
        }
        Ok(self
            .with_room::<BigUint, _>(limits, || above::<BigUint>(self, limits))??
            .map(big)
            .expect("sums of any size"))
    }

    fn with_room<N: Number, T>(&self, limits: &Limits, count: impl FnOnce() -> T) -> Result<T, LimitReached> {
        let _room = limits.hold(self.node_count() * N::bytes(self.levels()))?;
        Ok(count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::full;
    use std::sync::Arc;

    fn context() -> Context {
        Context::new(Arc::new(Limits::unlimited()), 2).with(|manner| manner.shared_from = Some(1))
    }

    #[test]
    fn counts_are_exact_beyond_every_fixed_width() {
        for levels in [1, 40, 63, 64, 65, 127, 128, 129, 300] {
            let power = BigUint::from(1u32) << levels;
            assert_eq!(full(levels).count(&context()), Ok(power.clone()));
            assert_eq!(full(levels).counts(&Limits::unlimited()), Ok(vec![(1, power)]));
        }
    }

    #[test]
    fn constants_count_as_sets() {
        assert_eq!(Diagram::constant(3, 0).count(&context()), Ok(0u32.into()));
        assert_eq!(Diagram::constant(3, 1).count(&context()), Ok(1u32.into()));
        assert_eq!(Diagram::constant(3, 7).counts(&Limits::unlimited()), Ok(vec![(7, 1u32.into())]));
    }
}
