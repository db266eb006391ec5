//! Converts values by rank from and to value diagrams or sets.

use super::bits::window;
use super::output::Writer;
use crate::elements::{GROWING_BYTES, Reference, Table};
use crate::node::{Node, TERMINALS, pack, pack_alone};
use crate::{Bitvector, Context, Diagram, Given, Level, Ranking, as_values, overlay, renamed};
use base::limits::{LimitReached, Reserved};
use std::ops::Range;

const PATTERN: u64 = 64;
/// Bound on the planes of a remembered pattern.
pub(super) const PLANES: usize = 4;
/// Bound on the number of remembered patterns.
const BLOCKS: usize = 1 << 18;
/// Remembered patterns take at most the free memory divided by this number.
const SHARE: u64 = 16;
const STEPS: u32 = 1 << 16;

/// The values by rank that a value diagram gives to the states of a set. `order`: all these values, worst first. A
/// state with another value, which a damaged diagram may have, is an error.
pub fn ranked(set: &Diagram, values: &Diagram, order: Vec<u32>, context: &Context) -> Result<Bitvector, LimitReached> {
    converted(set, values, order, None, |states, order| Bitvector::new(states, order, context.limits()), context)
}

/// As [`ranked`], but planes are always digits of the index (see [`Bitvector::coded`]).
pub fn ranked_codes(
    set: &Diagram,
    values: &Diagram,
    order: Vec<u32>,
    context: &Context,
) -> Result<Bitvector, LimitReached> {
    converted(set, values, order, None, |states, order| Bitvector::coded(states, order, context.limits()), context)
}

/// As [`ranked_codes`], for values of a part of the states: the terminals of a set. Other states have `beside`.
pub fn ranked_beside<'a>(
    set: &Diagram,
    beside: u32,
    values: impl Into<Given<'a>>,
    order: Vec<u32>,
    context: &Context,
) -> Result<Bitvector, LimitReached> {
    let values: Given = values.into();
    let all = overlay(&renamed(set, |_| beside, context)?, &values, context)?;
    drop(values);
    ranked_codes(set, &as_values(&all, context)?, order, context)
}

/// As [`ranked`], for the states in some ranges of ranks only (see [`Bitvector::sparse`]).
pub fn ranked_within(
    set: &Diagram,
    values: &Diagram,
    order: Vec<u32>,
    ranges: &[Range<u64>],
    context: &Context,
) -> Result<Bitvector, LimitReached> {
    let make = |states, order| Bitvector::sparse(states, order, ranges, context.limits());
    converted(set, values, order, Some(ranges), make, context)
}

/// `ranges`: `None` for all ranks.
fn converted(
    set: &Diagram,
    values: &Diagram,
    order: Vec<u32>,
    ranges: Option<&[Range<u64>]>,
    make: impl FnOnce(u64, Vec<u32>) -> Result<Bitvector, LimitReached>,
    context: &Context,
) -> Result<Bitvector, LimitReached> {
    let ranking = Ranking::new(set, context.limits())?;
    let states = ranking.elements();
    if states > 0 && order.is_empty() {
        return Err(no_value());
    }
    let result = make(states, order)?;
    let mut conversion = Conversion::new(set, values, &ranking, &result, context)?;
    let all = 0..states;
    ranges.unwrap_or(std::slice::from_ref(&all)).iter().try_for_each(|range| conversion.fill(range))?;
    drop(conversion);
    Ok(result)
}

fn no_value() -> LimitReached {
    LimitReached::Size { what: "number of states without a known value".into(), limit: 0 }
}

struct Conversion<'a> {
    set: &'a Diagram,
    values: &'a Diagram,
    ranking: &'a Ranking<'a>,
    result: &'a Bitvector,
    places: Vec<Option<usize>>,
    blocks: Vec<Block>,
    inner: Vec<(Node, Node)>,
    context: &'a Context,
    _room: Reserved<'a>,
}

impl<'a> Conversion<'a> {
    fn new(
        set: &'a Diagram,
        values: &'a Diagram,
        ranking: &'a Ranking<'a>,
        result: &'a Bitvector,
        context: &'a Context,
    ) -> Result<Conversion<'a>, LimitReached> {
        let mut places = vec![None; TERMINALS as usize];
        for (place, &value) in result.values().iter().enumerate() {
            places[value as usize] = Some(place);
        }
        let (slots, bytes) = remembered::<Block>(set.node_count().max(values.node_count()), context);
        let room = context.limits().hold(bytes)?;
        let blocks = vec![Block::default(); slots];
        Ok(Conversion { set, values, ranking, result, places, blocks, inner: Vec::new(), context, _room: room })
    }

    /// Writes the values of the states in a range of ranks, which must be unwritten.
    fn fill(&mut self, range: &Range<u64>) -> Result<(), LimitReached> {
        let (set, values, ranking) = (self.set, self.values, self.ranking);
        let planes: Vec<usize> = (0..self.result.plane_count()).collect();
        // SAFETY: this is the only writer, and the states belong to the bitvector.
        let mut writer = unsafe { Writer::new(self.result, &planes, range.start, range.end) };
        let mut waiting = vec![(set.root(), values.root())];
        let (mut steps, mut end) = (0_u32, 0);
        while let Some((node, value)) = waiting.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS) {
                self.context.check()?;
            }
            let states = ranking.below(node);
            let start = end;
            if start >= range.end {
                break;
            }
            end += states;
            if end <= range.start {
                continue;
            }
            let inside = range.start <= start && end <= range.end;
            if inside && states <= PATTERN && planes.len() <= PLANES && !node.is_terminal() {
                let words = self.pattern(node, value)?;
                writer.push(&words[..planes.len()], states as u32);
                continue;
            }
            match part(set, values, node, value) {
                Part::Value(value) => {
                    let states = end.min(range.end) - start.max(range.start);
                    if states > 0 {
                        let index = self.index(value)?;
                        writer.fill(states, |plane| self.result.in_plane(index, plane));
                    }
                }
                Part::Inner(children) => {
                    end = start;
                    waiting.extend(children.into_iter().rev());
                }
            }
        }
        writer.finish();
        Ok(())
    }

    fn index(&self, value: u32) -> Result<usize, LimitReached> {
        self.places[value as usize].ok_or_else(no_value)
    }

    /// The values of the states below a node of at most [`PATTERN`] states, by plane. The result is remembered.
    fn pattern(&mut self, node: Node, value: Node) -> Result<[u64; PLANES], LimitReached> {
        let place = slot(node, value) & (self.blocks.len() - 1);
        if self.blocks[place].key == [node, value] {
            return Ok(self.blocks[place].planes);
        }
        let count = self.result.plane_count();
        let mut block = Block { key: [node, value], planes: [0; PLANES] };
        let mut at = 0;
        self.inner.push((node, value));
        while let Some((node, value)) = self.inner.pop() {
            match part(self.set, self.values, node, value) {
                Part::Value(value) => {
                    let states = self.ranking.below(node);
                    if states > 0 {
                        let bits = u64::MAX >> (64 - states) << at;
                        let index = self.index(value)?;
                        for (plane, word) in block.planes.iter_mut().enumerate().take(count) {
                            *word |= if self.result.in_plane(index, plane) { bits } else { 0 };
                        }
                    }
                    at += states;
                }
                Part::Inner(children) => self.inner.extend(children.into_iter().rev()),
            }
        }
        self.blocks[place] = block;
        Ok(block.planes)
    }
}

#[derive(Clone, Copy, Default)]
struct Block {
    key: [Node; 2],
    planes: [u64; PLANES],
}

/// The number of places for remembered patterns `T`, if there may be as many as `patterns`, and their bytes.
pub(super) fn remembered<T>(patterns: u64, context: &Context) -> (usize, u64) {
    let room = (context.limits().free() / SHARE / size_of::<T>() as u64).max(2).next_power_of_two() / 2;
    let slots = patterns.next_power_of_two().min(BLOCKS as u64).min(room) as usize;
    (slots, (slots * size_of::<T>()) as u64)
}

#[inline(always)]
pub(super) fn slot(node: Node, value: Node) -> usize {
    (pack(node, value).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

enum Part {
    Value(u32),
    Inner([(Node, Node); 2]),
}

#[inline(always)]
fn part(set: &Diagram, values: &Diagram, node: Node, mut value: Node) -> Part {
    if node == Node::ZERO {
        return Part::Value(0);
    }
    let level = set.level(node);
    while !value.is_terminal() && values.level(value) < level {
        value = values.node(value)[0];
    }
    if let Some(value) = value.as_terminal() {
        return Part::Value(value);
    }
    let [lo, hi] = set.node(node);
    let [of_lo, of_hi] = if values.level(value) == level { values.node(value) } else { [value; 2] };
    Part::Inner([(lo, of_lo), (hi, of_hi)])
}

type Pattern = (Node, [u64; PLANES]);
type Known = (Pattern, Reference);

fn pattern_slot((node, words): &Pattern) -> usize {
    let fold = |hash: u64, &word: &u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    words.iter().fold(pack_alone(*node), fold) as usize
}

/// Bound on the bytes that [`unranked`] takes for each new node.
pub const UNRANKED_BYTES: u64 = GROWING_BYTES;

/// A step of the depth-first walk: visit a node; or join the last two results to a node, and remember the result.
enum Step {
    Take(Node),
    Join(Level, Option<Pattern>),
}

/// A value diagram that gives each state of `set` its value by rank, and arbitrary values to all other assignments.
/// `None` if it has more than `most` nodes.
pub fn unranked(
    set: &Diagram,
    values: &Bitvector,
    most: u64,
    context: &Context,
) -> Result<Option<Diagram>, LimitReached> {
    made::<false>(set, values, most, context)
}

/// The states of a set whose value by rank is not 0, with their values as terminals.
pub fn unranked_set(set: &Diagram, values: &Bitvector, context: &Context) -> Result<Diagram, LimitReached> {
    Ok(made::<true>(set, values, u64::MAX, context)?.expect("no bound on its nodes"))
}

fn made<const SET: bool>(
    set: &Diagram,
    values: &Bitvector,
    most: u64,
    context: &Context,
) -> Result<Option<Diagram>, LimitReached> {
    let ranking = Ranking::new(set, context.limits())?;
    assert!(ranking.elements() == values.states(), "a value for each state");
    let planes = values.plane_count();
    let mut table = Table::new(set.levels(), context.limits());
    // A set of few nodes may have many patterns of values.
    let (slots, bytes) = remembered::<Option<Known>>(set.node_count().max(ranking.elements() / PATTERN), context);
    let _room = context.limits().hold(bytes)?;
    let mut known: Vec<Option<Known>> = vec![None; slots];
    let (mut steps, mut results, mut rank) = (vec![Step::Take(set.root())], Vec::new(), 0);
    let mut count = 0_u32;
    while let Some(step) = steps.pop() {
        count = count.wrapping_add(1);
        if count.is_multiple_of(STEPS) {
            context.check()?;
        }
        match step {
            Step::Take(Node::ZERO) => results.push(Reference::terminal(0)),
            Step::Take(node) if node.is_terminal() => {
                results.push(Reference::terminal(values.value(rank)));
                rank += 1;
            }
            Step::Take(node) => {
                let states = ranking.below(node);
                if SET && values.values().first() == Some(&0) && values.is_first(rank..rank + states) {
                    results.push(Reference::terminal(0));
                    rank += states;
                    continue;
                }
                let pattern = (states <= PATTERN && planes <= PLANES).then(|| (node, pattern(values, rank, states)));
                if let Some(pattern) = pattern
                    && let Some((of, result)) = known[pattern_slot(&pattern) & (slots - 1)]
                    && of == pattern
                {
                    results.push(result);
                    rank += states;
                    continue;
                }
                let [lo, hi] = set.node(node);
                steps.push(Step::Join(set.level(node), pattern));
                steps.push(Step::Take(hi));
                steps.push(Step::Take(lo));
            }
            Step::Join(level, pattern) => {
                let (hi, lo) = (results.pop(), results.pop());
                let (hi, lo) = (hi.expect("both sides are done"), lo.expect("both sides are done"));
                let nothing = Reference::terminal(0);
                let result = match (lo, hi) {
                    (lo, hi) if SET && hi == nothing => lo,
                    (lo, hi) if SET => table.make(level, lo, hi)?,
                    (lo, hi) if lo == nothing || lo == hi => hi,
                    (lo, hi) if hi == nothing => lo,
                    (lo, hi) => table.make(level, lo, hi)?,
                };
                if table.len() > most {
                    return Ok(None);
                }
                results.push(result);
                if let Some(pattern) = pattern {
                    known[pattern_slot(&pattern) & (slots - 1)] = Some((pattern, result));
                }
            }
        }
    }
    let root = results.pop().expect("the root is done");
    table.finish(root).map(Some)
}

/// The values of the `states` states (at most 64) from `rank` on, by plane.
pub(super) fn pattern(values: &Bitvector, rank: u64, states: u64) -> [u64; PLANES] {
    let mut words = [0; PLANES];
    for (plane, word) in words.iter_mut().enumerate().take(values.plane_count()) {
        *word = window(values.plane(plane), rank) & (u64::MAX >> (64 - states));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SetBuilder, true_levels};
    use base::limits::Limits;
    use base::random::Random;
    use std::sync::Arc;

    #[test]
    fn values_as_diagrams_and_by_rank_are_inverse() {
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits.clone(), 1);
        let mut random = Random::new(23);
        let mut builder = SetBuilder::new(1, &limits);
        builder.push(&[Level::new(0)], 3).unwrap();
        let set = builder.finish().unwrap();
        let values = as_values(&set, &context).unwrap();
        let lacking = ranked(&set, &values, vec![1, 2], &context);
        assert!(matches!(lacking, Err(LimitReached::Size { .. })), "no value for another");
        for round in 0..300 {
            let (levels, ids, density) = (round % 11, 1 + random.below(20), 1 + random.below(100));
            let mut builder = SetBuilder::new(levels, &limits);
            let (mut expected, mut states) = (Vec::new(), Vec::<Vec<bool>>::new());
            for bits in (0..1u32 << levels).filter(|_| random.chance(density)).collect::<Vec<_>>() {
                let run = expected.last().copied().filter(|_| random.chance(60));
                let value = run.unwrap_or(1 + random.below(ids) as u32);
                builder.push(&true_levels(levels, bits), value).unwrap();
                expected.push(value);
                states.push((0..levels).rev().map(|bit| bits >> bit & 1 == 1).collect());
            }
            let set = builder.finish().unwrap();
            let values = as_values(&set, &context).unwrap();
            let by_rank = ranked(&set, &values, (1..=ids as u32).rev().collect(), &context).unwrap();
            let found: Vec<u32> = (0..by_rank.states()).map(|rank| by_rank.value(rank)).collect();
            assert_eq!(found, expected, "round {round}");
            let again = unranked(&set, &by_rank, u64::MAX, &context).unwrap().expect("any number of nodes");
            assert!(states.iter().zip(&expected).all(|(state, &value)| again.value_at(state) == value));
            let nodes = again.node_count();
            assert!(nodes <= values.node_count());
            let bounded = |most: u64| unranked(&set, &by_rank, most, &context).unwrap().map(|found| found.node_count());
            assert_eq!(bounded(nodes), Some(nodes), "round {round}");
            assert!(nodes == 0 || bounded(nodes - 1).is_none(), "round {round}");
        }
    }
}
