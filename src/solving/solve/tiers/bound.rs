//! An upper bound of the number of states: the assignments with at most one fluent of each group that have the
//! conserved sums of the initial state and at least its measure. Dynamic programming over the groups counts them
//! exactly.

use super::Tiers;
use super::packed::Packed;
use base::limits::{Account, LimitReached, Limits, table_bytes};
use game::encode::Variables;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Largest number of different sums.
const SUMS: usize = 1 << 20;
/// Approximate bytes of a large number on the heap.
const HEAP: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bound {
    pub states: BigUint,
    /// By tier, given by its measure and parts relative to those of the initial state.
    pub tiers: BTreeMap<Vec<i64>, BigUint>,
    /// Whether the parts divide tiers, as the measure does.
    pub by_parts: bool,
}

/// Computes the bound. `None`: there are too many different sums.
pub fn bound(
    tiers: &Tiers,
    variables: &Variables,
    initial: &[bool],
    limits: &Limits,
) -> Result<Option<Bound>, LimitReached> {
    for by_parts in [true, false] {
        for conserved in (0..=tiers.conserved.len()).rev() {
            let parts: &[_] = if by_parts { &tiers.parts } else { &[] };
            let sums: Vec<&Vec<i64>> = tiers.conserved[..conserved].iter().chain(&tiers.measure).chain(parts).collect();
            let Some(packed) = Packed::new(&sums, variables.levels() as usize) else { continue };
            if let Some(counted) = count(&packed, variables, limits)? {
                let rising = tiers.measure.is_some().then_some(conserved);
                return Ok(Some(of_counted(counted, &packed, (conserved, rising), initial, by_parts)));
            }
            if by_parts {
                // Leaving out the parts saves more than leaving out conserved sums.
                break;
            }
        }
    }
    Ok(None)
}

/// By packed sums: the number of assignments.
type Counts = FxHashMap<i64, BigUint>;

fn count(packed: &Packed, variables: &Variables, limits: &Limits) -> Result<Option<Counts>, LimitReached> {
    let mut account = Account::new(&limits);
    let mut counts = Counts::default();
    counts.insert(0, BigUint::from(1u32));
    for block in variables.blocks() {
        limits.check()?;
        // By added weight: the number of choices, including the choice that no variable is true.
        let mut choices: BTreeMap<i64, u32> = BTreeMap::from([(0, 1)]);
        block.levels().for_each(|level| *choices.entry(packed.weights[level as usize]).or_default() += 1);
        let mut next = Counts::default();
        for (number, count) in &counts {
            for (more, times) in &choices {
                *next.entry(number + more).or_default() += count * times;
            }
            if next.len() > SUMS {
                return Ok(None);
            }
        }
        account.set((2 * (table_bytes(next.len(), size_of::<(i64, BigUint)>()) + HEAP * next.len())) as u64)?;
        counts = next;
    }
    Ok(Some(counts))
}

/// `rising`: the index of the measure among the sums.
fn of_counted(
    counted: Counts,
    packed: &Packed,
    (conserved, rising): (usize, Option<usize>),
    initial: &[bool],
    by_parts: bool,
) -> Bound {
    let first = packed.sums(packed.of(initial));
    let mut bound = Bound { by_parts, ..Bound::default() };
    for (number, count) in counted {
        let sums = packed.sums(number);
        if sums[..conserved] != first[..conserved] || rising.is_some_and(|place| sums[place] < first[place]) {
            continue;
        }
        let tier: Vec<i64> =
            sums[conserved..].iter().zip(&first[conserved..]).map(|(sum, first)| sum - first).collect();
        bound.states += &count;
        *bound.tiers.entry(tier).or_default() += count;
    }
    bound
}
