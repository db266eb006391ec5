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
use super::memory::{Buffer, Region, prefetch, prefetch_to_write};
use super::relation::{IDENTITY, NONE, RelationNode, Relations};
use super::requests::Requests;
use super::threads::{Apart, share, units};
use crate::limits::LimitReached;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Instant;

/// Marks a reference to a node of the source instead of a request.
const LEAF: u32 = 1 << 31;

/// A child of a pair before it is looked up: the level of its request, or [`DEAD`], or [`SOURCE`] for a node of the
/// source; and its key, or that node.
type Child = (u32, u64);
const DEAD: u32 = u32::MAX;
const SOURCE: u32 = u32::MAX - 1;

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
            return (DEAD, 0);
        }
        let level = self.source.level(node);
        while relation != IDENTITY {
            let test = self.relation(relation);
            if test.level >= level || test.t[1] != NONE {
                return (level.min(test.level), u64::from(node) << 32 | u64::from(relation));
            }
            relation = test.t[0];
            if relation == NONE {
                return (DEAD, 0);
            }
        }
        (SOURCE, node.into())
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
        let children =
            (self.normalise(lo, t[0]), self.normalise(hi, t[2]), self.normalise(lo, t[1]), self.normalise(hi, t[3]));
        let alive = |child: Child| u32::from(child.0 != DEAD);
        let counts = [alive(children.0) + alive(children.1), alive(children.2) + alive(children.3)];
        let slot = output.slot().cast::<u64>();
        let Some((at, words)) = output.allocate((counts[0] + counts[1]).div_ceil(2)) else { return };
        // SAFETY: the slot is the request being expanded, and its key was copied.
        unsafe { *slot = u64::from(at) << 32 | u64::from(counts[0] | counts[1] << 8) };
        let mut target = words.cast::<u32>();
        target = put(children.0, target, output);
        target = put(children.1, target, output);
        target = put(children.2, target, output);
        put(children.3, target, output);
    }
}

/// Writes a child's reference to `target`, or has it written; where the next one goes.
#[inline(always)]
fn put((level, key): Child, target: *mut u32, output: &mut Output) -> *mut u32 {
    match level {
        DEAD => return target,
        // SAFETY: there is one half word for each child that is not dead.
        SOURCE => unsafe { *target = LEAF | key as u32 },
        _ => {
            let start = output.keys.len();
            output.keys.push(key);
            output.request_at(target, level, start);
        }
    }
    target.wrapping_add(1)
}

/// The nondeterministic diagram, see the module.
pub(super) struct Choices {
    pool: Region,
    pub(super) index: LevelIndex,
    /// The choices that stand for the roots.
    pub(super) roots: Vec<u32>,
}

impl Choices {
    /// Adds the choices of a choice for false and for true to the two lists.
    #[inline(always)]
    pub(super) fn follow(&self, choice: u32, lo: &mut Vec<u32>, hi: &mut Vec<u32>) {
        let place = self.place(choice);
        // SAFETY: choices come from this pool: a word with the two lengths, at most two each, then as many choices.
        // One by one, as a call to copy memory costs more than this.
        unsafe {
            let [first, second] = [*place & 0xFF, *place >> 8].map(|n| n as usize);
            if first > 0 {
                lo.push(*place.add(1));
                if first > 1 {
                    lo.push(*place.add(2));
                }
            }
            if second > 0 {
                hi.push(*place.add(1 + first));
                if second > 1 {
                    hi.push(*place.add(2 + first));
                }
            }
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
            (DEAD, _) => {}
            (SOURCE, node) => references.push(Root::Terminal(LEAF | node as u32)),
            (level, key) => references.push(Root::Request(level, vec![key])),
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
    let mut pool = Region::reserve(4 * room(words, (counts.len() + 1) * context.threads()), limits)?;
    let of_source: Buffer<u32> = Buffer::zeroed(source.node_count() as usize, limits)?;
    let mut table: Buffer<u32> = Buffer::zeroed(largest, limits)?;
    let mut merger = Merger {
        source,
        requests: &expanded.requests,
        of_source: of_source.pointer().wrapping_sub(TERMINALS as usize),
        table: table.pointer(),
        mask: 0,
        pool: pool.base().cast::<u32>().wrapping_sub(TERMINALS as usize),
        next: AtomicUsize::new(TERMINALS as usize),
    };
    let mut ends = vec![TERMINALS; counts.len() + 1];
    for level in (0..counts.len()).rev() {
        context.check()?;
        let next = *merger.next.get_mut();
        let more = room(5 * counts[level] + 3 * sources(level).len(), context.threads());
        if next + more > u32::MAX as usize {
            return Err(LimitReached::Size { what: "words of choices".into(), limit: u32::MAX.into() });
        }
        pool.ensure(4 * (next - TERMINALS as usize + more))?;
        merger.mask = entries(level) - 1;
        let requested = counts[level] > 0;
        if requested {
            table.as_mut_slice()[..=merger.mask].fill(0);
        }
        if context.shares((counts[level] + sources(level).len()) as u64 / LIGHTER) {
            let mut work: Vec<Work> = units([sources(level)]).map(Work::Sources).collect();
            work.extend(units(expanded.levels[level].ranges.iter().cloned()).map(Work::Requests));
            let mut cursors: Vec<Apart<Cursor>> = (0..context.threads()).map(|_| Apart(0..0)).collect();
            share(context.pool(), &work, &mut cursors, |_, piece, Apart(cursor)| match piece {
                Work::Sources(nodes) => merger.add_sources::<true>(nodes.clone(), requested, cursor),
                Work::Requests(slots) => merger.add_requests::<true>(slots.clone(), cursor),
            });
        } else {
            let mut cursor = next..usize::MAX;
            merger.add_sources::<false>(sources(level), requested, &mut cursor);
            for range in &expanded.levels[level].ranges {
                merger.add_requests::<false>(range.clone(), &mut cursor);
            }
            merger.next = AtomicUsize::new(cursor.start);
        }
        ends[level] = *merger.next.get_mut() as u32;
    }
    let roots = expanded.roots.iter().map(|&root| merger.choice(root)).filter(|&choice| choice != 0).collect();
    pool.shrink(4 * (ends[0] - TERMINALS) as usize);
    let up = begin.elapsed().as_nanos() as u64;
    context.add(Kind::Pairs, Statistics { up, ..Statistics::default() });
    Ok(Choices { pool, index: LevelIndex::new(ends), roots })
}

/// Words of the pool that a thread takes at a time.
const CHUNK: usize = 4096;

/// Room for `words` words of choices when chunks are left unfilled at their ends, and `ends` of them anywhere.
fn room(words: usize, ends: usize) -> usize {
    words + words / 512 + CHUNK * ends
}

/// A piece of work.
enum Work {
    Sources(Range<u32>),
    Requests(Range<u32>),
}

/// One level being merged.
struct Merger<'a> {
    source: &'a Diagram,
    requests: &'a Requests,
    /// Where the choice of the node with id 0 would stand.
    of_source: *mut u32,
    table: *mut u32,
    mask: usize,
    /// Where the choice with number 0 would stand.
    pool: *mut u32,
    /// The first choice not given to any thread.
    next: AtomicUsize,
}

// SAFETY: threads write entries of `of_source`, slots and pool words of their own, and the table atomically.
unsafe impl Sync for Merger<'_> {}

/// The words of the pool that a thread may fill.
type Cursor = Range<usize>;

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
/// Merging is so much less work than expanding a pair.
const LIGHTER: u64 = 4;

impl Merger<'_> {
    /// The choice that a reference stands for, 0 for none.
    #[inline(always)]
    fn choice(&self, reference: u32) -> u32 {
        if reference & LEAF == 0 {
            // SAFETY: a request of a deeper level, which holds its result.
            return unsafe { *self.requests.slot(reference) as u32 };
        }
        let node = reference & !LEAF;
        if node < TERMINALS {
            return node;
        }
        // SAFETY: a node of the source on a deeper level, whose choice was made.
        unsafe { *self.of_source.wrapping_add(node as usize) }
    }

    #[inline(always)]
    fn prefetch_choice(&self, reference: u32) {
        if reference & LEAF == 0 {
            prefetch(self.requests.slot(reference));
        } else {
            prefetch(self.of_source.wrapping_add((reference & !LEAF) as usize));
        }
    }

    fn add_sources<const SHARED: bool>(&self, nodes: Range<u32>, requested: bool, cursor: &mut Cursor) {
        for id in nodes {
            let [lo, hi] = self.source.node(id).map(|child| self.choice(LEAF | child));
            let new = if lo == 0 { New::of([&[], &[hi]]) } else { New::of([&[lo], &[hi]]) };
            let choice = if requested {
                self.find_or_add::<SHARED>(&new, cursor)
            } else {
                let choice = self.write::<SHARED>(&new, cursor);
                cursor.start += 1 + new.len();
                choice
            };
            // SAFETY: a node of this thread's piece of work.
            unsafe { *self.of_source.wrapping_add(id as usize) = choice };
        }
    }

    fn add_requests<const SHARED: bool>(&self, range: Range<u32>, cursor: &mut Cursor) {
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
                    let entry = self.table.wrapping_add(new.hash as usize & self.mask);
                    if SHARED { prefetch_to_write(entry) } else { prefetch(entry) }
                }
            }
            for (slot, new) in (start..end).zip(&batch) {
                let choice = if new.header == 0 { new.hash } else { self.find_or_add::<SHARED>(new, cursor) };
                // SAFETY: a request of this level; its references were read.
                unsafe { *requests.slot(slot) = choice.into() };
            }
            start = end;
        }
    }

    #[inline(always)]
    fn find_or_add<const SHARED: bool>(&self, new: &New, cursor: &mut Cursor) -> u32 {
        let mut index = new.hash as usize & self.mask;
        let mut written = None;
        loop {
            // SAFETY: the index is masked to the table's part for this level. Its choices are in the pool, complete
            // before the table tells them.
            unsafe {
                let entry = AtomicU32::from_ptr(self.table.add(index));
                let mut known = entry.load(Ordering::Acquire);
                if known == 0 {
                    let choice = *written.get_or_insert_with(|| self.write::<SHARED>(new, cursor));
                    if SHARED {
                        if let Err(other) = entry.compare_exchange(0, choice, Ordering::AcqRel, Ordering::Acquire) {
                            known = other;
                        }
                    } else {
                        entry.store(choice, Ordering::Relaxed);
                    }
                    if known == 0 {
                        cursor.start += 1 + new.len();
                        return choice;
                    }
                }
                let place = self.pool.wrapping_add(known as usize);
                if *place == new.header && (0..new.len()).all(|k| *place.add(1 + k) == new.choices[k]) {
                    return known;
                }
            }
            index = (index + 1) & self.mask;
        }
    }

    /// Writes a choice where the thread's next one goes, without advancing.
    #[inline(always)]
    fn write<const SHARED: bool>(&self, new: &New, cursor: &mut Cursor) -> u32 {
        if SHARED && cursor.len() < 1 + new.len() {
            let start = self.next.fetch_add(CHUNK, Ordering::Relaxed);
            *cursor = start..start + CHUNK;
        }
        let place = self.pool.wrapping_add(cursor.start);
        // SAFETY: the pool has room for all choices of the level and a chunk for each thread.
        unsafe {
            *place = new.header;
            for (k, &below) in new.choices[..new.len()].iter().enumerate() {
                *place.add(1 + k) = below;
            }
        }
        cursor.start as u32
    }
}
