//! Exchanges records between processes. Each partition of a level belongs to one process, which gets the others'
//! records for it before the level is expanded. The same messages carry the data for the expansion of the level. All
//! processes use the plan of process 0, so they have the same partitions at each level.

use super::down::Operation;
use super::output::Output;
use super::plan::{Hint, Plan};
use crate::level::Level;
use crate::peers::{Peers, Reader, push_wide};
use base::limits::{Account, LimitReached, Limits};
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(super) struct Remote {
    pub(super) at: *const u32,
    pub(super) end: *const u32,
    pub(super) records: u32,
}

// SAFETY: the records lie in messages that nobody writes while the level is expanded.
unsafe impl Sync for Remote {}
// SAFETY: as above.
unsafe impl Send for Remote {}

impl Remote {
    const NONE: Remote = Remote { at: std::ptr::null(), end: std::ptr::null(), records: 0 };
}

/// For each partition of another process that gets records: its number, and the number of records from each thread.
pub(super) type Sent = Vec<(u32, Vec<u32>)>;

pub(super) struct Received {
    remotes: Vec<Remote>,
    processes: usize,
    _messages: Vec<Vec<u32>>,
    _account: Account,
}

impl Received {
    pub(super) fn partition(&self, partition: u32) -> &[Remote] {
        let start = partition as usize * self.processes;
        &self.remotes[start..start + self.processes]
    }

    pub(super) fn records(&self, partition: u32) -> u64 {
        self.partition(partition).iter().map(|remote| u64::from(remote.records)).sum()
    }
}

pub(super) fn owner(level: Level, partition: u32, processes: usize) -> usize {
    (level.index() + partition as usize) % processes
}

/// Sends the records of other processes' partitions to them, and receives the records of this process's partitions.
pub(super) fn trade<'w, 's: 'w, O: Operation>(
    operation: &mut O,
    level: Level,
    plan: &Plan,
    outputs: &mut [&'w mut Output<'s>],
    peers: &Peers,
    limits: &Arc<Limits>,
) -> Result<(Received, Sent), LimitReached> {
    let mut account = Account::new(limits);
    let given = operation.give(level);
    let start = |_| [&[given.len() as u32], &given[..]].concat();
    let mut bytes = 4 * (peers.size() * (1 + given.len())) as u64;
    account.set(bytes)?;
    let mut messages: Vec<Vec<u32>> = (0..peers.size()).map(start).collect();
    let mut sent = Sent::new();
    for partition in 0..plan.partitions {
        let owner = owner(level, partition, peers.size());
        if owner == peers.number() {
            continue;
        }
        let stream = (plan.base - outputs[0].terminals() + partition) as usize;
        let records: Vec<u32> = outputs.iter_mut().map(|output| output.close(stream).records).collect();
        let sum: u64 = records.iter().map(|&records| u64::from(records)).sum();
        if sum == 0 {
            continue;
        }
        let sum = u32::try_from(sum).map_err(|_| super::too_many("requests of one partition"))?;
        let message = &mut messages[owner];
        message.extend([partition, sum]);
        let length = message.len();
        push_wide(message, 0);
        let start = message.len();
        outputs.iter_mut().try_for_each(|output| output.move_to(stream, message))?;
        let words = (message.len() - start) as u64;
        message[length..start].copy_from_slice(&[words as u32, (words >> 32) as u32]);
        bytes += 4 * words;
        account.grow_to(bytes)?;
        sent.push((partition, records));
    }
    let received = peers.exchange(messages)?;
    account.set(4 * received.iter().map(|message| message.len() as u64).sum::<u64>())?;
    let mut remotes = vec![Remote::NONE; plan.partitions as usize * peers.size()];
    let mut parts = Vec::with_capacity(peers.size());
    for (process, message) in received.iter().enumerate() {
        let mut reader = Reader(message);
        let given = reader.word() as usize;
        parts.push(reader.words(given));
        while !reader.is_at_end() {
            let [partition, records] = [reader.word(), reader.word()];
            let words = reader.wide() as usize;
            let std::ops::Range { start: at, end } = reader.words(words).as_ptr_range();
            remotes[partition as usize * peers.size() + process] = Remote { at, end, records };
        }
    }
    operation.take(level, &parts, limits)?;
    Ok((Received { remotes, processes: peers.size(), _messages: received, _account: account }, sent))
}

/// The plans of all levels; if there are several processes, process 0 makes them for all.
pub(super) fn plans(
    own: impl FnOnce() -> Result<Vec<Plan>, LimitReached>,
    peers: Option<&Peers>,
) -> Result<Vec<Plan>, LimitReached> {
    let Some(peers) = peers else { return own() };
    let own = if peers.leads() { Some(own()?) } else { None };
    let words = peers.hear(own.as_ref().map(|plans| {
        let mut words = Vec::new();
        plans.iter().for_each(|plan| plan.write(&mut words));
        words
    }))?;
    let (mut reader, mut plans) = (Reader(&words), Vec::new());
    while own.is_none() && !reader.is_at_end() {
        plans.push(Plan::read(&mut reader));
    }
    Ok(own.unwrap_or(plans))
}

pub(super) fn sums(
    counts: &[u64],
    hints: Vec<Hint>,
    peers: Option<&Peers>,
) -> Result<(Vec<u64>, Vec<Hint>), LimitReached> {
    let Some(peers) = peers else { return Ok((counts.to_vec(), hints)) };
    let mut message = Vec::new();
    for (&count, hint) in counts.iter().zip(&hints) {
        push_wide(&mut message, count);
        hint.write(&mut message);
    }
    let (mut all, mut sums) = (vec![0; counts.len()], vec![Hint::default(); hints.len()]);
    for message in peers.tell(message)? {
        let mut reader = Reader(&message);
        for (all, sum) in all.iter_mut().zip(&mut sums) {
            *all += reader.wide();
            sum.add(&Hint::read(&mut reader));
        }
    }
    Ok((all, sums))
}
