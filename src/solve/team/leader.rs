//! Process 0: it hands a layer out, solves a range itself, and gathers what comes back.

use super::super::SolveError;
use super::super::progress::SharedWork;
use super::message::{Message, Piece, Reply, Report, Signal, Task};
use super::packing;
use super::profile::{self, Profile, work};
use super::range::{self, Outcome};
use super::{Link, Team};
use crate::kernel::{Bitvector, Codes, Context, Diagram, Preferences, RelationId, Relations};
use crate::limits::LimitReached;
use crate::store::{BLOCK_STATES, RankedBlocks, Stopped, StoredFile, Take, pack};
use std::io;
use std::sync::Arc;

/// A layer for all processes.
pub struct Assignment<'a> {
    pub states: u64,
    /// With its terminals, see [`crate::kernel::labels`].
    pub labels: &'a Diagram,
    pub moves: (&'a Relations, &'a [RelationId]),
    pub preferences: &'a Preferences,
    /// States and values of the next layer, and the values that occur if they are a diagram.
    pub next: [StoredFile; 2],
    pub order: Vec<u32>,
    /// Bound on the configurations of all programs together.
    pub configurations: u64,
}

/// What came back.
pub enum Answer {
    Values(Shared),
    /// Not by this way: there is a dead end, or the programs of the ranges together are larger than that of the whole layer
    /// may be.
    Otherwise,
}

/// Hands layers to the processes of a team.
pub struct Leader {
    link: Arc<dyn Link>,
    least: u64,
    profile: Profile,
}

impl Leader {
    /// `None` if there are no others.
    pub fn of(team: &Team) -> Option<Leader> {
        let members = team.members.as_ref()?;
        Some(Leader { link: Arc::clone(&members.link), least: members.least, profile: Profile::default() })
    }

    /// Least states of a layer that is shared.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Number of processes.
    pub fn processes(&self) -> u64 {
        self.link.size() as u64
    }

    /// Solves a layer. If that fails, the others wait for the next one.
    pub fn solve(&mut self, layer: Assignment, context: &Context) -> Result<Answer, SolveError> {
        let Assignment { states, labels, moves, preferences, next, order, configurations } = layer;
        let size = self.link.size();
        let ranks = self.profile.cut(states, profile::ranges(size), BLOCK_STATES);
        let (message, room) =
            Task::message((ranks, size), configurations, preferences, next, order, labels, moves, context)?;
        let signal = Signal::Task { bytes: message.len() as u64 }.to_bytes();
        for other in 1..size {
            self.link.send(other, &signal).map_err(|error| SolveError::process(other, error))?;
        }
        let message = self.link.broadcast(message).map_err(|error| SolveError::process(0, error))?;
        let task = Task::head(&message).map_err(|error| SolveError::process(0, error))?;
        drop((message, room));
        let own = range::solve(&task, 0, labels, moves, context);
        let mut replies = vec![range::reply(&own)];
        for other in 1..size {
            replies.push(self.reply(other).map_err(|error| SolveError::process(other, error))?);
        }
        let answer = self.answer(own, replies, configurations, states);
        if !matches!(answer, Ok(Answer::Values(_))) {
            for other in 1..size {
                let sent = self.link.send(other, &Signal::Forget.to_bytes());
                sent.map_err(|error| SolveError::process(other, error))?;
            }
        }
        answer
    }

    fn reply(&self, process: usize) -> io::Result<Reply> {
        Reply::from_bytes(&self.link.receive(process)?)
    }

    fn answer(
        &mut self,
        own: Result<Outcome, SolveError>,
        replies: Vec<Reply>,
        configurations: u64,
        states: u64,
    ) -> Result<Answer, SolveError> {
        let Outcome::Solved(own) = own? else { return Ok(Answer::Otherwise) };
        let mut reports = Vec::with_capacity(replies.len());
        for (number, reply) in replies.into_iter().enumerate() {
            match reply {
                Reply::Solved(report) => reports.push(report),
                Reply::DeadEnd | Reply::TooLarge => return Ok(Answer::Otherwise),
                Reply::Limit(limit) => return Err(limit.during(|| format!("process {number}")).into()),
                Reply::Failed(what) => return Err(SolveError::process(number, what)),
                Reply::Ready => return Err(SolveError::process(number, "it begins while others work")),
            }
        }
        let mut counts = vec![0; own.values.len()];
        for report in &reports {
            if report.counts.len() != counts.len() {
                return Err(SolveError::Inconsistent("processes see other values of the next layer".to_owned()));
            }
            counts.iter_mut().zip(&report.counts).for_each(|(sum, count)| *sum += count);
        }
        if counts.iter().sum::<u64>() != states {
            return Err(SolveError::Inconsistent("processes see other states of a layer".to_owned()));
        }
        if reports.iter().map(|report| report.total().configurations).sum::<u64>() > configurations {
            return Ok(Answer::Otherwise);
        }
        let shared =
            Shared { link: Arc::clone(&self.link), ranges: own.ranges, values: own.values, counts, states, reports };
        self.profile.add(shared.pieces());
        Ok(Answer::Values(shared))
    }
}

/// The values of a layer by rank, each range in the memory of the process that solved it.
pub struct Shared {
    link: Arc<dyn Link>,
    /// Those of process 0, by range.
    ranges: Vec<Vec<Bitvector>>,
    values: Vec<u32>,
    counts: Vec<u64>,
    states: u64,
    /// By process.
    reports: Vec<Report>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{} states of {} processes", self.states, self.reports.len())
    }
}

impl Shared {
    /// The values that states have, in the first mover's order, and how many have each.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.values.iter().copied().zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// Number of values that the states may have.
    pub fn kinds(&self) -> usize {
        self.values.len()
    }

    /// By range, in order: what it took.
    fn pieces(&self) -> impl Iterator<Item = &Piece> + Clone {
        let size = self.reports.len();
        (0..profile::ranges(size)).map(move |range| &self.reports[profile::owner(range, size)].pieces[range / size])
    }

    /// What all ranges together took.
    pub fn cost(&self) -> Report {
        let mut total = Report { pieces: self.pieces().copied().collect(), ..Report::default() };
        for report in &self.reports {
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

    /// How the work of this layer was shared.
    pub fn work(&self, layer: u32) -> SharedWork {
        let total = self.cost();
        SharedWork {
            layer,
            works: self.reports.iter().map(Report::total).map(|all| work(all.states, all.configurations)).collect(),
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

    fn write(&mut self, context: &Context, take: Take) -> Result<(), Stopped> {
        let (values, size) = (RankedBlocks::values(self), self.link.size());
        for other in 1..size {
            self.link.send(other, &Signal::Pack { values: values.clone() }.to_bytes())?;
        }
        // For the message of another process.
        let room = context.limits().hold(packing::MESSAGE as u64);
        let mut written = room.as_ref().map(|_| ()).map_err(|limit| Stopped::Limit(limit.clone()));
        let mut own = std::mem::take(&mut self.ranges).into_iter();
        for range in 0..profile::ranges(size) {
            let owner = profile::owner(range, size);
            if owner == 0 {
                for part in own.next().expect("process 0 has solved its ranges") {
                    written = written.and_then(|()| pack(&Codes::of(&part, &values), context, &mut *take));
                }
                continue;
            }
            self.link.send(owner, &Signal::Deliver.to_bytes())?;
            let ended = written.is_err();
            let mut none = |_: &[u8]| Ok(());
            let taken = packing::receive(|| self.link.receive(owner), if ended { &mut none } else { &mut *take });
            written = written.and(taken.map_err(|stopped| during(stopped, owner)));
        }
        written
    }
}

fn during(stopped: Stopped, process: usize) -> Stopped {
    match stopped {
        Stopped::Limit(limit) => Stopped::Limit(LimitReached::during(limit, || format!("process {process}"))),
        Stopped::Failed(error) => Stopped::Failed(io::Error::new(error.kind(), format!("process {process}: {error}"))),
    }
}
