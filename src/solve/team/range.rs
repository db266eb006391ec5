//! Solving the ranges of one process, one after the other: each at once if memory suffices, else in halves.

use super::super::SolveError;
use super::message::{Piece, Reply, Report, Task};
use super::profile;
use crate::kernel::{
    self, Begun, Bitvector, Context, Diagram, Most, Preferences, RelationId, Relations, Retrograde, Slices,
};
use crate::limits::LimitReached;
use crate::store::{BLOCK_STATES, Kind, Ranked, StoreError};
use std::ops::Range;

/// The values of the ranges of a process.
pub struct Values {
    /// Those that the layer's states may have, in the first mover's order, worst first.
    pub values: Vec<u32>,
    /// By range: those of its states, in parts of consecutive ranks.
    pub ranges: Vec<Vec<Bitvector>>,
    pub report: Report,
}

/// What became of it.
pub enum Outcome {
    Solved(Values),
    DeadEnd,
    TooLarge,
}

/// The values of the next layer.
enum After {
    Ranked(Ranked),
    Diagram(Diagram, Vec<u32>),
}

impl After {
    fn open(task: &Task, context: &Context) -> Result<After, StoreError> {
        Ok(match task.after.kind {
            Kind::Ranked => After::Ranked(task.after.ranked()?),
            _ => After::Diagram(task.after.diagram(context.limits())?, task.order.clone()),
        })
    }

    /// Those that occur, in the first mover's order.
    fn values(&self) -> &[u32] {
        match self {
            After::Ranked(ranked) => ranked.values(),
            After::Diagram(_, order) => order,
        }
    }

    /// Those of some ranges of ranks.
    fn within(&self, next: &Diagram, ranges: &[Range<u64>], context: &Context) -> Result<Bitvector, SolveError> {
        Ok(match self {
            After::Ranked(ranked) => ranked.bitvector_within(ranges, context)?,
            After::Diagram(values, order) => kernel::ranked_within(next, values, order.clone(), ranges, context)?,
        })
    }
}

impl Values {
    /// Of no range so far; `values`: see above.
    fn none(values: Vec<u32>, next: u64) -> Values {
        let report = Report { counts: vec![0; values.len()], next, ..Report::default() };
        Values { values, ranges: Vec::new(), report }
    }
}

/// Everything that ranges of a layer are solved from.
struct Work<'a> {
    slices: Slices<'a>,
    next: &'a Diagram,
    after: After,
    preferences: Preferences,
    configurations: u64,
    context: &'a Context,
}

/// Solves the ranges of a process.
pub fn solve(
    task: &Task,
    number: usize,
    labels: &Diagram,
    (relations, roots): (&Relations, &[RelationId]),
    context: &Context,
) -> Result<Outcome, SolveError> {
    let next = task.next.diagram(context.limits())?;
    let slices = Slices::new(labels, &next, relations, roots, context)?;
    let after = After::open(task, context)?;
    let preferences = task.preferences();
    let Some(values) = slices.values(after.values(), &preferences) else { return Ok(Outcome::DeadEnd) };
    let configurations = task.configurations;
    let work = Work { slices, next: &next, after, preferences, configurations, context };
    let mut solved = Values::none(values, work.slices.next_states());
    let ranges = task.ranks.iter().enumerate().filter(|(range, _)| profile::owner(*range, task.processes) == number);
    for (_, ranks) in ranges {
        solved.report.pieces.push(Piece { states: ranks.end - ranks.start, configurations: 0 });
        solved.ranges.push(Vec::new());
        let mut waiting = vec![ranks.clone()];
        while let Some(ranks) = waiting.pop().filter(|ranks| !ranks.is_empty()) {
            match work.part(&ranks, &mut solved) {
                Ok(None) => {}
                Ok(Some(other)) => return Ok(other),
                // Halves take less, and have the same values.
                Err(SolveError::Limit(LimitReached::Memory { .. })) if ranks.end - ranks.start > BLOCK_STATES => {
                    let middle = ranks.start + (ranks.end - ranks.start).div_ceil(2).next_multiple_of(BLOCK_STATES);
                    waiting.extend([middle..ranks.end, ranks.start..middle]);
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(Outcome::Solved(solved))
}

impl Work<'_> {
    /// Adds the values of some ranks to the last range; what there is instead.
    fn part(&self, ranks: &Range<u64>, solved: &mut Values) -> Result<Option<Outcome>, SolveError> {
        let Work { slices, next, after, preferences, context, .. } = self;
        let reached = slices.reached(ranks, BLOCK_STATES);
        let read: u64 = reached.iter().map(|range| range.end - range.start).sum();
        let own = Bitvector::bytes(ranks.end - ranks.start, solved.values.len());
        // What is going to be needed beside the program.
        let room = context.limits().hold(own.saturating_add(Bitvector::bytes(read, after.values().len())))?;
        let left = self.configurations.saturating_sub(solved.report.total().configurations);
        let most = Most { configurations: left, ..Most::UNLIMITED };
        let slice = match slices.begin(ranks.clone(), most, context)? {
            Begun::Ready(slice) => slice,
            Begun::DeadEnd => return Ok(Some(Outcome::DeadEnd)),
            Begun::TooLarge => return Ok(Some(Outcome::TooLarge)),
        };
        drop(room);
        let begin = std::time::Instant::now();
        let values = after.within(next, &reached, context)?;
        solved.report.load += begin.elapsed().as_nanos() as u64;
        match slices.finish(slice, &values, preferences, context)? {
            Retrograde::Values(values, cost) => {
                let report = &mut solved.report;
                report.counts.iter_mut().zip(values.counts()).for_each(|(sum, count)| *sum += count);
                report.pieces.last_mut().expect("a range").configurations += cost.configurations;
                report.programs += cost.programs;
                report.code += cost.code;
                report.read += read;
                report.build += cost.build;
                report.run += cost.run;
                solved.ranges.last_mut().expect("a range").push(values);
                Ok(None)
            }
            Retrograde::DeadEnd => Ok(Some(Outcome::DeadEnd)),
            Retrograde::TooLarge => Ok(Some(Outcome::TooLarge)),
        }
    }
}

/// What is told of it to process 0.
pub fn reply(outcome: &Result<Outcome, SolveError>) -> Reply {
    match outcome {
        Ok(Outcome::Solved(values)) => Reply::Solved(values.report.clone()),
        Ok(Outcome::DeadEnd) => Reply::DeadEnd,
        Ok(Outcome::TooLarge) => Reply::TooLarge,
        Err(SolveError::Limit(limit)) => Reply::Limit(limit.clone()),
        Err(SolveError::Process { what, .. }) => Reply::Failed(what.clone()),
        Err(error) => Reply::Failed(error.to_string()),
    }
}
