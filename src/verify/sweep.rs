//! Walks over the pairs of a node of the states and what stands beside it (a node of the values, what is left of a
//! condition), level by level from the top, that add up the number of ways down to each pair.
//!
//! Whoever asks for a pair adds it to the list of the pair's level. When the walk comes to a level, equal pairs of its
//! list are joined in a hash table that is as large as the list needs. Threads take up pairs by their nodes, each with lists
//! of its own. Where nothing below can change what stands beside
//! a node, all states below it are counted at once. Exact. Time: some tens of nanoseconds a pair; memory: up to 32 bytes
//! for each pair asked for on the levels still to come.

use super::diagram::{Function, Set, TERMINALS};
use crate::limits::{Account, LimitReached, Limits};
use crate::machine::prefetch;
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pairs expanded between two looks at the limits.
const BATCH: usize = 1 << 12;
const EMPTY: u32 = u32::MAX;
/// Pairs between saying what is looked at soon and looking at it: most of it is far from the processor.
const AHEAD: usize = 16;

/// What is known of what stands beside a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Open,
    /// It is what it is whatever comes below.
    Settled,
    /// No state below counts.
    Nothing,
}

/// What can stand beside the nodes of a set, by number.
pub trait Beside {
    fn fate(&self, id: u32) -> Fate;
    /// What is left at a level if all levels before it are false.
    fn skip(&mut self, id: u32, level: u32) -> u32;
    /// What is left below a level where that is false, and where it is true.
    fn children(&mut self, id: u32, level: u32) -> [u32; 2];
    /// Says that [`Beside::children`] is asked for soon.
    fn expect(&self, _id: u32) {}
    /// Says that what is left below a level is looked at soon; [`Beside::expect`] was told some time ago.
    fn expect_children(&self, _id: u32, _level: u32) {}
    /// Takes the memory that it has come to need.
    fn account(&mut self) -> Result<(), LimitReached> {
        Ok(())
    }
}

impl Beside for &Function<'_> {
    fn fate(&self, id: u32) -> Fate {
        if id < TERMINALS { Fate::Settled } else { Fate::Open }
    }

    #[inline]
    fn skip(&mut self, mut id: u32, level: u32) -> u32 {
        while id >= TERMINALS && self.level(id) < level {
            id = self.node(id)[0];
        }
        id
    }

    #[inline]
    fn children(&mut self, id: u32, level: u32) -> [u32; 2] {
        if id >= TERMINALS && self.level(id) == level { self.node(id) } else { [id; 2] }
    }

    #[inline]
    fn expect(&self, id: u32) {
        self.prefetch(id);
    }

    #[inline]
    fn expect_children(&self, id: u32, level: u32) {
        if id >= TERMINALS && self.level(id) == level {
            self.node(id).into_iter().for_each(|child| self.prefetch(child));
        }
    }
}

/// A number of ways.
pub trait Ways: Clone + Send + From<u32> + for<'n> std::ops::AddAssign<&'n Self> {
    /// Bytes that one takes, at most.
    fn bytes(levels: usize) -> usize;
    /// The ways through a node to the states below it, where that is known before they are walked.
    fn times_states(&self, set: &Set, node: u32) -> Option<Self>;
}

/// For sets of fewer than 2^48 states.
impl Ways for u64 {
    fn bytes(_: usize) -> usize {
        size_of::<u64>()
    }

    fn times_states(&self, set: &Set, node: u32) -> Option<u64> {
        Some(self * set.count(node))
    }
}

impl Ways for BigUint {
    fn bytes(levels: usize) -> usize {
        levels / 8 + 40
    }

    fn times_states(&self, _: &Set, node: u32) -> Option<BigUint> {
        (node == 1).then(|| self.clone())
    }
}

/// Where it does not matter how many ways there are.
#[derive(Debug, Clone, Copy)]
pub struct AtLeastOne;

impl From<u32> for AtLeastOne {
    fn from(_: u32) -> Self {
        AtLeastOne
    }
}

impl std::ops::AddAssign<&AtLeastOne> for AtLeastOne {
    fn add_assign(&mut self, _: &AtLeastOne) {}
}

impl Ways for AtLeastOne {
    fn bytes(_: usize) -> usize {
        0
    }

    fn times_states(&self, _: &Set, _: u32) -> Option<AtLeastOne> {
        Some(AtLeastOne)
    }
}

/// Pairs of a part of [`Requests`].
const PART: usize = 1 << 16;

/// Pairs asked for at a level, each with something that equal pairs share; in parts, which are given back one by one.
#[derive(Debug)]
pub struct Requests<T> {
    parts: Vec<(Vec<u64>, Vec<T>)>,
    len: usize,
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Requests { parts: Vec::new(), len: 0 }
    }
}

impl<T> Requests<T> {
    pub fn push(&mut self, node: u32, beside: u32, with: T) {
        if self.len.is_multiple_of(PART) {
            // The first part grows as it is needed.
            let room = if self.len == 0 { 0 } else { PART };
            self.parts.push((Vec::with_capacity(room), Vec::with_capacity(room)));
        }
        let (pairs, shared) = self.parts.last_mut().expect("there is a part with room");
        pairs.push(u64::from(node) << 32 | u64::from(beside));
        shared.push(with);
        self.len += 1;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes that they take, where what a pair comes with has so many.
    pub fn bytes(&self, with: usize) -> usize {
        let full = self.parts.iter().filter(|(pairs, _)| pairs.capacity() > 0).count();
        full * PART.min(2 * self.len) * (size_of::<u64>() + with)
    }

    #[inline]
    pub fn pair(&self, index: usize) -> u64 {
        self.parts[index / PART].0[index % PART]
    }

    #[inline]
    pub fn with(&self, index: usize) -> &T {
        &self.parts[index / PART].1[index % PART]
    }

    #[inline]
    fn with_mut(&mut self, index: usize) -> &mut T {
        &mut self.parts[index / PART].1[index % PART]
    }

    /// Takes a pair from its place to an earlier one.
    #[inline]
    fn bring(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        let pair = self.pair(from);
        self.parts[to / PART].0[to % PART] = pair;
        if from / PART == to / PART {
            self.parts[to / PART].1.swap(from % PART, to % PART);
        } else {
            let (before, after) = self.parts.split_at_mut(from / PART);
            std::mem::swap(&mut before[to / PART].1[to % PART], &mut after[0].1[from % PART]);
        }
    }

    /// Adds those of another list.
    fn append(&mut self, other: Requests<T>) {
        for (pairs, with) in other.parts {
            for (pair, with) in pairs.into_iter().zip(with) {
                let (node, beside) = parts(pair);
                self.push(node, beside, with);
            }
        }
    }

    /// Keeps the first ones.
    fn truncate(&mut self, len: usize) {
        self.parts.truncate(len.div_ceil(PART));
        self.len = len;
    }

    /// Gives back the memory of the part before this one, if this one is the first of its part.
    fn pass(&mut self, index: usize) {
        if index > 0 && index.is_multiple_of(PART) {
            self.parts[index / PART - 1] = (Vec::new(), Vec::new());
        }
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        prefetch(self.parts[index / PART].0.as_ptr().wrapping_add(index % PART));
        prefetch(self.parts[index / PART].1.as_ptr().wrapping_add(index % PART));
    }
}

/// Finds equal pairs, one level at a time.
#[derive(Debug, Default)]
pub struct Joiner {
    /// Indices of pairs, by hash.
    table: Vec<u32>,
}

impl Joiner {
    /// Makes room for so many pairs and forgets those of before.
    pub fn start(&mut self, pairs: usize) {
        let places = (2 * pairs).next_power_of_two().max(16);
        self.table.clear();
        self.table.resize(places, EMPTY);
    }

    pub fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<u32>()
    }

    #[inline]
    fn place(&self, pair: u64) -> usize {
        (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) as usize & (self.table.len() - 1)
    }

    /// Says that a pair is looked for soon.
    #[inline]
    pub fn expect(&self, pair: u64) {
        prefetch(self.table.as_ptr().wrapping_add(self.place(pair)));
    }

    /// Where a pair that was expected is to be looked for among those met.
    #[inline]
    fn hint(&self, pair: u64) -> Option<usize> {
        Some(self.table[self.place(pair)]).filter(|index| *index != EMPTY).map(|index| index as usize)
    }

    /// The index of a pair among the different ones met, each `known` by its index; or the next index, if it is new.
    #[inline]
    pub fn find(&mut self, pair: u64, next: usize, known: impl Fn(usize) -> u64) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut place = self.place(pair);
        loop {
            match self.table[place] {
                EMPTY => {
                    self.table[place] = next as u32;
                    return Err(next);
                }
                index if known(index as usize) == pair => return Ok(index as usize),
                _ => place = (place + 1) & mask,
            }
        }
    }
}

/// Node and number of what stands beside it.
#[inline]
pub fn parts(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// Pairs of a level from which on threads share it; those of tests are few.
const SHARED: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// Gives what stands beside the states of a set in the end, each with the number of states, to `arrive`, until one of
/// these has enough; `root` stands beside the whole set. One thread for each of `besides`, which all tell the same, and of
/// `arrive`; pairs go to them by their nodes. `None`: more than `most` pairs, or so, so that something is missing.
pub fn ways<N: Ways, B: Beside + Send, A: FnMut(u32, &N) -> ControlFlow<()> + Send>(
    set: &Set,
    besides: &mut [B],
    root: u32,
    most: usize,
    limits: &Limits,
    arrive: &mut [A],
) -> Result<Option<()>, LimitReached> {
    let shards = besides.len();
    assert!(shards == arrive.len() && shards > 0, "a thread has both");
    let pairs = AtomicUsize::new(0);
    let walkers = besides.iter_mut().zip(arrive);
    let mut walkers: Vec<_> =
        walkers.map(|(beside, arrive)| Walker::new(set, beside, arrive, shards, limits)).collect();
    if walkers[0].place((set.root, root), &N::from(1)).is_break() {
        return Ok(Some(()));
    }
    for level in 0..set.levels {
        let asked =
            |shard: usize| walkers.iter_mut().map(|walker| std::mem::take(&mut walker.lists[level][shard])).collect();
        let asked: Vec<Vec<Requests<N>>> = (0..shards).map(asked).collect();
        let total: usize = asked.iter().flatten().map(Requests::len).sum();
        let pass = |(walker, asked): (&mut Walker<N, B, A>, _)| walker.take_up(asked, level, most, &pairs);
        let ended: Vec<Result<End, LimitReached>> = if shards > 1 && total >= SHARED {
            std::thread::scope(|scope| {
                let work = walkers.iter_mut().zip(asked).map(|work| scope.spawn(|| pass(work)));
                let work: Vec<_> = work.collect();
                work.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
            })
        } else {
            walkers.iter_mut().zip(asked).map(pass).collect()
        };
        for end in ended {
            match end? {
                End::Level => {}
                End::Enough => return Ok(Some(())),
                End::TooMany => return Ok(None),
            }
        }
    }
    Ok(Some(()))
}

/// How a thread's part of a level ended.
enum End {
    Level,
    Enough,
    TooMany,
}

/// One thread's part of a walk.
struct Walker<'w, N, B, A> {
    set: &'w Set<'w>,
    beside: &'w mut B,
    arrive: &'w mut A,
    /// By level, then by the thread that takes them up: what this one asked for.
    lists: Vec<Vec<Requests<N>>>,
    joiner: Joiner,
    account: Account<&'w Limits>,
    limits: &'w Limits,
}

impl<'w, N: Ways, B: Beside, A: FnMut(u32, &N) -> ControlFlow<()>> Walker<'w, N, B, A> {
    fn new(set: &'w Set<'w>, beside: &'w mut B, arrive: &'w mut A, shards: usize, limits: &'w Limits) -> Self {
        let lists = (0..set.levels).map(|_| (0..shards).map(|_| Requests::default()).collect()).collect();
        Walker { set, beside, arrive, lists, joiner: Joiner::default(), account: Account::new(&limits), limits }
    }

    /// Asks for a pair, or tells what comes of it where that is known.
    #[inline]
    fn place(&mut self, (node, id): (u32, u32), ways: &N) -> ControlFlow<()> {
        if node == 0 {
            return ControlFlow::Continue(());
        }
        let level = if node < TERMINALS { self.set.levels } else { self.set.node(node).level() };
        let id = self.beside.skip(id, level as u32);
        match self.beside.fate(id) {
            Fate::Nothing => return ControlFlow::Continue(()),
            Fate::Settled => {
                if let Some(states) = ways.times_states(self.set, node) {
                    return (self.arrive)(id, &states);
                }
            }
            Fate::Open => assert!(node >= TERMINALS, "nothing is open below the last level"),
        }
        let lists = &mut self.lists[level];
        let hash = u64::from(node).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let shard = (hash * lists.len() as u64) >> 32;
        lists[shard as usize].push(node, id, ways.clone());
        ControlFlow::Continue(())
    }

    /// Joins the pairs that threads asked for at a level, and asks for what follows from them.
    fn take_up(
        &mut self,
        mut asked: Vec<Requests<N>>,
        level: usize,
        most: usize,
        pairs: &AtomicUsize,
    ) -> Result<End, LimitReached> {
        let with = N::bytes(self.set.levels);
        asked.sort_by_key(Requests::len);
        let mut list = asked.pop().unwrap_or_default();
        asked.into_iter().for_each(|other| list.append(other));
        self.joiner.start(list.len());
        // The different pairs come to the front of the list.
        let mut known = 0;
        for index in 0..list.len() {
            if index + 2 * AHEAD < list.len() {
                self.joiner.expect(list.pair(index + 2 * AHEAD));
                if let Some(hint) = self.joiner.hint(list.pair(index + AHEAD)) {
                    list.prefetch(hint);
                }
            }
            match self.joiner.find(list.pair(index), known, |index| list.pair(index)) {
                Ok(found) => {
                    let more = list.with(index).clone();
                    *list.with_mut(found) += &more;
                }
                Err(_) => {
                    list.bring(index, known);
                    known += 1;
                }
            }
        }
        list.truncate(known);
        if pairs.fetch_add(known, Ordering::Relaxed) > most {
            return Ok(End::TooMany);
        }
        for index in 0..known {
            list.pass(index);
            if index + 2 * AHEAD < known {
                let (node, id) = parts(list.pair(index + 2 * AHEAD));
                self.set.prefetch(node);
                self.beside.expect(id);
                let (node, id) = parts(list.pair(index + AHEAD));
                let node = self.set.node(node);
                self.set.prefetch(node.lo);
                self.set.prefetch(node.hi);
                self.beside.expect_children(id, level as u32);
            }
            if index % BATCH == 0 {
                self.limits.check()?;
                self.beside.account()?;
                let waiting: usize = self.lists[level..].iter().flatten().map(|list| list.bytes(with)).sum();
                let slack = 2 * BATCH * (size_of::<u64>() + with);
                self.account.grow_to((list.bytes(with) + waiting + slack + self.joiner.bytes()) as u64)?;
            }
            let (node, id) = parts(list.pair(index));
            let (node, ids) = (self.set.node(node), self.beside.children(id, level as u32));
            for child in [(node.lo, ids[0]), (node.hi, ids[1])] {
                if self.place(child, list.with(index)).is_break() {
                    return Ok(End::Enough);
                }
            }
        }
        Ok(End::Level)
    }
}
