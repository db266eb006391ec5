//! First phase of the image: all (node, relation) pairs that follow from the source and the moves, one by one, as a
//! nondeterministic diagram of **choices**.
//!
//! A choice has a list of choices for value false after the move and one for value true (at most two each: from
//! value false and from value true before). Pairs that lead nowhere are dropped on the way up and equal choices
//! made one, also with the source's own nodes, which all are choices, too: (node, identity) is the node. Choices
//! are numbered by their position in a pool of words, ascending from the bottom level, so that the second phase
//! needs one memory access per list element and tells levels apart by comparison.

use super::TERMINALS;
use super::context::{Context, Kind, Statistics};
use super::diagram::Diagram;
use super::down::{Expanded, Operation, Output, Root, expand_all};
use super::levels::LevelIndex;
use super::memory::{Buffer, Region, prefetch};
use super::relation::{IDENTITY, NONE, RelationNode, Relations};
use super::requests::Requests;
use crate::limits::LimitReached;
use std::ops::Range;
use std::time::Instant;

/// Marks a reference to a node of the source instead of a request.
const LEAF: u32 = 1 << 31;

/// A child of a pair before it is looked up.
enum Child {
    Dead,
    Leaf(u32),
    Request(u32, u64),
}

struct Pairs<'a> {
    source: &'a Diagram,
    relations: &'a [RelationNode],
}

impl Pairs<'_> {
    #[inline(always)]
    fn relation(&self, id: u32) -> &RelationNode {
        &self.relations[id as usize]
    }

    /// The pair after all tests of levels above the node's, where the source is false and stays so.
    #[inline(always)]
    fn normalise(&self, node: u32, mut relation: u32) -> Child {
        if node == 0 || relation == NONE {
            return Child::Dead;
        }
        if relation == IDENTITY {
            return Child::Leaf(node);
        }
        let level = self.source.level(node);
        loop {
            let test = self.relation(relation);
            if test.level >= level || test.t[1] != NONE {
                return Child::Request(level.min(test.level), u64::from(node) << 32 | u64::from(relation));
            }
            relation = test.t[0];
            match relation {
                NONE => return Child::Dead,
                IDENTITY => return Child::Leaf(node),
                _ => {}
            }
        }
    }
}

impl Operation for Pairs<'_> {
    const FIXED: bool = true;
    type Local = ();

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        self.source.prefetch((key[0] >> 32) as u32);
    }

    #[inline(always)]
    fn expand(&self, level: u32, key: &[u64], (): &mut (), output: &mut Output) {
        let (node, relation) = ((key[0] >> 32) as u32, key[0] as u32);
        let at = node >= TERMINALS && node >= self.source.index().start(level);
        let [lo, hi] = if at { self.source.node(node) } else { [node, 0] };
        let test = self.relation(relation);
        let t = if test.level == level { test.t } else { [relation, NONE, NONE, relation] };
        let mut children = [(lo, t[0]), (hi, t[2]), (lo, t[1]), (hi, t[3])].map(|(n, r)| self.normalise(n, r));
        let alive = |child: &Child| u32::from(!matches!(child, Child::Dead));
        let counts = [alive(&children[0]) + alive(&children[1]), alive(&children[2]) + alive(&children[3])];
        let slot = output.slot().cast::<u64>();
        let Some((at, words)) = output.allocate((counts[0] + counts[1]).div_ceil(2)) else { return };
        // SAFETY: the slot is the request being expanded, and its key was copied.
        unsafe { *slot = u64::from(at) << 32 | u64::from(counts[0] | counts[1] << 8) };
        let mut target = words.cast::<u32>();
        for child in &mut children {
            match *child {
                Child::Dead => continue,
                // SAFETY: there is one half word for each child that is not dead.
                Child::Leaf(node) => unsafe { *target = LEAF | node },
                Child::Request(level, key) => {
                    let start = output.keys.len();
                    output.keys.push(key);
                    output.request_at(target, level, start);
                }
            }
            target = target.wrapping_add(1);
        }
    }
}

/// The nondeterministic diagram, see the module.
pub(super) struct Choices {
    pool: Region,
    pub(super) index: LevelIndex,
    /// The choices that stand for the roots.
    pub(super) roots: Vec<u32>,
}

impl Choices {
    /// The choices of a level's choice for false and for true.
    #[inline(always)]
    pub(super) fn lists(&self, choice: u32) -> [&[u32]; 2] {
        let place = self.place(choice);
        // SAFETY: choices come from this pool: a word with the two lengths, then as many choices.
        unsafe {
            let lengths = [*place & 0xFF, *place >> 8].map(|n| n as usize);
            let [first, second] = [place.add(1), place.add(1 + lengths[0])];
            [std::slice::from_raw_parts(first, lengths[0]), std::slice::from_raw_parts(second, lengths[1])]
        }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, choice: u32) {
        prefetch(self.place(choice));
    }

    #[inline(always)]
    fn place(&self, choice: u32) -> *const u32 {
        self.pool.base().cast::<u32>().wrapping_add(choice as usize).wrapping_sub(TERMINALS as usize)
    }
}

/// The choices that follow from `source` by any of the relations `roots`.
pub(super) fn pairs(
    source: &Diagram,
    relations: &Relations,
    roots: &[u32],
    context: &Context,
) -> Result<Choices, LimitReached> {
    let most = u64::from(LEAF);
    if source.node_count() + u64::from(TERMINALS) > most {
        return Err(LimitReached::Size { what: "nodes of a layer".into(), limit: most });
    }
    let operation = Pairs { source, relations: relations.nodes() };
    let mut references = vec![];
    for &root in roots {
        match operation.normalise(source.root(), root) {
            Child::Dead => {}
            Child::Leaf(node) => references.push(Root::Terminal(LEAF | node)),
            Child::Request(level, key) => references.push(Root::Request(level, vec![key])),
        }
    }
    let expanded = expand_all(&operation, Kind::Pairs, source.levels(), references, 0, most, context)?;
    merge(source, expanded, context)
}

/// The way up: drops dead pairs and makes equal choices one.
fn merge(source: &Diagram, expanded: Expanded, context: &Context) -> Result<Choices, LimitReached> {
    let (begin, limits) = (Instant::now(), context.limits());
    let counts: Vec<usize> = expanded.levels.iter().map(|level| level.count() as usize).collect();
    let index = source.index();
    let sources = |level: usize| index.start(level as u32)..index.end(level as u32);
    let entries = |level: usize| (2 * (counts[level] + sources(level).len())).next_power_of_two();
    let largest = (0..counts.len()).filter(|&level| counts[level] > 0).map(entries).max().unwrap_or(1);
    let words = 5 * counts.iter().sum::<usize>() + 3 * source.node_count() as usize;
    let mut merger = Merger {
        source,
        requests: &expanded.requests,
        of_source: Buffer::zeroed(source.node_count() as usize, limits)?,
        table: Buffer::zeroed(largest, limits)?,
        pool: Region::reserve(4 * words, limits)?,
        next: TERMINALS as usize,
    };
    let mut ends = vec![TERMINALS; counts.len() + 1];
    for level in (0..counts.len()).rev() {
        context.check()?;
        let more = 5 * counts[level] + 3 * sources(level).len();
        if merger.next + more > u32::MAX as usize {
            return Err(LimitReached::Size { what: "words of choices".into(), limit: u32::MAX.into() });
        }
        merger.pool.ensure(4 * (merger.next - TERMINALS as usize + more))?;
        let mask = entries(level) - 1;
        if counts[level] > 0 {
            merger.table.as_mut_slice()[..=mask].fill(0);
        }
        merger.add_sources(sources(level), (counts[level] > 0).then_some(mask));
        for range in &expanded.levels[level].ranges {
            merger.add_requests(range.clone(), mask);
        }
        ends[level] = merger.next as u32;
    }
    let roots = expanded.roots.iter().map(|&root| merger.choice(root)).filter(|&choice| choice != 0).collect();
    let Merger { mut pool, next, .. } = merger;
    pool.shrink(4 * (next - TERMINALS as usize));
    let up = begin.elapsed().as_nanos() as u64;
    context.add(Kind::Pairs, Statistics { up, ..Statistics::default() });
    Ok(Choices { pool, index: LevelIndex::new(ends), roots })
}

struct Merger<'a> {
    source: &'a Diagram,
    requests: &'a Requests,
    /// The choice of each node of the source.
    of_source: Buffer<u32>,
    table: Buffer<u32>,
    pool: Region,
    /// The next choice: words of the pool plus [`TERMINALS`].
    next: usize,
}

/// A choice not yet in the pool.
#[derive(Clone, Copy, Default)]
struct New {
    /// Lengths of the two lists.
    header: u32,
    choices: [u32; 4],
    /// Its hash; or, with an empty header, the choice that it is.
    hash: u32,
}

impl New {
    #[inline(always)]
    fn of(lists: [&[u32]; 2]) -> New {
        let mut new = New::default();
        let [lo, hi] = lists;
        let mut hash = lo.len() as u64;
        for (place, &choice) in new.choices.iter_mut().zip(lo.iter().chain(hi)) {
            *place = choice;
            hash = (hash ^ u64::from(choice)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 32;
        }
        new.header = (lo.len() | hi.len() << 8) as u32;
        new.hash = (hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32;
        new
    }

    #[inline(always)]
    fn len(&self) -> usize {
        ((self.header & 0xFF) + (self.header >> 8)) as usize
    }
}

/// One or two choices, sorted, without zeros and repetitions.
#[inline(always)]
fn settle(choices: &mut [u32; 2]) -> &[u32] {
    let [a, b] = *choices;
    *choices = [a.min(b), a.max(b)];
    if choices[0] == 0 || choices[0] == choices[1] {
        if choices[1] == 0 { &[] } else { &choices[1..] }
    } else {
        choices
    }
}

const BATCH: usize = 16;

impl Merger<'_> {
    /// The choice that a reference stands for, 0 for none.
    #[inline(always)]
    fn choice(&self, reference: u32) -> u32 {
        if reference & LEAF == 0 {
            // SAFETY: a request of a deeper level, which holds its result.
            return unsafe { *self.requests.slot(reference) as u32 };
        }
        let node = reference & !LEAF;
        node.checked_sub(TERMINALS).map_or(node, |k| self.of_source.as_slice()[k as usize])
    }

    #[inline(always)]
    fn prefetch_choice(&self, reference: u32) {
        if reference & LEAF == 0 {
            prefetch(self.requests.slot(reference));
        } else {
            let node = (reference & !LEAF) as usize;
            prefetch(self.of_source.pointer().wrapping_add(node).wrapping_sub(TERMINALS as usize));
        }
    }

    fn add_sources(&mut self, nodes: Range<u32>, mask: Option<usize>) {
        for id in nodes {
            let [lo, hi] = self.source.node(id).map(|child| self.choice(LEAF | child));
            let new = if lo == 0 { New::of([&[], &[hi]]) } else { New::of([&[lo], &[hi]]) };
            let choice = match mask {
                Some(mask) => self.find_or_add(&new, mask),
                None => self.add(&new),
            };
            self.of_source.as_mut_slice()[(id - TERMINALS) as usize] = choice;
        }
    }

    fn add_requests(&mut self, range: Range<u32>, mask: usize) {
        let requests = self.requests;
        let mut batch = [New::default(); BATCH];
        // SAFETY: slots of this level hold place and number of their references.
        let references = |slot: u32| unsafe {
            let word = *requests.slot(slot);
            let [lo, hi] = [word as usize & 0xFF, word as usize >> 8 & 0xFF];
            let all = std::slice::from_raw_parts(requests.word((word >> 32) as u32).cast::<u32>(), lo + hi);
            all.split_at(lo)
        };
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + BATCH as u32);
            for slot in end..range.end.min(end + BATCH as u32) {
                let (lo, hi) = references(slot);
                lo.iter().chain(hi).for_each(|&reference| self.prefetch_choice(reference));
            }
            for (slot, new) in (start..end).zip(&mut batch) {
                let (lo, hi) = references(slot);
                let choices = |list: &[u32]| [0, 1].map(|k| list.get(k).map_or(0, |&r| self.choice(r)));
                let (mut lo, mut hi) = (choices(lo), choices(hi));
                *new = match (settle(&mut lo), settle(&mut hi)) {
                    ([], []) => New::default(),
                    // Zero-suppressed: a choice only for false is the choice below.
                    (&[below], []) => New { hash: below, ..New::default() },
                    (lo, hi) => New::of([lo, hi]),
                };
                if new.header != 0 {
                    prefetch(self.table.pointer().wrapping_add(new.hash as usize & mask));
                }
            }
            for (slot, new) in (start..end).zip(&batch) {
                let choice = if new.header == 0 { new.hash } else { self.find_or_add(new, mask) };
                // SAFETY: a request of this level; its references were read.
                unsafe { *requests.slot(slot) = choice.into() };
            }
            start = end;
        }
    }

    #[inline(always)]
    fn find_or_add(&mut self, new: &New, mask: usize) -> u32 {
        let table = self.table.pointer();
        let mut index = new.hash as usize & mask;
        loop {
            // SAFETY: the index is masked to the table's part for this level; its choices are in the pool.
            unsafe {
                let known = *table.add(index);
                if known == 0 {
                    let choice = self.add(new);
                    *table.add(index) = choice;
                    return choice;
                }
                let place = self.place(known as usize);
                if *place == new.header
                    && std::slice::from_raw_parts(place.add(1), new.len()) == &new.choices[..new.len()]
                {
                    return known;
                }
            }
            index = (index + 1) & mask;
        }
    }

    #[inline(always)]
    fn place(&self, choice: usize) -> *mut u32 {
        self.pool.base().cast::<u32>().wrapping_add(choice - TERMINALS as usize)
    }

    #[inline(always)]
    fn add(&mut self, new: &New) -> u32 {
        let (choice, place) = (self.next, self.place(self.next));
        // SAFETY: the pool has room for all choices of the level.
        unsafe {
            *place = new.header;
            for (k, &below) in new.choices[..new.len()].iter().enumerate() {
                *place.add(1 + k) = below;
            }
        }
        self.next += 1 + new.len();
        choice as u32
    }
}
