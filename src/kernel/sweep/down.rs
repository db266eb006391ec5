//! The way down of a sweep: level by level, distinct requests are expanded into requests of deeper levels.
//!
//! [`Notes`] keep the data for the way up, by partition: the codes of children, and a reference for each record.

use super::distinct::{Distinct, ensure, give_back};
use super::form::Form;
use super::log::Log;
use super::numbers::{Numbers, code_bytes, reference_bytes};
use super::output::{Child, Failure, Output};
use super::partition::{Partition, Streams};
use super::plan::{Hint, Plan, RecordBound, plans};
use super::pool::{Chunk, Pool, Stock};
use super::room::Room;
use super::trade::{self, Received, Sent, trade};
use crate::context::{Context, Kind, Statistics};
use crate::ids::Id;
use crate::level::Level;
use crate::memory::{Buffer, prefetch};
use crate::node::Node;
use crate::threads::{Apart, on_each};
use base::digits::grouped;
use base::limits::{LimitReached, Limits};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

const BATCH: usize = 32;
/// Number of requests between two checks of the limits and of failures.
const PATIENCE: usize = 1 << 12;

/// The meaning of the key of a request, and its expansion into other requests.
pub(crate) trait Operation: Sync {
    type Form: Form;
    const CHILDREN: usize = 2;
    type Local: Default + Send;

    /// The ids by which the requests of a level are divided into partitions.
    fn nodes(&self, level: Level) -> Range<u32>;

    fn prefetch(&self, key: &[u64]);

    fn expand(&self, level: Level, key: &[u64], local: &mut Self::Local, output: &mut Output);

    fn passed(&mut self, _level: Level) {}

    /// The size of automata ([`Automaton::size`](crate::Automaton::size)).
    fn size(&self) -> u64 {
        0
    }

    /// In a sweep of several processes: the words that this process contributes to the data for expanding a level.
    fn give(&self, _level: Level) -> Cow<'_, [u32]> {
        Cow::Borrowed(&[])
    }

    /// Takes the contributions of all processes for a level, in the order of the processes.
    fn take(&mut self, _level: Level, _parts: &[&[u32]], _limits: &Arc<Limits>) -> Result<(), LimitReached> {
        Ok(())
    }

    /// Collects the results in a thread's scratch memory after the last request.
    fn finish(&self, _local: &mut Self::Local) {}
}

/// A terminal; or a request: its level, the id that determines its partition, and its key.
pub(crate) enum Root {
    Terminal(u32),
    Request(Level, u32, Vec<u64>),
}

impl Root {
    /// The root for a child whose key is one word; `node` gives the node that determines the partition.
    pub(crate) fn of(child: Child, node: impl Fn(u64) -> Node) -> Root {
        match child {
            Ok(terminal) => Root::Terminal(terminal),
            Err((level, key)) => Root::request(level, node(key), vec![key]),
        }
    }

    pub(crate) fn request(level: Level, node: impl Id, key: Vec<u64>) -> Root {
        Root::Request(level, node.to_bits(), key)
    }
}

/// The notes on a partition that this thread has expanded.
pub(super) struct Unit {
    pub(super) level: Level,
    pub(super) partition: u32,
    pub(super) requests: u32,
    /// Bound on the memory for the results, in units of `Reduction::Unit`.
    pub(super) units: u64,
    pub(super) records: u32,
}

pub(super) struct Notes {
    pub(super) units: Vec<Unit>,
    /// For each of `units`, the number of records from each thread, then from each process of the sweep.
    pub(super) records: Vec<u32>,
    pub(super) codes: Log,
    pub(super) references: Log,
    pub(super) payload: Option<Log>,
}

impl Notes {
    pub(super) fn make_room(&mut self, bytes: u64) -> Result<(), LimitReached> {
        let logs = [&mut self.codes, &mut self.references].into_iter().chain(&mut self.payload);
        logs.into_iter().try_for_each(|log| log.make_room(bytes))
    }
}

pub(crate) struct Expanded {
    pub(super) plans: Vec<Plan>,
    pub(super) terminals: u32,
    pub(super) counts: Vec<u64>,
    pub(super) notes: Vec<Notes>,
    pub(super) roots: Vec<u32>,
    /// In a sweep of several processes: for each level, the sent records.
    pub(super) sent: Vec<Sent>,
    /// For each level, the number of requests of all processes.
    pub(super) all: Vec<u64>,
}

impl Expanded {
    pub(crate) fn requests(&self) -> u64 {
        self.counts.iter().sum()
    }
}

struct Worker<'s, O: Operation> {
    output: Output<'s>,
    local: O::Local,
    notes: Notes,
    distinct: Distinct,
    read: Buffer<u32>,
    words: u64,
    expanded: u64,
}

pub(crate) fn descend<O: Operation>(
    operation: &mut O,
    kind: Kind,
    levels: u32,
    roots: Vec<Root>,
    terminals: u32,
    context: &Context,
) -> Result<Expanded, LimitReached> {
    let (begin, before) = (Instant::now(), operation.size());
    context.begin_sweep();
    let peers = context.peers();
    let plans = trade::plans(|| plans(|level| operation.nodes(level), levels, terminals, kind, context), peers)?;
    let bound = RecordBound::new(kind, context);
    let (pool, failure) =
        (Pool::new(context.manner.streams.unwrap_or(u64::MAX), context.limits())?, Failure::default());
    let room = Room::new(context, pool.capacity());
    let mut workers = Vec::with_capacity(context.threads());
    for _ in 0..context.threads() {
        workers.push(Apart(Worker::<O>::new(&plans, terminals, bound.records(0, 0), &pool, &failure, &room)?));
    }
    let roots = roots.into_iter().map(|root| match root {
        Root::Terminal(terminal) => terminal,
        Root::Request(level, node, key) => {
            let output = &mut workers[0].0.output;
            output.keys.extend(key);
            output.request::<O::Form>(0, level, node, 0);
            output.codes[0]
        }
    });
    let roots = roots.collect();
    failure.check()?;
    let (mut counts, mut hints) = (Vec::with_capacity(levels as usize), Vec::with_capacity(levels as usize));
    let mut sent = Vec::new();
    for level in Level::all(levels) {
        context.check()?;
        let plan = &plans[level.index()];
        let told = |of: fn(&Worker<O>) -> u64| workers.iter().map(|worker| of(&worker.0)).sum::<u64>();
        let most = bound.records(told(|worker| worker.expanded), told(|worker| worker.words));
        workers.iter_mut().for_each(|worker| worker.0.output.most = most);
        let mut received = None;
        if let Some(peers) = peers {
            let mut outputs: Vec<_> = workers.iter_mut().map(|worker| &mut worker.0.output).collect();
            let (from_others, to_others) = trade(operation, level, plan, &mut outputs, peers, context.limits())?;
            received = Some(from_others);
            sent.push(to_others);
        }
        let expanded =
            expand_level(&*operation, (level, plan, most), received.as_ref(), &mut workers, &failure, context);
        // Within the level, each thread has compared only its own words with the bound.
        let words = workers.iter().map(|worker| worker.0.words).sum();
        let expanded = expanded.and_then(|count| context.check_words(words).map(|()| count));
        let count = expanded.inspect_err(|_| {
            let requests: u64 = counts.iter().sum();
            context.stop(format!(
                "{}, way down, level {level} of {levels}, {} requests before it",
                kind.name(),
                grouped(requests)
            ));
        })?;
        let (count, hint) = count;
        counts.push(count);
        hints.push(hint);
        operation.passed(level);
    }
    workers.iter_mut().for_each(|worker| operation.finish(&mut worker.0.local));
    let sum = |of: fn(&Worker<O>) -> u64| workers.iter().map(|worker| of(&worker.0)).sum::<u64>();
    let (words, requests) = (sum(|worker| worker.words), sum(|worker| worker.expanded));
    let spilled = sum(|worker| {
        let logs = [&worker.notes.codes, &worker.notes.references, &worker.output.payload];
        worker.output.spill.written() + logs.map(Log::written).iter().sum::<u64>()
    });
    let notes = workers.into_iter().map(|Apart(worker)| Notes { payload: Some(worker.output.payload), ..worker.notes });
    let notes = notes.collect();
    let (all, hints) = trade::sums(&counts, hints, peers)?;
    context.set_hints(kind, hints);
    let (down, grown) = (begin.elapsed().as_nanos() as u64, operation.size() - before);
    context.add(kind, Statistics { sweeps: 1, requests, key_words: words, grown, spilled, down, ..Default::default() });
    Ok(Expanded { plans, terminals, counts, notes, roots, sent, all })
}

/// Returns the number of requests, and the hint of this level for the next sweep of its kind.
fn expand_level<O: Operation>(
    operation: &O,
    (level, plan, most): (Level, &Plan, u32),
    received: Option<&Received>,
    workers: &mut [Apart<Worker<O>>],
    failure: &Failure,
    context: &Context,
) -> Result<(u64, Hint), LimitReached> {
    let begin = |_, Apart(worker): &mut Apart<Worker<O>>| {
        if let Err(limit) = worker.output.begin(level) {
            failure.record(limit);
        }
    };
    if workers[0].0.output.is_short() {
        on_each(context.pool(), workers, begin);
    } else {
        workers.iter_mut().for_each(|worker| begin(0, worker));
    }
    failure.check()?;
    let first = (plan.base - workers[0].0.output.terminals()) as usize;
    let own = first..first + plan.partitions as usize;
    let mut by_partition = vec![0; plan.partitions as usize];
    for Apart(worker) in workers.iter_mut() {
        for (stream, records) in own.clone().zip(&mut by_partition) {
            *records += u64::from(worker.output.close(stream).records);
        }
    }
    if let Some(received) = received {
        (0..).zip(&mut by_partition).for_each(|(partition, records)| *records += received.records(partition));
    }
    let (records, hint) = (by_partition.iter().sum::<u64>(), plan.hint(&by_partition, most));
    if records == 0 {
        return Ok((0, hint));
    }
    let before: u64 = workers.iter().map(|worker| worker.0.expanded).sum();
    let mut extents = vec![];
    if workers.iter().any(|worker| worker.0.output.spill.file().is_some()) {
        for stream in own.clone() {
            extents.extend(
                workers.iter().map(|Apart(worker)| worker.output.spill.extents(worker.output.streams[stream].extents)),
            );
        }
    }
    let threads =
        workers.iter_mut().map(|Apart(worker)| (worker.output.streams.as_mut_ptr(), worker.output.spill.file()));
    let streams = &Streams { threads: threads.collect(), extents, received };
    let by_partition = &by_partition;
    if plan.is_divided(by_partition) && context.shares(records) {
        let next = Apart(AtomicU32::new(0));
        on_each(context.pool(), workers, |_, Apart(worker)| {
            while !failure.is_recorded() {
                let partition = next.0.fetch_add(1, Ordering::Relaxed);
                if partition >= plan.partitions {
                    break;
                }
                if by_partition[partition as usize] == 0 {
                    continue;
                }
                if let Err(limit) = worker.take_up(operation, level, plan, partition, streams, context) {
                    failure.record(limit);
                }
            }
        });
    } else {
        for partition in (0..plan.partitions).filter(|&partition| by_partition[partition as usize] > 0) {
            workers[0].0.take_up(operation, level, plan, partition, streams, context)?;
        }
    }
    failure.check()?;
    Ok((workers.iter().map(|worker| worker.0.expanded).sum::<u64>() - before, hint))
}

impl<'s, O: Operation> Worker<'s, O> {
    fn new(
        plans: &'s [Plan],
        terminals: u32,
        most: u32,
        pool: &'s Pool,
        failure: &'s Failure,
        room: &Room,
    ) -> Result<Self, LimitReached> {
        let limits = &room.limits;
        Ok(Worker {
            output: Output::new(plans, terminals, most, Stock::new(pool), room, failure)?,
            local: O::Local::default(),
            notes: Notes {
                units: vec![],
                records: vec![],
                codes: Log::new(room),
                references: Log::new(room),
                payload: None,
            },
            distinct: Distinct::new(limits)?,
            read: Buffer::zeroed(0, limits)?,
            words: 0,
            expanded: 0,
        })
    }

    fn take_up(
        &mut self,
        operation: &O,
        level: Level,
        plan: &Plan,
        partition: u32,
        streams: &Streams,
        context: &Context,
    ) -> Result<(), LimitReached> {
        context.check()?;
        let records = streams.partition(partition, (plan.base - self.output.terminals() + partition) as usize);
        let total = records.records();
        if total == 0 {
            return Ok(());
        }
        let count = u32::try_from(total).map_err(|_| super::too_many("requests of one partition"))?;
        self.output.begin_partition();
        self.gather::<O::Form>(&records, count, context)?;
        let distinct = self.distinct.found();
        let noted = if O::Form::WEIGHT { 0 } else { O::CHILDREN * distinct as usize };
        let codes = Numbers { at: self.notes.codes.push(noted * code_bytes(plan))?, wide: code_bytes(plan) == 4 };
        self.output.units = distinct.into();
        self.expand(operation, level, distinct as usize, codes, context)?;
        if !O::Form::WEIGHT {
            let units = self.output.units;
            self.notes.units.push(Unit { level, partition, requests: distinct, units, records: count });
        }
        self.expanded += u64::from(distinct);
        records.give_back(&mut self.output.stock);
        Ok(())
    }

    /// Finds the distinct requests among `count` records, and gives each record the reference to its request.
    fn gather<F: Form>(&mut self, records: &Partition, count: u32, context: &Context) -> Result<(), LimitReached> {
        let limits = context.limits();
        let words = records.words();
        if self.output.is_short() {
            // One partition may have a thousand times as many records as another, so memory is given back.
            give_back(&mut self.read, words, limits)?;
            self.distinct.shrink(count as usize, limits)?;
        }
        ensure(&mut self.read, words, limits)?;
        records.read(self.read.as_mut_slice())?;
        self.distinct.begin(count as usize, limits)?;
        let wide = reference_bytes(count) == 4;
        let noted = if F::WEIGHT { 0 } else { count as usize };
        let references = Numbers { at: self.notes.references.push(noted * reference_bytes(count))?, wide };
        let mut read: *const u32 = self.read.pointer();
        for thread in 0..records.threads() {
            let stream = records.stream(thread);
            for extent in records.on_disk.get(thread).into_iter().flatten() {
                let end = read.wrapping_add(extent.words as usize);
                // SAFETY: as below; the words were read from disk.
                unsafe { self.distinct.add::<F>(read, end, references) };
                read = end;
            }
            if !F::WEIGHT {
                self.notes.records.push(stream.records);
            }
            let pool = self.output.stock.pool;
            let mut chunk = stream.first;
            // SAFETY: the stream's chunks are complete, and table, list and log have room for all records.
            unsafe {
                while chunk != Chunk::NONE {
                    let next = pool.link(chunk);
                    if next != Chunk::NONE {
                        prefetch(pool.data(next));
                    }
                    let start = pool.data(chunk);
                    let end = start.add(pool.used(chunk));
                    self.distinct.add::<F>(start, end, references);
                    chunk = next;
                }
            }
        }
        for remote in records.remotes() {
            // SAFETY: as above; the records in a message are complete.
            unsafe { self.distinct.add::<F>(remote.at, remote.end, references) };
            if !F::WEIGHT {
                self.notes.records.push(remote.records);
            }
        }
        debug_assert_eq!(self.distinct.records(), count as usize);
        Ok(())
    }

    fn expand(
        &mut self,
        operation: &O,
        level: Level,
        distinct: usize,
        codes: Numbers,
        context: &Context,
    ) -> Result<(), LimitReached> {
        let requests = self.distinct.requests();
        let (mut keys, mut ahead) = (Keys::default(), Keys::default());
        let fill = |keys: &mut Keys, range: Range<usize>| {
            keys.words.clear();
            keys.ends.clear();
            for k in range {
                let start = keys.words.len();
                // SAFETY: the record stays until its partition is expanded; a key has no more words than its record.
                unsafe {
                    let record = *requests.add(k) as *const u32;
                    keys.words.reserve(O::Form::words_at(record));
                    let length = O::Form::read(record, keys.words.as_mut_ptr().add(start));
                    keys.words.set_len(start + length);
                }
                keys.ends.push(keys.words.len());
                operation.prefetch(&keys.words[start..]);
            }
        };
        fill(&mut ahead, 0..distinct.min(BATCH));
        for start in (0..distinct).step_by(BATCH) {
            std::mem::swap(&mut keys, &mut ahead);
            let end = distinct.min(start + BATCH);
            fill(&mut ahead, end..distinct.min(end + BATCH));
            self.words += keys.words.len() as u64;
            let mut from = 0;
            for (k, &to) in keys.ends.iter().enumerate() {
                operation.expand(level, &keys.words[from..to], &mut self.local, &mut self.output);
                from = to;
                if O::Form::WEIGHT {
                    continue;
                }
                for (child, &code) in self.output.codes[..O::CHILDREN].iter().enumerate() {
                    // SAFETY: the log has room for the codes of each request.
                    unsafe { codes.set(O::CHILDREN * (start + k) + child, code) };
                }
            }
            if start % PATIENCE == 0 {
                context.check()?;
                context.check_words(self.words)?;
                self.output.failure().check()?;
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Keys {
    words: Vec<u64>,
    ends: Vec<usize>,
}
