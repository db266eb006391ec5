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
    let mut values: Option<Values> = None;
    link.send(0, &Reply::Ready.to_bytes())?;
    loop {
        match Signal::from_bytes(&link.receive(0)?)? {
            Signal::Task { bytes } => {
                values = None;
                let room = limits.hold(bytes);
                // All take part in a broadcast.
                let message = link.broadcast(Vec::new())?;
                let reply = match room {
                    Ok(room) => solve((message, room), number, &context, &mut values),
                    Err(limit) => Reply::Limit(limit),
                };
                link.send(0, &reply.to_bytes())?;
            }
            Signal::Pack { values: occurring } => {
                let Some(values) = values.take() else { return Err(io::Error::other("no values were made")) };
                let mut packing = Packing::begin(values.ranges, &occurring, &context);
                // Nothing else is told before all are delivered, or the end.
                while !packing.is_done() {
                    match Signal::from_bytes(&link.receive(0)?)? {
                        Signal::Deliver => packing.deliver(&context, |message| link.send(0, message))?,
                        Signal::End => return Ok(()),
                        other => return Err(unexpected(&other)),
                    }
                }
            }
            Signal::Deliver => return Err(io::Error::other("no blocks were asked for")),
            Signal::Forget => values = None,
            Signal::End => return Ok(()),
        }
    }
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
