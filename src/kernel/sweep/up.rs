//! The way up of a sweep. From the bottom level up, the results of children are popped from their stacks, and a
//! [`Reduction`] makes nodes of them; a unique table of the level finds equal nodes.
//!
//! Several threads make the nodes of a level at once, each with its own range of ids; then the ranges are moved
//! together. Memory: the nodes, six bytes for each request of the largest level, and results not yet popped.

use super::distinct::{ensure, give_back, place_of};
use super::down::{Expanded, Operation, Root, Unit, descend};
use super::numbers::{Numbers, code_bytes, reference_bytes};
use super::output::{Failure, MOST_CHILDREN};
use super::plan::Plan;
use super::pool::Pool;
use super::reduction::{Made, Payload, Reduction, ZeroSuppressed};
use super::stacks::{Stacks, Worker};
use crate::context::{Context, Kind, Statistics};
use crate::diagram::{Diagram, Nodes};
use crate::level::Level;
use crate::memory::{Buffer, Region, prefetch};
use crate::node::{Node, TERMINALS};
use crate::threads::{Apart, on_each};
use base::digits::grouped;
use base::limits::LimitReached;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

const BATCH: usize = 32;
/// Expanding a request takes this multiple of the time of reducing it.
const LIGHTER: u64 = 4;
/// Bytes for each request of a shared level besides its node: result, reserve of a buffer, place on the stacks.
pub(super) const SHARED_BYTES: u64 = 16;

pub(crate) struct Raised {
    /// The nodes, each of one or more units, bottom level first. The first unit has id [`TERMINALS`].
    pub(crate) units: Region,
    /// For each level, the end of the ids of its nodes; after the last level, [`TERMINALS`].
    pub(crate) ends: Vec<u32>,
    pub(crate) roots: Vec<u32>,
}

pub(crate) fn reduce<R: Reduction<Unit = [Node; 2]>>(
    expanded: Expanded,
    rule: &R,
    kind: Kind,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let Raised { units, ends, roots } = raise(expanded, rule, kind, context)?;
    let [root] = roots[..] else { unreachable!("diagrams are made of one root") };
    // SAFETY: nodes were made level by level from the bottom; their children are results of deeper levels.
    Ok(unsafe { Diagram::from_parts(Nodes::Region(units), ends, Node::from_bits(root)) })
}

pub(crate) fn set_of(
    operation: &mut impl Operation,
    kind: Kind,
    levels: u32,
    root: Root,
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let expanded = descend(operation, kind, levels, vec![root], TERMINALS, context)?;
    reduce(expanded, &ZeroSuppressed {}, kind, context)
}

pub(crate) fn raise<R: Reduction>(
    expanded: Expanded,
    rule: &R,
    kind: Kind,
    context: &Context,
) -> Result<Raised, LimitReached> {
    let begin = Instant::now();
    let Expanded { plans, terminals, counts, notes, roots, .. } = expanded;
    let limits = context.limits();
    let pool = Pool::new(u64::MAX, limits)?;
    let streams: usize = plans.iter().map(|plan| plan.partitions as usize).sum();
    // For each level, the largest number of requests of this level or of a level above, for which the table needs room.
    let mut largest = counts.clone();
    (1..largest.len()).for_each(|level| largest[level] = largest[level].max(largest[level - 1]));
    let mut table: Buffer<u32> = Buffer::zeroed(0, limits)?;
    let most: u64 = notes.iter().flat_map(|notes| &notes.units).map(|unit| unit.units).sum();
    let unit = size_of::<R::Unit>() as u64;
    let mut units = Region::reserve((most * unit).min(unit << 32) as usize, limits)?;
    let mut workers = Vec::with_capacity(notes.len());
    for notes in notes {
        workers.push(Apart(Worker::new(notes, streams, &pool, limits)?));
    }
    let mut next = TERMINALS;
    let mut ends = vec![TERMINALS; plans.len() + 1];
    for (level, plan) in Level::all(plans.len() as u32).zip(&plans).rev() {
        context.check()?;
        let requests = counts[level.index()];
        if requests > 0 {
            workers.iter_mut().for_each(|Apart(worker)| worker.begin(level));
            let most = if R::UNIQUE { entries(largest[level.index()]) } else { 0 };
            give_back(&mut table, most, limits)?;
            let lacking = |bytes: u64, held: usize| bytes.saturating_sub(held as u64);
            let end = u64::from(next) + workers.iter().map(|worker| worker.0.most_units()).sum::<u64>();
            let bytes = lacking(unit * (end - u64::from(TERMINALS)), units.taken()) + SHARED_BYTES * requests;
            let bytes_of_table = lacking(4 * most as u64, 4 * table.as_slice().len());
            workers.iter_mut().try_for_each(|Apart(worker)| worker.make_room(bytes + bytes_of_table, limits))?;
            ensure(&mut table, most, limits)?;
            let mut unique = Unique {
                rule,
                plan,
                terminals,
                table: table.pointer(),
                entries: entries(requests),
                first: TERMINALS,
                base: units.base().cast::<R::Unit>().wrapping_sub(TERMINALS as usize),
                units: &mut units,
            };
            let made = unique.level(next, &mut workers, limits.free() >= bytes, context);
            next = made.inspect_err(|_| {
                let (name, levels, requests) = (kind.name(), plans.len(), counts.iter().sum::<u64>());
                context
                    .stop(format!("{name}, way up, level {level} of {levels}, {} requests in all", grouped(requests)));
            })?;
        }
        ends[level.index()] = next;
    }
    let roots = results_of_roots(&roots, terminals, &mut workers);
    units.shrink(unit as usize * (next - TERMINALS) as usize);
    let up = begin.elapsed().as_nanos() as u64;
    context.add(kind, Statistics { nodes: u64::from(next - TERMINALS), up, ..Default::default() });
    Ok(Raised { units, ends, roots })
}

/// The results of roots, whose records were the first of their streams, in the order of the roots.
pub(super) fn results_of_roots(roots: &[u32], terminals: u32, workers: &mut [Apart<Worker>]) -> Vec<u32> {
    let take_off = |&root: &u32| match root.checked_sub(terminals) {
        None => root,
        // SAFETY: the first thread has the streams of the roots, and the order of the roots leaves each its result.
        Some(stream) => unsafe { workers[0].0.take_off(stream as usize) },
    };
    let mut roots: Vec<u32> = roots.iter().rev().map(take_off).collect();
    roots.reverse();
    roots
}

/// Gives each thread a range of ids for all units that it may make. Returns the number of requests and the end of ids.
pub(super) fn begin(next: u32, workers: &mut [Apart<Worker>]) -> (u64, u64) {
    let (mut requests, mut end) = (0, u64::from(next));
    for Apart(worker) in workers {
        worker.start = u32::try_from(end).unwrap_or(u32::MAX);
        worker.made = 0;
        requests += worker.requests;
        end += worker.most_units();
    }
    (requests, end)
}

pub(super) fn stacks(workers: &mut [Apart<Worker>]) -> Stacks {
    Stacks(workers.iter_mut().map(|worker| worker.0.stacks.as_mut_ptr()).collect())
}

pub(super) struct Moved {
    first: u32,
    /// For each thread, the first of its units, and the number of units by which they were moved down.
    ranges: Vec<(u32, u32)>,
    pub(super) end: u32,
}

impl Moved {
    #[inline(always)]
    pub(super) fn settle(&self, result: u32) -> u32 {
        if result < self.first {
            return result;
        }
        let owner = self.ranges.partition_point(|&(start, _)| start <= result) - 1;
        result - self.ranges[owner].1
    }
}

pub(super) fn entries(requests: u64) -> usize {
    (requests + requests / 2 + 16) as usize
}

pub(super) struct Unique<'a, R: Reduction> {
    pub(super) rule: &'a R,
    pub(super) plan: &'a Plan,
    pub(super) terminals: u32,
    pub(super) table: *mut u32,
    pub(super) entries: usize,
    /// The id of the first of `units`.
    pub(super) first: u32,
    /// The address that a unit with id 0 would have.
    pub(super) base: *mut R::Unit,
    pub(super) units: &'a mut Region,
}

// SAFETY: threads write nodes only to their own units, and the table atomically. They read other nodes only if the
// table has these, that is, after they were written; and nodes do not change after that.
unsafe impl<R: Reduction> Sync for Unique<'_, R> {}

impl<R: Reduction> Unique<'_, R> {
    pub(super) fn ensure(&mut self, end: u64) -> Result<(), LimitReached> {
        if end > u64::from(u32::MAX) {
            return Err(super::too_many("nodes of one diagram"));
        }
        self.units.ensure(size_of::<R::Unit>() * (end - u64::from(self.first)) as usize)
    }

    /// Makes a level's nodes, with ids from `next` on, and hands up the results. Returns the end of the ids.
    fn level(
        &mut self,
        next: u32,
        workers: &mut [Apart<Worker>],
        has_room: bool,
        context: &Context,
    ) -> Result<u32, LimitReached> {
        let (requests, end) = begin(next, workers);
        let stacks = stacks(workers);
        let shared = workers.iter().filter(|worker| worker.0.requests > 0).count() > 1
            && context.shares(requests / LIGHTER)
            // Several threads need memory for the largest possible number of results and nodes, one thread needs less.
            && has_room
            && self.ensure(end).is_ok();
        if shared { self.shared(next, workers, &stacks, context) } else { self.alone(next, workers, &stacks, context) }
    }

    fn alone(
        &mut self,
        mut next: u32,
        workers: &mut [Apart<Worker>],
        stacks: &Stacks,
        context: &Context,
    ) -> Result<u32, LimitReached> {
        if R::UNIQUE {
            // SAFETY: no other thread uses the table, and it has this number of entries.
            unsafe { std::ptr::write_bytes(self.table, 0, self.entries) };
        }
        for Apart(worker) in workers.iter_mut() {
            for number in worker.units.clone().rev() {
                context.check()?;
                let &Unit { requests, units, .. } = &worker.notes.units[number];
                self.ensure(u64::from(next) + units)?;
                ensure(&mut worker.results, requests as usize, context.limits())?;
                next = self.reduce_unit::<false>(worker, number, 0, next)?;
                self.hand_up(worker, number, 0, stacks, None, |result| result)?;
            }
        }
        Ok(next)
    }

    /// Each thread makes nodes in its own range of ids; then ranges are moved together and results handed up.
    fn shared(
        &self,
        next: u32,
        workers: &mut [Apart<Worker>],
        stacks: &Stacks,
        context: &Context,
    ) -> Result<u32, LimitReached> {
        let moved = self.reduce_all(next, workers, context)?;
        self.hand_all_up(workers, stacks, &mut [], |result| moved.settle(result), context)?;
        Ok(moved.end)
    }

    /// Makes the nodes of all partitions; there must be room for them. New nodes get ids from `next` on.
    pub(super) fn reduce_all(
        &self,
        next: u32,
        workers: &mut [Apart<Worker>],
        context: &Context,
    ) -> Result<Moved, LimitReached> {
        self.clear(workers, context);
        let failure = Failure::default();
        on_each(context.pool(), workers, |_, Apart(worker)| {
            let work = |worker: &mut Worker| -> Result<(), LimitReached> {
                ensure(&mut worker.results, worker.requests as usize, context.limits())?;
                let (mut place, mut next) = (0, worker.start);
                for number in worker.units.clone().rev() {
                    context.check()?;
                    next = self.reduce_unit::<true>(worker, number, place, next)?;
                    place += worker.notes.units[number].requests as usize;
                }
                worker.made = next - worker.start;
                Ok(())
            };
            if let Err(limit) = work(worker) {
                failure.record(limit);
            }
        });
        failure.check()?;
        let mut moved = Moved { first: next, ranges: Vec::with_capacity(workers.len()), end: next };
        for Apart(worker) in workers.iter() {
            moved.ranges.push((worker.start, worker.start - moved.end));
            // SAFETY: these are units of this level, and the units of earlier threads have been moved.
            unsafe {
                let from = self.base.wrapping_add(worker.start as usize);
                std::ptr::copy(from, self.base.wrapping_add(moved.end as usize), worker.made as usize);
            }
            moved.end += worker.made;
        }
        Ok(moved)
    }

    /// Hands up all results. `remote`: for each thread, the messages to other processes; empty if there are none.
    pub(super) fn hand_all_up(
        &self,
        workers: &mut [Apart<Worker>],
        stacks: &Stacks,
        remote: &mut [Vec<Vec<u32>>],
        settle: impl Fn(u32) -> u32 + Sync,
        context: &Context,
    ) -> Result<(), LimitReached> {
        let failure = Failure::default();
        let mut remote = remote.iter_mut();
        let mut pairs: Vec<_> = workers.iter_mut().map(|worker| (&mut worker.0, remote.next())).collect();
        on_each(context.pool(), &mut pairs, |_, (worker, remote)| {
            let mut place = 0;
            for number in worker.units.clone().rev() {
                let remote = remote.as_deref_mut().map(|messages| &mut messages[..]);
                let handed = context.check();
                let handed = handed.and_then(|()| self.hand_up(worker, number, place, stacks, remote, &settle));
                if let Err(limit) = handed {
                    return failure.record(limit);
                }
                place += worker.notes.units[number].requests as usize;
            }
        });
        failure.check()
    }

    fn clear(&self, workers: &mut [Apart<Worker>], context: &Context) {
        if !R::UNIQUE {
            return;
        }
        let part = self.entries.div_ceil(workers.len());
        on_each(context.pool(), workers, |me, _| {
            let start = self.entries.min(me * part);
            // SAFETY: the parts of the table do not overlap.
            unsafe { std::ptr::write_bytes(self.table.add(start), 0, part.min(self.entries - start)) };
        });
    }

    /// Stores the results of a partition from `place` on. New nodes get ids from `next` on; returns the end of the ids.
    #[inline(always)]
    fn reduce_unit<const SHARED: bool>(
        &self,
        worker: &mut Worker,
        number: usize,
        place: usize,
        mut next: u32,
    ) -> Result<u32, LimitReached> {
        let requests = worker.notes.units[number].requests as usize;
        let bytes = code_bytes(self.plan);
        let codes = worker.notes.codes.pop(R::CHILDREN * requests * bytes)?;
        let codes = Numbers { at: codes.cast_mut(), wide: bytes == 4 };
        let results = worker.results.pointer().wrapping_add(place);
        let mut batch = [(Made::Known(0), 0_usize); BATCH];
        let mut end = requests;
        while end > 0 {
            let start = end.saturating_sub(if R::PAYLOAD { 1 } else { BATCH });
            // SAFETY: the log has the codes of these requests. Each code is a terminal, or a stream whose next result
            // is that of the child, because requests are processed in reverse order. Indices are within the table.
            unsafe {
                for code in (R::CHILDREN * start..R::CHILDREN * end).rev().map(|k| codes.get(k)) {
                    if let Some(stream) = code.checked_sub(self.terminals) {
                        prefetch((*worker.stacks.as_ptr().add(stream as usize)).at.wrapping_sub(1));
                    }
                }
                for (k, entry) in (start..end).rev().zip(&mut batch) {
                    let mut children = [0; MOST_CHILDREN];
                    for child in (0..R::CHILDREN).rev() {
                        let code = codes.get(R::CHILDREN * k + child);
                        children[child] = match code.checked_sub(self.terminals) {
                            None => code,
                            Some(stream) => worker.take_off(stream as usize),
                        };
                    }
                    let payload = if R::PAYLOAD { worker.payload()? } else { Payload::NONE };
                    let made = self.rule.made(&children[..R::CHILDREN], payload);
                    let mut index = 0;
                    if let (true, Made::Node(node)) = (R::UNIQUE, &made) {
                        index = place_of(R::hash(node), self.entries);
                        prefetch(self.table.add(index));
                    }
                    *entry = (made, index);
                }
                for &(made, index) in &batch[..end - start] {
                    if let (true, Made::Node(_)) = (R::UNIQUE, made) {
                        let known = AtomicU32::from_ptr(self.table.add(index)).load(Ordering::Relaxed);
                        prefetch(self.base.wrapping_add(known as usize));
                    }
                }
                for (k, (made, index)) in (start..end).rev().zip(&batch) {
                    *results.add(k) = match made {
                        Made::Known(result) => *result,
                        Made::Node(node) => self.find_or_add::<SHARED>(node, *index, &mut next),
                    };
                }
            }
            end = start;
        }
        Ok(next)
    }

    #[inline(always)]
    pub(super) unsafe fn find_or_add<const SHARED: bool>(
        &self,
        node: &R::Node,
        mut index: usize,
        next: &mut u32,
    ) -> u32 {
        let new = *next;
        // SAFETY: the index is within the table, which has more entries than there are requests. Ids in the table are
        // those of nodes that were written. Units from `next` on belong to this thread and suffice for its requests.
        unsafe {
            if !R::UNIQUE {
                R::write(node, self.base.wrapping_add(new as usize));
                *next += R::units(node);
                return new;
            }
            let mut written = false;
            loop {
                let entry = AtomicU32::from_ptr(self.table.add(index));
                let mut known = entry.load(if SHARED { Ordering::Acquire } else { Ordering::Relaxed });
                if known == 0 {
                    if !written {
                        R::write(node, self.base.wrapping_add(new as usize));
                        written = true;
                    }
                    if SHARED {
                        if let Err(other) = entry.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
                            known = other;
                        }
                    } else {
                        entry.store(new, Ordering::Relaxed);
                    }
                    if known == 0 {
                        *next += R::units(node);
                        return new;
                    }
                }
                if R::is_at(node, self.base.wrapping_add(known as usize)) {
                    return known;
                }
                index += 1;
                if index == self.entries {
                    index = 0;
                }
            }
        }
    }

    /// Replaces the references of a partition by results, and pushes these to the stacks of the streams that had its
    /// records. Results for other processes go to the messages, after the partition and the number of results.
    fn hand_up(
        &self,
        worker: &mut Worker,
        number: usize,
        place: usize,
        stacks: &Stacks,
        remote: Option<&mut [Vec<u32>]>,
        settle: impl Fn(u32) -> u32,
    ) -> Result<(), LimitReached> {
        let Unit { partition, requests, records, .. } = worker.notes.units[number];
        let bytes = reference_bytes(records);
        let references = worker.notes.references.pop(records as usize * bytes)?;
        let references = Numbers { at: references.cast_mut(), wide: bytes == 4 };
        let results = worker.results.pointer().wrapping_add(place);
        debug_assert!(requests as usize + place <= worker.results.as_slice().len());
        let stream = (self.plan.base - self.terminals + partition) as usize;
        let threads = stacks.0.len();
        let columns = threads + remote.as_ref().map_or(0, |messages| messages.len());
        let mut first = 0;
        for (thread, &of) in stacks.0.iter().enumerate() {
            let records = worker.notes.records[number * columns + thread] as usize;
            // SAFETY: only this thread pushes to these stacks; references are numbers of the partition's requests.
            unsafe {
                let stack = &mut *of.add(stream);
                let mut end = stack.at;
                for k in first..first + records {
                    let result = *results.add(references.get(k) as usize);
                    Worker::put_on(stack, &mut end, &mut worker.stock, settle(result))?;
                }
            }
            first += records;
        }
        for (process, message) in remote.into_iter().flatten().enumerate() {
            let records = worker.notes.records[number * columns + threads + process];
            if records > 0 {
                message.extend([partition, records]);
                let places = first..first + records as usize;
                // SAFETY: as above.
                message.extend(places.map(|k| settle(unsafe { *results.add(references.get(k) as usize) })));
                first += records as usize;
            }
        }
        Ok(())
    }
}
