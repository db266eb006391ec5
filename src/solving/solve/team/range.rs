//! Solves the ranges of a layer that a process gets, one after the other.

use super::super::SolveError;
use super::message::{Piece, Reply, Report, Task};
use crate::store::{BLOCK_STATES, Kind, Ranked, StoreError};
use base::limits::LimitReached;
use kernel::{self, Bitvector, Context, Diagram, Most, Preferences, RelationId, Relations, Slices, Unsolved};
use std::ops::Range;

pub struct Values {
    /// The values that the layer's states may have, in the first mover's order, worst first.
    pub values: Vec<u32>,
    /// The values of each range, in the order of dealing, in parts of consecutive ranks.
    pub ranges: Vec<Vec<Bitvector>>,
}

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

    /// The values that occur, in the first mover's order.
    fn values(&self) -> &[u32] {
        match self {
            After::Ranked(ranked) => ranked.values(),
            After::Diagram(_, order) => order,
        }
    }

    fn within(&self, next: &Diagram, ranges: &[Range<u64>], context: &Context) -> Result<Bitvector, SolveError> {
        Ok(match self {
            After::Ranked(ranked) => ranked.bitvector_within(ranges, context)?,
            After::Diagram(values, order) => kernel::ranked_within(next, values, order.clone(), ranges, context)?,
        })
    }
}

struct Solved {
    parts: Vec<Bitvector>,
    report: Report,
    most: u64,
}

impl Solved {
    /// A range without values so far. `values`: number of values that the layer's states may have; `next`: number of
    /// states of the next layer.
    fn none(ranks: &Range<u64>, values: usize, next: u64, most: u64) -> Solved {
        let piece = Piece { states: ranks.end - ranks.start, configurations: 0 };
        let report = Report { counts: vec![0; values], piece, next, ..Report::default() };
        Solved { parts: Vec::new(), report, most }
    }

    /// Number of configurations that the bound still permits.
    fn left(&self) -> u64 {
        self.most.saturating_sub(self.report.piece.configurations)
    }
}

/// The input that all ranges of a layer share.
struct Work<'a> {
    slices: Slices<'a>,
    next: &'a Diagram,
    after: After,
    preferences: Preferences,
    context: &'a Context,
}

/// Solves ranges of a layer: first the range `first`, then those that `next` returns for the report of the previous
/// range.
pub fn solve(
    task: &Task,
    first: usize,
    labels: &Diagram,
    (relations, roots): (&Relations, &[RelationId]),
    next: &mut dyn FnMut(Report) -> Result<Option<usize>, SolveError>,
    context: &Context,
) -> Result<Result<Values, Unsolved>, SolveError> {
    let layer = task.next.diagram(context.limits())?;
    let slices = Slices::new(labels, &layer, relations, roots, context)?;
    let after = After::open(task, context)?;
    let preferences = task.preferences();
    let Some(values) = slices.values(after.values(), &preferences) else { return Ok(Err(Unsolved::DeadEnd)) };
    let work = Work { slices, next: &layer, after, preferences, context };
    let (mut ranges, mut dealt, mut left) = (Vec::new(), Some(first), task.configurations);
    while let Some(range) = dealt {
        let ranks = &task.ranks[range];
        let mut solved = Solved::none(ranks, values.len(), work.slices.next_states(), left);
        if let Err(unsolved) = work.range(ranks, &mut solved)? {
            return Ok(Err(unsolved));
        }
        left = solved.left();
        ranges.push(solved.parts);
        dealt = next(solved.report)?;
    }
    Ok(Ok(Values { values, ranges }))
}

impl Work<'_> {
    /// Adds the values of a range: at once, or in halves if memory is short.
    fn range(&self, ranks: &Range<u64>, solved: &mut Solved) -> Result<Result<(), Unsolved>, SolveError> {
        let mut waiting = vec![ranks.clone()];
        while let Some(ranks) = waiting.pop().filter(|ranks| !ranks.is_empty()) {
            match self.part(&ranks, solved) {
                Ok(Ok(())) => {}
                Ok(unsolved) => return Ok(unsolved),
                // Halves take less memory, and yield the same values.
                Err(SolveError::Limit(LimitReached::Memory { .. })) if ranks.end - ranks.start > BLOCK_STATES => {
                    let middle = ranks.start + (ranks.end - ranks.start).div_ceil(2).next_multiple_of(BLOCK_STATES);
                    waiting.extend([middle..ranks.end, ranks.start..middle]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Ok(()))
    }

    /// Adds the values of `ranks`.
    fn part(&self, ranks: &Range<u64>, solved: &mut Solved) -> Result<Result<(), Unsolved>, SolveError> {
        let Work { slices, next, after, preferences, context, .. } = self;
        let reached = slices.reached(ranks, BLOCK_STATES);
        let read: u64 = reached.iter().map(|range| range.end - range.start).sum();
        let own = Bitvector::bytes(ranks.end - ranks.start, solved.report.counts.len());
        // Reserves the memory that is needed beside the program.
        let room = context.limits().hold(own.saturating_add(Bitvector::bytes(read, after.values().len())))?;
        let most = Most { configurations: solved.left(), ..Most::UNLIMITED };
        let slice = match slices.begin(ranks.clone(), most, context)? {
            Ok(slice) => slice,
            Err(unsolved) => return Ok(Err(unsolved)),
        };
        drop(room);
        let begin = std::time::Instant::now();
        let values = after.within(next, &reached, context)?;
        solved.report.load += begin.elapsed().as_nanos() as u64;
        let finished = slices.finish(slice, &values, preferences, context)?;
        Ok(finished.map(|(values, cost)| {
            let report = &mut solved.report;
            report.counts.iter_mut().zip(values.counts()).for_each(|(sum, count)| *sum += count);
            report.piece.configurations += cost.configurations;
            report.programs += cost.programs;
            report.code += cost.code;
            report.read += read;
            report.build += cost.build;
            report.run += cost.run;
            solved.parts.push(values);
        }))
    }
}

/// The reply of a process whose ranges are not solved.
pub fn otherwise(outcome: &Result<Result<Values, Unsolved>, SolveError>) -> Option<Reply> {
    Some(match outcome {
        Ok(Ok(_)) => return None,
        Ok(Err(unsolved)) => Reply::Unsolved(*unsolved),
        Err(SolveError::Limit(limit)) => Reply::Limit(limit.clone()),
        Err(SolveError::Process { what, .. }) => Reply::Failed(what.clone()),
        Err(error) => Reply::Failed(error.to_string()),
    })
}
