//! Process 0: it hands a layer out, solves a range itself, and gathers what comes back.

use super::super::SolveError;
use super::super::progress::SharedWork;
use super::message::{Message, Piece, Reply, Report, Signal, Task};
use super::packing::Packing;
use super::profile::{self, Profile, work};
use super::range::{self, Outcome};
use super::{Link, Team};
use crate::kernel::{Bitvector, Context, Diagram, Preferences, RelationId, Relations};
use crate::store::{BLOCK_STATES, BlockFile, RankedBlocks, Stopped, StoredFile};
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
                other => return Err(SolveError::process(number, format!("unexpected: {other:?}"))),
            }
        }
        let mut counts = vec![0; own.values.len()];
        for report in &reports {
            if report.pieces.len() != profile::turns(reports.len()) {
                return Err(SolveError::Inconsistent("processes see other ranges of a layer".to_owned()));
            }
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

    fn write(&mut self, context: &Context, file: &mut BlockFile) -> Result<(), Stopped> {
        let written = self.write_all(context, file);
        self.others().try_for_each(|other| self.link.send(other, &Signal::Forget.to_bytes()))?;
        written
    }
}

impl Shared {
    /// Each process packs its ranges, learns where they belong in the file and writes them there; then the sum of the
    /// file goes through them in the order of the ranges.
    fn write_all(&mut self, context: &Context, file: &mut BlockFile) -> Result<(), Stopped> {
        let (values, size) = (RankedBlocks::values(self), self.link.size());
        self.tell(|_| Signal::Pack { values: values.clone() })?;
        let own = Packing::new(std::mem::take(&mut self.ranges), &values, context);
        let (own, mut sizes) = self.gather(own, |reply| match reply {
            Reply::Packed(sizes) if sizes.len() == profile::turns(size) => Ok(sizes),
            other => Err(other),
        })?;
        sizes.insert(0, own.sizes());
        let mut positions = vec![Vec::new(); size];
        let mut position = file.position();
        for range in 0..profile::ranges(size) {
            let owner = profile::owner(range, size);
            positions[owner].push(position);
            position += sizes[owner][range / size];
        }
        self.tell(|other| Signal::Write { file: file.path().to_owned(), positions: positions[other].clone() })?;
        let written = own.write(file.path(), &positions[0], context);
        self.gather(written, |reply| match reply {
            Reply::Written => Ok(()),
            other => Err(other),
        })?;
        for range in 0..profile::ranges(size) {
            let (owner, number) = (profile::owner(range, size), range / size);
            let mut sum = Box::new(file.sum().clone());
            let lengths;
            if owner == 0 {
                lengths = own.sum(number, &mut sum, context)?;
            } else {
                self.link.send(owner, &Signal::Sum { range: number, sum }.to_bytes())?;
                let reply = Reply::from_bytes(&self.link.receive(owner)?)?;
                (lengths, sum) = match reply {
                    Reply::Summed { lengths, sum } => (lengths, sum),
                    other => return Err(stopped(other, owner)),
                };
            }
            file.pass(&lengths, *sum)?;
        }
        Ok(())
    }

    fn others(&self) -> std::ops::Range<usize> {
        1..self.link.size()
    }

    /// What this process found, and by number what the others answer, which are all heard even if one has failed. `expected`
    /// gives an answer back that is another one.
    fn gather<T, U>(
        &self,
        own: Result<T, Stopped>,
        expected: impl Fn(Reply) -> Result<U, Reply>,
    ) -> Result<(T, Vec<U>), Stopped> {
        let mut all = own.map(|own| (own, Vec::new()));
        for other in self.others() {
            let reply = expected(Reply::from_bytes(&self.link.receive(other)?)?);
            all = all.and_then(|(own, mut answers)| {
                answers.push(reply.map_err(|reply| stopped(reply, other))?);
                Ok((own, answers))
            });
        }
        all
    }

    /// Tells all other processes something.
    fn tell(&self, what: impl Fn(usize) -> Signal) -> io::Result<()> {
        self.others().try_for_each(|other| self.link.send(other, &what(other).to_bytes()))
    }
}

/// What another process says instead of what was expected.
fn stopped(reply: Reply, process: usize) -> Stopped {
    let failed = |what: String| Stopped::Failed(io::Error::other(format!("process {process}: {what}")));
    match reply {
        Reply::Limit(limit) => Stopped::Limit(limit.during(|| format!("process {process}"))),
        Reply::Failed(what) => failed(what),
        other => failed(format!("unexpected: {other:?}")),
    }
}
