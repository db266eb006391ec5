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
use super::requests::{Refused, Requests};
use super::slot::{Reference, RequestId, Target};
use super::threads::{Apart, share, units};
use crate::limits::LimitReached;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
        let Ok((at, words)) = output.allocate((counts[0] + counts[1]).div_ceil(2)) else { return };
        output.hold_words(at, counts[0] | counts[1] << 8);
        let mut target = Target::new(words.cast());
        target = put(children.0, target, output);
        target = put(children.1, target, output);
        target = put(children.2, target, output);
        put(children.3, target, output);
    }
}

/// Writes a child's reference to `target`, or has it written; where the next one goes.
#[inline(always)]
fn put((level, key): Child, target: Target, output: &mut Output) -> Target {
    match level {
        DEAD => return target,
        // SAFETY: there is one half word for each child that is not dead, and this one is no request's.
        SOURCE => unsafe { target.set(Reference(LEAF | key as u32)) },
        _ => {
            let start = output.keys.len();
            output.keys.push(key);
            output.request_at(target, level, start);
        }
    }
    target.after()
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
    let most = 5 * counts.iter().sum::<usize>() + 3 * source.node_count() as usize;
    let supply = Supply::new(most + most / 512 + CHUNK * context.threads() * (counts.len() + 1), context)?;
    let of_source: Buffer<u32> = Buffer::zeroed(source.node_count() as usize, limits)?;
    let mut table: Buffer<u32> = Buffer::zeroed(largest, limits)?;
    let mut merger = Merger {
        source,
        requests: &expanded.requests,
        of_source: of_source.pointer().wrapping_sub(TERMINALS as usize),
        table: table.pointer(),
        mask: 0,
        pool: supply.region.base().cast::<u32>().wrapping_sub(TERMINALS as usize),
        supply: Apart(Mutex::new(supply)),
    };
    let mut ends = vec![TERMINALS; counts.len() + 1];
    let mut alone = TERMINALS..TERMINALS;
    for level in (0..counts.len()).rev() {
        context.check()?;
        merger.mask = entries(level) - 1;
        let requested = counts[level] > 0;
        if requested {
            table.as_mut_slice()[..=merger.mask].fill(0);
        }
        if context.shares((counts[level] + sources(level).len()) as u64 / LIGHTER) {
            merger.supply().next = alone.start;
            let mut work: Vec<Work> = units([sources(level)]).map(Work::Sources).collect();
            work.extend(units(expanded.levels[level].ranges.iter().cloned()).map(Work::Requests));
            let mut cursors: Vec<Apart<Cursor>> = (0..context.threads()).map(|_| Apart(0..0)).collect();
            share(context.pool(), &work, &mut cursors, |_, piece, Apart(cursor)| {
                // A refusal is recorded with its limit, which is asked for below.
                let _refused = match piece {
                    Work::Sources(nodes) => merger.add_sources::<true>(nodes.clone(), requested, cursor),
                    Work::Requests(numbers) => merger.add_requests::<true>(numbers.clone(), cursor),
                };
            });
            if let Some(limit) = expanded.requests.error() {
                return Err(limit);
            }
            let next = merger.supply().next;
            alone = next..next;
        } else {
            let reason = |refused| expanded.requests.reason(refused);
            merger.add_sources::<false>(sources(level), requested, &mut alone).map_err(reason)?;
            for range in &expanded.levels[level].ranges {
                merger.add_requests::<false>(range.clone(), &mut alone).map_err(reason)?;
            }
        }
        ends[level] = alone.start;
    }
    let roots = expanded.roots.iter().map(|&root| merger.choice(root)).filter(|&choice| choice != 0).collect();
    let mut pool = merger.supply.0.into_inner().unwrap_or_else(PoisonError::into_inner).region;
    pool.shrink(4 * (ends[0] - TERMINALS) as usize);
    let up = begin.elapsed().as_nanos() as u64;
    context.add(Kind::Pairs, Statistics { up, ..Statistics::default() });
    Ok(Choices { pool, index: LevelIndex::new(ends), roots })
}

/// Words of the pool that a thread takes at a time.
const CHUNK: usize = 4096;

/// The pool of choices, which grows as they are made.
struct Supply {
    region: Region,
    /// The first choice not given to any thread, and the first that there is none of.
    next: u32,
    end: u32,
}

impl Supply {
    /// For at most so many words, as far as they can be numbered: only addresses are taken now.
    fn new(most: usize, context: &Context) -> Result<Supply, LimitReached> {
        let end = context.capacity().choices;
        let words = most.min((end - TERMINALS) as usize);
        Ok(Supply { region: Region::reserve(4 * words, context.limits())?, next: TERMINALS, end })
    }

    /// Adds a chunk to what a thread may fill, or gives it one elsewhere where the next is another's.
    fn take(&mut self, cursor: &mut Cursor) -> Result<(), LimitReached> {
        let start = self.next;
        let end = u64::from(start) + CHUNK as u64;
        if end > u64::from(self.end) {
            return Err(LimitReached::Size { what: "words of choices".into(), limit: self.end.into() });
        }
        self.region.ensure(4 * (end - u64::from(TERMINALS)) as usize)?;
        self.next = end as u32;
        *cursor = if cursor.end == start { cursor.start } else { start }..self.next;
        Ok(())
    }
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
    supply: Apart<Mutex<Supply>>,
}

// SAFETY: threads write entries of `of_source`, slots and pool words of their own, and the table atomically.
unsafe impl Sync for Merger<'_> {}

/// The words of the pool that a thread may fill.
type Cursor = Range<u32>;

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
    fn choice(&self, reference: Reference) -> u32 {
        if reference.0 & LEAF == 0 {
            // SAFETY: a request of a deeper level, which holds its result.
            return unsafe { self.requests.slot_of(reference).result() };
        }
        let node = reference.0 & !LEAF;
        if node < TERMINALS {
            return node;
        }
        // SAFETY: a node of the source on a deeper level, whose choice was made.
        unsafe { *self.of_source.wrapping_add(node as usize) }
    }

    #[inline(always)]
    fn prefetch_choice(&self, reference: Reference) {
        if reference.0 & LEAF == 0 {
            self.requests.slot_of(reference).prefetch();
        } else {
            prefetch(self.of_source.wrapping_add((reference.0 & !LEAF) as usize));
        }
    }

    fn add_sources<const SHARED: bool>(
        &self,
        nodes: Range<u32>,
        requested: bool,
        cursor: &mut Cursor,
    ) -> Result<(), Refused> {
        for id in nodes {
            let [lo, hi] = self.source.node(id).map(|child| self.choice(Reference(LEAF | child)));
            let new = if lo == 0 { New::of([&[], &[hi]]) } else { New::of([&[lo], &[hi]]) };
            let choice = if requested {
                self.find_or_add::<SHARED>(&new, cursor)?
            } else {
                let choice = self.write(&new, cursor)?;
                cursor.start += 1 + new.len() as u32;
                choice
            };
            // SAFETY: a node of this thread's piece of work.
            unsafe { *self.of_source.wrapping_add(id as usize) = choice };
        }
        Ok(())
    }

    fn add_requests<const SHARED: bool>(&self, range: Range<u32>, cursor: &mut Cursor) -> Result<(), Refused> {
        let requests = self.requests;
        let mut batch = [New::default(); BATCH];
        // SAFETY: slots of this piece hold place and numbers of their references.
        let references = |number: u32| unsafe {
            let (place, counts) = requests.slot(RequestId::new(number)).words();
            let [lo, hi] = [counts & 0xFF, counts >> 8].map(|count| count as usize);
            std::slice::from_raw_parts(requests.word(place).cast::<Reference>(), lo + hi).split_at(lo)
        };
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + BATCH as u32);
            for number in end..range.end.min(end + BATCH as u32) {
                let (lo, hi) = references(number);
                lo.iter().chain(hi).for_each(|&reference| self.prefetch_choice(reference));
            }
            for (number, new) in (start..end).zip(&mut batch) {
                let (lo, hi) = references(number);
                let choices = |list: &[Reference]| [0, 1].map(|k| list.get(k).map_or(0, |&r| self.choice(r)));
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
            for (request, new) in (start..end).map(RequestId::new).zip(&batch) {
                let choice = if new.header == 0 { new.hash } else { self.find_or_add::<SHARED>(new, cursor)? };
                // SAFETY: a request of this piece; its references were read.
                unsafe { requests.slot(request).set_result(choice) };
            }
            start = end;
        }
        Ok(())
    }

    #[inline(always)]
    fn find_or_add<const SHARED: bool>(&self, new: &New, cursor: &mut Cursor) -> Result<u32, Refused> {
        let mut index = new.hash as usize & self.mask;
        let mut written = None;
        loop {
            // SAFETY: the index is masked to the table's part for this level. Its choices are in the pool, complete
            // before the table tells them.
            unsafe {
                let entry = AtomicU32::from_ptr(self.table.add(index));
                let mut known = entry.load(Ordering::Acquire);
                if known == 0 {
                    let choice = match written {
                        Some(choice) => choice,
                        None => *written.insert(self.write(new, cursor)?),
                    };
                    if SHARED {
                        if let Err(other) = entry.compare_exchange(0, choice, Ordering::AcqRel, Ordering::Acquire) {
                            known = other;
                        }
                    } else {
                        entry.store(choice, Ordering::Relaxed);
                    }
                    if known == 0 {
                        cursor.start += 1 + new.len() as u32;
                        return Ok(choice);
                    }
                }
                let place = self.pool.wrapping_add(known as usize);
                if *place == new.header && (0..new.len()).all(|k| *place.add(1 + k) == new.choices[k]) {
                    return Ok(known);
                }
            }
            index = (index + 1) & self.mask;
        }
    }

    /// Writes a choice where the thread's next one goes, without advancing.
    #[inline(always)]
    fn write(&self, new: &New, cursor: &mut Cursor) -> Result<u32, Refused> {
        if cursor.end - cursor.start < 1 + new.len() as u32 {
            self.take_chunk(cursor)?;
        }
        let place = self.pool.wrapping_add(cursor.start as usize);
        // SAFETY: the words were given to this thread.
        unsafe {
            *place = new.header;
            for (k, &below) in new.choices[..new.len()].iter().enumerate() {
                *place.add(1 + k) = below;
            }
        }
        Ok(cursor.start)
    }

    #[cold]
    #[inline(never)]
    fn take_chunk(&self, cursor: &mut Cursor) -> Result<(), Refused> {
        self.supply().take(cursor).map_err(|limit| self.requests.fail(limit))
    }

    fn supply(&self) -> MutexGuard<'_, Supply> {
        self.supply.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
