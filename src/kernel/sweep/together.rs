//! The way up of a sweep of several processes. A level takes three exchanges: each process makes nodes of its requests
//! and sends each node to its owner, chosen by hash; owners find equal nodes and answer with numbers; and the results
//! of records go back to the processes from which the records came.
//!
//! Ids count the units of all processes: at each level, those of process 0 come first, then those of process 1, and so
//! on. So each process holds a range of the ids of each level ([`Parts`]); because owners are chosen by hash, all
//! ranges have about the same size. Memory besides that of one process: the messages and the new units of a level, and
//! 4 bytes for each of these units.

use super::distinct::{ensure, give_back, place_of};
use super::down::Expanded;
use super::plan::Plan;
use super::pool::Pool;
use super::reduction::{Sendable, ZeroSuppressed};
use super::stacks::Worker;
use super::trade::Sent;
use super::up::{Moved, SHARED_BYTES, Unique, begin, entries, results_of_roots, stacks};
use crate::context::{Context, Kind, Statistics};
use crate::diagram::{Diagram, Nodes};
use crate::level::Level;
use crate::memory::{Buffer, Region};
use crate::node::{Node, TERMINALS};
use crate::peers::{Peers, Reader};
use crate::threads::Apart;
use base::limits::{Account, LimitReached};
use std::ops::Range;
use std::time::Instant;

/// The diagram that several processes make together (see [`reduce`](super::reduce)). Only process 0 gets it.
pub(crate) fn reduce_together(
    expanded: Expanded,
    kind: Kind,
    context: &Context,
) -> Result<Option<Diagram>, LimitReached> {
    let parts = raise_together(expanded, &ZeroSuppressed {}, kind, context)?;
    let nodes = parts.collect(context)?;
    // SAFETY: process 0 has all nodes, made level by level from the bottom; children are results of deeper levels.
    let whole =
        |&root: &u32| unsafe { Diagram::from_parts(Nodes::Region(nodes), parts.ends.clone(), Node::from_bits(root)) };
    Ok(parts.roots.first().map(whole))
}

/// The units that several processes have made together, a part in each process.
pub(crate) struct Parts {
    own: Region,
    places: Vec<Range<usize>>,
    unit: usize,
    /// The end of the ids of each level, as in `Raised`.
    pub(crate) ends: Vec<u32>,
    pub(crate) roots: Vec<u32>,
}

impl Parts {
    pub(crate) fn words(&self, level: Level) -> &[u32] {
        let Range { start, end } = self.places[level.index()].clone();
        // SAFETY: these words were written, and nobody writes them any more.
        unsafe { std::slice::from_raw_parts(self.own.base().cast::<u32>().add(start), end - start) }
    }

    /// All units, bottom level first. Only process 0 gets them.
    pub(crate) fn collect(&self, context: &Context) -> Result<Region, LimitReached> {
        let peers = context.peers().expect("several processes have made these units");
        let words = if peers.leads() { self.unit * (self.ends[0] - TERMINALS) as usize } else { 0 };
        let mut all = Region::reserve(4 * words, context.limits())?;
        let mut filled = 0;
        for level in Level::all(self.places.len() as u32).rev() {
            context.check()?;
            if self.ends[level.index()] == self.ends[level.index() + 1] {
                continue;
            }
            // The own nodes once more; and in process 0, those of all.
            let nodes = (self.ends[level.index()] - self.ends[level.index() + 1]) as usize;
            let received = if peers.leads() { self.unit * nodes } else { 0 };
            let _room = context.limits().hold(4 * (self.words(level).len() + received) as u64)?;
            let mut messages = vec![Vec::new(); peers.size()];
            messages[0] = self.words(level).to_vec();
            for part in peers.exchange(messages)?.iter().filter(|_| peers.leads()) {
                all.ensure(4 * (filled + part.len()))?;
                // SAFETY: the region has room for these words, and the message is elsewhere.
                unsafe { all.base().cast::<u32>().add(filled).copy_from_nonoverlapping(part.as_ptr(), part.len()) };
                filled += part.len();
            }
        }
        Ok(all)
    }
}

struct Rise<'a, R: Sendable> {
    rule: &'a R,
    terminals: u32,
    context: &'a Context,
    peers: &'a Peers,
    table: Buffer<u32>,
    own: Region,
    filled: usize,
    next: u32,
}

/// As [`raise`](super::raise), by all processes of the context together.
pub(crate) fn raise_together<R: Sendable>(
    expanded: Expanded,
    rule: &R,
    kind: Kind,
    context: &Context,
) -> Result<Parts, LimitReached> {
    let start = Instant::now();
    let Expanded { plans, terminals, notes, roots, sent, all, .. } = expanded;
    let limits = context.limits();
    let pool = Pool::new(u64::MAX, limits)?;
    let streams: usize = plans.iter().map(|plan| plan.partitions as usize).sum();
    let mut workers = Vec::with_capacity(notes.len());
    for notes in notes {
        workers.push(Apart(Worker::new(notes, streams, &pool, limits)?));
    }
    let peers = context.peers().expect("several processes sweep");
    // Addresses for all ids.
    let addresses = (size_of::<R::Unit>() as u64) << u32::BITS;
    let (table, own) = (Buffer::zeroed(0, limits)?, Region::reserve(addresses as usize, limits)?);
    let mut rise = Rise { rule, terminals, context, peers, table, own, filled: 0, next: TERMINALS };
    let mut ends = vec![TERMINALS; plans.len() + 1];
    let mut places = vec![0..0; plans.len()];
    for (level, plan) in Level::all(plans.len() as u32).zip(&plans).rev() {
        context.check()?;
        let before = rise.filled;
        // A level without requests takes no exchange.
        if all[level.index()] > 0 {
            workers.iter_mut().for_each(|Apart(worker)| worker.begin(level));
            rise.level(plan, &sent[level.index()], &mut workers)?;
        }
        places[level.index()] = before..rise.filled;
        ends[level.index()] = rise.next;
    }
    let roots = results_of_roots(&roots, terminals, &mut workers);
    let unit = size_of::<R::Unit>() / size_of::<u32>();
    rise.own.shrink(4 * rise.filled);
    let (nodes, up) = ((rise.filled / unit) as u64, start.elapsed().as_nanos() as u64);
    context.add(kind, Statistics { nodes, up, ..Default::default() });
    Ok(Parts { own: rise.own, places, unit, ends, roots })
}

impl<R: Sendable> Rise<'_, R> {
    const WORDS: usize = size_of::<R::Unit>() / size_of::<u32>();

    fn level(&mut self, plan: &Plan, sent: &Sent, workers: &mut [Apart<Worker>]) -> Result<(), LimitReached> {
        let (context, first) = (self.context, self.next);
        let (requests, end) = begin(first, workers);
        let most = entries(requests);
        let bytes = size_of::<R::Unit>() as u64 * (end - u64::from(first)) + SHARED_BYTES * requests + 4 * most as u64;
        give_back(&mut self.table, most, context.limits())?;
        workers.iter_mut().try_for_each(|Apart(worker)| worker.make_room(bytes, context.limits()))?;
        ensure(&mut self.table, most, context.limits())?;
        let size = size_of::<R::Unit>() * (end - u64::from(first)) as usize;
        let mut made = Region::reserve(size, context.limits())?;
        let mut unique = Unique {
            rule: self.rule,
            plan,
            terminals: self.terminals,
            table: self.table.pointer(),
            entries: most,
            first,
            base: made.base().cast::<R::Unit>().wrapping_sub(first as usize),
            units: &mut made,
        };
        unique.ensure(end)?;
        let moved = unique.reduce_all(first, workers, context)?;
        let new = self.numbers(&made, &moved)?;
        let unique = Unique {
            rule: self.rule,
            plan,
            terminals: self.terminals,
            table: self.table.pointer(),
            entries: 0,
            first,
            base: std::ptr::null_mut(),
            units: &mut made,
        };
        let settle = |result: u32| match moved.settle(result).checked_sub(first) {
            None => result,
            Some(place) => new.as_slice()[place as usize],
        };
        self.hand_up(&unique, sent, workers, settle)
    }

    fn numbers(&mut self, made: &Region, moved: &Moved) -> Result<Buffer<u32>, LimitReached> {
        let size = self.peers.size();
        let units = (moved.end - self.next) as usize;
        let mut account = Account::new(self.context.limits());
        account.set((4 * Self::WORDS * units) as u64)?;
        // SAFETY: this number of units was made.
        let words = unsafe { std::slice::from_raw_parts(made.base().cast::<u32>(), Self::WORDS * units) };
        let mut messages = vec![Vec::new(); size];
        for (_, node, words) in Walk::<R>::new(words) {
            messages[owner(R::hash(&node), size)].extend_from_slice(words);
        }
        let received = self.peers.exchange(messages)?;
        account.set(4 * received.iter().map(|message| message.len() as u64).sum::<u64>())?;
        let (own, answers) = self.add(&received)?;
        drop(received);
        account.set(0)?;
        let answers = self.peers.exchange(answers)?;
        let mut starts = Vec::with_capacity(size);
        let mut end = u64::from(self.next);
        for answer in &answers {
            starts.push(end as u32);
            end += u64::from(answer[0]);
        }
        debug_assert_eq!(answers[self.peers.number()][0] as usize * Self::WORDS, own);
        let end = u32::try_from(end).map_err(|_| super::too_many("nodes of one diagram"))?;
        let mut new: Buffer<u32> = Buffer::zeroed(units, self.context.limits())?;
        let mut taken = vec![1; size];
        for (place, node, _) in Walk::<R>::new(words) {
            let owner = owner(R::hash(&node), size);
            new.as_mut_slice()[place] = starts[owner] + answers[owner][taken[owner]];
            taken[owner] += 1;
        }
        self.next = end;
        Ok(new)
    }

    /// Adds the nodes that this process owns. Returns the number of added words; and for each process the number of
    /// added units, then the position, in units, of each node that it sent.
    fn add(&mut self, received: &[Vec<u32>]) -> Result<(usize, Vec<Vec<u32>>), LimitReached> {
        let limits = self.context.limits();
        let words: usize = received.iter().map(Vec::len).sum();
        let nodes: usize = received.iter().map(|message| Walk::<R>::new(message).count()).sum();
        let most = entries(nodes as u64);
        give_back(&mut self.table, most, limits)?;
        ensure(&mut self.table, most, limits)?;
        self.table.as_mut_slice()[..most].fill(0);
        self.own.ensure(4 * (self.filled + words))?;
        let base = self.own.base().cast::<u32>().wrapping_add(self.filled).cast::<R::Unit>();
        let unique = Unique {
            rule: self.rule,
            plan: &Plan::NONE,
            terminals: self.terminals,
            table: self.table.pointer(),
            entries: most,
            first: TERMINALS,
            // Positions count from `TERMINALS`, because 0 marks an empty entry of the table.
            base: base.wrapping_sub(TERMINALS as usize),
            units: &mut self.own,
        };
        let mut next = TERMINALS;
        let mut answers = vec![vec![0]; received.len()];
        for (message, answer) in received.iter().zip(&mut answers) {
            for (_, node, _) in Walk::<R>::new(message) {
                // SAFETY: no other thread uses the table, which has more entries than nodes; and all units have room.
                let place = unsafe { unique.find_or_add::<false>(&node, place_of(R::hash(&node), most), &mut next) };
                answer.push(place - TERMINALS);
            }
        }
        let added = next - TERMINALS;
        answers.iter_mut().for_each(|answer| answer[0] = added);
        let added = Self::WORDS * added as usize;
        self.filled += added;
        Ok((added, answers))
    }

    fn hand_up(
        &self,
        unique: &Unique<R>,
        sent: &Sent,
        workers: &mut [Apart<Worker>],
        settle: impl Fn(u32) -> u32 + Sync,
    ) -> Result<(), LimitReached> {
        let size = self.peers.size();
        let mut remote = vec![vec![Vec::new(); size]; workers.len()];
        let stacks = stacks(workers);
        unique.hand_all_up(workers, &stacks, &mut remote, settle, self.context)?;
        let mut remote = remote.into_iter();
        let mut messages = remote.next().expect("a thread at least");
        for more in remote {
            messages.iter_mut().zip(more).for_each(|(message, more)| message.extend(more));
        }
        let mut account = Account::new(self.context.limits());
        account.set(4 * messages.iter().map(|message| message.len() as u64).sum::<u64>())?;
        for message in self.peers.exchange(messages)? {
            let mut reader = Reader(&message);
            while !reader.is_at_end() {
                let [partition, count] = [reader.word(), reader.word()];
                let mut results = Reader(reader.words(count as usize));
                let place = sent.binary_search_by_key(&partition, |&(partition, _)| partition);
                let (_, records) = &sent[place.expect("records were sent for this partition")];
                let stream = (unique.plan.base - self.terminals + partition) as usize;
                for (Apart(worker), &records) in workers.iter_mut().zip(records) {
                    worker.put_all_on(stream, results.words(records as usize))?;
                }
            }
        }
        Ok(())
    }
}

/// The process that owns the nodes with this hash, by other bits of the hash than those for tables.
fn owner(hash: u32, processes: usize) -> usize {
    let mixed = hash.rotate_left(16).wrapping_mul(0x85EB_CA6B);
    ((u64::from(mixed) * processes as u64) >> u32::BITS) as usize
}

/// The nodes of a sequence of units: for each, the number of units before it, the node, and its words.
struct Walk<'w, R> {
    words: &'w [u32],
    place: usize,
    reduction: std::marker::PhantomData<R>,
}

impl<'w, R> Walk<'w, R> {
    fn new(words: &'w [u32]) -> Walk<'w, R> {
        Walk { words, place: 0, reduction: std::marker::PhantomData }
    }
}

impl<'w, R: Sendable> Iterator for Walk<'w, R> {
    type Item = (usize, R::Node, &'w [u32]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.words.is_empty() {
            return None;
        }
        // SAFETY: the words are those of whole nodes. Units consist of 32-bit words, so the words are aligned for them.
        let node = unsafe { R::read(self.words.as_ptr().cast()) };
        let units = R::units(&node) as usize;
        let (words, rest) = self.words.split_at(units * (size_of::<R::Unit>() / size_of::<u32>()));
        let place = self.place;
        (self.words, self.place) = (rest, place + units);
        Some((place, node, words))
    }
}
