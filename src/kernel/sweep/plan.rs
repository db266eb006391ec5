//! Divides the requests of a level into partitions: by ranges of their nodes, and crowded ranges by hash.
//!
//! A plan is based on the numbers of records in the last sweep of the same kind, because successive layers are similar
//! and some nodes have a thousand times as many requests as others. The ids of a level are divided into [`CELLS`] cells
//! of equal width. A wrong guess costs time and memory but changes no result. If memory is bounded, the excess records
//! of a partition go to spare partitions by hash, and a request that occurs in both kinds is expanded twice.

use super::too_many;
use crate::context::{Context, Kind, Statistics};
use crate::level::Level;
use crate::peers::{Reader, push_wide};
use base::limits::LimitReached;
use std::ops::Range;

const CELLS: usize = 512;
/// Approximate bound on the partitions of a level; the ends of more streams do not fit the processor's cache.
const MOST: u64 = 1 << 10;
/// A shared level gets at least `EACH` partitions per thread, unless that would be more than `MOST_SHARES`.
const EACH: u64 = 8;
const MOST_SHARES: u64 = 1 << 13;
/// Number of records per node that is assumed for the first sweep of a kind.
const UNKNOWN: u64 = 64;
/// For gather programs, hints below the default guess divided by this number are ignored.
const DOUBTFUL: u64 = 8;
/// Number of partitions of each cell if nothing is known: some cells have far more requests than others.
const UNKNOWN_SPLITS: u64 = 4;
/// Number of spare partitions of a level.
const SPARE: u16 = 64;
/// Approximate number of spare partitions of all undivided levels together: with [`SPARE`] of each, a sweep over
/// thousands of levels would take longer to begin than to run.
const SPARES: u32 = 1 << 14;
const LEAST_SPARE: u32 = 4;
/// Approximate bytes of a record besides its key, including the entries in the hash table and in the list of requests.
const RECORD: u64 = 88;
/// Assumed number of words of a key for the first sweep of a kind.
const WORDS: u64 = 5;
/// Divisor of the free memory for the partitions being expanded.
const PART: u64 = 8;

/// Numbers of records of a level for the next sweep of its kind: in all, and by cell (empty for one partition).
#[derive(Debug, Clone, Default)]
pub(crate) struct Hint {
    records: u64,
    cells: Vec<u32>,
}

impl Hint {
    /// Takes the larger numbers of both hints, so that the partitions suffice for either sweep.
    fn join(&mut self, other: &Hint) {
        if self.cells.is_empty() {
            self.cells.clone_from(&other.cells);
        } else {
            self.cells.iter_mut().zip(&other.cells).for_each(|(cell, &other)| *cell = (*cell).max(other));
        }
        let sum = self.cells.iter().map(|&cell| u64::from(cell)).sum();
        self.records = self.records.max(other.records).max(sum);
    }

    /// Adds the numbers of another process, which has other partitions of the same level.
    pub(super) fn add(&mut self, other: &Hint) {
        self.cells.resize(self.cells.len().max(other.cells.len()), 0);
        self.cells.iter_mut().zip(&other.cells).for_each(|(cell, &other)| *cell = cell.saturating_add(other));
        self.records += other.records;
    }

    pub(super) fn write(&self, words: &mut Vec<u32>) {
        push_wide(words, self.records);
        words.push(self.cells.len() as u32);
        words.extend(&self.cells);
    }

    pub(super) fn read(words: &mut Reader) -> Hint {
        let (records, cells) = (words.wide(), words.word() as usize);
        Hint { records, cells: words.words(cells).to_vec() }
    }

    pub(crate) fn joined(mut hints: Vec<Hint>, others: &[Hint]) -> Vec<Hint> {
        hints.resize(hints.len().max(others.len()), Hint::default());
        hints.iter_mut().zip(others).for_each(|(hint, other)| hint.join(other));
        hints
    }
}

/// The first partition of a cell, and their number. Neighbouring cells may share a partition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cell {
    first: u16,
    splits: u16,
}

#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The first of the ids by which requests are divided.
    first: u32,
    /// The number of ids after the first one.
    span: u32,
    /// Cells per id, in units of 2^-32.
    scale: u64,
    cells: Vec<Cell>,
    pub(super) partitions: u32,
    /// Number of spare partitions; they are the last ones.
    spare: u16,
    /// The code of the first stream. Codes of deeper levels are smaller, codes of terminals are the smallest.
    pub(super) base: u32,
}

impl Plan {
    pub(super) const NONE: Plan =
        Plan { first: 0, span: 0, scale: 0, cells: Vec::new(), partitions: 0, spare: 0, base: 0 };

    fn undivided(nodes: Range<u32>, spare: u16, base: u32) -> Plan {
        let count = nodes.end.saturating_sub(nodes.start).max(1);
        let scale = scale(count);
        let (span, partitions) = (count - 1, 1 + u32::from(spare));
        Plan { first: nodes.start, span, scale, cells: Vec::new(), partitions, spare, base }
    }

    /// A plan of about `target` records a partition. `weights`: expected records by cell, in all below 2^15 × `target`.
    fn new(nodes: Range<u32>, weights: &[u64], target: u64, base: u32) -> Plan {
        let count = nodes.end.saturating_sub(nodes.start).max(1);
        let scale = scale(count);
        let mut cells: Vec<Cell> = Vec::with_capacity(CELLS);
        let (mut held, mut next) = (0, 0_u16);
        for &weight in weights {
            let splits = u16::try_from(weight.div_ceil(target).max(1)).expect("at most 2^15 partitions");
            if splits > 1 {
                next += u16::from(held > 0);
                cells.push(Cell { first: next, splits });
                next += splits;
                held = 0;
                continue;
            }
            if held > 0 && held + weight > target {
                next += 1;
                held = 0;
            }
            cells.push(Cell { first: next, splits: 1 });
            held += weight.max(1);
        }
        let partitions = u32::from(next) + u32::from(held > 0);
        if partitions <= 1 {
            cells.clear();
        }
        let (span, partitions) = (count - 1, partitions.max(1) + u32::from(SPARE));
        Plan { first: nodes.start, span, scale, cells, partitions, spare: SPARE, base }
    }

    pub(super) fn write(&self, words: &mut Vec<u32>) {
        let Plan { first, span, partitions, spare, base, ref cells, .. } = *self;
        words.extend([first, span, partitions, spare.into(), base, cells.len() as u32]);
        words.extend(self.cells.iter().map(|cell| u32::from(cell.first) | u32::from(cell.splits) << 16));
    }

    pub(super) fn read(words: &mut Reader) -> Plan {
        let [first, span, partitions, spare, base, cells] = [(); 6].map(|()| words.word());
        let cell = |&word: &u32| Cell { first: word as u16, splits: (word >> 16) as u16 };
        let cells = words.words(cells as usize).iter().map(cell).collect();
        Plan { first, span, scale: scale(span + 1), cells, partitions, spare: spare as u16, base }
    }

    /// The partition of a key that reads this node. A node of another level counts as the nearest one of this level.
    #[inline(always)]
    pub(super) fn partition(&self, node: u32, key: &[u64]) -> u32 {
        if self.cells.is_empty() {
            return 0;
        }
        let place = node.saturating_sub(self.first).min(self.span);
        let cell = self.cells[((u64::from(place) * self.scale) >> 32) as usize];
        if cell.splits == 1 { cell.first.into() } else { u32::from(cell.first) + split(key, cell.splits) }
    }

    fn regular(&self) -> u32 {
        self.partitions - u32::from(self.spare)
    }

    pub(super) fn is_divided(&self, records: &[u64]) -> bool {
        records.iter().filter(|&&records| records > 0).nth(1).is_some()
    }

    pub(super) fn spare(&self, key: &[u64]) -> u32 {
        self.regular() + split(key, self.spare)
    }

    /// The hint for these numbers of records by partition. A partition with `most` records counts as full.
    pub(super) fn hint(&self, records: &[u64], most: u32) -> Hint {
        let (regular, spare) = records.split_at(self.regular() as usize);
        let is_full = |&records: &u64| records >= u64::from(most);
        // The records of spare partitions are added to those of the full partitions.
        let more =
            spare.iter().sum::<u64>() / (regular.iter().filter(|&records| is_full(records)).count() as u64).max(1);
        let of = |records: &u64| records + if is_full(records) { more } else { 0 };
        let mut cells = Vec::with_capacity(self.cells.len());
        for range in self.cells.chunk_by(|a, b| a == b) {
            let Cell { first, splits } = range[0];
            let sum: u64 = regular[usize::from(first)..usize::from(first + splits)].iter().map(of).sum();
            cells.extend(range.iter().map(|_| (sum / range.len() as u64).min(u32::MAX.into()) as u32));
        }
        Hint { records: records.iter().sum(), cells }
    }
}

fn split(key: &[u64], splits: u16) -> u32 {
    let mix = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let hash = key.iter().fold(0, mix).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32;
    ((hash * u64::from(splits)) >> 32) as u32
}

pub(super) struct RecordBound {
    /// `None` (no bound) for gather programs: whether a program is used depends on its number of requests, which must
    /// not depend on the number of threads.
    bytes: Option<u64>,
    least: u64,
    most: u64,
    /// Number of requests in earlier sweeps of this kind, and of words of their keys.
    before: [u64; 2],
}

impl RecordBound {
    pub(super) fn new(kind: Kind, context: &Context) -> RecordBound {
        let threads = context.threads() as u64;
        let bytes = context.limits().free() / PART / (threads * threads);
        let Statistics { requests, key_words, .. } = context.statistics(kind);
        RecordBound {
            bytes: (kind != Kind::Gather).then_some(bytes),
            least: context.partition() / threads,
            most: context.most_records(),
            before: [requests, key_words],
        }
    }

    /// The largest number of records of a thread in a partition, given the requests and words of keys of this sweep so
    /// far; if there are no requests yet, those of earlier sweeps count.
    pub(super) fn records(&self, requests: u64, words: u64) -> u32 {
        let Some(bytes) = self.bytes else { return u32::MAX };
        let [requests, words] = if requests > 0 { [requests, words] } else { self.before };
        let words = words.checked_div(requests).unwrap_or(WORDS);
        let records = bytes / (RECORD + words * size_of::<u64>() as u64);
        records.max(self.least).min(self.most).try_into().unwrap_or(u32::MAX)
    }
}

fn evenly(weights: &mut [u64], nodes: usize, records: u64) {
    if nodes >= CELLS {
        return weights.fill(records / CELLS as u64);
    }
    weights.fill(0);
    let scale = scale(nodes.max(1) as u32);
    (0..nodes as u64).for_each(|node| weights[((node * scale) >> 32) as usize] += records / nodes as u64);
}

fn scale(count: u32) -> u64 {
    ((CELLS as u64) << 32) / u64::from(count)
}

pub(super) fn plans(
    nodes: impl Fn(Level) -> Range<u32>,
    levels: u32,
    terminals: u32,
    kind: Kind,
    context: &Context,
) -> Result<Vec<Plan>, LimitReached> {
    let hints = context.hints(kind);
    // A level with few nodes may have as many requests as others, so the guess is at least the average.
    let all: u64 = Level::all(levels).map(|level| nodes(level).len() as u64).sum();
    let unknown = UNKNOWN * all / u64::from(levels.max(1));
    // Successive layers branch at different levels, so a small number tells nothing about the next layer.
    let least = if kind == Kind::Gather { unknown / DOUBTFUL } else { 0 };
    let spare = (SPARES / levels.max(1)).clamp(LEAST_SPARE, SPARE.into()) as u16;
    let mut base = u64::from(terminals);
    let mut plans = Vec::with_capacity(levels as usize);
    let mut weights = vec![0; CELLS];
    for level in Level::all(levels).rev() {
        let nodes = nodes(level);
        let hint = hints.get(level.index()).filter(|hint| hint.records >= least);
        let expected = hint.map_or(unknown.max(UNKNOWN * nodes.len() as u64), |hint| hint.records);
        let mut target = context.partition().max(expected / MOST);
        if context.divides(expected) {
            let shares = (EACH * context.sharers() as u64).min(MOST_SHARES);
            target = target.min((expected / shares).max(1));
        }
        let first = u32::try_from(base).map_err(|_| too_many("partitions of one sweep"))?;
        if expected + CELLS as u64 <= target {
            // The records of all cells fit into one partition. This is common in small layers.
            let plan = Plan::undivided(nodes, spare, first);
            base += u64::from(plan.partitions);
            plans.push(plan);
            continue;
        }
        match hint {
            Some(hint) if !hint.cells.is_empty() => {
                weights.iter_mut().zip(&hint.cells).for_each(|(weight, &cell)| *weight = cell.into());
            }
            _ => evenly(&mut weights, nodes.len(), expected),
        }
        // These partitions are smaller than usual, so that ranges with many records are split to some degree.
        if hint.is_none() && expected > MOST / 16 * context.partition() {
            target = target.min((expected / (UNKNOWN_SPLITS * CELLS as u64)).max(1));
        }
        let plan = Plan::new(nodes, &weights, target, first);
        base += u64::from(plan.partitions);
        plans.push(plan);
    }
    if base > u64::from(u32::MAX) {
        return Err(too_many("partitions of one sweep"));
    }
    plans.reverse();
    Ok(plans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn partitions_are_in_range_ascend_with_nodes_and_share_what_is_expected() {
        let mut random = Random::new(4);
        for round in 0..500 {
            let (first, count) = (random.below(1000) as u32, 1 + random.below(3000) as u32);
            let heavy = random.below(CELLS);
            let weights: Vec<u64> =
                (0..CELLS).map(|cell| random.below(50) as u64 + if cell == heavy { 5000 } else { 0 }).collect();
            let target = 1 + random.below(1000) as u64;
            let plan = Plan::new(first..first + count, &weights, target, 7);
            let mut records = vec![0; plan.partitions as usize];
            let mut last = 0;
            for node in first..first + count {
                let partition = plan.partition(node, &[0]);
                records[plan.partition(node, &[u64::from(node) << 32 | round]) as usize] += 1;
                assert!(partition >= last || !plan.cells.is_empty());
                last = partition;
            }
            assert!(plan.partition(0, &[1]) < plan.partitions && plan.partition(u32::MAX, &[1]) < plan.partitions);
            let hint = plan.hint(&records, u32::MAX);
            assert_eq!(hint.records, u64::from(count));
            assert!(hint.cells.is_empty() || hint.cells.len() == CELLS);
            assert!(hint.cells.iter().map(|&cell| u64::from(cell)).sum::<u64>() <= u64::from(count));
        }
    }

    #[test]
    fn a_cell_with_most_of_the_records_is_split() {
        let mut weights = vec![1; CELLS];
        weights[100] = 100_000;
        let plan = Plan::new(0..10_000, &weights, 1000, 0);
        assert!(plan.cells[100].splits >= 30, "{:?}", plan.cells[100]);
        let node = (100 * 10_000 / CELLS + 5) as u32;
        let mut used = vec![0; plan.partitions as usize];
        (0..10_000_u64).for_each(|key| used[plan.partition(node, &[key]) as usize] += 1);
        assert!(used.iter().filter(|&&records| records > 0).count() >= 30);
        assert!(used.iter().max().unwrap() < &1000);
    }

    #[test]
    fn what_full_partitions_gave_away_is_told_of_them() {
        let plan = Plan::new(0..CELLS as u32, &[100; CELLS], 1000, 0);
        let mut records = vec![10; plan.partitions as usize];
        let (regular, full) = (plan.regular() as usize, plan.partition(9, &[]) as usize);
        records[full] = 500;
        records[regular..].fill(0);
        let before = plan.hint(&records, 500);
        assert!((0..50).all(|key| (regular as u32..plan.partitions).contains(&plan.spare(&[key]))));
        records[regular + 1] = 3000;
        let hint = plan.hint(&records, 500);
        assert_eq!(hint.records, before.records + 3000);
        for (node, (after, before)) in hint.cells.iter().zip(&before.cells).enumerate() {
            assert_eq!(after > before, plan.partition(node as u32, &[]) as usize == full);
        }
        assert!(!plan.is_divided(&[0, 5, 0]) && plan.is_divided(&[1, 0, 5]));
    }
}
