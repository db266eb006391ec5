//! The processes that serve process 0: they solve ranges of layers until process 0 ends the work.

use super::super::SolveError;
use super::Link;
use super::message::{Layer, Message, Reply, Signal, Task};
use super::packing::Packing;
use super::range::{self, Values};
use super::sweeps;
use base::limits::{Limits, Reserved};
use base::scratch::Scratch;
use kernel::Context;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Tells process 0 why this process cannot serve. Process 0 ends the run.
pub fn decline(link: &dyn Link, reason: String) -> io::Result<()> {
    link.send(0, &Reply::Failed(reason).to_bytes())?;
    match Signal::from_bytes(&link.receive(0)?)? {
        Signal::End => Ok(()),
        other => Err(unexpected(&other)),
    }
}

/// Serves until process 0 ends the work. `scratch`: a folder for data of this process that does not fit into memory.
/// Limits are reported to process 0, which ends the run or, in a sweep, may go on alone. Errors are those of the link.
pub fn serve(link: &Arc<dyn Link>, limits: &Arc<Limits>, threads: usize, scratch: &Path) -> io::Result<()> {
    let context =
        Context::new(Arc::clone(limits), threads).with(|manner| manner.scratch = Some(Scratch::new(scratch, limits)));
    let together = sweeps::together(link, &context);
    let link = &**link;
    let (mut room, mut values, mut packing): (Option<Reserved>, Option<Values>, Option<Packing>) = (None, None, None);
    link.send(0, &Reply::Ready.to_bytes())?;
    loop {
        let reply = match Signal::from_bytes(&link.receive(0)?)? {
            Signal::Task { bytes } => {
                drop((values.take(), packing.take()));
                match limits.hold(bytes) {
                    Ok(held) => {
                        room = Some(held);
                        Reply::Ready
                    }
                    Err(limit) => Reply::Limit(limit),
                }
            }
            Signal::Take => {
                let room = room.take().ok_or_else(|| io::Error::other("no task was told of"))?;
                values = solve(link, (link.broadcast(Vec::new())?, room), &context)?;
                continue;
            }
            Signal::Pack { values: occurring } => {
                let Some(values) = values.take() else { return Err(io::Error::other("no values were made")) };
                match Packing::new(values.ranges, &occurring, &context) {
                    Ok(packed) => Reply::Packed(packing.insert(packed).sizes()),
                    Err(stopped) => stopped.into(),
                }
            }
            Signal::Write { file, positions } => {
                let written = of(&packing)?.write(&file, &positions, &context);
                written.map_or_else(Reply::from, |()| Reply::Written)
            }
            Signal::Sum { range, mut sum } => {
                let lengths = of(&packing)?.sum(range, &mut sum, &context);
                lengths.map_or_else(Reply::from, |lengths| Reply::Summed { lengths, sum })
            }
            Signal::Image => {
                (room, values, packing) = (None, None, None);
                sweeps::image(link, &together)?;
                continue;
            }
            Signal::Select => {
                (room, values, packing) = (None, None, None);
                sweeps::select(&together)?;
                continue;
            }
            Signal::Forget => {
                (room, values, packing) = (None, None, None);
                continue;
            }
            Signal::End => return Ok(()),
            other @ (Signal::Range { .. } | Signal::Done) => return Err(unexpected(&other)),
        };
        link.send(0, &reply.to_bytes())?;
    }
}

fn of(packing: &Option<Packing>) -> io::Result<&Packing> {
    packing.as_ref().ok_or_else(|| io::Error::other("no blocks were made"))
}

fn unexpected(signal: &Signal) -> io::Error {
    io::Error::other(format!("unexpected: {signal:?}"))
}

/// Solves ranges of a task until process 0 has no more. `None`: a range was not solved, and process 0 was told why.
fn solve(link: &dyn Link, message: (Vec<u8>, Reserved), context: &Context) -> io::Result<Option<Values>> {
    let Some(first) = next(link)? else { return Ok(Some(Values { values: Vec::new(), ranges: Vec::new() })) };
    let read = Task::read(&message.0, context.limits());
    drop(message);
    let outcome = read.and_then(|(task, layer)| {
        let Layer { labels, moves: (relations, roots) } = layer;
        let mut told = |report| {
            link.send(0, &Reply::Solved(report).to_bytes())
                .and_then(|()| next(link))
                .map_err(|error| SolveError::process(0, error))
        };
        range::solve(&task, first, &labels, (&relations, &roots), &mut told, context)
    });
    if let Some(otherwise) = range::otherwise(&outcome) {
        link.send(0, &otherwise.to_bytes())?;
        return match next(link)? {
            None => Ok(None),
            Some(range) => Err(unexpected(&Signal::Range { range })),
        };
    }
    match outcome {
        Ok(Ok(values)) => Ok(Some(values)),
        _ => unreachable!("told otherwise"),
    }
}

fn next(link: &dyn Link) -> io::Result<Option<usize>> {
    match Signal::from_bytes(&link.receive(0)?)? {
        Signal::Range { range } => Ok(Some(range)),
        Signal::Done => Ok(None),
        other => Err(unexpected(&other)),
    }
}
