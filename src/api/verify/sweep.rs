//! Walks over pairs of a node of the states and a companion (a node of the values, or a residual condition), level by
//! level from the top. Counts the paths from the root to each pair.
//!
//! A pair requests its children: a request is appended to a list of the child's level, which has a list for each band
//! of neighbouring nodes. When the walk reaches a level, threads share its bands. The requests for equal pairs of a
//! band are merged in a hash table that fits the processor's cache, as do the nodes of the band. If no level below can
//! change the companion, all states below the node are counted at once. The counts are exact. Time: some tens of
//! nanoseconds per pair. Memory: about 24 bytes for each request of later levels.

mod requests;
mod ways;

use super::diagram::{Function, Set, TERMINALS};
use base::limits::{Account, LimitReached, Limits, Reserved};
use base::together::together;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use requests::{Joiner, Requests, parts};
pub use ways::{AtLeastOne, Ways};

const BATCH: usize = 1 << 12;
/// Number of pairs between the prefetch of their data and its use, because most data is not in the cache.
const AHEAD: usize = 16;

/// The effect of the levels below on a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Open,
    /// No level below changes the companion.
    Settled,
    /// No state below counts.
    Nothing,
}

/// The companions, by id, of the nodes of a set.
pub trait Beside {
    fn fate(&self, id: u32) -> Fate;
    /// The companion at a level, if the variables of the skipped levels before it are false.
    fn skip(&mut self, id: u32, level: u32) -> u32;
    /// The companions after a level, if its variable is false, and if it is true.
    fn children(&mut self, id: u32, level: u32) -> [u32; 2];
    fn expect(&self, _id: u32) {}
    fn expect_children(&self, _id: u32, _level: u32) {}
    /// Accounts for memory that was added since the last call.
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
        let above = self.above(level);
        while id >= above {
            id = self.node(id)[0];
        }
        id
    }

    #[inline]
    fn children(&mut self, id: u32, level: u32) -> [u32; 2] {
        if self.is_at(id, level) { self.node(id) } else { [id; 2] }
    }

    #[inline]
    fn expect(&self, id: u32) {
        self.prefetch(id);
    }

    #[inline]
    fn expect_children(&self, id: u32, level: u32) {
        if self.is_at(id, level) {
            self.node(id).into_iter().for_each(|child| self.prefetch(child));
        }
    }
}

/// A level with fewer pairs than this is not shared by threads. The number is small in tests.
const SHARED: usize = if cfg!(test) { 4 } else { 1 << 14 };
/// Logarithm of the number of nodes of a band, whose data must fit the processor's cache.
const BAND: u32 = if cfg!(test) { 1 } else { 11 };
/// Logarithm of the largest number of bands of a level.
const MOST_BANDS: u32 = 12;

/// The nodes of each level, in bands of neighbours.
struct Bands(Vec<Band>);

#[derive(Clone, Copy)]
struct Band {
    first: u32,
    last: u32,
    bits: u32,
}

impl Bands {
    fn new(set: &Set) -> Bands {
        let mut levels = vec![Band { first: u32::MAX, last: 0, bits: BAND }; set.levels];
        for (node, id) in set.nodes.iter().zip(TERMINALS..) {
            let level = &mut levels[node.level()];
            level.first = level.first.min(id);
            level.last = level.last.max(id);
        }
        for level in levels.iter_mut().filter(|level| level.first <= level.last) {
            let nodes = level.last - level.first + 1;
            level.bits = BAND.max(nodes.ilog2().saturating_sub(MOST_BANDS - 1));
        }
        Bands(levels)
    }

    #[inline]
    fn of(&self, level: usize, node: u32) -> usize {
        let Band { first, bits, .. } = self.0[level];
        ((node - first) >> bits) as usize
    }

    fn count(&self, level: usize) -> usize {
        let Band { first, last, .. } = self.0[level];
        if first <= last { self.of(level, last) + 1 } else { 0 }
    }
}

struct BandPairs<'w, N> {
    asked: Vec<Requests<N>>,
    _memory: Reserved<'w>,
}

/// Calls `arrive` with each settled companion and its number of states, until a call breaks off. `root`: the companion
/// of the whole set. Each thread has one member of `besides` and one of `arrive`; all members of `besides` must give
/// the same companions. `None` if there are more than about `most` pairs; the counts are then incomplete.
pub fn ways<N: Ways, B: Beside + Send, A: FnMut(u32, &N) -> ControlFlow<()> + Send>(
    set: &Set,
    besides: &mut [B],
    root: u32,
    most: usize,
    limits: &Limits,
    arrive: &mut [A],
) -> Result<Option<()>, LimitReached> {
    let threads = besides.len();
    assert!(threads == arrive.len() && threads > 0, "a thread has both");
    let (pairs, bands) = (AtomicUsize::new(0), Bands::new(set));
    let walkers = besides.iter_mut().zip(arrive);
    let mut walkers: Vec<_> =
        walkers.map(|(beside, arrive)| Walker::new(set, &bands, beside, arrive, limits)).collect();
    if walkers[0].place((set.root, root), &N::from(1)).is_break() {
        return Ok(Some(()));
    }
    for level in 0..set.levels {
        let mut total = 0;
        let mut lists: Vec<_> = walkers.iter_mut().map(|walker| walker.hand_over(level).into_iter()).collect();
        let mut parts = Vec::with_capacity(bands.count(level));
        for _ in 0..bands.count(level) {
            let asked = lists.iter_mut().map(|lists| lists.next().expect("a list for each band"));
            let asked: Vec<Requests<N>> = asked.filter(|list| list.len() > 0).collect();
            if !asked.is_empty() {
                total += asked.iter().map(Requests::len).sum::<usize>();
                let room: usize = asked.iter().map(|list| list.pairs.capacity()).sum();
                let memory = limits.hold((room * bytes_of_pair::<N>(set)) as u64)?;
                parts.push(Mutex::new(Some(BandPairs { asked, _memory: memory })));
            }
        }
        let next = AtomicUsize::new(0);
        let pass = |walker: &mut Walker<N, B, A>| {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let part = part.lock().unwrap_or_else(PoisonError::into_inner).take();
                let ended = walker.take_up(part.expect("each part is taken once"), level, most, &pairs);
                if !matches!(ended, Ok(End::Level)) {
                    // Makes the other threads stop.
                    next.store(parts.len(), Ordering::Relaxed);
                    return ended;
                }
            }
            Ok(End::Level)
        };
        let threads = if total >= SHARED { walkers.len() } else { 1 };
        let free = Mutex::new(walkers.iter_mut());
        let ended: Vec<Result<End, LimitReached>> = together(threads, || {
            let walker = free.lock().unwrap_or_else(PoisonError::into_inner).next();
            walker.map_or(Ok(End::Level), pass)
        });
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

fn bytes_of_pair<N: Ways>(set: &Set) -> usize {
    size_of::<u64>() + N::bytes(set.levels)
}

enum End {
    Level,
    Enough,
    TooMany,
}

struct Walker<'w, N, B, A> {
    set: &'w Set<'w>,
    bands: &'w Bands,
    beside: &'w mut B,
    arrive: &'w mut A,
    /// Requests by level, then by band.
    lists: Vec<Vec<Requests<N>>>,
    /// Capacity of all lists together, in requests.
    room: usize,
    joiner: Joiner,
    account: Account<&'w Limits>,
    limits: &'w Limits,
}

impl<'w, N: Ways, B: Beside, A: FnMut(u32, &N) -> ControlFlow<()>> Walker<'w, N, B, A> {
    fn new(set: &'w Set<'w>, bands: &'w Bands, beside: &'w mut B, arrive: &'w mut A, limits: &'w Limits) -> Self {
        let of_level = |level| (0..bands.count(level)).map(|_| Requests::default()).collect();
        let (lists, account) = ((0..set.levels).map(of_level).collect(), Account::new(&limits));
        Walker { set, bands, beside, arrive, lists, room: 0, joiner: Joiner::default(), account, limits }
    }

    /// Bytes of the requests of later levels.
    fn waiting(&self) -> usize {
        let lists: usize = self.lists.iter().map(Vec::len).sum();
        self.room * bytes_of_pair::<N>(self.set) + lists * size_of::<Requests<N>>()
    }

    /// Takes the thread's requests of a level, by band, and their memory.
    fn hand_over(&mut self, level: usize) -> Vec<Requests<N>> {
        let lists = std::mem::take(&mut self.lists[level]);
        self.room -= lists.iter().map(|list| list.pairs.capacity()).sum::<usize>();
        self.account.shrink_to(self.waiting() as u64);
        lists
    }

    /// Requests a pair, or calls `arrive` if no level below changes the companion.
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
        let band = self.bands.of(level, node);
        self.room += self.lists[level][band].push(node, id, ways.clone());
        ControlFlow::Continue(())
    }

    /// Merges the requests of a band, and requests the children of its pairs.
    fn take_up(
        &mut self,
        part: BandPairs<N>,
        level: usize,
        most: usize,
        pairs: &AtomicUsize,
    ) -> Result<End, LimitReached> {
        let BandPairs { mut asked, _memory } = part;
        asked.sort_by_key(Requests::len);
        let mut list = asked.pop().unwrap_or_default();
        let others: usize = asked.iter().map(Requests::len).sum();
        let more =
            Joiner::bytes_for(list.len() + others).max(self.joiner.bytes()) + others * bytes_of_pair::<N>(self.set);
        self.account.grow_to((self.waiting() + more) as u64)?;
        asked.into_iter().for_each(|other| list.append(other));
        self.joiner.start(list.len());
        // Distinct pairs are moved to the front of the list.
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
                    list.with[found] += &more;
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
                let slack = 2 * BATCH * bytes_of_pair::<N>(self.set);
                self.account.grow_to((self.waiting() + more + slack) as u64)?;
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
