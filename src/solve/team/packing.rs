//! The blocks of a process's values on their way to process 0: packed as far as memory suffices while it takes those of
//! others, the rest when it is their turn.
//!
//! A message is a byte that says what it is, and what that has: blocks, each with its length in four bytes; nothing, at
//! the end; or why there are no more.

use super::message::{Message, Reply};
use crate::kernel::{Bitvector, Codes, Context};
use crate::limits::Account;
use crate::store::{Stopped, Take, pack};
use std::io;

/// Bytes of blocks from which on a message is sent.
pub const MESSAGE: usize = 4 << 20;

const BLOCKS: u8 = 0;
const END: u8 = 1;
const FAILED: u8 = 2;

/// The values of consecutive ranks, packed or not.
enum Part {
    /// Each block with its length.
    Packed(Vec<u8>, Account),
    Waiting(Bitvector),
}

/// The values of ranges.
pub struct Packing {
    /// By range that was not sent, the last one first.
    ranges: Vec<Vec<Part>>,
    /// Those that occur in the layer.
    values: Vec<u32>,
}

impl Packing {
    /// Packs what there is memory for.
    pub fn begin(ranges: Vec<Vec<Bitvector>>, values: &[u32], context: &Context) -> Packing {
        let mut short = false;
        let mut part = |part: Bitvector| {
            let packed = if short { None } else { packed(&part, values, context) };
            // Whether time is up or memory, it shows again when they are sent.
            short |= packed.is_none();
            packed.map_or(Part::Waiting(part), |(bytes, account)| Part::Packed(bytes, account))
        };
        let ranges: Vec<Vec<Part>> =
            ranges.into_iter().map(|parts| parts.into_iter().map(&mut part).collect()).collect();
        Packing { ranges: ranges.into_iter().rev().collect(), values: values.to_vec() }
    }

    /// Whether all were sent.
    pub fn is_done(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Sends all blocks of the next range in order, and the end or why it is not.
    pub fn deliver(&mut self, context: &Context, mut send: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let failed = |limit| [&[FAILED], &Reply::Limit(limit).to_bytes()[..]].concat();
        let _room = match context.limits().hold(MESSAGE as u64) {
            Ok(room) => room,
            Err(limit) => return send(&failed(limit)),
        };
        let mut message = vec![BLOCKS];
        for part in self.ranges.pop().expect("a range that was not sent") {
            let mut take = |length: &[u8], block: &[u8]| {
                message.extend_from_slice(length);
                message.extend_from_slice(block);
                if message.len() < MESSAGE {
                    return Ok(());
                }
                send(&message).inspect(|()| message.truncate(1))
            };
            let sent = match part {
                Part::Packed(bytes, _account) => {
                    blocks(&bytes, |block| take(&length(block), block)).map_err(Stopped::from)
                }
                Part::Waiting(values) => {
                    pack(&Codes::of(&values, &self.values), context, &mut |block| take(&length(block), block))
                }
            };
            match sent {
                Ok(()) => {}
                Err(Stopped::Failed(error)) => return Err(error),
                Err(Stopped::Limit(limit)) => return send(&failed(limit)),
            }
        }
        if message.len() > 1 {
            send(&message)?;
        }
        send(&[END])
    }
}

fn length(block: &[u8]) -> [u8; 4] {
    (block.len() as u32).to_le_bytes()
}

/// The blocks of some values; `None` if there is no memory or time for them.
fn packed(values: &Bitvector, occurring: &[u32], context: &Context) -> Option<(Vec<u8>, Account)> {
    let (mut bytes, mut account) = (Vec::new(), Account::new(context.limits()));
    let mut short = false;
    let done = pack(&Codes::of(values, occurring), context, &mut |block: &[u8]| {
        let size = bytes.len() + 4 + block.len();
        // A vector that grows has up to twice the bytes, and for a while the old ones beside them.
        if account.grow_to(3 * size as u64).is_err() {
            short = true;
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        bytes.extend_from_slice(&length(block));
        bytes.extend_from_slice(block);
        Ok(())
    });
    if short || done.is_err() {
        return None;
    }
    bytes.shrink_to_fit();
    account.shrink_to(bytes.len() as u64);
    Some((bytes, account))
}

/// Hands on each block of some that have their lengths before them.
fn blocks(mut bytes: &[u8], mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let cut = || io::Error::other("blocks that are cut short");
        let (block, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut)?;
        take(block)?;
        bytes = rest;
    }
    Ok(())
}

/// Takes the blocks that another process sends, all of them even if they cannot be taken.
pub fn receive(mut next: impl FnMut() -> io::Result<Vec<u8>>, take: Take) -> Result<(), Stopped> {
    let mut taken = Ok(());
    loop {
        let message = next()?;
        match message.split_first() {
            Some((&BLOCKS, bytes)) if taken.is_ok() => taken = blocks(bytes, &mut *take).map_err(Stopped::from),
            Some((&BLOCKS, _)) => {}
            Some((&END, _)) => return taken,
            Some((&FAILED, reason)) => {
                taken?;
                return Err(match Reply::from_bytes(reason)? {
                    Reply::Limit(limit) => Stopped::Limit(limit),
                    other => Stopped::Failed(io::Error::other(format!("unexpected: {other:?}"))),
                });
            }
            _ => return Err(Stopped::Failed(io::Error::other("a message that is no blocks"))),
        }
    }
}
