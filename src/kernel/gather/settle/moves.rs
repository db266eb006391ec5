//! The moves between the states of a set, as links between ranks.
//!
//! A **part** stands for the pairs of a relation between the states below two nodes. Consecutive states lead to
//! consecutive states ([`Part::Dense`], for more than a window holds); or the states of one mask lead to those of
//! another, in order ([`Part::Link`]); or the part consists of inner parts ([`Part::Inner`]). Equal parts are stored
//! once, whichever nodes they come from. Within a part, ranks count from its first state with a move, and from the
//! least rank to which its moves lead.
//!
//! Relations need not be functions: both values of a level after a move are followed, and dead ends are dropped.

use super::super::bits::WINDOW;
use super::super::code::extend_with_halves;
use super::super::side::Side;
use crate::relation::{IDENTITY, NONE, RelationId, RelationNode};
use crate::{Context, Diagram, Level, Node};
use base::limits::{Account, LimitReached, table_bytes};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// Inner parts are replaced by their own inner parts if the part then has at most this number of inner parts: fewer are
/// followed one by one then, but more are stored. The first is for moves that a processor caches.
const INLINE: [usize; 2] = [32, 16];
/// Words of moves that a processor caches.
const CACHED: usize = 1 << 15;
/// The first word of a part has its kind, the number of its inner parts, the number of links among them (which come
/// first), and the number of states that it spans before the move. The second word of a part with inner parts is the
/// number of states that it spans after the move.
const KIND_BITS: u32 = 2;
const COUNT_BITS: u32 = 7;
const LINKS_AT: u32 = KIND_BITS + COUNT_BITS;
const SPAN_AT: u32 = LINKS_AT + COUNT_BITS;
const _: () = assert!(INLINE[0] < 1 << COUNT_BITS);
const DENSE: u64 = 0;
const LINK: u64 = 1;
const NARROW: u64 = 2;
const WIDE: u64 = 3;
const STEPS: u64 = 1 << 12;

/// A part, and the ranks at which it begins before and after the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: u64,
    pub to: u64,
    pub part: u32,
}

pub enum Part<'a> {
    /// This number of consecutive states leads to consecutive states.
    Dense(u64),
    /// The states of `guard` lead to those of `image`, in order. Both masks have at most [`WINDOW`] bits.
    Link {
        guard: u64,
        image: u64,
    },
    Inner(Inner<'a>),
}

/// For each inner part, the offsets before and after the move, and its number; and the number of links among them.
pub enum Inner<'a> {
    Narrow(&'a [[u32; 3]], usize),
    Wide(&'a [[u64; 3]], usize),
}

impl Edge {
    /// An inner part, given by its offsets before and after the move and its number.
    #[inline(always)]
    pub fn inside<T: Copy + Into<u64>>(self, &[before, after, part]: &[T; 3]) -> Edge {
        Edge { from: self.from + before.into(), to: self.to + after.into(), part: part.into() as u32 }
    }
}

impl Inner<'_> {
    pub fn for_each(&self, edge: Edge, see: impl FnMut(Edge)) {
        match *self {
            Inner::Narrow(parts, _) => parts.iter().map(|part| edge.inside(part)).for_each(see),
            Inner::Wide(parts, _) => parts.iter().map(|part| edge.inside(part)).for_each(see),
        }
    }

    fn len(&self) -> usize {
        match self {
            Inner::Narrow(parts, _) => parts.len(),
            Inner::Wide(parts, _) => parts.len(),
        }
    }
}

pub struct Moves {
    code: Vec<u64>,
    pub tops: Vec<Edge>,
    account: Account,
}

impl Moves {
    pub fn bytes(&self) -> u64 {
        self.account.reserved()
    }

    #[inline(always)]
    pub fn part(&self, part: u32) -> Part<'_> {
        part_of(&self.code, part)
    }

    #[inline(always)]
    pub fn link(&self, part: u32) -> [u64; 2] {
        debug_assert!(matches!(self.part(part), Part::Link { .. }));
        let [_, guard, image] = self.code[part as usize..][..3] else { unreachable!("three words") };
        [guard, image]
    }

    /// The numbers of states from the first to the last one with a move, and from the first to the last one reached.
    #[inline(always)]
    pub fn spans(&self, part: u32) -> [u64; 2] {
        spans_of(&self.code, part)
    }
}

#[inline(always)]
fn spans_of(code: &[u64], part: u32) -> [u64; 2] {
    let first = code[part as usize];
    let before = first >> SPAN_AT;
    match first & ((1 << KIND_BITS) - 1) {
        DENSE => [before, before],
        LINK => [before, width(code[part as usize + 2])],
        _ => [before, code[part as usize + 1]],
    }
}

#[inline(always)]
fn part_of(code: &[u64], part: u32) -> Part<'_> {
    let (&word, rest) = code[part as usize..].split_first().expect("a part has words");
    let [count, links] = [KIND_BITS, LINKS_AT].map(|bits| (word >> bits & ((1 << COUNT_BITS) - 1)) as usize);
    match word & ((1 << KIND_BITS) - 1) {
        DENSE => Part::Dense(word >> SPAN_AT),
        LINK => Part::Link { guard: rest[0], image: rest[1] },
        NARROW => {
            let words = &rest[1..][..(3 * count).div_ceil(2)];
            // SAFETY: these words hold three half words for each inner part.
            Part::Inner(Inner::Narrow(unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), count) }, links))
        }
        _ => Part::Inner(Inner::Wide(rest[1..][..3 * count].as_chunks().0, links)),
    }
}

fn words_of(code: &[u64], part: u32) -> &[u64] {
    let words = match part_of(code, part) {
        Part::Dense(_) => 1,
        Part::Link { .. } => 3,
        Part::Inner(Inner::Narrow(parts, _)) => 2 + (3 * parts.len()).div_ceil(2),
        Part::Inner(Inner::Wide(parts, _)) => 2 + 3 * parts.len(),
    };
    &code[part as usize..][..words]
}

#[inline(always)]
fn width(mask: u64) -> u64 {
    u64::from(u64::BITS - mask.leading_zeros())
}

type Key = (Node, Node, RelationId);

/// A key whose inner parts are being found; the first `branch` of its four branches are done.
struct Open {
    key: Key,
    branch: usize,
    edges: Vec<Edge>,
}

struct Builder<'a> {
    side: Side<'a>,
    relations: &'a [RelationNode],
    most: u64,
    code: Vec<u64>,
    unique: HashTable<u32>,
    known: FxHashMap<Key, Option<Edge>>,
    account: Account,
    too_large: bool,
    work: Vec<u64>,
}

/// The moves by relations from a set to itself; `None` if they exceed `most` bytes or a number exceeds its bits.
pub fn moves(
    set: &Diagram,
    relations: &[RelationNode],
    roots: &[RelationId],
    most: u64,
    context: &Context,
) -> Result<Option<Moves>, LimitReached> {
    let limits = context.limits();
    let mut builder = Builder {
        side: Side::new(set, limits)?,
        relations,
        most,
        code: Vec::new(),
        unique: HashTable::new(),
        known: FxHashMap::default(),
        account: Account::new(limits),
        too_large: false,
        work: Vec::new(),
    };
    let mut tops = Vec::new();
    for &root in roots {
        builder.known.clear();
        tops.extend(builder.find((set.root(), set.root(), root), context)?);
        if builder.too_large {
            return Ok(None);
        }
    }
    let Builder { mut code, mut account, .. } = builder;
    code.shrink_to_fit();
    account.set(8 * code.len() as u64)?;
    Ok(Some(Moves { code, tops, account }))
}

impl Builder<'_> {
    fn find(&mut self, key: Key, context: &Context) -> Result<Option<Edge>, LimitReached> {
        let (mut open, mut steps) = (Vec::new(), 0_u64);
        let mut found = self.begin(key, &mut open)?;
        while let Some(last) = open.last_mut() {
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                context.check()?;
            }
            if self.too_large {
                return Ok(None);
            }
            if last.branch > 0
                && let Some(edge) = found.take()
            {
                let (_, from, to) = branch(&self.side, self.relations, last.key, last.branch - 1);
                last.edges.push(Edge { from: from + edge.from, to: to + edge.to, ..edge });
            }
            if last.branch < 4 {
                last.branch += 1;
                let (below, ..) = branch(&self.side, self.relations, last.key, last.branch - 1);
                found = self.begin(below, &mut open)?;
            } else if let Some(Open { key, edges, .. }) = open.pop() {
                found = self.joined(edges)?;
                self.room(0)?;
                self.known.insert(key, found);
            }
        }
        Ok(found)
    }

    /// Returns the part of a key if it is known or trivial; otherwise puts the key on the stack.
    fn begin(&mut self, key: Key, open: &mut Vec<Open>) -> Result<Option<Edge>, LimitReached> {
        let (before, after, relation) = key;
        if before == Node::ZERO || after == Node::ZERO || relation == NONE {
            return Ok(None);
        }
        if relation == IDENTITY && before == after {
            let part = self.dense(self.side.states(before))?;
            return Ok(part.map(|part| Edge { from: 0, to: 0, part }));
        }
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        open.push(Open { key, branch: 0, edges: Vec::new() });
        Ok(None)
    }

    fn joined(&mut self, edges: Vec<Edge>) -> Result<Option<Edge>, LimitReached> {
        let (mut all, mut joined) = (Vec::with_capacity(edges.len()), Vec::<Edge>::new());
        let parts = |edge: &Edge| match part_of(&self.code, edge.part) {
            Part::Inner(inner) => inner.len(),
            _ => 1,
        };
        let inline = edges.iter().map(parts).sum::<usize>() <= INLINE[usize::from(self.code.len() > CACHED)];
        for edge in edges {
            match part_of(&self.code, edge.part) {
                Part::Inner(inner) if inline => inner.for_each(edge, |edge| all.push(edge)),
                _ => all.push(edge),
            }
        }
        'all: for edge in all {
            for first in &mut joined {
                if let Some(both) = self.both(*first, edge)? {
                    *first = both;
                    continue 'all;
                }
            }
            joined.push(edge);
        }
        if joined.len() < 2 {
            return Ok(joined.pop());
        }
        let is_link = |edge: &Edge| matches!(part_of(&self.code, edge.part), Part::Link { .. });
        joined.sort_unstable_by_key(|edge| (!is_link(edge), *edge));
        let links = joined.iter().filter(|edge| is_link(edge)).count() as u64;
        let least = |at: fn(&Edge) -> u64| joined.iter().map(at).min().expect("at least two parts");
        let (from, to) = (least(|edge| edge.from), least(|edge| edge.to));
        let spans = |edge: &Edge| {
            let [before, after] = spans_of(&self.code, edge.part);
            [edge.from - from + before, edge.to - to + after]
        };
        let [span, after] = joined.iter().map(spans).fold([0, 0], |[a, b], [c, d]| [a.max(c), b.max(d)]);
        let narrow = joined.iter().all(|edge| (edge.from - from).max(edge.to - to) <= u32::MAX.into());
        let mut words = std::mem::take(&mut self.work);
        words.clear();
        let kind = if narrow { NARROW } else { WIDE };
        if !self.fits(span) {
            return Ok(None);
        }
        words.extend([kind | (joined.len() as u64) << KIND_BITS | links << LINKS_AT | span << SPAN_AT, after]);
        let numbers = joined.iter().map(|edge| [edge.from - from, edge.to - to, edge.part.into()]);
        if narrow {
            extend_with_halves(&mut words, numbers.flatten().map(|number| number as u32));
        } else {
            words.extend(numbers.flatten());
        }
        let part = self.add(&words)?;
        self.work = words;
        Ok(Some(Edge { from, to, part }))
    }

    /// A dense part or a link that replaces two parts. `None` if there is none, or if the states of the second part do
    /// not come after those of the first, both before and after the move.
    fn both(&mut self, first: Edge, second: Edge) -> Result<Option<Edge>, LimitReached> {
        let [one, other] = [first, second].map(|edge| part_of(&self.code, edge.part));
        if let (Some(states), Some(more)) = (dense_states(&one), dense_states(&other))
            && first.from + states == second.from
            && first.to + states == second.to
        {
            let part = self.dense(states + more)?;
            return Ok(part.map(|part| Edge { part, ..first }));
        }
        let (Part::Link { guard, image }, Part::Link { guard: more, image: images }) = (one, other) else {
            return Ok(None);
        };
        if second.from < first.from + width(guard) || second.to < first.to + width(image) {
            return Ok(None);
        }
        let (shift, shifted) = (second.from - first.from, second.to - first.to);
        if shift + width(more) > WINDOW || shifted + width(images) > WINDOW {
            return Ok(None);
        }
        let part = self.link(guard | more << shift, image | images << shifted)?;
        Ok(Some(Edge { part, ..first }))
    }

    fn link(&mut self, guard: u64, image: u64) -> Result<u32, LimitReached> {
        debug_assert!(width(guard) <= WINDOW && width(image) <= WINDOW);
        self.add(&[LINK | width(guard) << SPAN_AT, guard, image])
    }

    /// Consecutive states that lead to consecutive ones; a link where one window holds them.
    fn dense(&mut self, states: u64) -> Result<Option<u32>, LimitReached> {
        if states <= WINDOW {
            let mask = ones(states);
            return self.link(mask, mask).map(Some);
        }
        if self.fits(states) { self.add(&[DENSE | states << SPAN_AT]).map(Some) } else { Ok(None) }
    }

    /// Whether a span fits the first word of a part; if not, marks the moves as too large.
    fn fits(&mut self, span: u64) -> bool {
        self.too_large |= span >= 1 << (u64::BITS - SPAN_AT);
        !self.too_large
    }

    fn add(&mut self, words: &[u64]) -> Result<u32, LimitReached> {
        let hash = FxBuildHasher.hash_one(words);
        if let Some(&part) = self.unique.find(hash, |&part| self.code[part as usize..].starts_with(words)) {
            return Ok(part);
        }
        self.room(words.len())?;
        let part = self.code.len();
        self.too_large |= 8 * (part + words.len()) as u64 > self.most || part + words.len() > u32::MAX as usize;
        if self.too_large {
            return Ok(0);
        }
        self.code.extend_from_slice(words);
        let again = |&part: &u32| FxBuildHasher.hash_one(words_of(&self.code, part));
        self.unique.insert_unique(hash, part as u32, again);
        Ok(part as u32)
    }

    /// Reserves memory for `words` more words and an entry of the tables, whose old memory stays while they grow.
    fn room(&mut self, words: usize) -> Result<(), LimitReached> {
        let tables = table_bytes(self.unique.len() + 1, size_of::<u32>())
            + table_bytes(self.known.len() + 1, size_of::<(Key, Option<Edge>)>());
        self.account.grow_to((24 * (self.code.len() + words) + 2 * tables) as u64)
    }
}

/// The number of states of a part in which consecutive states lead to consecutive ones.
fn dense_states(part: &Part) -> Option<u64> {
    match *part {
        Part::Dense(states) => Some(states),
        Part::Link { guard, image } => Some(width(guard)).filter(|&states| guard == ones(states) && image == guard),
        Part::Inner(_) => None,
    }
}

#[inline(always)]
fn ones(states: u64) -> u64 {
    u64::MAX >> (u64::from(u64::BITS) - states)
}

/// Follows a branch of a key at the first level that its nodes or its relation read. Returns the key below, and the
/// numbers of skipped states before and after the move. `branch`: 2 × the value before + the value after the move.
fn branch(side: &Side, relations: &[RelationNode], key: Key, branch: usize) -> (Key, u64, u64) {
    let (before, after, relation) = key;
    let test = &relations[relation.index()];
    let top = side.level(before).min(side.level(after)).min(test.level);
    let (value, next) = (branch >> 1, branch & 1);
    let relation = match test.level == top {
        true => test.t[branch],
        false if value == next => relation,
        false => NONE,
    };
    let ((before, from), (after, to)) = (child(side, before, top, value), child(side, after, top, next));
    ((before, after, relation), from, to)
}

/// The child of a node for a value of a level, and the number of states before that child.
fn child(side: &Side, node: Node, level: Level, value: usize) -> (Node, u64) {
    if side.level(node) != level {
        return if value == 0 { (node, 0) } else { (Node::ZERO, 0) };
    }
    let record = side.record(node);
    if value == 0 { (record.lo, 0) } else { (record.hi, record.first) }
}
