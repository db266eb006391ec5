//! The processes that serve process 0: they solve ranges of layers until they are told to end.

use super::Link;
use super::message::{Layer, Message, Reply, Signal, Task};
use super::packing::Packing;
use super::range::{self, Outcome, Values};
use crate::kernel::Context;
use crate::limits::{Limits, Reserved};
use crate::scratch::Scratch;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Tells process 0 that this one cannot serve, and why. Process 0 ends the run.
pub fn decline(link: &dyn Link, reason: String) -> io::Result<()> {
    link.send(0, &Reply::Failed(reason).to_bytes())?;
    match Signal::from_bytes(&link.receive(0)?)? {
        Signal::End => Ok(()),
        other => Err(unexpected(&other)),
    }
}

/// Serves as process number `number` until process 0 says that this is the end. `scratch`: a folder of its own for what
/// does not fit memory.
///
/// A limit that is met is told to process 0, which ends the run; an error is one of the link.
pub fn serve(link: &dyn Link, number: usize, limits: &Arc<Limits>, threads: usize, scratch: &Path) -> io::Result<()> {
    let context = Context::new(Arc::clone(limits), threads).with_scratch(Scratch::new(scratch, limits));
    let (mut values, mut packing): (Option<Values>, Option<Packing>) = (None, None);
    link.send(0, &Reply::Ready.to_bytes())?;
    loop {
        let reply = match Signal::from_bytes(&link.receive(0)?)? {
            Signal::Task { bytes } => {
                (values, packing) = (None, None);
                let room = limits.hold(bytes);
                // All take part in a broadcast.
                let message = link.broadcast(Vec::new())?;
                match room {
                    Ok(room) => solve((message, room), number, &context, &mut values),
                    Err(limit) => Reply::Limit(limit),
                }
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
            Signal::Forget => {
                (values, packing) = (None, None);
                continue;
            }
            Signal::End => return Ok(()),
        };
        link.send(0, &reply.to_bytes())?;
    }
}

/// The blocks that were made.
fn of(packing: &Option<Packing>) -> io::Result<&Packing> {
    packing.as_ref().ok_or_else(|| io::Error::other("no blocks were made"))
}

fn unexpected(signal: &Signal) -> io::Error {
    io::Error::other(format!("unexpected: {signal:?}"))
}

/// `message`: with its memory.
fn solve((message, room): (Vec<u8>, Reserved), number: usize, context: &Context, values: &mut Option<Values>) -> Reply {
    let (task, Layer { labels, moves: (relations, roots) }) = match Task::read(&message, context.limits()) {
        Ok(read) => read,
        Err(error) => return error.into(),
    };
    drop((message, room));
    let outcome = range::solve(&task, number, &labels, (&relations, &roots), context);
    let reply = range::reply(&outcome);
    if let Ok(Outcome::Solved(solved)) = outcome {
        *values = Some(solved);
    }
    reply
}
