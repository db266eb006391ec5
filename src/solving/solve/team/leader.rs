//! Process 0 leads: it deals out the ranges of a layer, solves some itself, and gathers the replies.

use super::super::SolveError;
use super::super::progress::SharedWork;
use super::deal::{Deal, Dealt, Ended};
use super::message::{Message, Reply, Report, Signal, Task};
use super::packing::Packing;
use super::profile::{Division, Profile};
use super::range::{self, Values};
use super::{Link, Team, tell};
use crate::store::{BLOCK_STATES, BlockFile, RankedBlocks, StoredFile};
use kernel::{Bitvector, Context, Diagram, Preferences, RelationId, Relations, Unsolved};
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;

pub struct Assignment<'a> {
    pub states: u64,
    /// The layer with its terminals, see [`kernel::labels`].
    pub labels: &'a Diagram,
    pub moves: (&'a Relations, &'a [RelationId]),
    pub preferences: &'a Preferences,
    /// The files of the states and of the values of the next layer.
    pub next: [StoredFile; 2],
    /// The values that occur in the next layer, if they are a diagram.
    pub order: Vec<u32>,
    /// Bound on the configurations of all programs together.
    pub configurations: u64,
}

pub struct Leader {
    link: Arc<dyn Link>,
    least: u64,
    profile: Profile,
}

impl Leader {
    /// The leader of a team; `None` if the team has only one process.
    pub fn of(team: &Team) -> Option<Leader> {
        let members = team.members.as_ref()?;
        Some(Leader { link: Arc::clone(&members.link), least: members.least, profile: Profile::default() })
    }

    /// Least number of states of a layer that is shared.
    pub fn least(&self) -> u64 {
        self.least
    }

    pub fn processes(&self) -> u64 {
        self.link.size() as u64
    }

    /// Solves a layer. `None`: it must be solved in another way, because it has a dead end, or the programs of the
    /// ranges together are larger than the program of the whole layer may be. Without values, the other processes wait
    /// for the next layer.
    pub fn solve(&mut self, layer: Assignment, context: &Context) -> Result<Option<Shared>, SolveError> {
        let Assignment { states, labels, moves, configurations, .. } = layer;
        let size = self.link.size();
        let division = Division::among(size);
        let ranks = self.profile.cut(states, &division.parts, BLOCK_STATES);
        let some: Vec<usize> = division.order.into_iter().filter(|range| !ranks[*range].is_empty()).collect();
        let (message, room) = Task::message(ranks, &layer, context)?;
        tell(&*self.link, |_| Signal::Task { bytes: message.len() as u64 })?;
        self.all_ready()?;
        let message = self.link.broadcast(message).map_err(|error| SolveError::process(0, error))?;
        let task = Task::head(&message).map_err(|error| SolveError::process(0, error))?;
        drop((message, room));
        let deal = Deal::new(&some, size, configurations);
        let first = deal.first(0).expect("a layer that is shared has states");
        let (own, others) = std::thread::scope(|threads| {
            let others = threads.spawn(|| self.deal(&deal));
            let mut next = |report| Ok(deal.take(0, Reply::Solved(report)));
            let solve = || range::solve(&task, first, labels, moves, &mut next, context);
            let own = std::panic::catch_unwind(AssertUnwindSafe(solve));
            let otherwise = match &own {
                Ok(own) => range::otherwise(own),
                Err(_) => Some(Reply::Failed("ended by a panic".to_owned())),
            };
            if let Some(otherwise) = otherwise {
                // Ends the dealing for all processes.
                deal.take(0, otherwise);
            }
            let others = others.join();
            (own.unwrap_or_else(|panic| resume_unwind(panic)), others.unwrap_or_else(|panic| resume_unwind(panic)))
        });
        others?;
        let answer = self.answer(own, deal.end(), &some, states);
        if !matches!(answer, Ok(Some(_))) {
            tell(&*self.link, |_| Signal::Forget)?;
        }
        answer
    }

    /// Waits until each process has memory for the announced task. Then all take it, or forget it if one refused.
    fn all_ready(&self) -> Result<(), SolveError> {
        let mut refused = None;
        for other in 1..self.link.size() {
            let reply = self.link.receive(other).and_then(|reply| Reply::from_bytes(&reply));
            match reply.map_err(|error| SolveError::process(other, error))? {
                Reply::Ready => {}
                Reply::Limit(limit) => refused = Some(limit.during(|| format!("process {other}")).into()),
                reply => refused = Some(SolveError::process(other, format!("unexpected: {reply:?}"))),
            }
        }
        tell(&*self.link, |_| if refused.is_some() { Signal::Forget } else { Signal::Take })?;
        refused.map_or(Ok(()), Err)
    }

    /// Deals ranges to the other processes until each knows that there are no more.
    fn deal(&self, deal: &Deal) -> Result<(), SolveError> {
        let send = |process: usize, range: Option<usize>| {
            let signal = range.map_or(Signal::Done, |range| Signal::Range { range });
            self.link.send(process, &signal.to_bytes()).map_err(|error| SolveError::process(process, error))?;
            Ok::<_, SolveError>(range.is_some())
        };
        let mut busy = 0;
        for process in 1..self.link.size() {
            busy += usize::from(send(process, deal.first(process))?);
        }
        while busy > 0 {
            let (process, reply) = self.link.receive_any().map_err(|error| SolveError::process(0, error))?;
            let reply = Reply::from_bytes(&reply).map_err(|error| SolveError::process(process, error))?;
            busy -= usize::from(!send(process, deal.take(process, reply))?);
        }
        Ok(())
    }

    /// Combines the replies. `order`: the ranges that are not empty, in the order of dealing.
    fn answer(
        &mut self,
        own: Result<Result<Values, Unsolved>, SolveError>,
        ended: Ended,
        order: &[usize],
        states: u64,
    ) -> Result<Option<Shared>, SolveError> {
        let Ok(own) = own? else { return Ok(None) };
        let ranges = match ended {
            Ended::Solved(ranges) => ranges,
            Ended::TooLarge | Ended::Otherwise(_, Reply::Unsolved(_)) => return Ok(None),
            Ended::Otherwise(number, Reply::Limit(limit)) => {
                return Err(limit.during(|| format!("process {number}")).into());
            }
            Ended::Otherwise(number, Reply::Failed(what)) => return Err(SolveError::process(number, what)),
            Ended::Otherwise(number, other) => {
                return Err(SolveError::process(number, format!("unexpected: {other:?}")));
            }
        };
        let mut counts = vec![0; own.values.len()];
        for Dealt { report, .. } in &ranges {
            if report.counts.len() != counts.len() {
                return Err(SolveError::Inconsistent("processes see other values of the next layer".to_owned()));
            }
            counts.iter_mut().zip(&report.counts).for_each(|(sum, count)| *sum += count);
        }
        if counts.iter().sum::<u64>() != states {
            return Err(SolveError::Inconsistent("processes see other states of a layer".to_owned()));
        }
        self.profile.add(ranges.iter().map(|dealt| &dealt.report.piece));
        Ok(Some(Shared {
            link: Arc::clone(&self.link),
            own: own.ranges,
            values: own.values,
            counts,
            states,
            ranges,
            order: order.to_vec(),
        }))
    }
}

/// The values of a layer by rank, each range in the memory of the process that solved it.
pub struct Shared {
    link: Arc<dyn Link>,
    /// The values of the ranges that process 0 has solved.
    own: Vec<Vec<Bitvector>>,
    values: Vec<u32>,
    counts: Vec<u64>,
    states: u64,
    /// The ranges in the order of their ranks.
    ranges: Vec<Dealt>,
    /// The numbers of the ranges in the order of dealing.
    order: Vec<usize>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{} states of {} processes", self.states, self.link.size())
    }
}

impl Shared {
    /// The values that occur, in the first mover's order, and the number of states with each.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.values.iter().copied().zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// Number of values that the states may have.
    pub fn kinds(&self) -> usize {
        self.values.len()
    }

    /// The sum of the reports of all ranges.
    pub fn cost(&self) -> Report {
        let mut total = Report::default();
        for Dealt { report, .. } in &self.ranges {
            total.piece.states += report.piece.states;
            total.piece.configurations += report.piece.configurations;
            total.programs += report.programs;
            total.code += report.code;
            total.read += report.read;
            total.next = report.next;
            total.build += report.build;
            total.load += report.load;
            total.run += report.run;
        }
        total
    }

    pub fn work(&self, layer: u32) -> SharedWork {
        let total = self.cost();
        let works: HashMap<usize, f64> =
            self.ranges.iter().map(|dealt| (dealt.range, dealt.report.piece.work())).collect();
        let mut shares = vec![0.0; self.link.size()];
        for dealt in &self.ranges {
            shares[dealt.process] += dealt.report.piece.work();
        }
        SharedWork {
            layer,
            shares,
            ranges: self.order.iter().map(|range| works[range]).collect(),
            next: total.next,
            read: total.read,
            programs: total.programs,
            seconds: [total.build, total.load, total.run].map(|time| time as f64 * 1e-9),
        }
    }
}

impl RankedBlocks for Shared {
    fn states(&self) -> u64 {
        self.states
    }

    fn values(&self) -> Vec<u32> {
        self.counts().map(|(value, _)| value).collect()
    }

    fn write(&mut self, context: &Context, file: &mut BlockFile) -> io::Result<()> {
        let written = self.write_all(context, file);
        self.tell(|_| Signal::Forget)?;
        written
    }
}

impl Shared {
    /// Each process packs its ranges, gets their positions in the file, and writes them there. Then the checksum of the
    /// file goes from process to process, in the order of the ranges.
    fn write_all(&mut self, context: &Context, file: &mut BlockFile) -> io::Result<()> {
        let (values, size) = (RankedBlocks::values(self), self.link.size());
        let mut positions: Vec<Vec<u64>> = (0..size).map(|process| vec![0; self.solved_by(process)]).collect();
        self.tell(|_| Signal::Pack { values: values.clone() })?;
        let own = Packing::new(std::mem::take(&mut self.own), &values, context);
        let (own, mut sizes) = self.gather(own, |process, reply| match reply {
            Reply::Packed(sizes) if sizes.len() == positions[process].len() => Ok(sizes),
            other => Err(other),
        })?;
        sizes.insert(0, own.sizes());
        let mut position = file.position();
        for &Dealt { process, place, .. } in &self.ranges {
            positions[process][place] = position;
            position += sizes[process][place];
        }
        self.tell(|other| Signal::Write { file: file.path().to_owned(), positions: positions[other].clone() })?;
        let written = own.write(file.path(), &positions[0], context);
        self.gather(written, |_, reply| match reply {
            Reply::Written => Ok(()),
            other => Err(other),
        })?;
        for &Dealt { process, place, .. } in &self.ranges {
            let mut sum = Box::new(file.sum().clone());
            let lengths;
            if process == 0 {
                lengths = own.sum(place, &mut sum, context)?;
            } else {
                self.link.send(process, &Signal::Sum { range: place, sum }.to_bytes())?;
                let reply = Reply::from_bytes(&self.link.receive(process)?)?;
                (lengths, sum) = match reply {
                    Reply::Summed { lengths, sum } => (lengths, sum),
                    other => return Err(stopped(other, process)),
                };
            }
            file.pass(&lengths, *sum)?;
        }
        Ok(())
    }

    fn solved_by(&self, process: usize) -> usize {
        self.ranges.iter().filter(|dealt| dealt.process == process).count()
    }

    fn others(&self) -> std::ops::Range<usize> {
        1..self.link.size()
    }

    /// Receives a reply from each other process, even if one has failed. Returns the result of process 0 and the
    /// replies, by number of process. `expected` returns a reply of another kind as its error.
    fn gather<T, U>(
        &self,
        own: io::Result<T>,
        expected: impl Fn(usize, Reply) -> Result<U, Reply>,
    ) -> io::Result<(T, Vec<U>)> {
        let mut all = own.map(|own| (own, Vec::new()));
        for other in self.others() {
            let reply = expected(other, Reply::from_bytes(&self.link.receive(other)?)?);
            all = all.and_then(|(own, mut answers)| {
                answers.push(reply.map_err(|reply| stopped(reply, other))?);
                Ok((own, answers))
            });
        }
        all
    }

    fn tell(&self, what: impl Fn(usize) -> Signal) -> io::Result<()> {
        self.others().try_for_each(|other| self.link.send(other, &what(other).to_bytes()))
    }
}

fn stopped(reply: Reply, process: usize) -> io::Error {
    let failed = |what: String| io::Error::other(format!("process {process}: {what}"));
    match reply {
        Reply::Limit(limit) => limit.during(|| format!("process {process}")).into(),
        Reply::Failed(what) => failed(what),
        other => failed(format!("unexpected: {other:?}")),
    }
}
